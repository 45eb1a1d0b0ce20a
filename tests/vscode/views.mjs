// The views, questions, the walkthrough and trust, as a person meets them in real VS Code.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { call, diff, interruptible, numbered, program } from './agent.mjs';
import { play } from './cases.mjs';
import { extension, open, project, scratch, until } from './code.mjs';
import { patiently, person } from './person.mjs';

assert.ok(program, 'WHEREFORE_BIN names the program');
const shots = path.join(project, '.e2e', 'vscode-shots');
fs.mkdirSync(shots, { recursive: true });

const place = scratch({
  'a.txt': numbered(30),
  'b.txt': numbered(10),
  'db/1': 'one\n',
  'db/2': 'two\n',
  '.wherefore/config.toml': '[rules]\nask = ["db"]\n',
});
const vsix = path.join(extension, 'wherefore.vsix');
// Every call is a message, for what they say to be looked at.
const settings = { 'chat.disableAIFeatures': false, 'wherefore.notifications.calls': 'all' };
const code = await open(place, { vsix, settings });
const { page } = code;
const me = person(page);
const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

const side = page.locator('.part.sidebar');
const row = (...texts) => texts.reduce((rows, text) => rows.filter({ hasText: text }), side.locator('.monaco-list-row')).first();
const toast = (text) => page.locator('.notifications-toasts .notification-list-item', { hasText: text }).first();
const press = (within, button) => within.locator('.monaco-button').getByText(button, { exact: true }).click();
/** An action in a row of a tree, shown while the mouse is there; rows move as calls come and end. */
const act = (within, title) =>
  patiently(async () => {
    await within.hover({ timeout: 5000 });
    await within.locator(`.action-label[aria-label^="${title}"]`).click({ timeout: 5000 });
  });
/** Asks to read what only a person lets agents read. */
const ask = (why, file = 'db/1') => call(place, 'fs.read', { path: file, why });
const READ = 'See how the rows are kept';

/** A terminal's escape, C1, turns of the reading direction, zero width, a tag, a private sign, an Arabic mark, a filler. */
const HOSTILE = ['\u001b', '\u009b', '\u202e', '\u2066', '\u200b', '\ufeff', '\u{e0041}', '\ue000', '\u061c', '\u3164'];

/** In the page: texts and labels with such a sign in them. Lines of files are not ours: the editor shows what is in them. */
function hiddenIn(signs) {
  const is = (text) => text && signs.some((sign) => text.includes(sign));
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { textContent, parentElement } = texts.currentNode;
    if (is(textContent) && !parentElement.closest('.view-lines, script, style')) found.push(textContent);
  }
  for (const element of document.querySelectorAll('[aria-label], [title]')) {
    for (const name of ['aria-label', 'title']) {
      const text = element.getAttribute(name);
      if (is(text) && !element.closest('.view-lines')) found.push(`${name}: ${text}`);
    }
  }
  return found;
}

