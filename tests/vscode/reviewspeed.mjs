// node tests/vscode/reviewspeed.mjs [ROUNDS [PART]], after tests/vscode/run: how soon the review shows what a key asks for, by the clock of
// the page from the key to the picture that holds it; and VS Code's own diffs by Git beside it, in the same window. One file
// with 200 hunks, 60 files, and a file of 5.6 MB.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { call, diff, numbered } from './agent.mjs';
import { extension, open, project, scratch, until } from './code.mjs';
import { person } from './person.mjs';
import { clockKey, sinceKey } from './speed.mjs';

const [rounds = '3', wanted = ''] = process.argv.slice(2);
const WHY = 'Spell the numbers out for the reader, who has to find each of them in a long list of many';
const FILES = Array.from({ length: 60 }, (_, index) => `src/part${String(index).padStart(2, '0')}.txt`);
const HUNKS = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [index * 25 + 10, `new ${index + 1}`]));
const LARGE = 'large.txt';
const LARGE_LINES = 450_000;
const LARGE_CHANGES = { 100000: 'new 1', 200000: 'new 2', 300000: 'new 3' };
const SMALL_CHANGES = { 9: 'new 1', 30: 'new 2' };

const place = scratch({ 'long.txt': numbered(5000), [LARGE]: numbered(LARGE_LINES), ...Object.fromEntries(FILES.map((name) => [name, numbered(40)])) });
const git = (...args) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd: place.root, stdio: 'pipe' });
fs.rmSync(path.join(place.root, '.git'), { recursive: true });
git('init', '-q', '-b', 'master');
fs.writeFileSync(path.join(place.root, '.git', 'info', 'exclude'), '.wherefore/\n');
git('add', '.');
git('commit', '-q', '-m', 'all');
fs.mkdirSync(path.join(place.tmp, 'user', 'User'), { recursive: true });
const GIT_KEYS = [{ key: 'ctrl+alt+1', command: 'git.openChange' }, { key: 'ctrl+alt+2', command: 'git.viewChanges' }];
fs.writeFileSync(path.join(place.tmp, 'user', 'User', 'keybindings.json'), JSON.stringify(GIT_KEYS));

const settings = { 'git.enabled': true, 'git.openRepositoryInParentFolders': 'never', 'git.autofetch': false };
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix'), settings });
const { page } = code;
const me = person(page);

/** Presses keys, and tells how many milliseconds pass from the last one until a picture holds what is looked for. */
async function time(keys, look, ...args) {
  await clockKey(page, look, args);
  for (const key of keys) await page.keyboard.press(key);
  return sinceKey(page);
}

/** True in the page once the cursor stands at a line with this text in the right side of a diff, and the line is drawn as a new one. */
const isAtNewLine = (text) => {
  const editor = document.querySelector('.editor-group-container.active .monaco-editor.focused');
  const cursor = editor?.querySelector('.cursors-layer .cursor');
  if (!cursor) return false;
  const { top } = cursor.getBoundingClientRect();
  const isHere = (each) => Math.abs(each.getBoundingClientRect().top - top) < 3;
  const line = [...editor.querySelectorAll('.view-line')].find(isHere);
  const drawn = [...editor.querySelectorAll('.view-overlays .line-insert, .view-overlays .char-insert, .view-overlays .cdr')].some(isHere);
  return drawn && line?.textContent.replaceAll('\u00a0', ' ') === text;
};

/** True in the page once a new line with this text is drawn in any diff. */
const isNewLineDrawn = (text) =>
  [...document.querySelectorAll('.editor-group-container.active .editor.modified')].some(
    (editor) => editor.querySelector('.view-overlays .line-insert, .view-overlays .char-insert') && [...editor.querySelectorAll('.view-line')].some((line) => line.textContent.replaceAll('\u00a0', ' ') === text),
  );

const areReviewsClosed = () =>
  ![...document.querySelectorAll('.tab')].some((tab) => /wherefore: review|Spell the numbers/.test(tab.textContent)) && !/\d hunks? in/.test(document.querySelector('.statusbar')?.textContent ?? '');

const results = new Map();
function note(name, ms) {
  if (!results.has(name)) results.set(name, []);
  results.get(name).push(Math.round(ms));
}

/** Waits until VS Code's Git has looked at the files, and is done with it. */
async function gitSees(branch) {
  await page.locator('.statusbar-item', { hasText: branch }).first().waitFor({ timeout: 60_000 });
  await page.waitForTimeout(1500);
}

async function revert() {
  git('checkout', '-q', '.');
  await gitSees(/master(?!\*)/);
}

async function closeAll() {
  await me.command('View: Close All Editors');
  await page.locator('.tab').first().waitFor({ state: 'detached' });
}

