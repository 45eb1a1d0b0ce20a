// What a person in real VS Code sees of servers: one that dies, one that another window has, one of another version.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { call, diff, numbered, program } from './agent.mjs';
import { play } from './cases.mjs';
import { extension, open, project, scratch, until } from './code.mjs';
import { person } from './person.mjs';

assert.ok(program, 'WHEREFORE_BIN names the program');
const shots = path.join(project, '.e2e', 'vscode-shots');
fs.mkdirSync(shots, { recursive: true });

const WHY = 'Spell the numbers out for the reader';

/** A server that says no more than which version it is. */
const OTHER_VERSION = `
let said = '';
process.stdin.on('data', (bytes) => {
  said += bytes;
  const id = /"id":(\\d+),"method":"initialize"/.exec(said)?.[1];
  if (id === undefined) return;
  said = '';
  const answer = JSON.stringify({ jsonrpc: '2.0', id: Number(id), result: { capabilities: {}, serverInfo: { name: 'wherefore', version: '9.9.9' } } });
  process.stdout.write(\`Content-Length: \${answer.length}\\r\\n\\r\\n\${answer}\`);
});
process.stdin.on('end', () => process.exit());
`;

const place = scratch({ 'c.txt': numbered(10) });
const vsix = path.join(extension, 'wherefore.vsix');
const code = await open(place, { vsix });
const { page } = code;
const me = person(page);
const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

/** The processes of the servers that run. One that was killed leaves its file for the next to sweep. */
const servers = () => {
  const folder = path.join(place.env.XDG_RUNTIME_DIR, 'wherefore');
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.json'));
  const pids = files.map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')).pid);
  return pids.filter((pid) => fs.existsSync(`/proc/${pid}`));
};

