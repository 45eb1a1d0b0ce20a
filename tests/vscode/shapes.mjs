// Changes of every shape, decided by keys in the review's diff: files deleted, made and renamed, long blocks and lines, both
// ends of a file, many hunks, several proposals on one file, several folders, high contrast, no CodeLens.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, deletion, diff, numbered, program } from './agent.mjs';
import { play } from './cases.mjs';
import { extension, open, project, scratch, until } from './code.mjs';
import { patiently, person } from './person.mjs';

assert.ok(program, 'WHEREFORE_BIN names the program');
const shots = path.join(project, '.e2e', 'vscode-shots');
fs.mkdirSync(shots, { recursive: true });

const WHY = 'Spell the numbers out for the reader';
const place = scratch({ 'a.txt': numbered(30), 'b.txt': numbered(30), 'many.txt': numbered(250), 'name.txt': numbered(5), 'old.txt': numbered(5), 'three.txt': numbered(60) });
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix') });
const { page } = code;
const me = person(page);
const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

/** Proposes one change after the other, so that the order of the review is known. */
async function propose(...list) {
  const answers = [];
  for (const [files, tool, args] of list) {
    answers.push(call(place, tool, { why: WHY, ...args }));
    await me.status(files);
  }
  return answers;
}

/** Presses a key of the review and waits for what is left then. */
async function press(key, left) {
  await me.arrives();
  await page.keyboard.press(key);
  await (left ? me.status(left) : me.nothingWaits());
}

/** The texts that are drawn behind lines. */
const behind = () =>
  page.evaluate(() => [...document.querySelectorAll('.view-line span')].map((each) => getComputedStyle(each, '::after').content).filter((text) => text.length > 10));

/** Changes a setting in the file of the person's, as VS Code reads it with the next load. */
function set(settings) {
  const file = path.join(place.tmp, 'user', 'User', 'settings.json');
  fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), ...settings }));
}