async function rejectAll(answer) {
  await me.command('Wherefore: Reject Everything That Waits');
  await answer;
  await me.nothingWaits();
  await closeAll();
  await me.noToasts();
  await page.waitForTimeout(1500);
}

async function measureManyHunks() {
  await me.edit('long.txt');
  const answer = call(place, 'fs.patch', { path: 'long.txt', why: WHY, diff: diff('long.txt', 5000, HUNKS) });
  await me.status('200 hunks in 1 file');
  await page.waitForTimeout(1500);
  note('200 hunks: the review opens', await time(['Alt+w', 'v'], isAtNewLine, 'new 1'));
  await page.waitForTimeout(1500);
  for (let hunk = 2; hunk <= 9; hunk++) {
    note('200 hunks: n → the next one', await time(['n'], isAtNewLine, `new ${hunk}`));
    await page.waitForTimeout(300);
  }
  for (let hunk = 10; hunk <= 14; hunk++) {
    note('200 hunks: a → the next one', await time(['a'], isAtNewLine, `new ${hunk}`));
    await me.status(`${209 - hunk} hunks in 1 file`);
    await page.waitForTimeout(700);
  }
  const left = numbered(5000, HUNKS);
  note('200 hunks: all the rest accepted, the review closed', await time(['Alt+w', 'Shift+A'], areReviewsClosed));
  await until(() => place.file('long.txt') === left, 'all of it on the disk');
  await answer;
  await closeAll();
  await me.edit('long.txt');
  await gitSees(/master\*/);
  note('200 hunks: Git opens them', await time(['Control+Alt+1'], isNewLineDrawn, 'new 1'));
  await closeAll();
  await revert();
}

async function measureManyFiles() {
  const all = FILES.map((name) => diff(name, 40, SMALL_CHANGES)).join('');
  const answer = call(place, 'fs.patch', { why: WHY, diff: all });
  await me.status('120 hunks in 60 files');
  await page.waitForTimeout(1500);
  note('60 files: the review opens', await time(['Alt+w', 'v'], isAtNewLine, 'new 1'));
  await page.waitForTimeout(1500);
  note('60 files: n → in the same file', await time(['n'], isAtNewLine, 'new 2'));
  await page.waitForTimeout(700);
  note('60 files: n → in the next file', await time(['n'], isAtNewLine, 'new 1'));
  await page.waitForTimeout(700);
  await rejectAll(answer);
  for (const name of FILES) fs.writeFileSync(path.join(place.root, name), numbered(40, SMALL_CHANGES));
  await gitSees(/master\*/);
  note('60 files: Git opens them', await time(['Control+Alt+2'], isNewLineDrawn, 'new 1'));
  await closeAll();
  await revert();
}

async function measureLargeFile() {
  fs.writeFileSync(path.join(place.root, LARGE), numbered(LARGE_LINES, { 10: 'new 1' }));
  await me.edit(LARGE);
  await gitSees(/master\*/);
  note('5.6 MB: Git opens it', await time(['Control+Alt+1'], isNewLineDrawn, 'new 1'));
  await closeAll();
  await revert();
  const answer = call(place, 'fs.patch', { path: LARGE, why: WHY, diff: diff(LARGE, LARGE_LINES, LARGE_CHANGES) });
  await me.status('3 hunks in 1 file');
  await page.waitForTimeout(1500);
  note('5.6 MB: the review opens', await time(['Alt+w', 'v'], isAtNewLine, 'new 1'));
  await page.waitForTimeout(1500);
  note('5.6 MB: n → the next one', await time(['n'], isAtNewLine, 'new 2'));
  await page.waitForTimeout(700);
  note('5.6 MB: a → the next one', await time(['a'], isAtNewLine, 'new 3'));
  await page.waitForTimeout(700);
  await rejectAll(answer);
}

const parts = { hunks: measureManyHunks, files: measureManyFiles, large: measureLargeFile };
try {
  await page.locator('.statusbar-item[id*=wherefore]').first().waitFor({ timeout: 60_000 });
  for (let round = 0; round < Number(rounds); round++) {
    for (const [name, measure] of Object.entries(parts)) if (name.includes(wanted)) await measure();
  }
} catch (thrown) {
  console.log(thrown.stack);
  await page.screenshot({ path: path.join(project, '.e2e', 'vscode-shots', 'reviewspeed-failed.png') }).catch(() => undefined);
  process.exitCode = 1;
}
for (const [name, list] of results) {
  const sorted = list.toSorted((a, b) => a - b);
  console.log(`${name}: ${sorted[Math.floor(sorted.length / 2)]} ms in the middle (${list.join(', ')})`);
}
await code.close();
place.remove();
process.exit();
