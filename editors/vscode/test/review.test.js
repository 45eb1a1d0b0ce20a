// Review by the extension's commands: what is drawn, what is applied, byte for byte.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const { agent, disk, lenses, place, root, run, show, started, until } = require('./support');

const WHY = 'Spell the numbers out for the reader';

describe('review', () => {
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
  const shown = () => vscode.commands.executeCommand('vscode.executeCodeLensProvider', vscode.window.activeTextEditor.document.uri);
  const reviewed = async () => (await shown()).map((lens) => lens.command.title);
  const titles = async (name) => (await lenses(name)).map((lens) => lens.command.title);

  it('shows the why and what can be done above each hunk', async () => {
    await show('a.txt', numbered(12));
    void call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 12, { 2: 'TWO', 9: null }) });
    await waits(2);
    assert.deepEqual(await titles('a.txt'), [`$(diff) Review 1/2 · ${WHY} · tester/1`, `$(diff) Review 2/2 · ${WHY} · tester/1`]);
    await run('review');
    const found = await reviewed();
    assert.deepEqual(found.slice(0, 5), ['$(check) Accept', '$(close) Reject', 'Reject with reason', '$(edit) Edit', `1/2 · ${WHY} · tester/1`]);
    assert.ok(found.includes(`2/2 · ${WHY} · tester/1`));
    const [hover] = await vscode.commands.executeCommand('vscode.executeHoverProvider', vscode.Uri.file(path.join(root, 'a.txt')), new vscode.Position(1, 0));
    assert.match(hover.contents[0].value, /-line 2\n\+TWO/);
  });

  it('accepts a hunk by its lens and leaves the others', async () => {
    const { document } = await show('a.txt', numbered(12));
    const answer = call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 12, { 2: 'TWO\nand more', 9: 'NINE' }) });
    await waits(2);
    await run('review');
    const accept = (await shown()).find((lens) => lens.command.command === 'wherefore.accept');
    await vscode.commands.executeCommand(accept.command.command, ...accept.command.arguments);
    await waits(1);
    assert.equal(disk('a.txt'), numbered(12, { 2: 'TWO\nand more' }));
    assert.equal(document.isDirty, false);
    assert.equal((await lenses('a.txt'))[0].range.start.line, 9, 'the other moved along');
    await run('rejectAll');
    assert.match(await answer, /partly_applied/);
  });

  it('keeps CR LF, and a last line without an end', async () => {
    const text = 'one\r\ntwo\r\nthree';
    await show('crlf.txt', text);
    void call(place, 'fs.write', { path: 'crlf.txt', content: 'one\r\nTWO\r\nthree\r\nfour', why: WHY });
    await until(() => api.pending().hunks > 0, 'hunks wait');
    await run('acceptFile');
    await waits(0);
    assert.equal(disk('crlf.txt'), 'one\r\nTWO\r\nthree\r\nfour');
  });

  it('saves without the trimming that a person set for their own saves', async () => {
    const files = vscode.workspace.getConfiguration('files');
    await files.update('trimTrailingWhitespace', true, vscode.ConfigurationTarget.Global);
    try {
      await show('a.txt', `kept  \n${numbered(5)}`);
      void call(place, 'fs.write', { path: 'a.txt', content: `kept  \n${numbered(5, { 3: 'THREE  ' })}`, why: WHY });
      await waits(1);
      await run('acceptFile');
      await waits(0);
      assert.equal(disk('a.txt'), `kept  \n${numbered(5, { 3: 'THREE  ' })}`);
    } finally {
      await files.update('trimTrailingWhitespace', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('follows a file that is moved, and sets hunks aside whose lines are gone until they are back', async () => {
    await show('gone.txt', numbered(5));
    void call(place, 'fs.patch', { path: 'gone.txt', why: WHY, diff: diff('gone.txt', 5, { 3: 'THREE' }) });
    await waits(1);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    fs.renameSync(path.join(root, 'gone.txt'), path.join(root, 'moved.txt'));
    await vscode.window.showTextDocument(vscode.Uri.file(path.join(root, 'moved.txt')));
    await until(async () => (await lenses('moved.txt')).length > 0, 'the hunk in the moved file');
    await run('next');
    await run('acceptAll');
    await waits(0);
    assert.equal(disk('moved.txt'), numbered(5, { 3: 'THREE' }));
    const { document } = await show('aside.txt', numbered(5));
    void call(place, 'fs.patch', { path: 'aside.txt', why: WHY, diff: diff('aside.txt', 5, { 3: 'THREE' }) });
    await waits(1);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, document.lineAt(2).range, 'mine');
    await vscode.workspace.applyEdit(edit);
    await waits(0);
    assert.equal(document.getText(), numbered(5, { 3: 'mine' }));
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('undo');
    await waits(1);
    await run('acceptAll');
    await waits(0);
    assert.equal(disk('aside.txt'), numbered(5, { 3: 'THREE' }));
  });

  it('draws 200 hunks in 5,000 lines quickly', async () => {
    const changes = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [10 + index * 24, index % 2 ? `new ${index}` : `new ${index}\nand more`]));
    await show('long.txt', numbered(5000));
    const began = performance.now();
    void call(place, 'fs.patch', { path: 'long.txt', why: WHY, diff: diff('long.txt', 5000, changes) });
    await waits(200);
    console.log(`200 hunks: drawn in ${api.drawMs().toFixed(1)} ms, ${(performance.now() - began).toFixed(0)} ms after the call`);
    const asked = performance.now();
    const near = (await lenses('long.txt')).length;
    assert.ok(near > 3 && near < 50, 'headers of the hunks that are near');
    console.log(`200 hunks: headers of those near given in ${(performance.now() - asked).toFixed(0)} ms`);
    await run('acceptFile');
    await waits(0);
    assert.equal(disk('long.txt'), numbered(5000, changes));
  });

  it('shows hunks of a file of 50,000 lines', async () => {
    const changes = { 2: 'TWO', 25000: 'in the middle', 49999: 'near the end' };
    await show('huge.txt', numbered(50_000));
    const answer = call(place, 'fs.patch', { path: 'huge.txt', why: WHY, diff: diff('huge.txt', 50_000, changes) });
    await waits(3);
    console.log(`3 hunks in 50,000 lines: drawn in ${api.drawMs().toFixed(1)} ms`);
    await run('previous');
    await until(() => vscode.window.activeTextEditor.visibleRanges.some((range) => range.contains(new vscode.Position(49_998, 0))), 'the last hunk is seen');
    await until(async () => (await reviewed()).some((title) => title.startsWith('3/3')), 'its header');
    await run('acceptFile');
    assert.match(await answer, /applied/);
    assert.equal(disk('huge.txt'), numbered(50_000, changes));
  });

  it('says that a file is no text, and leaves it', async () => {
    const bytes = Buffer.from([0, 159, 146, 150, 0, 10, 255]);
    fs.writeFileSync(path.join(root, 'image.bin'), bytes);
    const said = await call(place, 'fs.patch', { path: 'image.bin', why: WHY, diff: diff('image.bin', 5, { 3: 'THREE' }) });
    assert.match(said, /UNSUPPORTED.*is a binary file/);
    assert.equal(api.pending().hunks, 0);
    assert.deepEqual(fs.readFileSync(path.join(root, 'image.bin')), bytes);
  });

  it('shows a change of several files whole', async () => {
    await show('a.txt', numbered(5));
    void call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 5, { 3: 'THREE' }) });
    await waits(1);
    await run('showDiff');
    const { input } = vscode.window.tabGroups.activeTabGroup.activeTab;
    assert.ok(input instanceof vscode.TabInputTextDiff);
    const after = await vscode.workspace.openTextDocument(input.modified);
    assert.equal(after.getText(), numbered(5, { 3: 'THREE' }));
  });
});
