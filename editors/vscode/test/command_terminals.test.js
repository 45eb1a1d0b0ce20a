// Commands that calls run: a terminal each, with the output as it comes; closing it cancels the call.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const { agent, place, root, run, show, started, until } = require('./support');

describe('commands', () => {
  let call;
  before(async () => {
    await started();
    const { call: called } = await agent;
    call = async (...rest) => JSON.parse(await called(...rest));
    fs.writeFileSync(path.join(root, 'serve.sh'), "printf '\\033]0;other\\007first line\\n'; sleep 60\n");
  });

  const named = (why) => vscode.window.terminals.find(({ name }) => name === why);
  const copied = async () => {
    await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    return vscode.env.clipboard.readText();
  };

  it('shows one that takes long in a terminal, leaves the focus, and cancels it with its terminal', async () => {
    const editor = await show('open.txt', 'text\n');
    const why = 'Serve the pages for a look at them';
    const answer = call(place, 'terminal.run', { cmd: ['bash', 'serve.sh'], timeout_ms: 60_000, why });
    const terminal = await until(() => named(why), 'a terminal');
    assert.equal(vscode.window.activeTextEditor, editor);
    terminal.show(false);
    const text = await until(async () => /[\s\S]*first line/.exec(await copied())?.[0], 'the output');
    assert.match(text, /\$ bash serve\.sh/);
    assert.match(text, /tier A/);
    terminal.dispose();
    assert.equal((await answer).code, 'CANCELLED');
  });

  it('opens none for one that is over soon, and shows its output when asked', async () => {
    const why = 'Say one word and be done with it';
    const answer = await call(place, 'terminal.run', { cmd: ['echo', 'word'], why });
    assert.equal(answer.exit_code, 0);
    assert.equal(named(why), undefined);
    await run('showCommand');
    const terminal = await until(() => named(why), 'a terminal');
    await until(async () => (await copied()).includes('[exit code 0'), 'its end');
    terminal.dispose();
  });

  it('shows one in the background at once, and ends it with its terminal', async () => {
    const why = 'Keep the pages served in the background';
    const { id } = await call(place, 'terminal.run', { cmd: ['bash', 'serve.sh'], background: true, why });
    const terminal = await until(() => named(why), 'a terminal');
    terminal.dispose();
    await until(async () => {
      const processes = await call(place, 'process.list', { why: 'See whether the pages are still served' });
      return processes.find((each) => each.id === id)?.running === false;
    }, 'its end');
  });
});
