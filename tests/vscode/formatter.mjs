// node tests/vscode/formatter.mjs ROOT: a person at VS Code, for tests/agents/editors.rs. Opens ROOT/list.txt, decides by
// keys on the six hunks that an agent proposes, and leaves when standard input ends.

import fs from 'node:fs';
import path from 'node:path';
import { extension, open, project } from './code.mjs';
import { person } from './person.mjs';

const root = process.argv[2];
const left = new Promise((done) => process.stdin.on('end', done).resume());
const place = { root, tmp: fs.mkdtempSync(path.join(path.dirname(root), 'code-')), env: { ...process.env, EXTENSIONS_GALLERY: '{}' } };
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix') });
const { page } = code;
const me = person(page);

const rejects = async () => {
  await me.keys('Shift+R');
  await page.locator('.quick-input-widget input[type=text]').waitFor();
  await page.keyboard.type('the middle stays');
  await page.keyboard.press('Enter');
};
const decisions = [() => me.keys('a'), rejects, () => me.keys('a'), () => me.keys('r'), () => me.keys('a'), rejects];

try {
  await page.locator('.statusbar-item[id*=wherefore]').first().waitFor({ timeout: 60_000 });
  await me.edit('list.txt');
  console.log('open');
  await page.locator('.statusbar-item', { hasText: '6 hunks in 2 files' }).first().waitFor({ timeout: 90_000 });
  console.log('asked');
  await page.keyboard.press('Control+Home');
  for (const [done, decide] of decisions.entries()) {
    await me.keys('n');
    const file = done < 3 ? 'list.txt' : 'notes.txt';
    await me.tab(file);
    await me.draws(' changed');
    await decide();
    if (done < 5) await me.status(new RegExp(`\\b${5 - done} hunks? in `));
  }
  await me.nothingWaits();
  console.log('decided');
} catch (thrown) {
  console.log(thrown.stack);
  fs.mkdirSync(path.join(project, '.e2e', 'vscode-shots'), { recursive: true });
  await page.screenshot({ path: path.join(project, '.e2e', 'vscode-shots', 'failed-formatter.png') });
  process.exitCode = 1;
}
if (process.exitCode !== 1) await left;
await code.close();
process.exit();
