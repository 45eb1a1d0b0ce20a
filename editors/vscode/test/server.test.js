// A server that is missing, ends at its start or is flooded: said in a sentence, and mended by a restart.

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const { agent, place, root, run, setProgram, show, started, until, uri } = require('./support');

describe('server', () => {
  let api;
  let call;
  before(async () => {
    api = await started();
    ({ call } = await agent);
  });
  afterEach(async () => {
    await setProgram(process.env.WHEREFORE_BIN);
    await until(() => api.server().running, 'the server runs again');
  });

  const script = (name, text) => {
    const file = path.join(root, '..', name);
    fs.writeFileSync(file, text, { mode: 0o755 });
    return file;
  };
  const troubled = (part) => until(() => api.server().trouble?.includes(part), part);

  it('says that its program is missing', async () => {
    await setProgram('/nowhere/wherefore');
    await troubled('names /nowhere/wherefore, which is no program');
    await setProgram('wherefore');
    await troubled('must be an absolute path');
  });

  it('says that it ended at its start', async () => {
    await setProgram(script('ends', '#!/bin/sh\nexit 3\n'));
    await troubled('ends ended at its start (exit code 3)');
  });

  it('says that its program is none', async () => {
    await setProgram(script('garbage', 'no program\n'));
    await troubled('garbage ');
  });

  it('starts anew by the command', async () => {
    const before = api.server().pid;
    await run('restart');
    await until(() => api.server().running && api.server().pid !== before, 'another process');
    await run('stop');
    assert.equal(api.server().running, false);
    await run('restart');
    assert.equal(api.server().running, true);
  });

  it("tells an agent the diagnostics of VS Code's own language server", async () => {
    await show('wrong.json', '{\n  "a": 1,\n  "b" 2\n}\n');
    const found = await until(async () => {
      const answer = JSON.parse(await call(place, 'editor.diagnostics', { paths: ['wrong.json'], why: 'Learn whether the file still parses' }));
      return answer.diagnostics?.length > 0 && answer.diagnostics;
    }, 'diagnostics');
    assert.match(found[0].message, /[Cc]olon/);
    assert.equal(found[0].path, 'wrong.json');
    assert.equal(found[0].severity, 'error');
    assert.equal(found[0].line, 3);
  });

  it('stays at hand under 500 calls a second', async function () {
    this.timeout(60_000);
    fs.writeFileSync(path.join(root, 'read.txt'), 'text\n');
    const flood = spawn(process.env.WHEREFORE_BIN, ['call', '--batch', '--root', root, '--agent', 'flood/1'], { env: process.env });
    let answers = 0;
    flood.stdout.on('data', (bytes) => (answers += bytes.toString().split('\n').length - 1));
    let [slowest, last, beats] = [0, performance.now(), 0];
    const beat = setInterval(() => {
      beats += 1;
      slowest = Math.max(slowest, performance.now() - last - 10);
      last = performance.now();
    }, 10);
    const began = performance.now();
    for (let sent = 0; sent < 1500; ) {
      for (const end = sent + 50; sent < end; sent++) {
        flood.stdin.write(`${JSON.stringify({ tool: 'fs.read', arguments: { path: 'read.txt', why: `Look at number ${sent} of many` } })}\n`);
      }
      await new Promise((done) => setTimeout(done, 100));
    }
    await until(() => answers >= 1500, '1500 answers', 40_000);
    clearInterval(beat);
    flood.stdin.end();
    console.log(`1500 calls in ${((performance.now() - began) / 1000).toFixed(1)} s: the extension host was late by ${slowest.toFixed(0)} ms at most`);
    // One that works through all of them at once has hardly a beat between.
    assert.ok(beats > 100, `${beats} beats`);
  });

  it('opens the log with its outline, its folds and its links', async () => {
    await show('a.txt', 'one\n');
    await call(place, 'fs.read', { path: 'a.txt', why: 'Have an event with a path in the log' });
    await run('openLog');
    const { document } = vscode.window.activeTextEditor;
    assert.equal(document.languageId, 'wherefore-log');
    await until(() => document.getText().includes('Have an event with a path in the log'), 'the event');
    const ask = (what) => vscode.commands.executeCommand(what, document.uri);
    const symbols = await ask('vscode.executeDocumentSymbolProvider');
    assert.ok(symbols.some(({ name, detail }) => name.startsWith('fs.read  a.txt') && detail.includes('Have an event')));
    assert.ok((await ask('vscode.executeFoldingRangeProvider')).length > 0);
    const links = await ask('vscode.executeLinkProvider');
    assert.ok(links.some(({ target }) => target?.toString() === uri('a.txt').toString()));
  });

  it('shows what a tool takes', async () => {
    await run('showTool', 'fs.patch');
    const schema = JSON.parse(vscode.window.activeTextEditor.document.getText());
    assert.equal(schema.tool_id, 'fs.patch');
    assert.ok(schema.args_schema.properties.why);
  });
});