const cases = {
  'a file that is deleted, one that is made and one that is renamed are decided in one diff': async () => {
    const rename = 'diff --git a/name.txt b/other.txt\nsimilarity index 100%\nrename from name.txt\nrename to other.txt\n';
    const answers = await propose(
      ['1 hunk in 1 file', 'fs.patch', { path: 'old.txt', diff: deletion('old.txt', 5) }],
      ['2 hunks in 2 files', 'fs.write', { path: 'docs/new.md', content: '# New\n\nIts text.\n' }],
      ['3 hunks in 3 files', 'fs.patch', { path: 'name.txt', diff: rename }],
    );
    await me.command('Wherefore: Review What Waits');
    await me.tab('wherefore: review (3 files)');
    await me.lens('delete the file');
    await shot('shapes-files');
    await press('a', '2 hunks in 2 files');
    assert.ok(!fs.existsSync(path.join(place.root, 'old.txt')), 'it is deleted');
    await press('a', '1 hunk in 1 file');
    assert.equal(place.file('docs/new.md'), '# New\n\nIts text.\n');
    await press('a');
    assert.equal(place.file('other.txt'), numbered(5));
    assert.ok(!fs.existsSync(path.join(place.root, 'name.txt')), 'the old name is gone');
    for (const answer of answers) assert.match(await answer, /applied/);
  },

  'in 730 px of editor a block of 16 lines is on the screen, and so are long lines and both ends of a file': async () => {
    await me.noToasts();
    const block = Array.from({ length: 16 }, (_, index) => `made ${index}`).join('\n');
    const wide = `wide ${'0123456789'.repeat(13)} end`;
    const changes = { 1: 'first\nline 1', 8: block, 20: wide, 30: 'line 30\nlast' };
    await page.setViewportSize({ width: 1080, height: 800 });
    const [answer] = await propose(['4 hunks in 1 file', 'fs.patch', { path: 'a.txt', diff: diff('a.txt', 30, changes) }]);
    await me.keys('v');
    await me.tab(`a.txt: ${WHY}`);
    await me.lens('1/4');
    await press('n', '4 hunks in 1 file');
    await until(async () => {
      const seen = await me.seen();
      return Array.from({ length: 16 }, (_, index) => `made ${index}`).every((line) => seen.includes(line));
    }, 'the whole block');
    assert.equal(await page.locator('.monaco-diff-editor.side-by-side').count(), 0, 'inline, where there is no room for two');
    await shot('shapes-narrow');
    await press('p', '4 hunks in 1 file');
    await press('a', '3 hunks in 1 file');
    await press('r', '2 hunks in 1 file');
    await press('a', '1 hunk in 1 file');
    await press('a');
    assert.match(await answer, /partly_applied/);
    await until(() => place.file('a.txt') === numbered(30, { 1: 'first\nline 1', 20: wide, 30: 'line 30\nlast' }), 'what was accepted');
    await page.setViewportSize({ width: 1280, height: 800 });
  },

  'fifty hunks of one file, every other one accepted': async () => {
    await me.noToasts();
    const changes = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [index * 5 + 3, `new ${index}`]));
    const [answer] = await propose(['50 hunks in 1 file', 'fs.patch', { path: 'many.txt', diff: diff('many.txt', 250, changes) }]);
    await me.keys('v');
    await me.lens('1/50');
    await me.arrives();
    const began = Date.now();
    let again = 0;
    for (let left = 49; left >= 0; left--) {
      const key = left % 2 ? 'a' : 'r';
      await page.keyboard.press(key);
      if (left === 0) break;
      const decided = me.status(`${left} hunk${left > 1 ? 's' : ''} in 1 file`);
      const late = sleep(10_000, true, { ref: false });
      // A key decides on nothing while its hunk is not on the screen yet: a person presses it once more.
      if (await Promise.race([decided.then(() => false), late])) {
        again += 1;
        await page.keyboard.press(key);
      }
      await decided;
    }
    await me.nothingWaits();
    console.log(`  50 decisions by keys took ${Date.now() - began} ms, ${again} keys once more`);
    assert.match(await answer, /partly_applied/);
    const accepted = Object.fromEntries(Object.entries(changes).filter((_, index) => index % 2 === 0));
    await until(() => place.file('many.txt') === numbered(250, accepted), 'every other one on the disk');
  },

  'three proposals on one file are three entries; the one at the cursor opens, its whole why above it': async () => {
    await me.noToasts();
    const long = 'Be the third, and say why at such length that no row of buttons has room for all of it beside them';
    const answers = await propose(
      ['2 hunks in 1 file', 'fs.patch', { path: 'three.txt', why: 'Be the first', diff: diff('three.txt', 60, { 3: 'THREE\nand more', 33: 'first' }) }],
      ['3 hunks in 1 file', 'fs.patch', { path: 'three.txt', why: 'Be the second', diff: diff('three.txt', 60, { 13: 'second' }) }],
      ['4 hunks in 1 file', 'fs.patch', { path: 'three.txt', why: long, diff: diff('three.txt', 60, { 53: 'third' }) }],
    );
    await me.edit('three.txt');
    await page.keyboard.press('Control+g');
    await page.keyboard.type('50\n');
    await me.command('Wherefore: Review What Waits');
    await me.tab('wherefore: review (3 files)');
    const comment = page.locator('.editor.modified .review-widget', { hasText: 'Why of 1/1' });
    await comment.getByText(long, { exact: true }).waitFor();
    await comment.getByText('tester/1', { exact: true }).waitFor();
    await shot('shapes-three');
    await press('a', '3 hunks in 1 file');
    await until(() => place.file('three.txt') === numbered(60, { 53: 'third' }), 'the third first');
    await me.lens('1/2 · Be the first');
    await comment.waitFor({ state: 'detached' });
    await press('a', '2 hunks in 1 file');
    await press('a', '1 hunk in 1 file');
    await press('r');
    await Promise.all(answers);
    await until(() => place.file('three.txt') === numbered(60, { 3: 'THREE\nand more', 33: 'first', 53: 'third' }), 'the first and the third');
  },

  'with no CodeLens in diffs the row of a hunk stands behind its first new line, also in high contrast': async () => {
    set({ 'diffEditor.codeLens': false, 'workbench.colorTheme': 'Default High Contrast' });
    await page.reload();
    await page.locator('.monaco-workbench.hc-black').waitFor({ timeout: 60_000 });
    await me.status('wherefore').catch(() => undefined);
    fs.writeFileSync(path.join(place.root, 'b.txt'), numbered(30));
    const [answer] = await propose(['3 hunks in 1 file', 'fs.patch', { path: 'b.txt', diff: diff('b.txt', 30, { 2: 'TWO\nand more', 12: null, 22: 'TWENTY-TWO' }) }]);
    await me.keys('v');
    await me.tab(`b.txt: ${WHY}`);
    await until(async () => (await behind()).length === 3, 'three rows');
    const rows = await behind();
    for (const part of ['a: Accept | r: Reject | R: with reason | e: Edit | 1/3', WHY, 'tester/1']) assert.ok(rows[0].includes(part), `${part} in ${rows[0]}`);
    assert.equal(await me.lenses(), 0, 'and no lens');
    await shot('shapes-no-lens');
    await page.locator('.modified .view-line', { hasText: 'TWO' }).first().click();
    await me.command('Show or Focus Hover');
    await page.locator('.monaco-hover a', { hasText: 'Reject with reason' }).first().waitFor();
    await page.locator('.monaco-hover a', { hasText: /^Accept$/ }).first().click();
    await me.status('2 hunks in 1 file');
    await until(async () => (await behind()).length === 2, 'two rows');
    await page.keyboard.press('Escape');
    await press('a', '1 hunk in 1 file');
    await press('r');
    await until(() => place.file('b.txt') === numbered(30, { 2: 'TWO\nand more', 12: null }), 'what was accepted');
    await answer;
    set({ 'diffEditor.codeLens': true });
  },

  'hunks of one name in several folders each go to their own': async () => {
    const other = path.join(place.tmp, 'other');
    fs.mkdirSync(path.join(other, '.git'), { recursive: true });
    for (const root of [place.root, other]) fs.writeFileSync(path.join(root, 'a.txt'), numbered(30));
    const both = path.join(place.tmp, 'both.code-workspace');
    fs.writeFileSync(both, JSON.stringify({ folders: [{ path: place.root }, { path: other }] }));
    // Now and then a window comes up with none of the workspace's folders.
    await patiently(async () => {
      await page.goto(`${code.url}?workspace=${both}`);
      await page.locator('.statusbar-item[id*=wherefore]').first().waitFor({ timeout: 30_000 });
    });
    const here = call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 30, { 9: 'HERE' }) });
    await me.status('1 hunk in 1 file');
    const there = call({ ...place, root: other }, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 30, { 9: 'THERE', 20: 'TWENTY' }) });
    await me.status('3 hunks in 2 files');
    await me.command('Wherefore: Review What Waits');
    await me.tab('wherefore: review (2 files)');
    await me.lens('1/1');
    await shot('shapes-folders');
    const headers = await page.locator('.multiDiffEntry .file-path').allInnerTexts();
    assert.ok(headers[0].includes('project') && headers[1].includes('other'), `${headers} name their folders`);
    await press('a', '2 hunks in 1 file');
    assert.match(await here, /applied/);
    assert.equal(place.file('a.txt'), numbered(30, { 9: 'HERE' }), 'the hunk of the one folder');
    await press('r', '1 hunk in 1 file');
    await press('a');
    assert.match(await there, /partly_applied/);
    const theirs = numbered(30, { 20: 'TWENTY' });
    await until(() => fs.readFileSync(path.join(other, 'a.txt'), 'utf8') === theirs, 'the hunks of the other');
  },
};

await play('shapes', cases, { code, place, me, shot });
