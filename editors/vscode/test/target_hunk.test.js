// Which hunk a key means: the one at the cursor, else the nearest on the screen, else none; in a file and in its diff.

const assert = require('node:assert/strict');
const vscode = require('vscode');
const { agent, disk, place, run, show, started, until } = require('./support');

const WHY = 'Spell two numbers out';

describe('a key', () => {
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
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  const waits = (hunks) => until(() => api.pending().hunks === hunks, `${hunks} hunks wait`);
  const active = () => vscode.window.activeTextEditor;
  const row = () => active().selection.active.line;
  const sees = (line) => active().visibleRanges.some((range) => range.start.line <= line && line <= range.end.line);
  /** Puts the cursor on a row and shows it. */
  const goTo = async (line) => {
    const at = new vscode.Position(line, 0);
    active().selection = new vscode.Selection(at, at);
    active().revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenter);
    await until(() => sees(line), `row ${line} on the screen`);
  };
  const propose = async (changes, count = 400) => {
    await show('a.txt', numbered(count));
    void call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', count, changes) });
    await waits(Object.keys(changes).length);
  };

  for (const act of ['accept', 'reject', 'rejectWithReason', 'editHunk']) {
    it(`with no hunk on the screen decides on nothing and goes to the next one: ${act}`, async () => {
      await propose({ 5: 'FIVE', 300: 'THREE HUNDRED' });
      await goTo(150);
      await run(act);
      await until(() => row() === 299 && sees(299), 'the next hunk on the screen');
      assert.equal(api.pending().hunks, 2);
      assert.equal(disk('a.txt'), numbered(400));
      await run('accept');
      await waits(1);
      assert.equal(disk('a.txt'), numbered(400, { 300: 'THREE HUNDRED' }));
    });
  }

  it('does not decide on the hunk at the cursor where that was scrolled away', async () => {
    await propose({ 5: 'FIVE', 300: 'THREE HUNDRED' });
    await goTo(4);
    active().revealRange(new vscode.Range(150, 0, 150, 0), vscode.TextEditorRevealType.InCenter);
    await until(() => sees(150) && !sees(4), 'the hunk away');
    await run('accept');
    await until(() => sees(4), 'the hunk on the screen again');
    assert.equal(row(), 4);
    assert.equal(api.pending().hunks, 2);
  });

  it('goes around the end', async () => {
    await propose({ 5: 'FIVE', 300: 'THREE HUNDRED' });
    await goTo(390);
    await run('reject');
    await until(() => row() === 4 && sees(4), 'the first hunk');
    assert.equal(api.pending().hunks, 2);
  });

  it('means the nearest hunk on the screen', async () => {
    await propose({ 4: 'FOUR', 12: 'TWELVE' }, 40);
    await goTo(9);
    await run('accept');
    await waits(1);
    assert.equal(disk('a.txt'), numbered(40, { 12: 'TWELVE' }));
  });

  it('follows a way that is not at its end yet', async () => {
    await propose({ 5: 'FIVE', 300: 'THREE HUNDRED' });
    await goTo(150);
    await Promise.all([run('next'), run('accept')]);
    await waits(1);
    assert.equal(disk('a.txt'), numbered(400, { 300: 'THREE HUNDRED' }));
  });

  for (const act of ['accept', 'reject']) {
    it(`in a diff decides on nothing that is not on the screen: ${act}`, async () => {
      await propose({ 5: 'FIVE', 300: 'THREE HUNDRED\nand more' });
      await run('showDiff');
      await until(() => active()?.document.uri.authority === 'after', 'the diff');
      await goTo(150);
      await run(act);
      await until(() => row() === 299 && sees(299), 'the next hunk on the screen');
      assert.equal(api.pending().hunks, 2);
      assert.equal(disk('a.txt'), numbered(400));
      await run('accept');
      await waits(1);
      assert.equal(disk('a.txt'), numbered(400, { 300: 'THREE HUNDRED\nand more' }));
    });
  }

  it('in a diff means the nearest hunk on the screen, also where it only removes', async () => {
    await propose({ 4: 'FOUR', 30: null }, 40);
    await run('showDiff');
    await until(() => active()?.document.uri.authority === 'after', 'the diff');
    await goTo(26);
    await run('accept');
    await waits(1);
    assert.equal(disk('a.txt'), numbered(40, { 30: null }));
  });
});
