// In the place of an agent's own extension: a stand-in for Claude Code and one for Gemini CLI find VS Code by the file and
// the variables of a new terminal, show changes there, and hear what is selected and what the language servers say.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { numbered, program } from './agent.mjs';
import { play } from './cases.mjs';
import { extension, open, project, scratch, until } from './code.mjs';
import { person } from './person.mjs';
import { Claude, claudeFile, Gemini, geminiFile } from './slotagent.mjs';

assert.ok(program, 'WHEREFORE_BIN names the program');
const shots = path.join(project, '.e2e', 'vscode-shots');
fs.mkdirSync(shots, { recursive: true });

const place = scratch({ 'a.txt': numbered(30), 'b.txt': numbered(30), 'c.txt': numbered(10), 'wrong.json': '{\n  "one": 1,\n  "two" 2\n}\n', '.env': 'KEY=1\n' });
for (const [name, folder] of Object.entries({ HOME: 'home', TMPDIR: 'temporary' })) {
  place.env[name] = path.join(place.tmp, folder);
  fs.mkdirSync(place.env[name]);
}
for (const name of Object.keys(place.env)) {
  if (/^(CLAUDE|GEMINI|ENABLE_IDE)/.test(name)) delete place.env[name];
}
/** The person's settings: the net for what other programs write is on. */
const settle = (ide) => fs.writeFileSync(path.join(place.tmp, 'config', 'wherefore', 'config.toml'), `[native]\nide = "${ide}"\n`);
settle('claude-code');

const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix') });
const { page } = code;
const me = person(page);
const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });
const at = (name) => path.join(place.root, name);

