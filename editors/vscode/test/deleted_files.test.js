// A deletion that is accepted: the file is gone, what showed it is closed, and nothing brings it back unasked.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const { agent, disk, place, root, run, show, started, until, uri } = require('./support');

const WHY = 'Nothing reads this file any more';

describe('a deletion', () => {
  let api;
  let call;
  let deletion;
  let numbered;
  before(async () => {
    api = await started();
    ({ call, deletion, numbered } = await agent);
  });
  afterEach(async () => {
    await run('rejectAll');
    await until(() => api.pending().hunks === 0, 'nothing waits');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  const isThere = () => fs.existsSync(path.join(root, 'gone.txt'));
  const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(({ label }) => label.startsWith('gone.txt'));
  const propose = () => call(place, 'fs.patch', { path: 'gone.txt', why: WHY, diff: deletion('gone.txt', 9) });
  /** Opens a file as a person does: what the API opens, VS Code keeps open. */
  const open = async (name, options = {}) => {
    await vscode.commands.executeCommand('vscode.open', uri(name), { preview: false, ...options });
    await until(() => vscode.window.activeTextEditor?.document.uri.toString() === uri(name).toString(), `${name} is shown`);
  };
  const begin = async () => {
    fs.writeFileSync(path.join(root, 'gone.txt'), numbered(9));
    await open('gone.txt');
    await until(() => vscode.window.activeTextEditor.document.getText() === numbered(9), 'its text');
  };
  const isGone = async (answer) => {
    await until(() => api.pending().hunks === 0, 'it is decided');
    await until(() => tabs().length === 0, 'its tabs are closed');
    assert.match(await answer, /applied/);
    await vscode.workspace.saveAll(true);
    await vscode.commands.executeCommand('workbench.action.files.save');
    assert.equal(isThere(), false);
    await until(async () => /NOT_FOUND/.test(await call(place, 'fs.read', { path: 'gone.txt', why: 'See whether it is gone' })), 'it is gone to agents');
    assert.equal(isThere(), false);
  };
  const isClosed = async (answer) => {
    await isGone(answer);
    assert.ok(!vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri('gone.txt').toString()), 'its document is closed');
  };

  it('of the file that is shown', async () => {
    await begin();
    const answer = propose();
    await until(() => api.pending().hunks === 1, 'a hunk waits');
    await run('accept');
    await isClosed(answer);
  });

  it('of a file that is open in several tabs and groups, none of them active', async () => {
    await begin();
    await open('gone.txt', { viewColumn: vscode.ViewColumn.Beside });
    await vscode.commands.executeCommand('vscode.diff', uri('a.txt'), uri('gone.txt'), 'gone.txt: a diff');
    fs.writeFileSync(path.join(root, 'other.txt'), 'other\n');
    await open('other.txt');
    const answer = propose();
    await until(() => api.pending().hunks === 1, 'a hunk waits');
    await run('acceptAll', { deletions: true });
    await isClosed(answer);
    assert.equal(vscode.window.activeTextEditor.document.uri.toString(), uri('other.txt').toString(), 'the person stays where they were');
  });

  it('in its diff, after the keys led there', async () => {
    await begin();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const answer = propose();
    await until(() => api.pending().hunks === 1, 'a hunk waits');
    await run('next');
    await run('showDiff');
    await until(() => vscode.window.activeTextEditor?.document.uri.scheme === 'wherefore-edit', 'the diff');
    await run('accept');
    await isClosed(answer);
  });

  it('of a file with text that is not saved waits, and the text stays', async () => {
    await begin();
    const editor = vscode.window.activeTextEditor;
    void propose();
    await until(() => api.pending().hunks === 1, 'a hunk waits');
    await editor.edit((edit) => edit.insert(new vscode.Position(9, 0), 'mine\n'));
    await run('accept');
    assert.equal(disk('gone.txt'), numbered(9));
    assert.equal(editor.document.getText(), `${numbered(9)}mine\n`);
    await editor.document.save();
  });

  it('of a file that VS Code keeps open for another extension is one to agents too, until somebody sees it again', async () => {
    await show('gone.txt', numbered(9));
    const answer = propose();
    await until(() => api.pending().hunks === 1, 'a hunk waits');
    await run('accept');
    await isGone(answer);
    fs.writeFileSync(path.join(root, 'gone.txt'), 'anew\n');
    await open('gone.txt');
    await until(() => vscode.window.activeTextEditor.document.getText() === 'anew\n', 'its new text');
    await vscode.window.activeTextEditor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'unsaved '));
    await until(async () => /unsaved anew/.test(await call(place, 'fs.read', { path: 'gone.txt', why: 'See what the person sees' })), 'agents read the unsaved text');
    await vscode.commands.executeCommand('workbench.action.files.save');
  });

  it('taken back brings the file back, and a new file taken back goes', async () => {
    await begin();
    const answer = propose();
    await until(() => api.pending().hunks === 1, 'a hunk waits');
    await run('accept');
    await isGone(answer);
    void run('undo');
    await until(isThere, 'the file is back');
    assert.equal(disk('gone.txt'), numbered(9));
    void call(place, 'fs.write', { path: 'gone2.txt', content: 'new\n', why: WHY });
    await until(() => api.pending().hunks === 1, 'a hunk waits');
    await run('acceptAll', { deletions: true });
    await until(() => fs.existsSync(path.join(root, 'gone2.txt')), 'the new file');
    await until(() => api.pending().hunks === 0, 'it is decided on');
    await open('gone2.txt');
    void run('undo');
    await until(() => !fs.existsSync(path.join(root, 'gone2.txt')), 'the new file is gone');
    await until(() => !vscode.window.tabGroups.all.some((group) => group.tabs.some(({ label }) => label.startsWith('gone2.txt'))), 'its tab is closed');
  });
});
