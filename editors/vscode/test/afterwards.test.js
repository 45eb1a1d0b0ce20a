// Review at the end, and hunks that are changed before they are accepted: by the commands, byte for byte.

const assert = require('node:assert/strict');
const path = require('node:path');
const vscode = require('vscode');
const { agent, disk, lenses, place, run, show, started, until } = require('./support');

const WHY = 'Spell the numbers out for the reader';

describe('what was applied', () => {
  let api;
  let call;
  let diff;
  let numbered;
  before(async () => {
    api = await started();
    ({ call, diff, numbered } = await agent);
  });
  afterEach(async () => {
    await run('acceptAll');
    await until(() => api.pending().hunks === 0 && api.applied().hunks === 0, 'nothing is left');
  });

  const auto = (name, count, changes) => call(place, 'fs.patch', { path: name, why: WHY, diff: diff(name, count, changes) }, 'auto');
  const left = (hunks) => until(() => api.applied().hunks === hunks, `${hunks} applied hunks are left`);
  const titles = async (name) => (await lenses(name)).map((lens) => lens.command.title);

  it('is shown in every file, kept or taken back hunk by hunk', async () => {
    await show('b.txt', numbered(12));
    await show('a.txt', numbered(12));
    assert.match(await auto('a.txt', 12, { 2: 'TWO', 9: 'NINE\nand more' }), /applied/);
    await auto('b.txt', 12, { 5: null });
    await until(() => api.applied().unseen === 3, 'three hunks that nobody looked at');
    assert.deepEqual(await titles('a.txt'), [], 'nothing is shown before it is asked for');
    await run('reviewApplied', { since: '2020-01-01T00:00:00Z' });
    await left(3);
    const found = await titles('a.txt');
    assert.deepEqual(found.slice(0, 4), ['$(pass) Keep', '$(discard) Take back', 'Take back with reason', '$(check-all) Keep all 2']);
    assert.equal(vscode.window.activeTextEditor.selection.active.line, 1);
    await run('accept');
    await left(2);
    await until(() => vscode.window.activeTextEditor.selection.active.line === 8, 'the next hunk');
    await run('reject');
    await left(1);
    await until(() => disk('a.txt') === numbered(12, { 2: 'TWO' }), 'the second hunk taken back');
    assert.equal(path.basename(vscode.window.activeTextEditor.document.fileName), 'b.txt');
    await run('rejectFile');
    await left(0);
    await until(() => disk('b.txt') === numbered(12), 'the removal taken back');
    await until(() => api.applied().unseen === 0, 'nobody has anything to look at');
  });

  it('is looked at since a point, with what is applied meanwhile', async () => {
    await show('a.txt', numbered(12));
    await auto('a.txt', 12, { 2: 'TWO' });
    const since = new Date().toISOString();
    await auto('a.txt', 12, { 9: 'NINE' });
    await until(() => api.applied().unseen === 2, 'two hunks');
    await run('reviewApplied', { since });
    await left(1);
    await auto('a.txt', 12, { 6: 'SIX' });
    await left(2);
    await run('endReviewApplied');
    await left(0);
    assert.deepEqual(await titles('a.txt'), []);
    await run('reviewApplied', { since });
    await left(2);
    await run('rejectAll');
    await left(0);
    await until(() => disk('a.txt') === numbered(12, { 2: 'TWO' }), 'what came before stays');
    await run('reviewApplied');
    await left(1);
  });

  it('says where its text was changed since, and shows files that are new or gone', async () => {
    await show('a.txt', numbered(12));
    await auto('a.txt', 12, { 2: 'TWO' });
    await call(place, 'fs.write', { path: 'made.txt', content: 'made\n', why: WHY }, 'auto');
    await run('reviewApplied', { since: '2020-01-01T00:00:00Z' });
    await left(2);
    const { document } = await vscode.window.showTextDocument(vscode.Uri.file(path.join(place.root, 'a.txt')));
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, document.lineAt(1).range, 'mine');
    await vscode.workspace.applyEdit(edit);
    await until(async () => (await titles('a.txt')).some((title) => title.includes('look twice: its text was changed since')), 'a word on it');
    await document.save();
    // The first opens the review at this file, the second goes on.
    await run('next');
    await run('next');
    assert.equal(path.basename(vscode.window.activeTextEditor.document.fileName), 'made.txt');
    const shown = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', vscode.window.activeTextEditor.document.uri);
    assert.ok(shown.some(({ command }) => command.title.includes('applied: new file')));
    await run('reject');
    await left(1);
    assert.throws(() => disk('made.txt'), /ENOENT/);
  });
});

