// Hunks that a person edits before they accept them, in the review as it opens by default: what a save accepts, and what it
// never does. VS Code cleans texts up as it saves them here, which is no edit of the person's.

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

const WHY = 'Spell the numbers out for the reader';
const place = scratch({ 'a.txt': numbered(30), 'b.txt': numbered(30), 'old.txt': numbered(5) });
const settings = { 'files.trimTrailingWhitespace': true, 'files.insertFinalNewline': true };
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix'), settings });
const { page } = code;
const me = person(page);
const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

const tabs = (title) => page.locator('.tab', { hasText: title });
/** Puts the files as they were, and proposes two hunks in one and one in another. Their ends have blanks. */
async function propose() {
  await me.noToasts();
  for (const name of ['a.txt', 'b.txt']) fs.writeFileSync(path.join(place.root, name), numbered(30));
  const answers = [];
  for (const [left, name, changes] of [
    ['2 hunks in 1 file', 'a.txt', { 2: 'TWO  ', 20: 'TWENTY  ' }],
    ['3 hunks in 2 files', 'b.txt', { 3: 'THREE  ' }],
  ]) {
    answers.push(call(place, 'fs.patch', { path: name, why: WHY, diff: diff(name, 30, changes) }));
    await me.status(left);
  }
  await me.command('Wherefore: Review What Waits');
  await me.tab('wherefore: review (2 files)');
  await me.lens('1/2');
  await me.arrives();
  return answers;
}
/** Waits until a remark of before is gone: it stays for seconds. */
const quiet = () => page.locator('.statusbar-item', { hasText: 'wherefore: ' }).waitFor({ state: 'detached' });
const rejectTheRest = async (answers) => {
  await me.command('Wherefore: Reject Everything That Waits');
  const said = await Promise.all(answers);
  await me.nothingWaits();
  await me.command('View: Close All Editors');
  return said;
};

const cases = {
  'out of the review of all files a hunk is edited, a save accepts it alone, and the review goes on': async () => {
    const answers = await propose();
    await me.edits();
    await me.tab(`a.txt: ${WHY}`);
    await page.keyboard.press('End');
    await page.keyboard.type('and a half');
    await shot('edit-aside');
    assert.equal(place.file('a.txt'), numbered(30), 'nothing is accepted before it is saved');
    await page.keyboard.press('Control+s');
    await me.status('1 hunk accepted as edited');
    await me.status('2 hunks in 2 files');
    const [edited] = place.file('a.txt').split('\n').slice(1, 2);
    assert.equal(edited, 'TWO  and a half');
    assert.equal(place.file('a.txt'), numbered(30, { 2: edited }), 'the other hunk of the file waits, and no line else is another');
    await me.tab('wherefore: review');
    await until(async () => (await tabs(`a.txt: ${WHY}`).count()) === 0, 'the diff of the one file closes');
    await me.arrives();
    await shot('edit-back');
    await page.keyboard.press('a');
    await me.status('1 hunk in 1 file');
    assert.equal(place.file('a.txt'), numbered(30, { 2: edited, 20: 'TWENTY  ' }), 'the next hunk, as it was proposed');
    await rejectTheRest(answers);
  },

  'a save accepts nothing where nothing was typed, whatever VS Code cleans up': async () => {
    const answers = await propose();
    await me.edits();
    await me.tab(`a.txt: ${WHY}`);
    await page.keyboard.press('Control+s');
    await me.status('you typed in no hunk, so nothing is accepted');
    await shot('edit-nothing');
    await me.status('3 hunks in 2 files');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Control+s');
    await page.waitForTimeout(500);
    await me.status('3 hunks in 2 files');
    assert.equal(place.file('a.txt'), numbered(30));
    const [said] = await rejectTheRest(answers);
    assert.match(said, /rejected/);
  },

  'a save of everything, from another file, accepts nothing; the key then accepts what was typed': async () => {
    const answers = await propose();
    await me.edits();
    await page.keyboard.type('my ');
    await until(async () => (await tabs(`a.txt: ${WHY}`).and(page.locator('.dirty')).count()) === 1, 'it is unsaved');
    await me.edit('b.txt');
    await quiet();
    await me.command('File: Save All Files');
    await me.status('kept and not accepted');
    await me.status('3 hunks in 2 files');
    assert.equal(place.file('a.txt'), numbered(30));
    await tabs(`a.txt: ${WHY}`).click();
    await me.arrives();
    await page.keyboard.press('Escape');
    await me.status('a accepts the hunk');
    await me.lens('Accept as edited');
    await page.keyboard.press('a');
    await me.status('2 hunks in 2 files');
    assert.match(place.file('a.txt'), /^line 1\nmy TWO *\nline 3\n/);
    await rejectTheRest(answers);
  },

  'no save that VS Code makes by itself accepts anything': async () => {
    await me.command('File: Toggle Auto Save');
    const answers = await propose();
    await me.edits();
    await page.keyboard.type('my ');
    await until(async () => (await page.locator('.tab.dirty').count()) === 0, 'the editor saved it');
    await page.waitForTimeout(500);
    await me.status('3 hunks in 2 files');
    assert.equal(place.file('a.txt'), numbered(30));
    await me.command('File: Toggle Auto Save');
    await rejectTheRest(answers);
  },

  'of a hunk the selected lines are accepted, and the others stay as they were': async () => {
    await me.noToasts();
    fs.writeFileSync(path.join(place.root, 'a.txt'), numbered(30));
    const answer = call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 30, { 4: 'FOUR', 5: 'FIVE', 6: 'SIX', 7: 'SEVEN' }) });
    await me.status('1 hunk in 1 file');
    await me.keys('v');
    await me.lens('1/1');
    await me.arrives();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await shot('edit-lines');
    await page.keyboard.press('l');
    await me.nothingWaits();
    await until(() => place.file('a.txt') === numbered(30, { 5: 'FIVE', 6: 'SIX' }), 'two of four lines');
    assert.match(await answer, /applied/);
  },

  'what cannot be edited says so at the key': async () => {
    await me.noToasts();
    const gone = call(place, 'fs.patch', { path: 'old.txt', why: 'Nothing reads it', diff: deletion('old.txt', 5) });
    await me.status('1 hunk in 1 file');
    const made = call(place, 'fs.mkdir', { path: 'docs', why: 'Have a place for the docs' });
    await me.status('2 hunks in 2 files');
    await me.command('Wherefore: Review What Waits');
    await me.lens('delete the file');
    await me.arrives();
    await page.keyboard.press('e');
    await me.toast('this hunk (delete) adds no text; accept or reject it');
    await page.keyboard.press('n');
    await me.arrives();
    await page.keyboard.press('e');
    await me.toast('this hunk (mkdir) adds no text; accept or reject it');
    await me.status('2 hunks in 2 files');
    await rejectTheRest([gone, made]);
    await me.noToasts();
    await me.command('Wherefore: Review a Session');
    await me.tab('Session of');
    await me.lens('accepted, changed by hand');
    await page.locator('.editor-group-container.active .modified .view-line', { hasText: 'line 2' }).first().click();
    await me.arrives();
    await page.keyboard.press('e');
    await me.toast('this hunk is accepted, changed by hand: change its lines in the file');
    await page.keyboard.press('Control+F4');
  },
};

await play('edits', cases, { code, place, me, shot });
