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

/** A server that says no more than which version it is. */
const OTHER_VERSION = `
let said = '';
process.stdin.on('data', (bytes) => {
  said += bytes;
  const id = /"id":(\\d+),"method":"initialize"/.exec(said)?.[1];
  if (id === undefined) return;
  said = '';
  const answer = JSON.stringify({ jsonrpc: '2.0', id: Number(id), result: { capabilities: {}, serverInfo: { name: 'wherefore', version: '9.9.9' } } });
  process.stdout.write(\`Content-Length: \${answer.length}\\r\\n\\r\\n\${answer}\`);
});
process.stdin.on('end', () => process.exit());
`;

const place = scratch({ 'a.txt': numbered(30), 'b.txt': numbered(30), 'c.txt': numbered(10), 'd.txt': 'this stands in the last result\n' });
const vsix = path.join(extension, 'wherefore.vsix');
const code = await open(place, { vsix });
const { page } = code;
const me = person(page);
const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

/** The processes of the servers that run. One that was killed leaves its file for the next to sweep. */
const servers = () => {
  const folder = path.join(place.env.XDG_RUNTIME_DIR, 'wherefore');
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.json'));
  const pids = files.map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')).pid);
  return pids.filter((pid) => fs.existsSync(`/proc/${pid}`));
};

