// The way of any editor: no extension of ours, a language client, the server's own lenses and VS Code's Refactor Preview.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { call, diff, numbered, program } from './agent.mjs';
import { extension, open, project, scratch, until } from './code.mjs';
import { patiently, person } from './person.mjs';

const require = createRequire(path.join(extension, 'package.json'));
const place = scratch({ 'a.txt': numbered(30) });
const packed = path.join(place.tmp, 'bare');
fs.cpSync(path.join(import.meta.dirname, 'bare'), packed, { recursive: true });
require('esbuild').buildSync({
  entryPoints: [path.join(import.meta.dirname, 'bare', 'main.ts')],
  outfile: path.join(packed, 'out', 'main.js'),
  nodePaths: [path.join(extension, 'node_modules')],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  external: ['vscode'],
});
const vsix = path.join(place.tmp, 'bare.vsix');
const vsce = path.join(extension, 'node_modules', '@vscode', 'vsce', 'vsce');
execFileSync(process.execPath, [vsce, 'package', '--no-dependencies', '--allow-missing-repository', '--skip-license', '-o', vsix], { cwd: packed, stdio: 'pipe' });

const code = await open(place, { vsix });
const { page } = code;
const me = person(page);
let failed = 0;
try {
  await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
  await me.edit('a.txt');
  const why = 'Spell the numbers out for the reader';
  await until(() => execFileSync(program, ['status', '--root', place.root, '--json'], { env: place.env, encoding: 'utf8' }).includes('"editor":true'), 'the editor at the server');
  const answer = call(place, 'fs.patch', { path: 'a.txt', why, diff: diff('a.txt', 30, { 2: 'TWO', 8: 'EIGHT' }) });
  await me.toast(why);
  await until(async () => (await me.lenses()) >= 2, 'lenses');
  const rows = page.locator('.part.panel .monaco-list-row');
  // A lens that is drawn anew under the mouse takes no click.
  await patiently(async () => {
    await page.locator('.codelens-decoration').getByText('preview…').first().click();
    await rows.first().waitFor({ timeout: 8000 });
  });
  await rows.filter({ hasText: 'EIGHT' }).locator('input[type=checkbox], .monaco-checkbox, .edit-checkbox').first().click();
  await page.screenshot({ path: path.join(project, '.e2e', 'vscode-shots', 'bare.png') });
  assert.equal(place.file('a.txt'), numbered(30), 'nothing is on the disk before a decision');
  await page.locator('.part.panel').getByText('Apply', { exact: true }).click();
  await until(async () => (await me.seen()).includes('EIGHT'), 'the hunk in the text');
  await patiently(async () => {
    await page.locator('.codelens-decoration').getByText('reject').first().click({ timeout: 8000 });
    await until(async () => (await me.lenses()) === 0, 'no lens', 8000);
  });
  assert.match(await answer, /partly_applied/);
  console.log('ok a partial Refactor Preview is told truly');
} catch (thrown) {
  failed = 1;
  console.log(`FAILED a partial Refactor Preview is told truly\n${thrown.stack}`);
  await page.screenshot({ path: path.join(project, '.e2e', 'vscode-shots', 'bare-failed.png') }).catch(() => undefined);
}
await code.close();
place.remove();
console.log(`bare: ${1 - failed} passed, ${failed} failed`);
process.exit(failed);
