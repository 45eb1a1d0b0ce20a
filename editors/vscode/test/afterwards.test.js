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
    assert.deepEqual(found.slice(0, 4), [`1/2 applied ${WHY} · tester/1`, '$(check) Keep', '$(close) Take back', 'Take back with reason']);
    assert.equal(vscode.window.activeTextEditor.selection.active.line, 1);
    await run('accept');
    await left(2);
    await run('next');
    assert.equal(vscode.window.activeTextEditor.selection.active.line, 8);
    await run('reject');
    await left(1);
    await until(() => disk('a.txt') === numbered(12, { 2: 'TWO' }), 'the second hunk taken back');
    await run('next');
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
    await run('next');
    assert.equal(path.basename(vscode.window.activeTextEditor.document.fileName), 'made.txt');
    assert.ok((await titles('made.txt'))[0].includes('applied: new file'));
    await run('reject');
    await left(1);
    assert.throws(() => disk('made.txt'), /ENOENT/);
  });
});

describe('a hunk that is changed first', () => {
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
  const type = async (text) => {
    const { document } = vscode.window.activeTextEditor;
    const typed = new vscode.WorkspaceEdit();
    typed.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
    await vscode.workspace.applyEdit(typed);
    await until(() => document.isDirty, 'the document is changed');
    return document;
  };
  const edit = async () => {
    const lens = (await lenses('a.txt')).find(({ command }) => command.command === 'wherefore.editHunk');
    await run('editHunk', ...lens.command.arguments);
    return vscode.window.activeTextEditor.document;
  };
  const propose = async () => {
    await show('a.txt', numbered(12));
    const answer = call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 12, { 2: 'TWO', 9: 'NINE' }) });
    await waits(2);
    assert.equal((await edit()).getText(), 'TWO\n');
    return { answer };
  };
  const isOpen = (document) => vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ input }) => input?.uri?.toString() === document.uri.toString()));

  it('is accepted with the text as it was saved, and the agent is told', async () => {
    const { answer } = await propose();
    const document = await type('two\nand a half\n');
    await run('accept');
    await waits(1);
    await until(() => !isOpen(document), 'its document closes');
    assert.equal(disk('a.txt'), numbered(12, { 2: 'two\nand a half' }));
    await run('rejectAll');
    assert.match(await answer, /"text": ?"two\\nand a half\\n"|two\\nand a half/);
  });

  it('waits on where its document is closed, or saved by the editor alone', async () => {
    const files = vscode.workspace.getConfiguration('files');
    await files.update('autoSave', 'afterDelay', vscode.ConfigurationTarget.Global);
    await files.update('autoSaveDelay', 50, vscode.ConfigurationTarget.Global);
    try {
      await propose();
      const document = await type('draft\n');
      await until(() => !document.isDirty, 'the editor saved it');
      assert.equal(api.pending().hunks, 2);
      assert.equal(disk('a.txt'), numbered(12));
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      assert.equal((await edit()).getText(), 'draft\n', 'the draft is kept');
      await vscode.commands.executeCommand('workbench.action.files.save');
      await waits(1);
      assert.equal(disk('a.txt'), numbered(12, { 2: 'draft' }));
    } finally {
      await files.update('autoSave', 'off', vscode.ConfigurationTarget.Global);
      await files.update('autoSaveDelay', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('keeps what was typed where the server ends, and is accepted once it runs again', async () => {
    await propose();
    const document = await type('mine\n');
    process.kill(api.server().pid, 'SIGKILL');
    await until(() => !api.server().running, 'the server ended');
    await document.save().then(undefined, () => undefined);
    assert.equal(document.getText(), 'mine\n');
    assert.ok(document.isDirty);
    await run('restart');
    await waits(2);
    assert.ok(await document.save());
    await waits(1);
    assert.equal(disk('a.txt'), numbered(12, { 2: 'mine' }));
  });

  it('keeps what was typed where the hunk went away', async () => {
    await propose();
    const document = await type('mine\n');
    await run('rejectAll');
    await waits(0);
    await document.save().then(undefined, () => undefined);
    assert.ok(isOpen(document));
    assert.equal(document.getText(), 'mine\n');
    assert.ok(document.isDirty);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});