const cases = {
  'five hunks: accept 1, 3, 5, reject 2, 4 by keys': async () => {
    await me.edit('a.txt');
    const began = Date.now();
    const answer = call(place, 'fs.patch', { path: 'a.txt', why: WHY, diff: diff('a.txt', 30, FIVE) });
    await me.status('5 hunks in 1 file');
    console.log(`  a call came to the status bar after ${Date.now() - began} ms, its program's start included`);
    await me.toast(WHY);
    await until(async () => (await me.lenses()) >= 4, 'lenses');
    console.log(`  and to lenses and a message after ${Date.now() - began} ms`);
    await me.draws('TWO');
    await page.locator('.review-widget', { hasText: 'and a half' }).waitFor();
    assert.equal(place.file('a.txt'), numbered(30), 'nothing is on the disk before a decision');
    await shot('review-light');
    await me.keys('n');
    await me.keys('a');
    await me.status('4 hunks in 1 file');
    await me.keys('n');
    await me.keys('r');
    await me.status('3 hunks in 1 file');
    await me.keys('n');
    await me.keys('a');
    await me.status('2 hunks in 1 file');
    await me.keys('n');
    await me.keys('Shift+R');
    await page.locator('.quick-input-widget input[type=text]').waitFor();
    await page.keyboard.type('twenty stays a digit');
    await page.keyboard.press('Enter');
    await me.status('1 hunk in 1 file');
    await me.keys('n');
    await me.keys('a');
    await me.nothingWaits();
    const want = numbered(30, { 2: 'TWO', 14: 'FOURTEEN\nand a half', 26: 'TWENTY-SIX' });
    await until(() => place.file('a.txt') === want, 'the disk holds what was accepted');
    assert.equal(await page.locator('.tab.dirty').count(), 0, 'it is saved');
    const said = await answer;
    for (const part of ['partly_applied', 'twenty stays a digit', 'accepted', 'rejected']) assert.ok(said.includes(part), `${part} in ${said}`);
  },

  'the log opens at its end and follows': async () => {
    await me.noToasts();
    await me.command('Wherefore: Open Session Log');
    await me.tab('Session log');
    await me.sees('duration_ms');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('twenty stays a digit');
    await page.keyboard.press('Enter');
    await me.sees('reason: "twenty stays a digit"');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+End');
    await me.sees('duration_ms');
    await call(place, 'fs.read', { path: 'd.txt', why: 'See whether the log follows its end' });
    await me.toast('See whether the log follows its end');
    await me.sees('this stands in the last result');
    await shot('log');
    await page.keyboard.press('Control+w');
  },

  'undo takes the last change back': async () => {
    await me.edit('a.txt');
    await me.command('Wherefore: Undo the Last Call');
    await until(() => place.file('a.txt') === numbered(30), 'the old text on the disk');
    await me.toast('undone');
  },

  'a call without a why is shown as a warning': async () => {
    await me.noToasts();
    await call(place, 'fs.write', { path: 'c.txt', content: 'x\n' });
    await page.locator('.notifications-toasts .codicon-warning').waitFor();
    await me.toast('MISSING_WHY');
    assert.equal(place.file('c.txt'), numbered(10));
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
    await me.keys('n');
    await me.keys('a');
    await me.status('1 hunk in 1 file');
    await me.sees('FIVE');
    await me.keys('n');
    await me.keys('r');
    await me.nothingWaits();
    await answer;
    assert.equal(place.file('b.txt'), numbered(30), 'the person saves their own text');
    await me.saves(() => place.file('b.txt') === `mine\nmore\n${numbered(30, { 5: 'FIVE' })}`, 'both texts on the disk');
  },

  'lines that are only added stand below, with buttons of their own': async () => {
    await me.noToasts();
    await me.edit('c.txt');
    const answer = call(place, 'fs.write', { path: 'c.txt', content: `first\n${numbered(10, { 5: 'line 5\nnew\nother' })}`, why: WHY });
    const zones = page.locator('.review-widget');
    await zones.filter({ hasText: 'first' }).waitFor();
    await zones.filter({ hasText: 'other' }).waitFor();
    await until(async () => (await me.lenses()) === 2, 'lenses');
    await shot('added');
    await zones.filter({ hasText: 'other' }).locator('.codicon-check').click();
    await me.status('1 hunk in 1 file');
    await zones.filter({ hasText: 'first' }).locator('.codicon-close').click();
    await me.nothingWaits();
    await answer;
    assert.equal(place.file('c.txt'), numbered(10, { 5: 'line 5\nnew\nother' }));
    fs.writeFileSync(path.join(place.root, 'c.txt'), numbered(10));
    await until(async () => !(await me.seen()).includes('other'), 'the old text');
  },

  'a new file shows before it is there': async () => {
    await me.noToasts();
    const answer = call(place, 'fs.write', { path: 'docs/new.md', content: '# New\n\nIts text.\n', why: 'Tell readers how to begin' });
    await me.status('1 hunk in 1 file');
    await page.locator('.notifications-toasts').getByText('Review', { exact: true }).first().click();
    await me.tab('new.md');
    await me.sees('Its text.');
    await until(async () => (await me.lenses()) > 0, 'lenses');
    await shot('new-file');
    assert.ok(!fs.existsSync(path.join(place.root, 'docs')));
    await me.keys('a');
    assert.match(await answer, /applied/);
    assert.equal(place.file('docs/new.md'), '# New\n\nIts text.\n');
    await page.locator('.editor-group-container.active .breadcrumbs-control', { hasText: 'docs' }).waitFor();
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
    await me.command('Wherefore: Accept Everything That Waits');
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
    await views.locator('.monaco-list-row', { hasText: '1/2' }).waitFor();
    await views.locator('.monaco-list-row', { hasText: 'Tell readers how to begin' }).first().waitFor();
    await me.command('Focus on Tools View');
    await views.locator('.monaco-list-row', { hasText: 'Files' }).first().click();
    await views.locator('.monaco-list-row', { hasText: 'fs.patch' }).first().waitFor();
    await shot('views');
    await me.command('Focus on Proposals View');
    await views.locator('.monaco-list-row', { hasText: '2/2' }).click();
    await me.tab('c.txt');
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
    await me.toast('Keep the old texts beside');
    await me.command('Wherefore: Show the Proposal as a Diff');
    await page.locator('.tab.active', { hasText: 'Keep the old texts beside' }).waitFor();
    await page.waitForTimeout(1000);
    await shot('several');
    await me.command('Wherefore: Accept Everything That Waits');
    assert.match(await answer, /applied/);
    assert.equal(place.file('copy/two.txt'), numbered(3));
    await me.command('View: Close All Editors');
  },

  'a killed server says so, and a restart brings the hunks back': async () => {
    await me.noToasts();
    await me.edit('c.txt');
    const answer = call(place, 'fs.patch', { path: 'c.txt', why: WHY, diff: diff('c.txt', 10, { 3: 'THREE' }) });
    await me.status('1 hunk in 1 file');
    process.kill(servers()[0], 'SIGKILL');
    await me.toast('the server ended (signal SIGKILL); nothing is lost');
    await me.nothingWaits();
    await answer;
    await shot('killed');
    await page.locator('.notifications-toasts').getByText('Restart', { exact: true }).first().click();
    await me.status('1 hunk in 1 file');
    await until(async () => (await me.lenses()) > 0, 'lenses');
    await me.command('Wherefore: Accept Everything That Waits');
    await until(() => place.file('c.txt') === numbered(10, { 3: 'THREE' }), 'the change on the disk');
  },

  'of two windows on a folder one shows the hunks, and the other says where they are': async () => {
    await me.noToasts();
    const second = await code.browser.newPage();
    await second.goto(`${code.url}?folder=${place.root}`);
    const other = person(second);
    await second.locator('.statusbar-item[id*=wherefore]').first().waitFor();
    const answer = call(place, 'fs.patch', { path: 'c.txt', why: WHY, diff: diff('c.txt', 10, { 9: 'NINE' }) });
    const sees = (who) => who.status('1 hunk in 1 file').then(() => who);
    const window = await Promise.any([sees(me), sees(other)]);
    const blind = window === me ? other : me;
    await blind.status('1 hunk in another window');
    // A page behind another one draws nothing, and a message comes with the next drawing.
    await (blind === me ? page : second).bringToFront();
    await blind.toast('1 hunk waits in another window on this folder');
    await (blind === me ? page : second).screenshot({ path: path.join(shots, 'elsewhere.png') });
    await (blind === me ? second : page).bringToFront();
    await window.command('Wherefore: Accept Everything That Waits');
    assert.match(await answer, /applied/);
    await until(() => place.file('c.txt').includes('NINE'), 'the change on the disk');
    await page.locator('.statusbar-item', { hasText: 'in another window' }).waitFor({ state: 'hidden' });
    await second.close();
    await page.bringToFront();
    // Until its extensions have ended too, agents would come to a window that is no more.
    await until(() => servers().length === 1, "the end of the second window's server", 60_000);
  },

  'a server of another version says so': async () => {
    const other = scratch({ 'a.txt': 'one\n' });
    const fake = path.join(other.tmp, 'other');
    fs.writeFileSync(fake, `#!${process.execPath}\n${OTHER_VERSION}`, { mode: 0o755 });
    const window = await open(other, { vsix, settings: { 'wherefore.server.path': fake } });
    try {
      await person(window.page).toast('the server is version 9.9.9, the extension 0.1.0', 60_000);
    } finally {
      await window.close();
      other.remove();
    }
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