const cases = {
  'a question shows in a message and at its call, and is answered in the message': async () => {
    await me.command('Focus on Calls View');
    const answer = ask(READ);
    await toast('Allow to read').waitFor();
    await toast('tester/1 asks').waitFor();
    await row('db/1', 'tester/1 asks: Allow to read').waitFor();
    assert.equal(await side.locator('.monaco-list-row', { hasText: 'asks:' }).count(), 1);
    await shot('ask');
    await press(toast('Allow to read'), 'Allow');
    assert.match(await answer, /"content": ?"one/);
    await until(async () => (await row('asks:').count()) === 0, 'nothing asks');
    await row(READ).waitFor();
  },

  'a question is answered at its call, and its message does nothing then': async () => {
    await me.noToasts();
    await me.command('Focus on Calls View');
    const answer = ask(READ);
    await row('asks: Allow to read').waitFor();
    await act(row('asks: Allow to read'), 'Approve');
    assert.match(await answer, /"content": ?"one/);
    await press(toast('Allow to read'), 'Deny');
    await me.status('that question was over already');
    const denied = ask('Read it once more');
    await row('asks: Allow to read').waitFor();
    await act(row('asks: Allow to read'), 'Deny');
    assert.match(await denied, /PERMISSION_DENIED.*the person said no/s);
    await row('Read it once more').locator('.codicon-error').waitFor();
    await call(place, 'fs.read', { path: 'a.txt', why: 'Have a message after it' });
    await me.toast('Have a message after it');
    assert.equal(await toast('PERMISSION_DENIED').count(), 0, 'the person is not told what they did');
  },

  'a question is answered by keys, with its message closed': async () => {
    const answer = ask(READ);
    await toast('Allow to read').waitFor();
    await me.noToasts();
    await me.keys('q');
    await page.locator('.quick-input-title', { hasText: READ }).waitFor();
    await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'Allow' }).waitFor();
    await page.keyboard.press('Enter');
    assert.match(await answer, /"content": ?"one/);
    const denied = ask('Read it by keys');
    await me.command('Focus on Calls View');
    await row('asks: Allow to read').waitFor();
    await me.keys('r');
    assert.match(await denied, /PERMISSION_DENIED/);
    const [older, newer] = [ask('Be the older of two'), ask('Be the newer of two')];
    await until(async () => (await side.locator('.monaco-list-row', { hasText: 'asks:' }).count()) === 2, 'two questions');
    await me.command('Focus on Calls View');
    await me.keys('a');
    const found = page.locator('.quick-input-list .monaco-list-row');
    await found.filter({ hasText: 'Be the newer of two' }).click();
    assert.match(await newer, /"content": ?"one/);
    await me.command('Focus on Calls View');
    await me.keys('r');
    assert.match(await older, /PERMISSION_DENIED/);
  },

  'an answer for the session is picked by keys, and the next call of that kind asks nothing': async () => {
    await me.noToasts();
    const answer = ask('Read it all day', 'db/2');
    await toast('Allow to read').waitFor();
    await me.keys('q');
    await page.locator('.quick-input-title', { hasText: 'Read it all day' }).waitFor();
    await page.keyboard.type('session');
    await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'Allow for this session' }).waitFor();
    await page.keyboard.press('Enter');
    assert.match(await answer, /"content": ?"two/);
    assert.match(await ask('Read it again', 'db/2'), /"content": ?"two/);
    await until(async () => (await row('asks:').count()) === 0, 'nothing asks');
  },

  'a call that asks is cancelled, and so is one that waits for a decision': async () => {
    await me.noToasts();
    await me.command('Focus on Calls View');
    const asked = ask('Read it and be stopped');
    await act(row('asks: Allow to read'), 'Cancel');
    assert.match(await asked, /CANCELLED/);
    await until(async () => (await row('asks:').count()) === 0, 'nothing asks');
    const waits = call(place, 'fs.patch', { path: 'a.txt', why: 'Wait and be stopped', diff: diff('a.txt', 30, { 3: 'THREE' }) });
    await me.status('1 hunk in 1 file');
    await me.command('Wherefore: Cancel a Running Call');
    assert.match(await waits, /CANCELLED/);
    await me.command('Wherefore: Cancel a Running Call');
    await me.status('no call runs');
    await me.command('Wherefore: Reject Everything That Waits').catch(() => undefined);
  },

  'an agent that is interrupted while hunks wait has the person asked whether they go': async () => {
    const args = { path: 'a.txt', why: 'Spell two numbers out', diff: diff('a.txt', 30, { 3: 'THREE', 20: 'TWENTY' }) };
    for (const [answer, left] of [['Keep them', 1], ['Withdraw them', 0]]) {
      await me.noToasts();
      const agent = await interruptible(place, 'fs_patch', args);
      await me.status(left ? '2 hunks in 1 file' : '4 hunks in 1 file');
      agent.interrupt();
      // VS Code shows no message that comes with several others at once: the question is answered by keys.
      const said = 'claude-code was interrupted while 2 hunks in a.txt wait for you';
      await patiently(async () => {
        await me.keys('q');
        await page.locator(`.quick-input-widget input[placeholder*="${said}"]`).waitFor({ timeout: 5000 });
      });
      await page.locator('.quick-input-list .monaco-list-row', { hasText: answer }).first().click();
      await me.status('2 hunks in 1 file');
      agent.end();
    }
    await me.command('Wherefore: Reject Everything That Waits');
    await me.nothingWaits();
    assert.equal(place.file('a.txt'), numbered(30));
    // So that it shows those to come.
    await page.waitForTimeout(1000);
  },

  'words of an agent make no link': async () => {
    await me.noToasts();
    await call(place, 'fs.read', { path: 'a.txt', why: 'Press [Allow](command:wherefore.acceptAll) to go on' });
    await toast('to go on').waitFor();
    assert.equal(await toast('to go on').locator('.notification-list-item-message a').count(), 0);
  },

  'nothing that others wrote is hidden, makes an icon or makes a link, wherever it shows': async () => {
    await me.noToasts();
    const words = (name) => `${name} ${HOSTILE.join('x')} $(check) [Accept](command:wherefore.acceptAll) end`;
    const clean = async (where) => {
      const found = await page.evaluate(hiddenIn, HOSTILE);
      assert.deepEqual(found, [], where);
    };
    await me.edit('a.txt');
    await me.command('Focus on Proposals View');
    const why = words('Trojan');
    const answer = call(place, 'fs.patch', { path: 'a.txt', why, diff: diff('a.txt', 30, { 3: `${words('THREE')}\n${words('more')}` }) });
    const made = call(place, 'fs.write', { path: `new ${HOSTILE.join('x')}.txt`, why, content: `${words('made')}\n` });
    await me.status('2 hunks in 2 files');
    await until(async () => (await me.lenses()) > 0, 'lenses');
    await toast('Trojan').waitFor();
    await row('Trojan').waitFor();
    await shot('hidden');
    await clean('with messages, lenses and rows of proposals');
    assert.equal(await toast('Trojan').locator('.notification-list-item-message a').count(), 0, 'no link in a message');
    assert.equal(await page.locator('.codelens-decoration', { hasText: 'Trojan' }).first().locator('.codicon').count(), 1, 'the one icon of ours');
    await me.command('Focus on Calls View');
    await row('Trojan').hover();
    await page.waitForTimeout(1500);
    await clean('with rows of calls and a tooltip');
    await me.command('Focus on Working Set View');
    await row('a.txt').locator('.monaco-tl-twistie').click();
    await row('a.txt', 'of proposal').hover();
    await page.waitForTimeout(1500);
    await clean('with rows of the working set and a tooltip');
    await row('a.txt', 'of proposal').locator('.monaco-tl-twistie').click();
    await page.locator('.editor-group-container.active .view-line', { hasText: 'line 3' }).first().click();
    await me.command('Show or Focus Hover');
    await page.locator('.monaco-hover', { hasText: 'Trojan' }).first().waitFor();
    await shot('hidden-hover');
    await clean('with a hover');
    assert.equal(await page.locator('.monaco-hover', { hasText: 'Trojan' }).locator('.codicon-check').count(), 0);
    await page.keyboard.press('Escape');
    await me.keys('d');
    await page.locator('.monaco-diff-editor').first().waitFor();
    await clean('with the title of a diff');
    await me.command('Wherefore: Reject Everything That Waits');
    await Promise.all([answer, made]);
    const asked = call(place, 'fs.read', { path: 'db/1', why });
    await row('asks: Allow to read').waitFor();
    await me.noToasts();
    await me.keys('q');
    await page.locator('.quick-input-title', { hasText: 'Trojan' }).waitFor();
    await shot('hidden-question');
    await clean('with a question');
    await page.keyboard.press('Escape');
    await me.command('Focus on Calls View');
    await me.keys('r');
    assert.match(await asked, /PERMISSION_DENIED/);
    await me.command('Wherefore: Show Output');
    await page.waitForTimeout(500);
    await clean('with the output');
    await me.command('View: Hide Panel');
    await me.command('View: Close All Editors');
  },

  'the working set follows what is open and what waits': async () => {
    await me.noToasts();
    await me.edit('b.txt');
    await me.command('Focus on Working Set View');
    await row('b.txt', 'open in the editor').waitFor();
    const answer = call(place, 'fs.patch', { path: 'a.txt', why: 'Spell a number out', diff: diff('a.txt', 30, { 20: 'TWENTY' }) });
    await row('a.txt', 'of proposal').waitFor();
    await page.locator('.editor-group-container.active .view-line').first().click();
    await page.keyboard.type('x');
    await row('b.txt', 'unsaved changes').waitFor();
    await page.keyboard.press('Control+z');
    await me.command('Focus on Working Set View');
    await row('a.txt', 'of proposal').locator('.monaco-tl-twistie').click();
    await shot('working-set');
    await row('a.txt', 'of proposal').click();
    await me.tab('a.txt');
    await me.sees('line 21');
    await me.command('Wherefore: Reject Everything That Waits');
    await answer;
    // Its reasons would take the room of the other rows: what is below the last one that is seen is not drawn.
    await row('a.txt', '%').locator('.monaco-tl-twistie').click();
  },

  'a file is pinned, marked hot with a why, marked cold and cleared, and what is done and looked at heats': async () => {
    await me.noToasts();
    await me.command('View: Close All Editors');
    await me.edit('b.txt');
    await me.command('Focus on Working Set View');
    await row('b.txt', 'looked at').waitFor();
    await act(row('b.txt'), 'Pin to the Working Set');
    await row('b.txt', 'pinned').waitFor();
    await act(row('b.txt', 'pinned'), 'Mark as Hot');
    await page.locator('.quick-input-title', { hasText: 'Mark b.txt as hot' }).waitFor();
    await page.keyboard.type('The *numbers* [are](command:wherefore.stop) there');
    await page.keyboard.press('Enter');
    await row('b.txt', 'marked hot').waitFor();
    assert.match(place.file('.wherefore/hot.yml'), /b\.txt[\s\S]*The \*numbers\*/);
    await shot('working-set-marks');
    const hover = page.locator('.monaco-hover', { hasText: '[are] (command:wherefore.stop)' });
    await patiently(async () => {
      await page.mouse.move(700, 400);
      await row('b.txt', 'marked hot').locator('.label-name').hover({ timeout: 5000 });
      await hover.first().waitFor({ timeout: 5000 });
    });
    assert.equal(await hover.locator('a').count(), 0, 'a reason makes no link');
    await act(row('b.txt'), 'Mark as Cold');
    await page.locator('.quick-input-title', { hasText: 'as cold' }).waitFor();
    await page.keyboard.press('Escape');
    await row('b.txt', 'marked hot').waitFor();
    await act(row('b.txt'), 'Mark as Cold');
    await page.locator('.quick-input-title', { hasText: 'as cold' }).waitFor();
    await page.keyboard.press('Enter');
    await row('b.txt', 'marked cold').waitFor();
    await act(row('b.txt', 'marked cold'), 'Clear the Mark');
    await until(async () => (await row('b.txt', 'marked').count()) === 0, 'no mark');
    await act(row('b.txt', 'pinned'), 'Unpin from the Working Set');
    await until(async () => (await row('b.txt', 'pinned').count()) === 0, 'no pin');
    await call(place, 'fs.read', { path: 'a.txt', why: 'Find the number that is wrong' });
    await row('a.txt', 'Find the number that is wrong').waitFor();
    await side.getByText(/^\d+ files?, about [\d,]+ of [\d,]+ tokens/).waitFor();
    await me.edit('a.txt');
    await me.command('Wherefore: Pin to the Working Set');
    await row('a.txt', 'pinned').waitFor();
    await me.command('Wherefore: Unpin from the Working Set');
    await me.command('Wherefore: Clean Up the Working Set');
    await me.status('the working set');
  },

  'definitions get completion and diagnostics': async () => {
    await me.noToasts();
    await me.command('View: Close All Editors');
    const name = path.join(place.root, '.wherefore', 'tools', 'line.yaml');
    fs.mkdirSync(path.dirname(name), { recursive: true });
    fs.writeFileSync(name, 'tool:\n  name: project.line\n  risk: deadly\n  \n');
    await me.edit(name);
    await page.locator('.squiggly-error').first().waitFor();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('End');
    await page.keyboard.press('Control+Space');
    await page.locator('.suggest-widget .monaco-list-row', { hasText: 'input_schema' }).waitFor();
    await shot('definition');
    await page.keyboard.press('Escape');
    await me.command('View: Close All Editors');
    fs.rmSync(name);
  },

  'diagnostics are copied': async () => {
    await me.command('Wherefore: Copy Diagnostics');
    await me.status('diagnostics copied');
    const text = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(text, /^wherefore 0\.1\.0 in [\s\S]*server: version 0\.1\.0, process \d+/);
    assert.ok(text.includes(place.root) && !text.includes('line 1'), text);
  },

  "VS Code's own agent is offered the server of this folder": async () => {
    await me.pick('MCP: List Servers');
    const list = page.locator('.quick-input-list .monaco-list-row');
    await list.filter({ hasText: 'wherefore' }).first().waitFor();
    await shot('mcp');
    await list.filter({ hasText: 'wherefore' }).first().click();
    await list.filter({ hasText: 'Start Server' }).first().click();
    const child = () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n').find((args) => args.endsWith(` mcp --root ${place.root}`));
    await until(child, 'the process that the provider names');
    await page.locator('.part.panel .view-line', { hasText: /Discovered\s+\d+\s+tools/ }).waitFor();
    await me.command('View: Toggle Panel Visibility');
  },

  'the walkthrough opens and its steps do what they say': async () => {
    await me.pick('Welcome: Open Walkthrough...');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'wherefore: decide on what agents change' }).click();
    const steps = page.locator('.gettingStartedContainer .step-title');
    await steps.filter({ hasText: 'Decide on a change' }).waitFor();
    await shot('walkthrough');
    await steps.filter({ hasText: 'Read the session log' }).click();
    await page.locator('.gettingStartedContainer .monaco-button', { hasText: 'Open Session Log' }).click();
    await me.tab('Session log');
    await me.command('View: Close All Editors');
  },

  'every view, light and dark': async () => {
    await me.noToasts();
    await me.command('View: Close All Editors');
    await me.edit('a.txt');
    const why = 'Spell the numbers out for the reader';
    const change = call(place, 'fs.patch', { path: 'a.txt', why, diff: diff('a.txt', 30, { 2: 'TWO', 8: 'EIGHT' }) });
    await me.status('2 hunks in 1 file');
    // VS Code drops the lenses that it was about to ask for when the editor loses the focus.
    await page.locator('.codelens-decoration', { hasText: '2/2' }).waitFor();
    const answer = ask(READ);
    await me.command('Focus on Tools View');
    await row('Files').waitFor();
    await me.command('Focus on Calls View');
    await row('asks: Allow to read').waitFor();
    await me.noToasts();
    await shot('all-light');
    await me.command('Preferences: Toggle between Light/Dark Themes');
    await page.locator('.monaco-workbench.vs-dark').waitFor();
    await shot('all-dark');
    await me.keys('q');
    await page.locator('.quick-input-title', { hasText: READ }).waitFor();
    await shot('answer-dark');
    await page.keyboard.press('Enter');
    await answer;
    await me.command('Wherefore: Accept Everything That Waits');
    await change;
  },

  'a folder that is not trusted starts nothing, until it is, and asks about its servers then': async () => {
    const args = ['server.mjs', ...Array.from({ length: 60 }, (_, index) => `--option-${index}`)];
    const config = `[mcp_servers.theirs]\ncommand = "node"\nargs = ${JSON.stringify(args)}\nimport = true\n`;
    const other = scratch({ 'a.txt': 'one\n', '.wherefore/config.toml': config });
    const window = await open(other, { vsix, trust: true, settings: { 'security.workspace.trust.startupPrompt': 'never' } });
    try {
      const you = person(window.page);
      const runs = () => fs.existsSync(path.join(other.env.XDG_RUNTIME_DIR, 'wherefore'));
      // A window beside another one starts slowly where the machine has much else to do.
      await window.page.locator('.activitybar .action-label[aria-label*="herefore"]').waitFor({ timeout: 60_000 });
      await you.command('Focus on Proposals View');
      await window.page.locator('.part.sidebar', { hasText: 'The server starts once you trust this folder' }).waitFor();
      await window.page.screenshot({ path: path.join(shots, 'untrusted.png') });
      await you.command('Wherefore: Restart Server');
      await you.toast('the server starts once you trust this folder');
      assert.equal(runs(), false, 'no server');
      await window.page.locator('.part.sidebar').getByText('Manage Trust').click();
      await window.page.locator('.workspace-trust-editor .monaco-button', { hasText: 'Trust' }).first().click();
      await until(runs, 'a server');
      await window.page.locator('.part.sidebar', { hasText: 'No change waits for you' }).waitFor();
      const message = window.page.locator('.notifications-toasts .notification-list-item', { hasText: 'This project wants to use the server theirs' });
      await message.waitFor();
      await press(message, 'Read the Whole');
      await you.tab('a question');
      await you.sees('--option-59');
      await message.waitFor();
      await window.page.screenshot({ path: path.join(shots, 'consent.png') });
      await press(message, 'Deny');
      await message.waitFor({ state: 'hidden' });
    } finally {
      await window.close();
      other.remove();
    }
  },
};

await play('views', cases, { code, place, me, shot });