let terminals = 0;
/** What a terminal that the person opens now has in its environment. */
async function terminalEnv() {
  const file = path.join(place.tmp, `env-${++terminals}`);
  await me.command('Terminal: Create New Terminal');
  await page.locator('.terminal-wrapper.active .xterm-cursor-layer, .terminal-wrapper.active .xterm-screen').first().waitFor();
  await until(async () => {
    await page.keyboard.type(`env > ${file}.new && mv ${file}.new ${file}\n`);
    await page.waitForTimeout(1000);
    return fs.existsSync(file);
  }, 'the environment of a terminal');
  await me.command('Terminal: Kill the Active Terminal Instance');
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** Selects lines of the active editor by keys, counted from 1. */
async function selects(first, last) {
  await page.locator('.editor-group-container.active .view-line').first().click();
  await page.keyboard.press('Control+Home');
  for (let line = 1; line < first; line++) await page.keyboard.press('ArrowDown');
  for (let line = first; line < last; line++) await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+End');
}

/** Decides on the hunks of a file's own diff, by keys. */
async function decides(name, keys) {
  await me.status(`${keys.length} hunks in 1 file`);
  await me.keys('n');
  await me.tab(name);
  await me.lens(`1/${keys.length}`);
  for (const [done, key] of [...keys].entries()) {
    await page.keyboard.press(key);
    const left = keys.length - done - 1;
    if (left > 0) await me.status(new RegExp(`\\b${left} hunks? in 1 file`));
  }
  await me.nothingWaits();
}

/** The person's own editor shows what the disk holds, with nothing to save, and nothing is offered as another program's. */
async function settled(name, text) {
  await me.edit(name);
  await until(async () => (await me.seen()).includes(text), `${text} in ${name}`);
  assert.equal(await page.locator('.tab.dirty').count(), 0, 'nothing is left to save');
  await page.waitForTimeout(3000);
  assert.equal(await me.lenses(), 0, 'what the agent wrote is no other program\'s');
  assert.equal(await page.locator('.statusbar-item', { hasText: 'applied' }).count(), 0);
}

let env, claude, gemini, slotFile;

const cases = {
  'Claude Code finds VS Code by its file, and a new terminal names it': async () => {
    const found = await until(() => claudeFile(place.env, place.root), 'the announcement');
    slotFile = found.file;
    assert.equal(fs.statSync(found.file).mode & 0o777, 0o600, 'for the person alone');
    assert.deepEqual(found.said.workspaceFolders, [place.root]);
    env = await terminalEnv();
    assert.equal(env.CLAUDE_CODE_SSE_PORT, found.port);
    assert.equal(env.ENABLE_IDE_INTEGRATION, 'true');
    assert.ok(!Object.values(env).includes(found.token), 'no variable holds the token');
    claude = await Claude.enter(claudeFile(env, '/'));
    const folders = await claude.value('getWorkspaceFolders');
    assert.deepEqual(folders.folders.map((folder) => folder.path), [place.root]);
  },

  'a change of Claude Code is decided by keys, and it writes what they leave': async () => {
    await me.edit('a.txt');
    const before = fs.statSync(at('a.txt'));
    const answer = claude.shows(at('a.txt'), numbered(30, { 2: 'TWO', 14: 'FOURTEEN' }), 'first');
    await me.status('2 hunks in 1 file');
    await shot('slot');
    await decides('a.txt', 'ar');
    const [how, text] = await answer;
    assert.deepEqual([how, text], ['FILE_SAVED', numbered(30, { 2: 'TWO' })]);
    assert.equal(place.file('a.txt'), numbered(30), 'the agent finds the file that it read');
    assert.equal(fs.statSync(at('a.txt')).mtimeMs, before.mtimeMs);
    fs.writeFileSync(at('a.txt'), text);
    await settled('a.txt', 'TWO');
    assert.equal(place.file('a.txt'), numbered(30, { 2: 'TWO' }));
    await me.command('Wherefore: Undo the Last Call');
    await until(() => place.file('a.txt') === numbered(30), 'the old text on the disk');
    await me.sees('line 2');
  },

  'what Claude Code takes back is gone from the screen': async () => {
    await me.noToasts();
    await me.edit('b.txt');
    const one = claude.shows(at('b.txt'), numbered(30, { 3: 'THREE' }), 'tab');
    await me.status('1 hunk in 1 file');
    const other = claude.shows(at('b.txt'), numbered(30, { 3: 'THREE', 20: 'TWENTY' }), 'tab');
    assert.deepEqual(await one, ['DIFF_REJECTED', 'tab'], 'the second one stands for both');
    await me.status('2 hunks in 1 file');
    assert.deepEqual(await claude.tool('close_tab', { tab_name: 'tab' }), ['TAB_CLOSED']);
    assert.deepEqual(await other, ['DIFF_REJECTED', 'tab']);
    await me.nothingWaits();
    await page.locator('.statusbar-item', { hasText: 'hunks in' }).waitFor({ state: 'hidden' });
    assert.equal(place.file('b.txt'), numbered(30));
  },

  'Claude Code hears what is selected, and asks for it': async () => {
    await me.edit('c.txt');
    let from = claude.told.length;
    await selects(3, 5);
    const text = 'line 3\nline 4\nline 5';
    const { params } = await claude.hearsOf('selection_changed', (told) => told.text === text, from);
    assert.equal(params.filePath, at('c.txt'));
    assert.deepEqual(params.selection, { start: { line: 2, character: 0 }, end: { line: 4, character: 6 }, isEmpty: false });
    from = claude.told.length;
    await selects(7, 7);
    await claude.hearsOf('selection_changed', (told) => told.text === 'line 7', from);
    // The person goes to the agent's terminal: what they selected stands.
    await me.command('Terminal: Create New Terminal');
    for (const name of ['getCurrentSelection', 'getLatestSelection']) assert.equal((await claude.value(name)).text, 'line 7', name);
    await me.command('Terminal: Kill the Active Terminal Instance');
    const { tabs } = await claude.value('getOpenEditors');
    assert.deepEqual(tabs.filter((tab) => tab.isActive).map((tab) => tab.label), ['c.txt']);
    assert.equal((await claude.value('checkDocumentDirty', { filePath: at('c.txt') })).isDirty, false);
    await me.edit('c.txt');
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('mine ');
    await until(async () => (await claude.value('checkDocumentDirty', { filePath: at('c.txt') })).isDirty, 'it is dirty');
    assert.equal((await claude.value('saveDocument', { filePath: at('c.txt') })).saved, true);
    assert.equal(place.file('c.txt'), `mine ${numbered(10)}`);
  },

  'nothing is told of a file that the rules close': async () => {
    await me.edit('.env');
    const from = claude.told.length;
    await selects(1, 1);
    await page.waitForTimeout(1500);
    assert.deepEqual(claude.told.slice(from), []);
    assert.equal((await claude.value('getCurrentSelection')).success, false);
    assert.ok(!JSON.stringify(await claude.value('getOpenEditors')).includes('.env'));
    await page.keyboard.press('Control+w');
  },

  "Claude Code asks for diagnostics of VS Code's own language server, and has a file opened": async () => {
    assert.deepEqual(await claude.tool('openFile', { filePath: at('wrong.json') }), [`Opened file: ${at('wrong.json')}`]);
    await me.tab('wrong.json');
    const uri = `file://${at('wrong.json')}`;
    const found = await until(async () => {
      const [file] = await claude.value('getDiagnostics', { uri });
      return file?.diagnostics.length > 0 && file;
    }, 'diagnostics');
    assert.equal(found.uri, uri);
    assert.match(found.diagnostics[0].message, /[Cc]olon/);
    assert.equal(found.diagnostics[0].severity, 'Error');
    assert.equal(found.diagnostics[0].range.start.line, 2);
    const all = await claude.value('getDiagnostics');
    assert.deepEqual(all.map((file) => file.uri), [uri]);
  },

  'Gemini CLI is next: the setting says so while the window is open': async () => {
    claude.leaves();
    settle('gemini-cli');
    await until(() => !fs.existsSync(slotFile), 'the file of the other agent is gone');
    const found = await until(() => geminiFile(place.env, place.root), 'the announcement');
    assert.equal(fs.statSync(found.file).mode & 0o777, 0o600, 'for the person alone');
    slotFile = found.file;
    env = await terminalEnv();
    assert.equal(env.GEMINI_CLI_IDE_SERVER_PORT, String(found.port));
    assert.equal(env.GEMINI_CLI_IDE_WORKSPACE_PATH, place.root);
    assert.equal(env.CLAUDE_CODE_SSE_PORT, undefined);
    assert.ok(!Object.values(env).includes(found.token), 'no variable holds the token');
    const wrong = await Gemini.enter({ ...found, token: 'wrong' }).catch((thrown) => thrown.message);
    assert.match(String(wrong), /401/);
    gemini = await Gemini.enter(geminiFile(env, place.root));
  },

  'a change of Gemini CLI is decided by keys, and it writes what they leave': async () => {
    await me.noToasts();
    await me.edit('a.txt');
    const want = numbered(30, { 20: 'TWENTY' });
    await gemini.shows(at('a.txt'), numbered(30, { 5: 'FIVE', 20: 'TWENTY' }));
    await decides('a.txt', 'ra');
    const { params } = await gemini.hearsOf('ide/diffAccepted', (told) => told.filePath === at('a.txt'));
    assert.equal(params.content, want);
    assert.equal(place.file('a.txt'), numbered(30), 'the agent finds the file that it read');
    // It takes its time, and VS Code reads the old text meanwhile.
    await page.waitForTimeout(800);
    fs.writeFileSync(at('a.txt'), params.content);
    await settled('a.txt', 'TWENTY');
    assert.equal(place.file('a.txt'), want);
    // What VS Code read from the disk is nothing unsaved.
    await gemini.shows(at('a.txt'), numbered(30, { 8: 'EIGHT', 20: 'TWENTY' }));
    await me.status('1 hunk in 1 file');
    await me.command('Wherefore: Reject Everything That Waits');
    await gemini.hearsOf('ide/diffRejected', (told) => told.filePath === at('a.txt'));

    await gemini.shows(at('b.txt'), numbered(30, { 5: 'FIVE' }));
    await me.status('1 hunk in 1 file');
    await me.command('Wherefore: Reject Everything That Waits');
    await gemini.hearsOf('ide/diffRejected', (told) => told.filePath === at('b.txt'));
    await gemini.shows(at('b.txt'), numbered(30, { 6: 'SIX' }));
    await me.status('1 hunk in 1 file');
    await gemini.tool('closeDiff', { filePath: at('b.txt') });
    await page.locator('.statusbar-item', { hasText: '1 hunk in' }).waitFor({ state: 'hidden' });
    assert.equal(place.file('b.txt'), numbered(30));
  },

  'Gemini CLI hears which files are open and what is selected': async () => {
    await me.edit('b.txt');
    const from = gemini.told.length;
    await selects(3, 4);
    const active = (told) => told.workspaceState.openFiles.find((file) => file.isActive);
    const { params } = await gemini.hearsOf('ide/contextUpdate', (told) => active(told)?.selectedText === 'line 3\nline 4', from);
    assert.equal(active(params).path, at('b.txt'));
    assert.deepEqual(active(params).cursor, { line: 3, character: 1 });
  },

  'with the setting off the file is gone, and new terminals name nothing': async () => {
    gemini.leaves();
    settle('off');
    await until(() => !fs.existsSync(slotFile), 'the file is gone');
    env = await terminalEnv();
    assert.deepEqual(Object.keys(env).filter((name) => /^(CLAUDE_CODE_SSE|GEMINI_CLI_IDE|ENABLE_IDE)/.test(name)), []);
  },

  'the file goes with the window': async () => {
    settle('claude-code');
    slotFile = (await until(() => claudeFile(place.env, place.root), 'the announcement')).file;
    await code.close();
    await until(() => !fs.existsSync(slotFile), 'the file is gone', 30_000);
  },
};

await play('slots', cases, { code, place, me, shot });
