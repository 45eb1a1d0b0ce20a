// Searching as a person does: type, pass places by, open one or go back, in real VS Code.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { numbered, program } from './agent.mjs';
import { play } from './cases.mjs';
import { extension, open, project, scratch, until } from './code.mjs';
import { patiently, person } from './person.mjs';

assert.ok(program, 'WHEREFORE_BIN names the program');
const shots = path.join(project, '.e2e', 'vscode-shots');
fs.mkdirSync(shots, { recursive: true });

const place = scratch({
  'a.txt': numbered(60),
  'src/retry.js': `${numbered(40)}// Waits longer after each failure.\nfunction backoff(attempt) {\n  return 2 ** attempt;\n}\n`,
  'src/read.js': 'function readAll(stream) {\n  return stream.text();\n}\n',
});
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix') });
const { page } = code;
const me = person(page);
const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

const box = page.locator('.quick-input-widget input[type=text]');
const rows = page.locator('.quick-input-list .monaco-list-row');
const found = (...texts) => texts.reduce((list, text) => list.filter({ hasText: text }), rows).first();
const gone = () => box.waitFor({ state: 'hidden' });
/** The files that the server has open. */
const openThere = () => {
  const said = execFileSync(program, ['working-set', '--json', '--root', place.root], { env: place.env, encoding: 'utf8' });
  return JSON.parse(said).files.filter((file) => file.open).map((file) => file.path);
};
/** The line and column of the cursor, as the status bar tells them. */
const at = (text) => me.status(text);

const cases = {
  'text is found as one types, shown as one passes by, and Escape goes back': async () => {
    await me.edit('a.txt');
    await page.keyboard.press('Control+g');
    await box.fill(':31');
    await page.keyboard.press('Enter');
    await at('Ln 31, Col 1');
    await me.pick('Wherefore: Search Text');
    await box.fill('line 40');
    await found('a.txt:40', 'line 40').waitFor();
    await found('src/retry.js:40', 'line 40').waitFor();
    await page.keyboard.press('ArrowDown');
    await me.tab('retry.js');
    await me.sees('function backoff');
    await shot('search-text');
    await page.keyboard.press('Escape');
    await gone();
    await me.tab('a.txt');
    await at('Ln 31, Col 1');
    await until(async () => (await page.locator('.tab', { hasText: 'retry.js' }).count()) === 0, 'the tab that was passed by is closed');
    await until(() => openThere().join() === 'a.txt', 'what was only passed by is not open');
  },

  'Enter opens at the line and stays; what is searched for may be a regular expression': async () => {
    await me.pick('Wherefore: Search Text');
    await box.fill('back(off|up)\\(');
    await found('nothing found').waitFor();
    await page.locator('.quick-input-widget .action-label[aria-label*="regular expression"]').click();
    await found('src/retry.js:42', 'function backoff(attempt)').waitFor();
    await box.press('Enter');
    await gone();
    await me.tab('retry.js');
    await at('Ln 42, Col 1');
    await me.pick('Wherefore: Search Text');
    await box.fill('back(');
    await rows.filter({ has: page.locator('.codicon-warning') }).first().waitFor();
    await shot('search-trouble');
    await page.locator('.quick-input-widget .action-label[aria-label*="text as it stands"]').click();
    await found('nothing found').waitFor();
    await page.keyboard.press('Escape');
    await me.tab('retry.js');
    await at('Ln 42, Col 1');
  },

  'what is unsaved is searched as one sees it': async () => {
    await me.edit('a.txt');
    await patiently(async () => {
      await page.keyboard.press('Control+Home');
      await page.locator('.statusbar-item', { hasText: 'Ln 1, Col 1' }).first().waitFor({ timeout: 5000 });
    });
    await page.keyboard.type('typed just now ');
    await me.pick('Wherefore: Search Text');
    await box.fill('typed just now');
    await found('a.txt:1', 'typed just now line 1').waitFor();
    await page.keyboard.press('Escape');
    await gone();
    await me.command('File: Revert File');
  },

  'by meaning: the best comes first, whatever the words in its name': async () => {
    await me.pick('Wherefore: Search by Meaning');
    await box.fill('wait longer after a failure');
    await found('src/retry.js').waitFor();
    assert.match(await rows.first().innerText(), /retry\.js/);
    await shot('search-meaning');
    await box.press('Enter');
    await gone();
    await me.tab('retry.js');
    await me.command('View: Close All Editors');
  },

  'with no editor open, Escape leaves none': async () => {
    await me.pick('Wherefore: Search Text');
    await box.fill('readAll');
    await found('src/read.js:1').waitFor();
    await me.tab('read.js');
    await page.keyboard.press('Escape');
    await gone();
    await until(async () => (await page.locator('.tab').count()) === 0, 'no tab');
  },
};

await play('search', cases, { code, place, me, shot });