describe('the right side of the review', () => {
  let api;
  let call;
  let diff;
  let numbered;
  before(async () => {
    api = await started();
    ({ call, diff, numbered } = await agent);
  });
  afterEach(async () => {
    await run('rejectAll');
    await until(() => api.pending().hunks === 0, 'nothing waits');
  });

  const waits = (hunks) => until(() => api.pending().hunks === hunks, `${hunks} hunks wait`);
  /** Makes a line another one, as typing does. */
  const type = async (line, text) => {
    const { document } = vscode.window.activeTextEditor;
    const typed = new vscode.WorkspaceEdit();
    typed.replace(document.uri, document.lineAt(line).range, text);
    assert.ok(await vscode.workspace.applyEdit(typed));
    return document;
  };
  const edit = async () => {
    await run('review');
    await run('editHunk');
    return vscode.window.activeTextEditor.document;
  };
  const propose = async () => {
    await show('a.txt', numbered(12));
    const answer = call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 12, { 2: 'TWO', 9: 'NINE' }) });
    await waits(2);
    assert.equal((await edit()).getText(), numbered(12, { 2: 'TWO', 9: 'NINE' }));
    return { answer };
  };
  const isOpen = (document) => vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ input }) => input?.modified?.toString() === document.uri.toString()));

  it('is accepted hunk by hunk where it was edited, with the text as it was saved, and the agent is told', async () => {
    const { answer } = await propose();
    const document = await type(1, 'two\nand a half');
    await until(() => document.isDirty, 'it is unsaved');
    assert.equal(disk('a.txt'), numbered(12));
    await vscode.commands.executeCommand('workbench.action.files.save');
    await waits(1);
    assert.equal(disk('a.txt'), numbered(12, { 2: 'two\nand a half' }), 'what nobody edited waits');
    await until(() => vscode.window.activeTextEditor.selection.active.line === 9, 'the next hunk');
    await vscode.commands.executeCommand('workbench.action.files.save');
    await run('editHunk');
    await vscode.commands.executeCommand('workbench.action.files.save');
    await new Promise((done) => setTimeout(done, 200));
    await waits(1);
    await run('accept');
    await waits(0);
    await until(() => !isOpen(document), 'its diff closes');
    assert.equal(disk('a.txt'), numbered(12, { 2: 'two\nand a half', 9: 'NINE' }));
    assert.match(await answer, /"text": ?"two\\nand a half\\n"|two\\nand a half/);
  });

  it('goes with its hunk alone where that is accepted, and with everything', async () => {
    await propose();
    await type(1, 'two');
    await run('accept');
    await waits(1);
    assert.equal(disk('a.txt'), numbered(12, { 2: 'two' }));
    await until(() => vscode.window.activeTextEditor.selection.active.line === 8, 'the next hunk');
    await type(8, 'nine');
    await run('acceptAll');
    await waits(0);
    assert.equal(disk('a.txt'), numbered(12, { 2: 'two', 9: 'nine' }));
  });

  it('refuses what is typed outside of its hunks', async () => {
    await propose();
    const document = await type(4, 'not here');
    await until(() => document.getText() === numbered(12, { 2: 'TWO', 9: 'NINE' }), 'it is taken out again');
    await type(1, 'two');
    await run('accept');
    await waits(1);
    assert.equal(disk('a.txt'), numbered(12, { 2: 'two' }));
  });

  it('waits on where it is saved by the editor alone', async () => {
    const files = vscode.workspace.getConfiguration('files');
    await files.update('autoSave', 'afterDelay', vscode.ConfigurationTarget.Global);
    await files.update('autoSaveDelay', 50, vscode.ConfigurationTarget.Global);
    try {
      await propose();
      const document = await type(1, 'draft');
      await until(() => !document.isDirty, 'the editor saved it');
      assert.equal(api.pending().hunks, 2);
      assert.equal(disk('a.txt'), numbered(12));
      await run('accept');
      await waits(1);
      // VS Code may be saving the file by itself just now.
      await until(() => disk('a.txt') === numbered(12, { 2: 'draft' }), 'it is on the disk');
    } finally {
      await files.update('autoSave', 'off', vscode.ConfigurationTarget.Global);
      await files.update('autoSaveDelay', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('keeps what was typed where the server ends, and is accepted once it runs again', async () => {
    await propose();
    const document = await type(1, 'mine');
    await until(() => document.isDirty, 'it is unsaved');
    process.kill(api.server().pid, 'SIGKILL');
    await until(() => !api.server().running, 'the server ended');
    await document.save().then(undefined, () => undefined);
    assert.equal(document.getText(), numbered(12, { 2: 'mine', 9: 'NINE' }));
    assert.ok(document.isDirty);
    await run('restart');
    await waits(2);
    assert.ok(await document.save());
    await waits(1);
    assert.equal(disk('a.txt'), numbered(12, { 2: 'mine' }));
  });

  it('keeps what was typed where its hunks went away', async () => {
    await propose();
    const document = await type(1, 'mine');
    await until(() => document.isDirty, 'it is unsaved');
    const other = new vscode.WorkspaceEdit();
    const uri = vscode.Uri.file(path.join(place.root, 'a.txt'));
    const theirs = await vscode.workspace.openTextDocument(uri);
    for (const line of [1, 8]) other.replace(uri, theirs.lineAt(line).range, 'theirs');
    await vscode.workspace.applyEdit(other);
    await waits(0);
    await document.save().then(undefined, () => undefined);
    assert.ok(isOpen(document));
    assert.equal(document.getText(), numbered(12, { 2: 'mine', 9: 'NINE' }));
    assert.ok(document.isDirty);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await theirs.save();
  });
});
