// What a person does beside the plain review: looks at what was applied, changes a hunk before they accept it, types while
// a change comes; and how long many hunks take to the screen.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { call, diff, numbered, program } from './agent.mjs';
import { play } from './cases.mjs';
import { extension, open, project, scratch, until } from './code.mjs';
import { person } from './person.mjs';
import { clock, logged, slowest, watchLong } from './speed.mjs';

assert.ok(program, 'WHEREFORE_BIN names the program');
const shots = path.join(project, '.e2e', 'vscode-shots');
fs.mkdirSync(shots, { recursive: true });

const WHY = 'Spell the numbers out for the reader';
const MANY = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [10 + index * 24, index % 2 ? `new ${index}` : `new ${index}\nand more`]));

const place = scratch({ 'a.txt': numbered(30), 'b.txt': numbered(30), 'c.js': 'const one = 1;\nconst two = 2;\n', 'd.txt': numbered(30), 'long.txt': numbered(5000) });
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix') });
const { page } = code;
const me = person(page);
const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });
const home = async () => {
  await page.locator('.editor-group-container.active .view-line').first().click();
  await page.keyboard.press('Control+Home');
};
/** Puts a word in the place of another one, where the cursor is above it. */
const types = async (word, other) => {
  await page.keyboard.press('Home');
  for (let left = 'const '.length; left > 0; left--) await page.keyboard.press('ArrowRight');
  for (let left = word.length; left > 0; left--) await page.keyboard.press('Delete');
  await page.keyboard.type(other);
};
const picks = page.locator('.quick-input-list .monaco-list-row');

const apply = async () => {
  await call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 30, { 2: 'TWO', 8: 'EIGHT\nand a half', 14: null }) }, 'auto');
  await call(place, 'fs.patch', { path: 'b.txt', why: 'Begin with a greeting', diff: diff('b.txt', 30, { 3: 'HELLO' }) }, 'auto');
};

