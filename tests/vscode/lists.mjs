// The rows of Calls and Proposals: what stands first, what became of a call, and what is left after a reload.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { call, deletion, diff, numbered, program } from './agent.mjs';
import { play } from './cases.mjs';
import { extension, open, project, scratch, until } from './code.mjs';
import { patiently, person } from './person.mjs';

assert.ok(program, 'WHEREFORE_BIN names the program');
const shots = path.join(project, '.e2e', 'vscode-shots');
fs.mkdirSync(shots, { recursive: true });

const place = scratch({ 'a.txt': numbered(30), 'src/b.txt': numbered(10), 'old.txt': numbered(5) });
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix') });
const { page } = code;
const me = person(page);
const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

const side = page.locator('.part.sidebar');
const view = (name) => side.locator('.pane', { has: page.locator(`.pane-header[aria-label^="${name}"]`) });
const rowsOf = (name) => (...texts) => texts.reduce((found, text) => found.filter({ hasText: text }), view(name).locator('.monaco-list-row'));
const rows = rowsOf('Calls');
const row = (...texts) => rows(...texts).first();
const proposed = (...texts) => rowsOf('Proposals')(...texts).first();
const option = (text) => page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
const label = (of) => of.locator('.label-name').first().innerText();
/** Waits for a row of Calls with the sign and the words of how the call stands. */
const stands = async (why, icon, words) => {
  await row(why).locator(`.codicon-${icon}`).waitFor();
  // A button of the row may have the same sign.
  await until(async () => (await row(why).getAttribute('aria-label')).includes(words), `${why}: ${words}`);
};

const LOUD = 'Spell the numbers out for those who listen';
const HALF = 'Say both numbers in words';
const NO = 'Shout the third line';
const READ = 'Learn what the numbers are for';
const [RIGHT, WRONG, LONG, KILLED, LATE] = ['See that the tests pass', 'See whether the tests pass', 'Wait for what never comes', 'See what ends by itself', 'Start a server beside'];

/** What became of each call, by its row. */
const all = async () => {
  await me.command('Focus on Calls View');
  await stands(RIGHT, 'pass', 'done in');
  await stands(WRONG, 'error', '✗ exit code 3');
  await stands(LONG, 'error', '✗ ended by its limit of time');
  await stands(KILLED, 'error', '✗ ended by SIGSEGV');
  await stands(LATE, 'error', '✗ exit code 4');
  await stands(READ, 'pass', 'done in');
  await stands(NO, 'circle-slash', 'rejected');
  await stands(HALF, 'color-mode', 'accepted in part');
  await stands(LOUD, 'discard', 'undone');
};

