// Review as a person does it in real VS Code: messages, hunks on the screen, keys, the disk, the agent's answer, the log.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { call, deletion, diff, numbered, program } from './agent.mjs';
import { play } from './cases.mjs';
import { extension, open, project, scratch, until } from './code.mjs';
import { person } from './person.mjs';

assert.ok(program, 'WHEREFORE_BIN names the program');
const shots = path.join(project, '.e2e', 'vscode-shots');
fs.mkdirSync(shots, { recursive: true });

const FIVE = { 2: 'TWO', 8: 'EIGHT', 14: 'FOURTEEN\nand a half', 20: 'TWENTY', 26: 'TWENTY-SIX' };
const WHY = 'Spell the numbers out for the reader';

const place = scratch({ 'a.txt': numbered(30), 'b.txt': numbered(30), 'c.txt': numbered(10), 'd.txt': 'this stands in the last result\n' });
const vsix = path.join(extension, 'wherefore.vsix');
const code = await open(place, { vsix });
const { page } = code;
const me = person(page);
const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

const toasts = page.locator('.notifications-toasts .notification-list-item');

/** What stands at the end of the active tab's title. */
const badge = () => page.evaluate(() => {
  const texts = [...document.querySelectorAll('.editor-group-container.active .tab.active *')].map((each) => getComputedStyle(each, '::after').content);
  return texts.find((text) => /^"\d+"$/.test(text));
});

