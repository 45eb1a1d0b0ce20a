// The built-in agent as a person asks it in real VS Code, and why a line is so: in a hover, by a command, at the end of the line.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { call, diff, numbered, program } from './agent.mjs';
import { asking, model } from './ask.mjs';
import { play } from './cases.mjs';
import { extension, open, project, scratch, until } from './code.mjs';
import { person } from './person.mjs';

assert.ok(program, 'WHEREFORE_BIN names the program');
const shots = path.join(project, '.e2e', 'vscode-shots');
fs.mkdirSync(shots, { recursive: true });

const place = scratch({ 'a.txt': numbered(12), 'limit.txt': numbered(12), 'db/1': 'one\n', '.wherefore/config.toml': '[rules]\nask = ["db"]\n' });
fs.appendFileSync(path.join(place.tmp, 'config', 'wherefore', 'config.toml'), `[model]\nname = "${model.url}"\n`);
const vsix = path.join(extension, 'wherefore.vsix');
const code = await open(place, { vsix });
const { page } = code;
const me = person(page);
const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

const WHY = 'Take the limit in, which was off by one';
/** A link that would act, an icon, a turn of the reading direction. */
const HOSTILE = 'Look [here](command:workbench.action.closeWindow) $(check) \u202edone';

const hover = page.locator('.monaco-hover:not(.hidden) .hover-contents');
const said = async () => (await hover.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
const line = async (number) => {
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+g');
  const box = page.locator('.quick-input-widget input[type=text]');
  await box.fill(`:${number}`);
  await page.keyboard.press('Enter');
  await me.status(`Ln ${number}, Col 1`);
};
const hovers = async () => {
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Control+i');
};
/** The hover of a line holds this. */
const tells = async (number, ...texts) => {
  await line(number);
  await hovers();
  for (const text of texts) await until(async () => (await said()).includes(text), `${text} in the hover of line ${number}`);
};
/** What stands behind the cursor's line. */
const behind = () => page.evaluate(() => [...document.querySelectorAll('.view-line span')].map((each) => getComputedStyle(each, '::after').content).join('|'));
/** Sets this for the folder: VS Code reads the person's own file with the next load only. */
const set = (settings) => {
  fs.mkdirSync(path.join(place.root, '.vscode'), { recursive: true });
  fs.writeFileSync(path.join(place.root, '.vscode', 'settings.json'), JSON.stringify(settings));
};

const cases = {
  ...asking({ page, place, me, shot }),

  'a hover on an agent\'s line says why, who, and who decided; no other line has one': async () => {
    await me.edit('a.txt');
    const answer = call(place, 'fs.patch', { path: 'a.txt', diff: diff('a.txt', 12, { 3: 'limit 3', 8: 'limit 8' }), why: WHY });
    await me.status('2 hunks');
    await me.command('Wherefore: Accept Everything That Waits');
    await answer;
    await me.edit('a.txt');
    await me.sees('limit 8');
    await tells(3, WHY, 'tester/1', 'an agent wrote this line', 'accepted by a person', 'fs.patch', 'Open in log', 'Show that change');
    await shot('why-hover');
    await line(6);
    await hovers();
    await page.waitForTimeout(800);
    assert.equal(await said(), '', 'no hover on a line that is older');
  },

  'its links lead to the call in the log, and to what the call changed': async () => {
    await tells(8, WHY);
    await hover.getByText('Open in log').click();
    await me.tab('Session log');
    await me.sees('Take the limit in');
    await me.command('View: Close All Editors');
    await me.edit('a.txt');
    await tells(8, WHY);
    await hover.getByText('Show that change').click();
    await me.tab('Change of c-');
    await page.locator('.codelens-decoration', { hasText: WHY }).first().waitFor();
    await shot('why-change');
    await me.command('View: Close All Editors');
  },

  'the command tells of any line, also of one typed just now; the hover of a line that both changed says so': async () => {
    await me.edit('a.txt');
    await line(6);
    await page.keyboard.type('typed ');
    await me.command('Wherefore: Why Is This Line So?');
    await until(async () => (await said()).includes('a person wrote this line'), 'a person\'s line');
    await shot('why-command');
    await line(8);
    await page.keyboard.type('both ');
    await tells(8, 'an agent and a person wrote this line', WHY);
    await line(1);
    await me.command('Wherefore: Why Is This Line So?');
    await until(async () => /not in git|older than/.test(await said()), 'a line of before');
    await page.keyboard.press('Escape');
    await me.command('File: Revert File');
  },

  'a call whose log was altered is named so, and nothing is taken from there': async () => {
    await me.edit('a.txt');
    const sessions = path.join(place.root, '.wherefore', 'sessions');
    const latest = fs.readdirSync(sessions).toSorted().at(-1) ?? '';
    const log = path.join(sessions, latest, 'session-log.md');
    const written = fs.readFileSync(log, 'utf8');
    fs.writeFileSync(log, written.replaceAll('off by one', 'off by two'));
    await until(async () => {
      await line(3);
      await hovers();
      await page.waitForTimeout(300);
      return (await said()).includes('The session log of this call is damaged, first at session-log.md:');
    }, 'the altered log in the hover');
    assert.ok((await said()).includes(WHY) && !(await said()).includes('off by two'), await said());
    await shot('why-altered');
    fs.writeFileSync(log, written);
  },

  'by setting the cursor\'s line has it at its end, and what an agent writes there does nothing': async () => {
    await me.edit('a.txt');
    await call(place, 'fs.patch', { path: 'a.txt', diff: diff('a.txt', 12, { 11: 'limit 11' }), why: HOSTILE }, 'auto');
    await me.sees('limit 11');
    await line(3);
    await page.waitForTimeout(500);
    assert.ok(!(await behind()).includes(WHY), 'off by default');
    set({ 'wherefore.why.annotation': true });
    await until(async () => (await behind()).includes(WHY), 'the why behind line 3');
    await shot('why-annotation');
    await line(5);
    await until(async () => !(await behind()).includes(WHY), 'nothing behind another line');
    await line(11);
    await until(async () => (await behind()).includes('u{202e}done'), 'what is hidden shows');
    await hovers();
    await until(async () => (await said()).includes('u{202e}done'), 'the hostile why in the hover');
    assert.equal(await hover.locator('a', { hasText: 'here' }).count(), 0, 'no link of others\'');
    assert.match(await said(), /the policy, with nobody looking/);
    set({ 'wherefore.why.annotation': true, 'workbench.colorTheme': 'Default High Contrast' });
    await page.locator('.monaco-workbench.hc-black').waitFor();
    await line(3);
    await until(async () => (await behind()).includes(WHY), 'the why in high contrast');
    await shot('why-contrast');
  },
};

await play('why', cases, { code, place, me, shot });
