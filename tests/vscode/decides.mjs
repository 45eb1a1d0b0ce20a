// node tests/vscode/decides.mjs ROOT FILE:KEYS[,FILE:KEYS]: a person at VS Code, for tests/agents/at_editor.rs. Opens the
// first file, decides by keys on the hunks that an agent proposes once all are there (a accepts one, r rejects it, R rejects
// it and says why), and leaves when standard input ends.

import fs from 'node:fs';
import path from 'node:path';
import { extension, open, project } from './code.mjs';
import { patiently, person } from './person.mjs';

/** In the files' own editors, one hunk after the other. */
const IN_TEXT = { 'wherefore.review.open': 'in the text', 'wherefore.review.afterDecision': 'stay' };

const [root, plan] = process.argv.slice(2);
const left = new Promise((done) => process.stdin.on('end', done).resume());
const place = { root, tmp: fs.mkdtempSync(path.join(path.dirname(root), 'code-')), env: { ...process.env, EXTENSIONS_GALLERY: '{}' } };
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix'), settings: IN_TEXT });
const { page } = code;
const me = person(page);

const rejects = async () => {
  const asked = page.locator('.quick-input-widget input[type=text]');
  await patiently(async () => {
    await me.keys('Shift+R');
    await asked.waitFor({ timeout: 10_000 });
  });
  await asked.fill('the middle stays');
  await page.keyboard.press('Enter');
};
const acts = { a: () => me.keys('a'), r: () => me.keys('r'), R: rejects };
const decisions = plan.split(',').flatMap((part) => {
  const [file, keys] = part.split(':');
  return [...keys].map((key) => ({ file, decide: acts[key] }));
});
const files = new Set(decisions.map(({ file }) => file)).size;
const all = decisions.length;

try {
  await page.locator('.statusbar-item[id*=wherefore]').first().waitFor({ timeout: 60_000 });
  await me.edit(decisions[0].file);
  console.log('open');
  await page.locator('.statusbar-item', { hasText: `${all} hunks in ${files} file` }).first().waitFor({ timeout: 90_000 });
  console.log('asked');
  await page.keyboard.press('Control+Home');
  for (const [done, { file, decide }] of decisions.entries()) {
    // A key that comes while the editor passes the focus on is lost.
    await me.arrives();
    await me.keys('n');
    await me.tab(file);
    await me.lens('Accept');
    await me.arrives();
    await decide();
    if (done < all - 1) await me.status(new RegExp(`\\b${all - 1 - done} hunks? in `));
  }
  await me.nothingWaits();
  console.log('decided');
} catch (thrown) {
  console.log(thrown.stack);
  fs.mkdirSync(path.join(project, '.e2e', 'vscode-shots'), { recursive: true });
  await page.screenshot({ path: path.join(project, '.e2e', 'vscode-shots', 'failed-decides.png') });
  process.exitCode = 1;
}
if (process.exitCode !== 1) await left;
await code.close();
process.exit();