const cases = {
  'a killed server starts again by itself, a second time only when it is told to, and the hunks come back': async () => {
    await me.noToasts();
    await me.edit('c.txt');
    const answer = call(place, 'fs.patch', { path: 'c.txt', why: WHY, diff: diff('c.txt', 10, { 3: 'THREE' }) });
    await me.status('1 hunk in 1 file');
    await me.keys('n');
    await me.tab(`c.txt: ${WHY}`);
    const [first] = servers();
    process.kill(first, 'SIGKILL');
    await me.status('the server ended (signal SIGKILL) and was started again; nothing is lost');
    await answer;
    await me.status('1 hunk in 1 file');
    await me.tab(`c.txt: ${WHY}`);
    await me.lens('1/1');
    await shot('started-again');
    assert.equal(await page.locator('.notifications-toasts .notification-list-item', { hasText: 'the server' }).count(), 0, 'with no message');
    const [second] = servers();
    assert.notEqual(second, first);
    process.kill(second, 'SIGKILL');
    await me.toast('the server ended again (signal SIGKILL); nothing is lost');
    await me.nothingWaits();
    await page.waitForTimeout(1500);
    assert.deepEqual(servers(), [], 'it stays away');
    await shot('killed');
    await page.locator('.notifications-toasts').getByText('Restart', { exact: true }).first().click();
    await me.status('1 hunk in 1 file');
    await until(async () => (await me.lenses()) > 0, 'lenses');
    // The person's own restart counts anew.
    process.kill(servers()[0], 'SIGKILL');
    await me.status('and was started again');
    await me.status('1 hunk in 1 file');
    await me.command('Wherefore: Accept Everything That Waits');
    await until(() => place.file('c.txt') === numbered(10, { 3: 'THREE' }), 'the change on the disk');
  },

  'of two windows on a folder one shows the hunks, the other says where they are, and takes over once it is left': async () => {
    await me.noToasts();
    const second = await code.browser.newPage();
    await second.goto(`${code.url}?folder=${place.root}`);
    const other = person(second);
    await second.locator('.statusbar-item[id*=wherefore]').first().waitFor();
    const answer = call(place, 'fs.patch', { path: 'c.txt', why: WHY, diff: diff('c.txt', 10, { 9: 'NINE' }) });
    const sees = (who) => who.status('1 hunk in 1 file').then(() => who);
    const window = await Promise.any([sees(me), sees(other)]);
    const blind = window === me ? other : me;
    await blind.status('1 hunk in another window');
    // A page behind another one draws nothing, and a message comes with the next drawing.
    await (blind === me ? page : second).bringToFront();
    await blind.toast('1 hunk waits in another window on this folder');
    await (blind === me ? page : second).screenshot({ path: path.join(shots, 'elsewhere.png') });
    await (blind === me ? second : page).bringToFront();
    await window.command('Wherefore: Accept Everything That Waits');
    assert.match(await answer, /applied/);
    await until(() => place.file('c.txt').includes('NINE'), 'the change on the disk');
    await page.locator('.statusbar-item', { hasText: 'in another window' }).waitFor({ state: 'hidden' });

    // The window that has them is left.
    const left = call(place, 'fs.patch', { path: 'c.txt', why: WHY, diff: diff('c.txt', 10, { 5: 'FIVE' }) });
    const [holder, holding] = await Promise.any([sees(me).then(() => [page, me]), sees(other).then(() => [second, other])]);
    const [heir, inheriting] = holding === me ? [second, other] : [page, me];
    await inheriting.status('1 hunk in another window');
    await holder.goto('about:blank');
    await until(() => servers().length === 1, 'the end of the server of the window that is left', 60_000);
    await left;
    await heir.bringToFront();
    await inheriting.command('Wherefore: Take Over Review Here');
    await inheriting.tab(`c.txt: ${WHY}`);
    await inheriting.status('1 hunk in 1 file');
    await inheriting.command('Wherefore: Accept Everything That Waits');
    await until(() => place.file('c.txt').includes('FIVE'), 'the change on the disk');
    await heir.locator('.statusbar-item', { hasText: 'in another window' }).waitFor({ state: 'hidden' });

    await second.close();
    await page.bringToFront();
    if (holder === page) {
      await page.goto(`${code.url}?folder=${place.root}`);
      await page.locator('.statusbar-item[id*=wherefore]').first().waitFor({ timeout: 60_000 });
    }
    // Until its extensions have ended too, agents would come to a window that is no more.
    await until(() => servers().length === 1, "the end of the second window's server", 60_000);
  },

  'the program is unpacked anew where it is not whole, and what others left there goes': async () => {
    const bin = fs.readdirSync(place.tmp, { recursive: true }).find((name) => name.endsWith('globalStorage/wherefore.wherefore/bin'));
    const at = (...names) => path.join(place.tmp, bin, ...names);
    const [build] = fs.readdirSync(at()).filter((name) => name !== 'wherefore');
    const long = new Date(Date.now() - 7_200_000);
    fs.mkdirSync(at('0123456789abcdef'));
    for (const name of [['0123456789abcdef', 'wherefore'], [build, 'wherefore.99999']]) {
      fs.writeFileSync(at(...name), 'another one');
      fs.utimesSync(at(...name), long, long);
    }
    fs.utimesSync(at('0123456789abcdef'), long, long);
    fs.rmSync(at(build, 'wherefore'));
    fs.writeFileSync(at(build, 'wherefore'), 'a part of it');
    await page.reload();
    await until(() => fs.existsSync(at(build, 'wherefore')) && fs.statSync(at(build, 'wherefore')).size === fs.statSync(program).size, 'the program is whole again', 60_000);
    await page.locator('.statusbar-item[id*=wherefore]').first().waitFor({ timeout: 60_000 });
    await until(() => !fs.existsSync(at('0123456789abcdef')) && !fs.existsSync(at(build, 'wherefore.99999')), 'what others left is gone');
    assert.ok(fs.readFileSync(at(build, 'wherefore')).equals(fs.readFileSync(program)), 'the program, byte for byte');
    assert.equal(fs.statSync(at('wherefore')).ino, fs.statSync(at(build, 'wherefore')).ino, 'agents get the same one');
    await until(() => servers().some((pid) => fs.readlinkSync(`/proc/${pid}/exe`) === at(build, 'wherefore')), 'the server is that program', 60_000);
  },

  'a server of another version says so': async () => {
    const other = scratch({ 'a.txt': 'one\n' });
    const fake = path.join(other.tmp, 'other');
    fs.writeFileSync(fake, `#!${process.execPath}\n${OTHER_VERSION}`, { mode: 0o755 });
    const window = await open(other, { vsix, settings: { 'wherefore.server.path': fake } });
    try {
      await person(window.page).toast('the server is version 9.9.9, the extension 0.1.0', 60_000);
    } finally {
      await window.close();
      other.remove();
    }
  },
};

await play('servers', cases, { code, place, me, shot });