const cases = {
  'an agent at work is quiet: calls in the status bar, one message for what it proposes': async () => {
    await call(place, 'fs.read', { path: 'd.txt', why: 'See what stands in it' });
    await me.status('tester/1: See what stands in it');
    const first = call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 30, { 2: 'TWO', 9: 'NINE' }) });
    const second = call(place, 'fs.patch', { path: 'b.txt', why: WHY, diff: diff('b.txt', 30, { 3: 'THREE' }) });
    await toasts.filter({ hasText: 'tester/1 proposes 3 hunks in 2 files' }).waitFor();
    await shot('quiet');
    const third = call(place, 'fs.patch', { path: 'c.txt', why: WHY, diff: diff('c.txt', 10, { 3: 'THREE' }) });
    await call(place, 'fs.write', { path: 'c.txt', content: 'x\n' });
    await me.status('4 hunks in 3 files');
    await page.waitForTimeout(1000);
    assert.equal(await toasts.count(), 1, 'one message a turn, and none of the fault of an agent');
    assert.equal(place.file('c.txt'), numbered(10));
    await toasts.getByText('Review', { exact: true }).click();
    await me.tab('wherefore: review (3 files)');
    // The focus comes to the first hunk, and the palette would close.
    await me.arrives();
    await me.lens('1/2');
    await me.command('Wherefore: Reject Everything That Waits');
    await Promise.all([first, second, third]);
    await me.nothingWaits();
    await me.noToasts();
  },

  'five hunks: accept 1, 3, 5, reject 2, 4 by keys, and the focus is back where it was': async () => {
    await me.edit('a.txt');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    const began = Date.now();
    const answer = call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 30, FIVE) });
    await me.status('5 hunks in 1 file');
    console.log(`  a call came to the status bar after ${Date.now() - began} ms, its program's start included`);
    await until(async () => (await me.lenses()) >= 4, 'lenses');
    console.log(`  and to lenses after ${Date.now() - began} ms`);
    await me.lens('Review 1/5');
    await page.waitForTimeout(600);
    assert.equal(await toasts.count(), 0, 'no message for what is on the screen');
    assert.equal(place.file('a.txt'), numbered(30), 'nothing is on the disk before a decision');
    await shot('own-light');
    await me.keys('n');
    await me.tab(`a.txt: ${WHY}`);
    await page.locator('.monaco-diff-editor .char-insert').first().waitFor();
    await me.lens('1/5');
    await page.locator('.editor.original .codelens-decoration', { hasText: `${WHY} · tester/1` }).first().waitFor();
    await shot('review-light');
    await page.keyboard.press('a');
    await me.status('4 hunks in 1 file');
    await page.keyboard.press('r');
    await me.status('3 hunks in 1 file');
    await page.keyboard.press('a');
    await me.status('2 hunks in 1 file');
    await page.keyboard.press('Shift+R');
    await page.locator('.quick-input-widget input[type=text]').waitFor();
    await page.keyboard.type('twenty stays a digit');
    await page.keyboard.press('Enter');
    await me.status('1 hunk in 1 file');
    await page.keyboard.press('a');
    await me.nothingWaits();
    const want = numbered(30, { 2: 'TWO', 14: 'FOURTEEN\nand a half', 26: 'TWENTY-SIX' });
    await until(() => place.file('a.txt') === want, 'the disk holds what was accepted');
    assert.equal(await page.locator('.tab.dirty').count(), 0, 'it is saved');
    const said = await answer;
    for (const part of ['partly_applied', 'twenty stays a digit', 'accepted', 'rejected']) assert.ok(said.includes(part), `${part} in ${said}`);
    await me.tab('a.txt');
    await me.arrives();
    await page.keyboard.type(' typed');
    await me.sees('line 1 typed');
    await page.keyboard.press('Control+z');
    await until(async () => (await page.locator('.tab.dirty').count()) === 0, 'it is taken out again');
  },

  'a comment and selected lines go to the agent, and decide nothing': async () => {
    const say = async (words) => {
      await page.locator('.quick-input-widget input[type=text]').waitFor();
      // What is said of the words before stays for some seconds.
      await page.locator('.statusbar-item', { hasText: 'gets it with its next result' }).waitFor({ state: 'detached' });
      await page.keyboard.type(words);
      await page.keyboard.press('Enter');
      await me.status('tester/1 gets it with its next result');
    };
    const told = () => call(place, 'fs.ls', { path: '.', why: 'Learn whether the person said something' });
    const answer = call(place, 'fs.patch', { path: 'b.txt', why: WHY, diff: diff('b.txt', 30, { 3: 'THREE' }) });
    await me.status('1 hunk in 1 file');
    await me.keys('n');
    await me.lens('1/1');
    await page.keyboard.press('c');
    await say('why a word?');
    const comment = await told();
    for (const part of ['about hunk h1 of your proposal', '> why a word?', '> +THREE']) assert.ok(comment.includes(part), `${part} in ${comment}`);
    await me.status('1 hunk in 1 file');
    await me.command('Wherefore: Reject Everything That Waits');
    await answer;
    await me.nothingWaits();
    // The way back to the text is over, which would take what is typed next.
    await me.tab('a.txt');
    await me.arrives();
    await me.edit('d.txt');
    await page.keyboard.press('Control+a');
    await me.pick('Wherefore: Send to the Agent…');
    await say('keep this one');
    const lines = await told();
    for (const part of ['d.txt:\n> keep this one', '> this stands in the last result']) assert.ok(lines.includes(part), `${part} in ${lines}`);
    assert.ok(!(await told()).includes('> keep this one'), 'it is told once');
  },

  'the log opens at its end and follows': async () => {
    await me.noToasts();
    await me.command('Wherefore: Open Session Log');
    await me.tab('Session log');
    await me.sees('Learn whether the person');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('twenty stays a digit');
    await page.keyboard.press('Enter');
    await until(async () => /rejected\s+(h\d,\s+)*h4\s+\(“twenty\s+stays\s+a\s+digit”\)/.test(await me.seen()), 'the reason');
    await page.keyboard.press('Escape');
    // A change of many lines is folded.
    assert.ok(!(await me.seen()).includes('@@ -1,3 +1,3 @@'), await me.seen());
    await page.keyboard.press('Control+End');
    await me.sees('Learn whether the person');
    await call(place, 'fs.read', { path: 'd.txt', why: 'Find out what the log shows at its end' });
    await me.status('Find out what the log shows at its end');
    await until(async () => /fs\.read\s+d\.txt[^@]*\sok\s[^@]*Find\s+out\s+what\s+the\s+log/.test(await me.seen()), 'the call at the end of the log');
    await shot('log');
    await page.keyboard.press('Control+w');
  },

  'undo takes the last change back': async () => {
    await me.edit('a.txt');
    await me.command('Wherefore: Undo the Last Call');
    await until(() => place.file('a.txt') === numbered(30), 'the old text on the disk');
    await me.toast('undone');
    const done = numbered(30, { 2: 'TWO', 14: 'FOURTEEN\nand a half', 26: 'TWENTY-SIX' });
    await me.keys('Shift+Z');
    await until(() => place.file('a.txt') === done, 'the call made again');
    await me.keys('z');
    await until(() => place.file('a.txt') === numbered(30), 'and undone again');
    // One more does not go on to the call before by itself.
    await me.keys('z');
    const choices = page.locator('.quick-input-list .monaco-list-row');
    await choices.filter({ hasText: 'Undo the call before it as well' }).waitFor();
    await shot('undo-twice');
    await choices.filter({ hasText: 'Redo c-' }).click();
    await until(() => place.file('a.txt') === done, 'the call made again');
    await me.keys('z');
    await until(() => place.file('a.txt') === numbered(30), 'and undone at last');
  },

  'typing above hunks moves them, and unsaved text is not saved': async () => {
    await me.noToasts();
    await me.edit('b.txt');
    const answer = call(place, 'fs.patch', { path: 'b.txt', why: WHY, diff: diff('b.txt', 30, { 5: 'FIVE', 25: 'TWENTY-FIVE' }) });
    await me.status('2 hunks in 1 file');
    await page.locator('.editor-group-container.active .view-line').first().click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('mine\nmore\n');
    await until(async () => (await me.lenses()) > 0, 'lenses');
    await me.keys('a');
    await me.status('1 hunk in 1 file');
    await me.sees('FIVE');
    await me.keys('r');
    await me.nothingWaits();
    await answer;
    assert.equal(place.file('b.txt'), numbered(30), 'the person saves their own text');
    await me.saves(() => place.file('b.txt') === `mine\nmore\n${numbered(30, { 5: 'FIVE' })}`, 'both texts on the disk');
  },

  'lines that are only added, at the start and in the middle, are decided by buttons': async () => {
    await me.noToasts();
    await me.edit('c.txt');
    const answer = call(place, 'fs.write', { path: 'c.txt', content: `first\n${numbered(10, { 5: 'line 5\nnew\nother' })}`, why: WHY });
    await me.lens('Review 2/2');
    await me.presses('Review 2/2', /Review 2\/2/);
    await me.tab(`c.txt: ${WHY}`);
    await me.sees('other');
    await shot('added');
    await me.presses('2/2', 'Accept');
    await me.status('1 hunk in 1 file');
    await me.presses('1/2', 'Reject');
    await me.nothingWaits();
    await answer;
    assert.equal(place.file('c.txt'), numbered(10, { 5: 'line 5\nnew\nother' }));
    await until(async () => (await page.locator('.tab', { hasText: WHY }).count()) === 0, 'the diff closes');
    fs.writeFileSync(path.join(place.root, 'c.txt'), numbered(10));
    await until(async () => !(await me.seen()).includes('other'), 'the old text');
  },

  'what waits in several files is one diff, gone through by single keys': async () => {
    await me.noToasts();
    for (const name of ['a.txt', 'b.txt']) fs.writeFileSync(path.join(place.root, name), numbered(30));
    await me.edit('d.txt');
    await page.keyboard.press('Control+Home');
    const long = 'a line of more than a hundred columns '.repeat(4);
    const block = Array.from({ length: 16 }, (_, index) => `new ${index}`).join('\n');
    const first = call(place, 'fs.patch', { path: 'b.txt', why: 'Be the oldest', diff: diff('b.txt', 30, { 1: 'ONE', 30: long }) });
    await me.status('2 hunks in 1 file');
    const second = call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 30, { 2: block, 20: null }) });
    await me.status('4 hunks in 2 files');
    const third = call(place, 'fs.patch', { path: 'b.txt', why: 'Be another one on the same file', diff: diff('b.txt', 30, { 15: 'FIFTEEN' }) });
    await me.status('5 hunks in 2 files');
    await page.waitForTimeout(500);
    assert.equal(await page.locator('.tab', { hasText: 'wherefore:' }).count(), 0, 'it never opens by itself');
    await me.command('Wherefore: Review What Waits');
    await me.tab('wherefore: review');
    await me.lens('1/2 · Be the oldest');
    await me.sees('ONE');
    await shot('review-several');
    const files = await page.locator('.multiDiffEntry .file-path').allInnerTexts();
    assert.ok(files[0].startsWith('b.txt'), `${files}: the oldest first`);
    await page.keyboard.press('a');
    await me.status('4 hunks in 2 files');
    await until(async () => (await badge()) === '"4"', 'the tab counts what waits');
    await page.keyboard.press('a');
    await me.status('3 hunks in 2 files');
    await me.arrives();
    await page.keyboard.press('r');
    await me.status('2 hunks in 2 files');
    await page.keyboard.press('n');
    await me.arrives();
    await page.keyboard.press('a');
    await me.status('1 hunk in 1 file');
    await me.arrives();
    await until(async () => (await me.lenses()) === 1, 'the row of the one that waits');
    await page.keyboard.press('a');
    await me.nothingWaits();
    await until(async () => (await page.locator('.tab', { hasText: 'wherefore:' }).count()) === 0, 'the diff closes');
    await me.tab('d.txt');
    await me.arrives();
    await page.keyboard.type('Here');
    await me.sees('Herethis stands');
    await page.keyboard.press('Control+z');
    await until(async () => (await page.locator('.tab.dirty').count()) === 0, 'it is taken out again');
    await Promise.all([first, second, third]);
    assert.equal(place.file('b.txt'), numbered(30, { 1: 'ONE', 15: 'FIFTEEN', 30: long }));
    assert.equal(place.file('a.txt'), numbered(30, { 20: null }));
    fs.writeFileSync(path.join(place.root, 'a.txt'), numbered(30));
  },

  'in a diff of several files nothing is decided that is scrolled away': async () => {
    await me.noToasts();
    const far = numbered(400);
    for (const name of ['far.txt', 'near.txt']) fs.writeFileSync(path.join(place.root, name), far);
    const changes = (name) => Object.fromEntries(Array.from({ length: 8 }, (_, index) => [5 + index * 50, `${name} ${index}`]));
    const answers = [];
    for (const [index, name] of ['near', 'far'].entries()) {
      answers.push(call(place, 'fs.patch', { path: `${name}.txt`, why: WHY, diff: diff(`${name}.txt`, 400, changes(name)) }));
      await me.status(`${8 * (index + 1)} hunks in`);
    }
    await me.command('Wherefore: Review What Waits');
    await me.lens('1/8');
    await me.sees('near 0');
    const box = await page.locator('.editor-group-container.active .editor-container').first().boundingBox();
    await page.mouse.move(box.x + box.width * 0.75, box.y + box.height / 2);
    await until(async () => {
      await page.mouse.wheel(0, 1000);
      await page.waitForTimeout(50);
      return (await me.seen()).includes('far 7');
    }, 'the end of the other file');
    await page.waitForTimeout(500);
    await page.keyboard.press('a');
    await me.status('nothing is decided');
    await me.sees('near 0');
    await me.status('16 hunks in 2 files');
    assert.equal(place.file('near.txt'), far);
    await me.command('Wherefore: Reject Everything That Waits');
    await Promise.all(answers);
    await me.command('View: Close All Editors');
  },

  'after a reload the review opens anew': async () => {
    await me.noToasts();
    for (const name of ['a.txt', 'b.txt']) fs.writeFileSync(path.join(place.root, name), numbered(30));
    const answers = ['a.txt', 'b.txt'].map((name) => call(place, 'fs.patch', { path: name, why: WHY, diff: diff(name, 30, { 8: 'EIGHT' }) }, 'hold'));
    await Promise.all(answers);
    await me.status('2 hunks in 2 files');
    await me.command('Wherefore: Review What Waits');
    await me.lens('1/1');
    await page.reload();
    await me.tab('wherefore: review');
    await me.lens('1/1');
    await me.sees('EIGHT');
    assert.equal(await page.locator('.tab', { hasText: 'wherefore: review' }).count(), 1);
    await me.command('Wherefore: Reject Everything That Waits');
    await until(async () => (await page.locator('.tab', { hasText: 'wherefore:' }).count()) === 0, 'the diff closes');
  },

  'a new file shows before it is there': async () => {
    await me.noToasts();
    const answer = call(place, 'fs.write', { path: 'docs/new.md', content: '# New\n\nIts text.\n', why: 'Tell readers how to begin' });
    await me.status('1 hunk in 1 file');
    await me.keys('v');
    await me.tab('new.md');
    await me.sees('Its text.');
    await until(async () => (await me.lenses()) > 0, 'lenses');
    await shot('new-file');
    assert.ok(!fs.existsSync(path.join(place.root, 'docs')));
    await me.keys('a');
    assert.match(await answer, /applied/);
    assert.equal(place.file('docs/new.md'), '# New\n\nIts text.\n');
    await until(async () => (await page.locator('.tab', { hasText: 'new.md' }).count()) === 0, 'the diff closes');
  },

  'with no hunk on the screen the keys decide on nothing and go to the next one, in the file and in its diff': async () => {
    await me.noToasts();
    const far = numbered(400);
    fs.writeFileSync(path.join(place.root, 'far.txt'), far);
    await me.edit(path.join(place.root, 'far.txt'));
    const answer = call(place, 'fs.patch', { path: 'far.txt', why: WHY, diff: diff('far.txt', 400, { 5: 'FIVE', 200: 'TWO HUNDRED', 350: 'THREE FIFTY' }) });
    await me.status('3 hunks in 1 file');
    /** Scrolls until no hunk is seen; the cursor stays where it is. */
    const away = async () => {
      const box = await page.locator('.editor-group-container.active .editor-container').first().boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await until(async () => {
        if ((await me.seen()).includes('line 100')) return true;
        await page.mouse.wheel(0, 200);
        await page.waitForTimeout(100);
        return false;
      }, 'line 100 on the screen');
      assert.ok(!(await me.seen()).includes('line 200'));
    };
    await page.locator('.editor-group-container.active .view-line').first().click();
    await page.keyboard.press('Control+Home');
    await away();
    await me.keys('a');
    await me.status('nothing is decided');
    await me.sees('line 5');
    await me.status('3 hunks in 1 file');
    await me.keys('d');
    await page.locator('.monaco-diff-editor .line-insert').first().waitFor();
    await page.keyboard.press('Control+Home');
    await away();
    await shot('aim-before');
    await me.keys('r');
    await me.sees('FIVE');
    await shot('aim-after');
    await me.status('3 hunks in 1 file');
    assert.equal(place.file('far.txt'), far);
    await me.keys('a');
    await me.status('2 hunks in 1 file');
    await until(() => place.file('far.txt') === numbered(400, { 5: 'FIVE' }), 'the hunk on the screen, on the disk');
    await me.command('Wherefore: Reject Everything That Waits');
    assert.match(await answer, /partly_applied/);
    await me.command('View: Close All Editors');
  },

  'an accepted deletion closes what shows the file, and no save brings it back': async () => {
    await me.noToasts();
    fs.writeFileSync(path.join(place.root, 'old.txt'), numbered(9));
    await me.edit(path.join(place.root, 'old.txt'));
    await page.locator('.editor-group-container.active .view-line').first().click();
    await page.keyboard.press('Control+Backslash');
    await until(async () => (await page.locator('.editor-group-container').count()) === 2, 'two groups');
    const answer = call(place, 'fs.patch', { path: 'old.txt', why: 'Nothing reads this file any more', diff: deletion('old.txt', 9) });
    await me.status('1 hunk in 1 file');
    await me.keys('d');
    await page.locator('.monaco-diff-editor .line-delete, .monaco-diff-editor .char-delete').first().waitFor();
    await shot('deletion');
    const choices = page.locator('.quick-input-list .monaco-list-row');
    await me.pick('Wherefore: Accept Everything That Waits');
    await choices.filter({ hasText: 'delete 1 file' }).waitFor();
    await page.keyboard.press('Escape');
    await me.status('nothing is decided');
    assert.ok(fs.existsSync(path.join(place.root, 'old.txt')));
    await me.pick('Wherefore: Accept Everything That Waits');
    await choices.filter({ hasText: 'delete 1 file' }).click();
    assert.match(await answer, /applied/);
    await until(async () => (await page.locator('.tab', { hasText: 'old.txt' }).count()) === 0, 'its tabs and its diff close');
    await me.nothingWaits();
    await me.command('File: Save All Files');
    await page.keyboard.press('Control+s');
    await shot('deleted');
    assert.ok(!fs.existsSync(path.join(place.root, 'old.txt')));
    await me.command('View: Close All Editor Groups');
  },

  'a proposal shows whole as a diff, and the views list it': async () => {
    await me.noToasts();
    await me.edit('c.txt');
    const answer = call(place, 'fs.patch', { path: 'c.txt', why: WHY, diff: diff('c.txt', 10, { 3: 'THREE', 8: null }) });
    await me.status('2 hunks in 1 file');
    await me.keys('d');
    await page.locator('.monaco-diff-editor .char-insert, .monaco-diff-editor .line-insert').first().waitFor();
    await me.command('Focus on Proposals View');
    const views = page.locator('.part.sidebar');
    await views.locator('.monaco-list-row', { hasText: /c\.txt\s+\+1/ }).first().locator('.monaco-tl-twistie').click();
    await views.locator('.monaco-list-row', { hasText: '1/2' }).waitFor();
    await views.locator('.monaco-list-row', { hasText: WHY }).nth(1).waitFor();
    await me.command('Focus on Tools View');
    await views.locator('.monaco-list-row', { hasText: 'Files' }).first().click();
    await views.locator('.monaco-list-row', { hasText: 'fs.patch' }).first().waitFor();
    await shot('views');
    await me.command('Focus on Proposals View');
    await me.command('View: Close All Editors');
    await views.locator('.monaco-list-row', { hasText: 'c.txt' }).first().click();
    await me.tab(`c.txt: ${WHY}`);
    // The focus goes before VS Code has asked for the rows of buttons.
    await me.command('Focus on Proposals View');
    await me.lens('1/2');
    await views.locator('.monaco-list-row', { hasText: '2/2' }).click();
    await me.tab('c.txt');
    await me.arrives();
    await me.command('Focus on Proposals View');
    await me.keys('a');
    await me.status('1 hunk in 1 file');
    await until(() => place.file('c.txt') === numbered(10, { 8: null }), 'the hunk picked in the tree on the disk');
    await me.command('Wherefore: Reject Everything That Waits');
    assert.match(await answer, /partly_applied/);
    fs.writeFileSync(path.join(place.root, 'c.txt'), numbered(10));
    await until(async () => (await page.locator('.tab', { hasText: WHY }).count()) === 0, 'the diff closes');
    await page.keyboard.press('Control+Shift+e');
  },

  'a change of several files shows in one diff': async () => {
    await me.noToasts();
    fs.mkdirSync(path.join(place.root, 'from'));
    for (const name of ['one.txt', 'two.txt']) fs.writeFileSync(path.join(place.root, 'from', name), numbered(3));
    const answer = call(place, 'fs.copy', { src: 'from', dst: 'copy', why: 'Keep the old texts beside' });
    await me.status('Keep the old texts beside');
    await me.status(/\d hunks in/);
    await me.command('Wherefore: Show the Proposal as a Diff');
    await me.tab(/wherefore: review/);
    await page.waitForTimeout(1000);
    await shot('several');
    await me.command('Wherefore: Accept Everything That Waits');
    assert.match(await answer, /applied/);
    assert.equal(place.file('copy/two.txt'), numbered(3));
    await me.command('View: Close All Editors');
  },

  'dark too': async () => {
    await me.noToasts();
    fs.writeFileSync(path.join(place.root, 'a.txt'), numbered(30));
    await me.command('Preferences: Toggle between Light/Dark Themes');
    await me.edit('a.txt');
    const answer = call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 30, FIVE) });
    await until(async () => (await me.lenses()) >= 4, 'lenses');
    await shot('review-dark');
    await me.command('Wherefore: Reject Everything That Waits');
    await answer;
  },
};

await play('review', cases, { code, place, me, shot });
