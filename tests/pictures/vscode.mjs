// node tests/pictures/vscode.mjs: the moving picture of the extension's page, editors/vscode/media/review.gif: two agents' hunks
// in VS Code's diff, and one of them undone. Needs tests/vscode/run. Environment: WHEREFORE_BIN, the program.
import path from 'node:path';
import { call } from '../vscode/agent.mjs';
import { extension, open, scratch } from '../vscode/code.mjs';
import { person } from '../vscode/person.mjs';
import { gif } from './gif.mjs';

const BEFORE = `import { title } from './title.js';

/** Gets a page, and tries again when it fails. */
export async function load(url) {
  for (let tries = 0; tries < 3; tries++) {
    const answer = await fetch(url);
    if (answer.ok) return answer.text();
    await sleep(1000);
  }
}

export async function titles(urls) {
  const found = [];
  for (const url of urls) {
    found.push(title(await load(url)));
  }
  return found;
}
`;
const CALMER = BEFORE.replace('sleep(1000);\n  }\n', `sleep(1000 * 2 ** tries);\n  }\n  throw new Error(\`\${url} failed three times\`);\n`);
const SHORTER = BEFORE.replace(/ {2}const found[\s\S]*found;\n/, '  return Promise.all(urls.map(async (url) => title(await load(url))));\n');

const place = scratch({ 'pages.js': BEFORE, 'title.js': 'export const title = (text) => text;\n' });
const settings = { 'workbench.colorTheme': 'Default Dark Modern', 'window.commandCenter': false, 'breadcrumbs.enabled': false, 'workbench.layoutControl.enabled': false, 'diffEditor.renderSideBySide': false, 'js/ts.suggestionActions.enabled': false, 'javascript.suggestionActions.enabled': false };
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix'), settings });
const { page } = code;
await page.setViewportSize({ width: 900, height: 560 });
const me = person(page);
const frames = [];
/** Keeps the screen, with a line that says what happens. */
const keep = async (ms, said) => {
  await page.mouse.move(880, 300);
  await page.waitForTimeout(700);
  await page.evaluate((said) => {
    const line = document.createElement('div');
    line.id = 'said';
    line.textContent = said;
    line.style.cssText = 'position:fixed;z-index:99999;left:0;right:0;bottom:22px;padding:7px 14px;background:#0e639c;color:#fff;font:600 14px system-ui,sans-serif';
    document.body.append(line);
  }, said);
  frames.push({ bytes: await page.screenshot({ type: 'png' }), type: 'image/png', ms });
  await page.evaluate(() => document.getElementById('said')?.remove());
};
try {
  await page.locator('.statusbar-item[id*=wherefore]').first().waitFor({ timeout: 60_000 });
  await me.command('View: Toggle Primary Side Bar Visibility');
  await me.edit('pages.js');
  void call(place, 'fs.write', { path: 'pages.js', content: CALMER, why: 'Wait longer after each failure, and say when all three failed' }, 'ask', 'claude-code');
  await me.status('2 hunks in 1 file');
  void call(place, 'fs.write', { path: 'pages.js', content: SHORTER, why: 'Load all pages at once' }, 'ask', 'codex');
  await me.status('3 hunks in 1 file');
  await me.lens('codex');
  await me.noToasts();
  await keep(3000, 'Two agents propose changes to one file. Nothing is on the disk yet.');
  await me.keys('v');
  await me.tab('wherefore: review');
  await me.lens('codex');
  await me.arrives();
  await keep(3500, "Alt+W V  opens VS Code's diff, with each agent's reason");
  await page.keyboard.press('a');
  await me.status('2 hunks in 1 file');
  await me.arrives();
  await page.waitForTimeout(1500);
  await keep(2500, 'a  accepts a hunk and goes to the next');
  await page.keyboard.press('a');
  await me.status('1 hunk in 1 file');
  await me.arrives();
  await page.waitForTimeout(1500);
  await keep(2500, 'The hunk of Codex comes last');
  await page.keyboard.press('a');
  await me.nothingWaits();
  await me.edit('pages.js');
  await me.sees('Promise.all');
  await page.waitForTimeout(4500);
  await keep(2500, 'All accepted: both changes are in the file, and saved');
  await me.command('Wherefore: Undo the Last Call');
  await me.sees('found.push');
  await me.noToasts();
  await keep(4500, 'Undo the Last Call  takes back what Codex did; the rest stays');
  const file = path.join(extension, 'media', 'review.gif');
  console.log(`editors/vscode/media/review.gif ${Math.ceil((await gif(page, frames, file)) / 1024)} kB`);
} catch (thrown) {
  console.log(thrown.stack);
  process.exitCode = 1;
  await page.screenshot({ path: '/tmp/wherefore-picture-failed.png' }).catch(() => undefined);
}
await code.close();
place.remove();
process.exit();