const cases = {
  'a file is a row with its size and its why, and its hunks are folded': async () => {
    await me.command('Focus on Proposals View');
    const answer = call(place, 'fs.patch', { path: 'src/b.txt', why: LOUD, diff: diff('src/b.txt', 10, { 3: 'THREE\nand more', 8: null }) });
    await proposed('b.txt', '+2 −2').waitFor();
    assert.match(await label(proposed('b.txt', '+2 −2')), /^b\.txt\s+\+2 −2$/);
    await proposed('b.txt', LOUD, 'src', 'line 3').waitFor();
    assert.equal(await rowsOf('Proposals')('1/2').count(), 0, 'hunks are folded');
    await shot('lists-proposals');
    await proposed('b.txt', '+2 −2').locator('.monaco-tl-twistie').click();
    await proposed('1/2').waitFor();
    await me.command('Wherefore: Accept Everything That Waits');
    assert.match(await answer, /applied/);
  },

  'a command that fails is no call that is done: its row and the status bar have the sign and how it ended': async () => {
    const run = (why, line, more = {}) => call(place, 'terminal.run', { cmd: ['sh', '-c', line], why, ...more });
    await me.command('Focus on Calls View');
    assert.match(await run(RIGHT, 'true'), /"exit_code": ?0/);
    await run(WRONG, 'exit 3');
    await page.locator('.statusbar-item', { hasText: 'exit code 3' }).locator('.codicon-error').waitFor();
    await row(WRONG, '✗ exit code 3', 'terminal.run').waitFor();
    await run(LONG, 'sleep 60', { timeout_ms: 300 });
    await run(KILLED, 'kill -SEGV $$');
    await run(LATE, 'sleep 1; exit 4', { background: true });
    await stands(LATE, 'error', '✗ exit code 4');
    await shot('lists-failed');
    await me.command('View: Toggle Terminal');
  },

  'a call is a row with its why first, and a sign for what became of it': async () => {
    await call(place, 'fs.read', { path: 'a.txt', why: READ });
    const half = call(place, 'fs.patch', { path: 'a.txt', why: HALF, diff: diff('a.txt', 30, { 5: 'FIVE', 20: 'TWENTY' }) });
    await me.command('Focus on Calls View');
    await stands(LOUD, 'check-all', 'accepted');
    await row(HALF).locator('.codicon-clock').waitFor();
    assert.equal(await label(row(READ)), READ);
    await row(READ, 'fs.read · a.txt').waitFor();
    await me.keys('v');
    await me.arrives();
    await page.keyboard.press('a');
    await me.status('1 hunk in 1 file');
    await me.command('Wherefore: Reject Everything That Waits');
    await half;
    const no = call(place, 'fs.patch', { path: 'a.txt', why: NO, diff: diff('a.txt', 30, { 3: 'THREE!' }) });
    await me.status('1 hunk in 1 file');
    await me.command('Wherefore: Reject Everything That Waits');
    await no;
    await me.command('Focus on Calls View');
    // Rows move while calls end.
    await stands(NO, 'circle-slash', 'rejected');
    await row(LOUD).hover();
    await row(LOUD).locator('.action-label[aria-label^="Undo This Call"]').click();
    await all();
    await row(LOUD).hover();
    await row(LOUD).locator('.action-label[aria-label^="Redo This Call"]').click();
    await stands(LOUD, 'check-all', 'accepted');
    assert.match(place.file('src/b.txt'), /THREE/);
    await row(LOUD).hover();
    await row(LOUD).locator('.action-label[aria-label^="Undo This Call"]').click();
    await stands(LOUD, 'discard', 'undone');
    await shot('lists-calls');
  },

  'a reload fills the calls from the log': async () => {
    await me.command('View: Close All Editors');
    await page.reload();
    await page.locator('.statusbar-item[id*=wherefore]').first().waitFor({ timeout: 60_000 });
    await all();
    assert.equal(await rows(READ).count(), 1);
    await row(HALF).click();
    await me.tab('Session log');
    await me.sees(HALF);
    await shot('lists-reloaded');
    await me.command('View: Close All Editors');
  },

  'accepting everything asks about what it deletes': async () => {
    await me.command('Focus on Proposals View');
    const gone = call(place, 'fs.patch', { path: 'old.txt', why: 'Nothing reads this file any more', diff: deletion('old.txt', 5) });
    const kept = call(place, 'fs.patch', { path: 'a.txt', why: NO, diff: diff('a.txt', 30, { 3: 'THREE!' }) });
    await me.status('2 hunks in 2 files');
    await proposed('old.txt', 'delete the file').waitFor();
    await me.pick('Wherefore: Accept Everything That Waits');
    await option('delete 1 file').waitFor();
    await shot('lists-deletes');
    await option('Accept the rest').click();
    assert.match(await kept, /applied/);
    await me.status('1 hunk in 1 file');
    assert.ok(fs.existsSync(path.join(place.root, 'old.txt')));
    await me.pick('Wherefore: Accept Everything That Waits');
    await option('delete 1 file').waitFor();
    await page.keyboard.press('Enter');
    assert.match(await gone, /applied/);
    await until(() => !fs.existsSync(path.join(place.root, 'old.txt')), 'the deletion');
  },

  'of several folders each row names its own': async () => {
    const other = path.join(place.tmp, 'other');
    fs.mkdirSync(path.join(other, '.git'), { recursive: true });
    fs.writeFileSync(path.join(other, 'c.txt'), numbered(10));
    const both = path.join(place.tmp, 'both.code-workspace');
    fs.writeFileSync(both, JSON.stringify({ folders: [{ path: place.root }, { path: other }] }));
    // Now and then a window comes up with none of the workspace's folders.
    await patiently(async () => {
      await page.goto(`${code.url}?workspace=${both}`);
      await page.locator('.statusbar-item[id*=wherefore]').first().waitFor({ timeout: 30_000 });
    });
    await me.command('Focus on Proposals View');
    const answers = [call(place, 'fs.patch', { path: 'a.txt', why: HALF, diff: diff('a.txt', 30, { 9: 'NINE' }) })];
    await me.status('1 hunk in 1 file');
    answers.push(call({ ...place, root: other }, 'fs.patch', { path: 'c.txt', why: HALF, diff: diff('c.txt', 10, { 9: 'NINE' }) }));
    await me.status('2 hunks in 2 files');
    await proposed('a.txt', 'project · Say both').waitFor();
    await proposed('c.txt', 'other · Say both').waitFor();
    await shot('lists-folders');
    await me.command('Wherefore: Reject Everything That Waits');
    await Promise.all(answers);
  },
};

await play('lists', cases, { code, place, me, shot });