const cases = {
  'what was applied is looked at across files and calls, by keys': async () => {
    await me.edit('a.txt');
    await apply();
    await me.status('4 hunks applied');
    assert.equal(await me.lenses(), 0, 'nothing is shown before it is asked for');
    await me.keys('l');
    await picks.filter({ hasText: 'All that nobody has looked at' }).waitFor();
    await picks.filter({ hasText: 'Begin with a greeting' }).waitFor();
    await shot('applied-since');
    await page.keyboard.press('Enter');
    await me.status('4 hunks in 2 files applied');
    await me.tab('wherefore: applied, keep or take back (2 files)');
    await me.lens('Keep');
    await me.sees('TWO');
    await shot('applied');
    await me.arrives();
    // Keys of the review: nothing is typed into the source.
    await page.keyboard.press('a');
    await me.status('3 hunks in 2 files applied');
    await me.arrives();
    await page.keyboard.press('r');
    await me.status('2 hunks in 2 files applied');
    await me.keys('a');
    await me.status('1 hunk in 1 file applied');
    await me.sees('HELLO');
    await me.arrives();
    await me.keys('Shift+R');
    await page.locator('.quick-input-widget input[type=text]').waitFor();
    await page.keyboard.type('no greetings');
    await page.keyboard.press('Enter');
    await until(() => place.file('b.txt') === numbered(30), 'the last one taken back');
    await until(() => place.file('a.txt') === numbered(30, { 2: 'TWO', 14: null }), 'two kept, one taken back');
    await me.nothingWaits();
    await page.locator('.statusbar-item[id$="wherefore.applied"]').waitFor({ state: 'hidden' });
    assert.match(await call(place, 'fs.ls', { path: '.', why: 'Hear what became of it' }), /p-\w+ of c-\w+ is rejected now/);
  },

  'a session is read afterwards with what became of each hunk, and one is taken back': async () => {
    await me.noToasts();
    await me.command('Wherefore: Review a Session');
    await me.tab('Session of');
    await me.lens('1/3 · accepted · Spell the numbers out');
    await me.lens('1/1 · rejected · Begin with a greeting');
    await me.lens('your word: no greetings');
    await me.sees('TWO');
    await shot('session');
    await me.presses('1/3 · accepted', 'Take back');
    await until(() => place.file('a.txt') === numbered(30, { 14: null }), 'the first taken back');
    await me.lens('1/3 · rejected');
    // By keys: the last hunk of the file.
    await page.locator('.editor-group-container.active .modified .view-line', { hasText: 'EIGHT' }).first().click();
    await me.arrives();
    await page.keyboard.press('n');
    await me.status('Ln 8, Col 1');
    await page.keyboard.press('r');
    await until(() => place.file('a.txt') === numbered(30), 'the last taken back');
    await me.lens('3/3 · rejected');
    await page.keyboard.press('Control+F4');
  },

  'e in the review of what was applied leads to the lines in the file, and r takes them back': async () => {
    await me.noToasts();
    await call(place, 'fs.patch', { path: 'b.txt', why: 'Say goodbye too', diff: diff('b.txt', 30, { 20: 'GOODBYE' }) }, 'auto');
    await me.status('1 hunk applied');
    await me.keys('l');
    await me.tab('b.txt (applied)');
    await me.lens('Take back');
    await me.sees('GOODBYE');
    await me.arrives();
    await page.keyboard.press('e');
    await me.status('change it here and save');
    await me.status('Ln 20, Col 1');
    await me.keys('v');
    await me.tab('b.txt (applied)');
    await me.arrives();
    await shot('applied-one');
    await page.keyboard.press('r');
    await until(() => place.file('b.txt') === numbered(30), 'the file as it was');
    await me.nothingWaits();
    assert.match(await call(place, 'fs.ls', { path: '.', why: 'Hear what became of it' }), /is rejected now/);
    assert.equal(await page.locator('.tab.dirty').count(), 0, 'nothing was typed into the source');
  },

  'what was applied since a call, in the dark': async () => {
    await me.noToasts();
    fs.writeFileSync(path.join(place.root, 'a.txt'), numbered(30));
    await me.edit('a.txt');
    await me.sees('line 14');
    await me.command('Preferences: Toggle between Light/Dark Themes');
    await apply();
    await me.status('4 hunks applied');
    await me.keys('l');
    await picks.filter({ hasText: 'Begin with a greeting' }).waitFor();
    await page.keyboard.type('greeting');
    await until(async () => (await picks.count()) === 1, 'one call');
    await page.keyboard.press('Enter');
    await me.status('1 hunk in 1 file applied');
    await me.tab('b.txt');
    await me.command('Wherefore: Reject Everything That Waits');
    await until(() => place.file('b.txt') === numbered(30), 'taken back');
    await me.status('3 hunks applied');
    await me.command('Wherefore: Review What Was Applied');
    await me.tab('a.txt');
    await until(async () => (await me.lenses()) >= 3, 'lenses');
    await until(async () => (await page.locator('.codelens-decoration', { hasText: 'Keep all' }).count()) === 1, 'one offer to keep all');
    await shot('applied-dark');
    await me.keys('Shift+A');
    await me.nothingWaits();
    assert.equal(place.file('a.txt'), numbered(30, { 2: 'TWO', 8: 'EIGHT\nand a half', 14: null }));
    await me.command('Preferences: Toggle between Light/Dark Themes');
  },

  'a hunk is changed before it is accepted': async () => {
    await me.noToasts();
    await me.edit('c.js');
    const answer = call(place, 'fs.write', { path: 'c.js', content: 'const one = 1;\nconst deux = 2;\n', why: WHY });
    await me.status('1 hunk in 1 file');
    await me.keys('n');
    await me.tab(`c.js: ${WHY}`);
    await me.lens('Accept');
    await me.edits();
    await types('deux', 'zwei');
    await shot('edit');
    assert.equal(place.file('c.js'), 'const one = 1;\nconst two = 2;\n', 'nothing is accepted before it is saved');
    await page.keyboard.press('Control+s');
    const want = 'const one = 1;\nconst zwei = 2;\n';
    await until(() => place.file('c.js') === want, 'the text as it was edited on the disk');
    assert.match(await answer, /"text":"const zwei = 2;\\n"/);
    await me.nothingWaits();
    await until(async () => (await page.locator('.tab', { hasText: WHY }).count()) === 0, 'the diff closes');
  },

  'what is typed outside of the hunks is refused, and a hunk is accepted with what was typed in it': async () => {
    await me.noToasts();
    fs.writeFileSync(path.join(place.root, 'b.txt'), numbered(30));
    await me.edit('b.txt');
    await me.sees('line 14');
    // A review before this one left the cursor at its place.
    await page.keyboard.press('Control+Home');
    const answer = call(place, 'fs.patch', { path: 'b.txt', why: WHY, diff: diff('b.txt', 30, { 5: 'FIVE', 20: 'TWENTY' }) });
    await me.status('2 hunks in 1 file');
    await me.keys('n');
    await me.tab(`b.txt: ${WHY}`);
    await me.lens('1/2');
    await me.edits();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.type('not here');
    await me.toast('only the lines of a hunk can be edited here');
    await until(async () => !(await me.seen()).includes('here'), 'it is taken out again');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('End');
    await page.keyboard.type(' and\na half');
    await page.keyboard.press('Escape');
    await me.status('a accepts the hunk');
    await me.lens('Accept as edited');
    await page.keyboard.press('a');
    await me.status('1 hunk in 1 file');
    await until(() => place.file('b.txt') === numbered(30, { 5: 'FIVE and\na half' }), 'the hunk as it was edited');
    await me.arrives();
    await page.keyboard.press('r');
    await me.nothingWaits();
    assert.match(await answer, /partly_applied/);
  },

  'leaving the edit in the moment in which text is taken out again accepts nothing': async () => {
    await me.noToasts();
    await me.edit('d.txt');
    const answer = call(place, 'fs.patch', { path: 'd.txt', why: WHY, diff: diff('d.txt', 30, { 5: 'FIVE', 20: 'TWENTY' }) });
    await me.status('2 hunks in 1 file');
    await me.keys('n');
    await me.tab(`d.txt: ${WHY}`);
    await me.lens('1/2');
    for (let pause = 0; pause < 300; pause += 30) {
      await me.edits();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.type('x');
      await page.waitForTimeout(pause);
      await page.keyboard.press('Escape');
      await me.status('a accepts the hunk');
      await page.keyboard.press('ArrowUp');
    }
    await me.status('2 hunks in 1 file');
    assert.equal(place.file('d.txt'), numbered(30));
    await me.command('Wherefore: Reject Everything That Waits');
    assert.match(await answer, /rejected/);
  },

  'text that is typed while a change comes stays': async () => {
    await me.noToasts();
    fs.writeFileSync(path.join(place.root, 'a.txt'), numbered(30));
    await me.edit('a.txt');
    await me.sees('line 14');
    await home();
    const typed = Array.from({ length: 12 }, (_, index) => `mine ${index}\n`).join('');
    const [, said] = await Promise.all([
      page.keyboard.type(typed, { delay: 15 }),
      call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 30, { 5: 'FIVE', 20: 'TWENTY' }) }, 'hold'),
    ]);
    assert.match(said, /pending/);
    await me.status('2 hunks in 1 file');
    await me.command('Wherefore: Accept Everything That Waits');
    await me.nothingWaits();
    await me.saves(() => place.file('a.txt') === typed + numbered(30, { 5: 'FIVE', 20: 'TWENTY' }), 'both texts on the disk');
  },

  '200 hunks in 5,000 lines come to the screen, and typing among them stays smooth': async () => {
    await me.noToasts();
    await me.edit('long.txt');
    await me.sees('line 10');
    const type = async (text) => {
      await home();
      await watchLong(page);
      await page.keyboard.type(text, { delay: 40 });
      return slowest(page);
    };
    const typed = 'text that a person types\nand more\n';
    console.log(`  the longest task of the window while typing where nothing waits: ${await type(typed)} ms`);
    await page.keyboard.press('Control+s');
    await clock(page);
    await watchLong(page);
    const began = Date.now();
    const answer = call(place, 'fs.patch', { path: 'long.txt', why: WHY, diff: diff('long.txt', 5000, MANY) });
    await me.status('200 hunks in 1 file');
    await page.locator('.codelens-decoration').first().waitFor();
    const { came, took } = await until(() => logged(place, '200 hunks'), 'a line in the output');
    const { drawn, lens } = await until(() => page.evaluate(() => globalThis.seen.drawn && globalThis.seen.lens && globalThis.seen), 'the first hunk');
    console.log(`  200 hunks came ${Math.round(came - began)} ms after their call's program was started; drawn by the extension in ${took} ms`);
    console.log(`  the first was on the screen after ${Math.round(drawn - came)} ms, its header after ${Math.round(lens - came)} ms`);
    console.log(`  the longest task of the window meanwhile: ${await slowest(page)} ms`);
    await shot('many');
    console.log(`  the longest task of the window while typing among them: ${await type(typed)} ms`);
    const pressed = Date.now();
    await me.keys('Shift+A');
    await until(async () => (await me.lenses()) === 0, 'no lens', 60_000);
    console.log(`  all of them were accepted after ${Date.now() - pressed} ms, what was typed before included`);
    assert.match(await answer, /applied/);
    await me.saves(() => place.file('long.txt') === typed + typed + numbered(5000, MANY), 'all of it on the disk');
  },
};

await play('afterwards', cases, { code, place, me, shot });
