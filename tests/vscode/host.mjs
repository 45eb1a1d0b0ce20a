// Runs the extension's own tests in the real extension host: the page reports what they print and how they ended.

import path from 'node:path';
import util from 'node:util';
import { extension, open, project, scratch } from './code.mjs';

const place = scratch({ 'a.txt': 'one\n' });
Object.assign(place.env, {
  WHEREFORE_MOCHA: path.join(project, '.e2e', 'code-server', 'package.json'),
  WHEREFORE_AGENT: path.join(import.meta.dirname, 'agent.mjs'),
  WHEREFORE_MODEL: path.join(import.meta.dirname, 'model.mjs'),
});
const settings = { 'wherefore.server.path': process.env.WHEREFORE_BIN };
const code = await open(place, { driver: true, settings });
const { page } = code;
let [passed, failed, ended] = [0, 0, 'the tests did not end within 240 s'];
const end = new Promise((done) => {
  void page.exposeFunction('codeAutomationExit', (how) => done(how));
  setTimeout(() => done(ended), 240_000).unref();
});
await page.exposeFunction('codeAutomationLog', (_, words) => {
  const said = util.format(...words);
  if (/^\s+(✔|\d+\)|passing|failing|at |[A-Z]\w*Error)|^\d+ (hunks|calls)|passing|failing/.test(said) || failed > 0) console.log(said);
  passed += Number(/(\d+) passing/.exec(said)?.[1] ?? 0);
  failed += Number(/(\d+) failing/.exec(said)?.[1] ?? 0);
});
const remote = (file) => `vscode-remote://${new URL(code.url).host}${file}`;
const payload = [
  ['extensionDevelopmentPath', remote(extension)],
  ['extensionTestsPath', remote(path.join(extension, 'test', 'index.js'))],
];
await page.goto(`${code.url}?folder=${place.root}&payload=${encodeURIComponent(JSON.stringify(payload))}`);
ended = await end;
if (ended !== 0 && failed === 0) {
  failed = 1;
  console.log(`ended with ${ended}`);
  await page.screenshot({ path: path.join(project, '.e2e', 'vscode-shots', 'host-failed.png') });
}
await code.close();
place.remove();
console.log(`host: ${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
