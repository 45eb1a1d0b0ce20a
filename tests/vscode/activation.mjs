// node tests/vscode/activation.mjs [ROUNDS]: how long the packed extension takes to activate, as VS Code itself tells it under
// "Show Running Extensions", in a window that is opened and loaded anew.

import path from 'node:path';
import { numbered } from './agent.mjs';
import { extension, open, scratch, until } from './code.mjs';
import { person } from './person.mjs';

const rounds = Number(process.argv[2] ?? 10);
const place = scratch({ 'a.txt': numbered(30) });
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix') });
const { page } = code;
const me = person(page);
const took = [];
try {
  for (let round = 0; round < rounds; round++) {
    if (round > 0) await page.reload();
    await page.locator('.statusbar-item[id*=wherefore]').first().waitFor({ timeout: 60_000 });
    await me.command('Developer: Show Running Extensions');
    const row = page.locator('.runtime-extensions-editor .extension', { hasText: 'wherefore' }).first();
    const said = await until(async () => /(\d+)ms/.exec((await row.locator('.activation-time').textContent()) ?? ''), 'the time of activation');
    took.push(Number(said[1]));
    await page.keyboard.press('Control+F4');
  }
} catch (thrown) {
  console.log(thrown.stack);
  process.exitCode = 1;
}
await code.close();
place.remove();
const sorted = took.toSorted((a, b) => a - b);
console.log(`first window ${took[0]} ms; ${took.length} windows: p50 ${sorted[sorted.length >> 1]} ms, slowest ${sorted.at(-1)} ms (${took.join(', ')})`);
process.exit();
