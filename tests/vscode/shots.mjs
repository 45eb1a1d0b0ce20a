// node tests/vscode/shots.mjs [THEME [WIDTH]]: pictures of the review in .e2e/vscode-shots, in a theme (`Default High Contrast`)
// and a window of a width (1080 leaves 730 for the editor).

import fs from 'node:fs';
import path from 'node:path';
import { call } from './agent.mjs';
import { extension, open, project, scratch } from './code.mjs';
import { person } from './person.mjs';

const [theme = 'Default Dark Modern', width = '1280'] = process.argv.slice(2);
const shots = path.join(project, '.e2e', 'vscode-shots');
fs.mkdirSync(shots, { recursive: true });

const body = (n) => Array.from({ length: n }, (_, i) => `  const value${i} = compute(${i}, options.size); // the ${i}th value\n`).join('');
const before = `import { compute } from './compute.js';\n\nexport function totals(options) {\n${body(40)}  return value0;\n}\n`;
let after = before.replace('  const value5 = compute(5, options.size); // the 5th value\n', '  const value5 = computeOnce(5, options.size ?? 1); // the 5th value\n');
after = after.replace(/ {2}const value1[2-9][\s\S]*?value19.*\n/, Array.from({ length: 16 }, (_, i) => `  const made${i} = await fetchTotal(${i}, { retries: 3, timeout: 1000, signal: options.signal, label: 'total ${i} of the whole report' });\n`).join(''));
after = after.replace(/ {2}const value3[0-3].*\n/g, '').replace('  return value0;\n', '  return value0;\n}\n\nexport function none() {\n  return 0;\n');

const place = scratch({ 'src/totals.js': before, 'src/hooks.py': 'HOOKS = ["response"]\n\n\ndef default_hooks():\n    return {event: [] for event in HOOKS}\n', 'src/old.py': 'import sys\n\nprint(sys.path)\n', 'README.md': '# Totals\n\nCounts.\n' });
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix'), settings: { 'workbench.colorTheme': theme } });
const { page } = code;
await page.setViewportSize({ width: Number(width), height: 800 });
const me = person(page);
const shot = async (name) => { await page.waitForTimeout(700); await page.screenshot({ path: path.join(shots, `${name}-${theme.toLowerCase().replaceAll(' ', '-')}-${width}.png`) }); };
const WHY = 'Fetch the totals with retries, so that one slow server does not spoil the report';
try {
  await page.locator('.statusbar-item[id*=wherefore]').first().waitFor({ timeout: 60_000 });
  const write = (name, content, why) => void call(place, 'fs.write', { path: name, content, why });
  write('src/totals.js', after, WHY);
  await me.status('4 hunks in 1 file');
  await me.edit('totals.js');
  write('src/hooks.py', fs.readFileSync(path.join(place.root, 'src/hooks.py'), 'utf8').replace('"response"]', '"response", "retry"]'), 'Tell hooks of each new try');
  await me.status('5 hunks in 2 files');
  void call(place, 'fs.patch', { path: 'src/old.py', why: 'Nothing reads this file any more', diff: '--- a/src/old.py\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-import sys\n-\n-print(sys.path)\n' });
  await me.status('6 hunks in 3 files');
  write('docs/new.md', '# New\n\nHow to begin.\n', 'Tell readers how to begin');
  await me.status('7 hunks in 4 files');
  const other = '--- a/src/totals.js\n+++ b/src/totals.js\n@@ -1,2 +1,3 @@\n import { compute } from \'./compute.js\';\n+import { log } from \'./log.js\';\n \n';
  void call(place, 'fs.patch', { path: 'src/totals.js', why: 'Import the log, since the totals are to be traced on the servers that report them', diff: other }, 'ask', 'helper/2');
  await me.status('8 hunks in 4 files');
  await me.noToasts();
  await page.waitForTimeout(3000);
  await shot('review-own');
  await me.keys('v');
  await page.locator('.tab.active', { hasText: 'wherefore: review (5 files)' }).waitFor();
  await me.lens('1/4');
  await me.arrives();
  await shot('review-all');
  await page.keyboard.press('n');
  await me.arrives();
  await page.waitForTimeout(1500);
  await shot('review-next');
  await page.keyboard.press('n');
  await me.arrives();
  await page.waitForTimeout(1500);
  await shot('review-next2');
  await me.command('Focus on Proposals View');
  await page.locator('.part.sidebar .monaco-list-row', { hasText: 'totals.js' }).first().click();
  await page.waitForTimeout(1500);
  await shot('review-file');
} catch (thrown) {
  console.log(thrown.stack);
  await page.screenshot({ path: path.join(shots, 'review-failed.png') });
}
await code.close();
place.remove();
process.exit();
