// VS Code as it is with a screen reader, and keys alone: each sign has words, and each act is reached.

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

const WHY = 'Spell the numbers out for those who listen';
const place = scratch({ 'a.txt': numbered(30), 'b.txt': numbered(30), 'old.txt': numbered(5) });
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix'), settings: { 'editor.accessibilitySupport': 'on' } });
const { page } = code;
const me = person(page);
const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

/** What can be reached in the views: rows and buttons. */
const VIEWS = '.part.sidebar .pane :is([role=treeitem], [role=button], .action-label)';
/** The buttons above hunks. */
const LENSES = '.editor-group-container.active .codelens-decoration a';

/** Holds that things are seen of which a screen reader has the words, and gives these. */
async function speaks(things) {
  const all = await page.evaluate((things) => {
    const seen = [...document.querySelectorAll(things)].filter((element) => element.getClientRects().length > 0);
    return seen.map((element) => (element.getAttribute('aria-label') ?? element.textContent).trim());
  }, things);
  assert.ok(all.length > 0, `${things}: something is seen`);
  assert.deepEqual(all.filter((text) => !/\p{L}{2}/u.test(text)), [], `${things}: signs without words`);
  return all;
}

/** What is focused, as a screen reader says it. */
const focused = () =>
  page.evaluate(() => {
    const list = document.activeElement;
    const row = document.getElementById(list?.getAttribute('aria-activedescendant') ?? '');
    return (row ?? list)?.getAttribute('aria-label') ?? '';
  });
const hears = (text, ms) => until(async () => (await focused()).includes(text), `"${text}" is said`, ms);

/** Goes to the first file of the proposals by keys, and into it. */
const toFirstHunk = async (file) => {
  // A view that the command opens is focused before its rows are there, and again once they are.
  await me.command('Focus on Proposals View');
  await page.locator(`.part.sidebar [aria-label^="${file}, "]`).first().waitFor();
  return patiently(async () => {
    await me.command('Focus on Proposals View');
    await page.keyboard.press('Home');
    await hears(`${file}, `, 5000);
    const heard = await focused();
    await page.keyboard.press('ArrowRight');
    await page.locator('.part.sidebar [aria-label^="hunk "]').first().waitFor({ timeout: 5000 });
    await page.keyboard.press('ArrowDown');
    await hears('hunk ', 5000);
    return heard;
  });
};

const cases = {
  'each row, button and status has words': async () => {
    const answers = [call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 30, { 5: 'FIVE', 20: 'TWENTY' }) })];
    await me.status('2 hunks in 1 file');
    answers.push(call(place, 'fs.patch', { path: 'b.txt', why: WHY, diff: diff('b.txt', 30, { 3: 'THREE' }) }));
    await me.status('3 hunks in 2 files');
    answers.push(call(place, 'fs.patch', { path: 'old.txt', why: 'Nobody reads it', diff: deletion('old.txt', 5) }));
    await me.status('4 hunks in 3 files');
    assert.match(await toFirstHunk('a.txt'), new RegExp(`^a\\.txt, .*2 hunks, ${WHY}, `), 'the file, its size, the hunks, the why');
    await hears(', line 5: ');
    await speaks(VIEWS);
    const bar = await page.locator('.statusbar-item[id*="wherefore.status"] a').getAttribute('aria-label');
    assert.match(bar, /4 hunks in 3 files/);
    await page.keyboard.press('Enter');
    await me.lens('1/2');
    const lenses = await speaks(LENSES);
    assert.ok(['Accept', 'Reject', 'Edit'].every((act) => lenses.some((text) => text.includes(act))), `${lenses}`);
    await shot('spoken');
    await me.command('Wherefore: Reject Everything That Waits');
    await Promise.all(answers);
    await me.command('Focus on Calls View');
    await page.keyboard.press('Home');
    await hears('rejected');
    assert.match(await focused(), /^(Nobody reads it|Spell the numbers)/, 'the why first, then how it ended');
  },

  'a row is accepted and rejected from its menu by keys': async () => {
    const answer = call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 30, { 5: 'FIVE', 20: 'TWENTY' }) });
    await me.status('2 hunks in 1 file');
    await toFirstHunk('a.txt');
    await page.keyboard.press('Shift+F10');
    const menu = page.locator('.context-view .action-menu-item');
    await menu.first().waitFor();
    assert.match((await menu.allInnerTexts()).join(), /^Accept Hunk.*,Reject Hunk.*,Comment/s, 'the decisions first');
    await until(async () => {
      await page.keyboard.press('ArrowDown');
      return (await page.locator('.context-view .action-item.focused').innerText()).startsWith('Accept Hunk');
    }, 'the decision is reached');
    await page.keyboard.press('Enter');
    await me.status('1 hunk in 1 file');
    await until(() => place.file('a.txt') === numbered(30, { 5: 'FIVE' }), 'the hunk of the row');
    await me.command('Wherefore: Reject Everything That Waits');
    assert.match(await answer, /partly_applied/);
  },

  'single keys decide, and the hover says the why': async () => {
    const answer = call(place, 'fs.patch', { path: 'b.txt', why: WHY, diff: diff('b.txt', 30, { 5: 'FIVE', 20: 'TWENTY' }) });
    await me.status('2 hunks in 1 file');
    await me.keys('n');
    await me.tab(`b.txt: ${WHY}`);
    await me.arrives();
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+i');
    await page.locator('.monaco-hover', { hasText: WHY }).first().waitFor();
    await page.keyboard.press('Escape');
    await me.arrives();
    await page.keyboard.press('a');
    await me.status('1 hunk in 1 file');
    await me.arrives();
    await page.keyboard.press('r');
    await me.nothingWaits();
    assert.match(await answer, /partly_applied/);
    assert.equal(place.file('b.txt'), numbered(30, { 5: 'FIVE' }));
  },
};

await play('spoken', cases, { code, place, me, shot });
