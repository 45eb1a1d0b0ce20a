// What package.json promises is there.

const assert = require('node:assert/strict');
const vscode = require('vscode');
const { run, started } = require('./support');

describe('package.json', () => {
  let api;
  let contributes;
  before(async () => {
    api = await started();
    ({ contributes } = vscode.extensions.getExtension('wherefore.wherefore').packageJSON);
  });

  it('lists every command that is registered, and no other', async () => {
    const views = contributes.views.wherefore.map((view) => view.id);
    const ours = (await vscode.commands.getCommands(true)).filter((name) => name.startsWith('wherefore.') && !views.some((view) => name.startsWith(`${view}.`)));
    assert.deepEqual(ours.sort(), contributes.commands.map(({ command }) => command).sort());
  });

  it('names only its own commands in menus and keys', () => {
    const known = new Set(contributes.commands.map(({ command }) => command));
    const named = [...contributes.keybindings, ...Object.values(contributes.menus).flat()];
    assert.deepEqual(named.filter(({ command }) => !known.has(command)), []);
  });

  it('has a description for every setting and a category for every command', () => {
    for (const [name, setting] of Object.entries(contributes.configuration.properties)) {
      assert.ok(setting.description ?? setting.markdownDescription, name);
    }
    for (const { command, category } of contributes.commands) assert.equal(category, 'Wherefore', command);
  });

  it('has every command that its walkthrough and its empty views link to', async () => {
    const known = new Set(await vscode.commands.getCommands(true));
    const texts = [...contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ description }) => description)), ...contributes.viewsWelcome.map(({ contents }) => contents)];
    const linked = texts.flatMap((text) => [...text.matchAll(/\(command:([\w.]+)/g)].map(([, command]) => command));
    assert.ok(linked.length >= 8);
    assert.deepEqual(linked.filter((command) => !known.has(command)), []);
  });

  it('copies diagnostics', async () => {
    await run('copyDiagnostics');
    assert.match(await vscode.env.clipboard.readText(), /^wherefore 0\.1\.0 in [\s\S]*server: version 0\.1\.0, process \d+/);
  });

  it('offers the server to the agent of an editor that has one', () => {
    assert.equal(typeof vscode.lm.registerMcpServerDefinitionProvider, 'function');
    assert.ok(api.server().running);
  });
});
