// node tests/vscode/shotviews.mjs [THEME]: pictures in .e2e/vscode-shots, in a theme (`Default High Contrast`): the views, as
// in the extension's page, a question with its message, and the session log.

import fs from 'node:fs';
import path from 'node:path';
import { call } from './agent.mjs';
import { extension, open, project, scratch } from './code.mjs';
import { person } from './person.mjs';

const [theme = 'Default Light Modern'] = process.argv.slice(2);
const named = theme.toLowerCase().replaceAll(' ', '-');
const shots = path.join(project, '.e2e', 'vscode-shots');
fs.mkdirSync(shots, { recursive: true });
const before = `// Adds and subtracts.
export function add(a, b) {
  return a + b;
}

export function sub(a, b) {
  return a - b;
}

export const ZERO = 0;
export const ONE = 1;

export function half(a) {
  return a / 2;
}

export function twice(a) {
  return a * 2;
}
`;
const after = before
  .replace('// Adds and', '// Adds any number of values up, and')
  .replace('add(a, b) {\n  return a + b;', 'add(...values) {\n  let sum = 0;\n  for (const value of values) sum += value;\n  return sum;')
  .replace('a - b', 'add(a, -b)')
  .replace('a * 2', 'add(a, a)');
const place = scratch({
  'sum.js': before,
  'sum.test.js': "import { add } from './sum.js';\n",
  'notes.md': '# Notes\n',
  'db/rows.csv': 'a,b\n',
  '.wherefore/config.toml': '[rules]\nask = ["db"]\n',
});
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix'), settings: { 'workbench.colorTheme': theme } });
const { page } = code;
await page.setViewportSize({ width: 1120, height: 680 });
const me = person(page);
try {
  await page.locator('.statusbar-item[id*=wherefore]').first().waitFor({ timeout: 60_000 });
  await call(place, 'fs.read', { path: 'sum.js', why: 'See how a sum is made' });
  await call(place, 'fs.read', { path: 'sum.test.js', why: 'See what is promised of a sum' });
  const done = call(place, 'fs.write', { path: 'notes.md', why: 'Shout the heading', content: '# NOTES\n' });
  await me.status('1 hunk in 1 file');
  await me.command('Wherefore: Reject Everything That Waits');
  await done;
  await call(place, 'fs.write', { path: 'notes.md', why: 'Note what a sum is', content: '# Notes\n\nA sum is of any number.\n' }, 'auto');
  void call(place, 'fs.write', { path: 'sum.js', why: 'Let callers sum any number of values', content: after });
  await me.status('3 hunks in 1 file');
  void call(place, 'fs.write', { path: 'docs/use.md', why: 'Say how to use it', content: '# Use\n\n`add(1, 2, 3)`\n' });
  await me.status('4 hunks in 2 files');
  void call(place, 'fs.read', { path: 'db/rows.csv', why: 'See how rows are kept' });
  await page.locator('.notifications-toasts .notification-list-item', { hasText: 'tester' }).first().waitFor();
  await page.waitForTimeout(1500);
  await page.screenshot({ path: path.join(shots, `question-${named}.png`) });
  await me.command('Focus on Proposals View');
  await page.locator('.part.sidebar .monaco-list-row', { hasText: 'sum.js' }).first().click();
  await me.arrives();
  await page.locator('.part.sidebar .monaco-list-row', { hasText: 'sum.js' }).first().locator('.monaco-tl-twistie').click();
  await page.locator('.part.sidebar .monaco-list-row', { hasText: 'asks:' }).first().waitFor();
  await me.noToasts();
  await page.waitForTimeout(2500);
  await page.screenshot({ path: path.join(shots, `views-${named}.png`) });
  await me.command('Wherefore: Open Session Log');
  await me.tab('Session log');
  await page.waitForTimeout(2500);
  await page.screenshot({ path: path.join(shots, `log-${named}.png`) });
} catch (thrown) {
  console.log(thrown.stack);
  await page.screenshot({ path: path.join(shots, 'views-failed.png') });
}
await code.close();
place.remove();
process.exit();
