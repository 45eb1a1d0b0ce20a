// node tests/bench/why.mjs [WHEREFORE]: how soon a running server says why the lines of a file are as they are, with and without
// git's commits, and how soon a report of 10,000 calls is there.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [LINES, CALLS, REPORTED, ROUNDS] = [5000, 1000, 10_000, 100];
const program = path.resolve(process.argv[2] ?? 'target/dist/wherefore');
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'wherefore-bench-'));
const why = 'Measure what a call of this kind costs';
const at = (list, part) => list.toSorted((one, other) => one - other)[Math.floor(part * (list.length - 1))];
const told = (name, list) => console.log(`${name}: p50 ${at(list, 0.5).toFixed(1)} ms, p95 ${at(list, 0.95).toFixed(1)} ms (load ${os.loadavg()[0].toFixed(2)})`);

/** The same numbers each time. */
let seed = 7;
function below(limit) {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed % limit;
}

function place(name) {
  const folder = path.join(scratch, name);
  for (const below of ['work', 'home', 'run']) fs.mkdirSync(path.join(folder, below), { recursive: true, mode: 0o700 });
  const env = { PATH: process.env.PATH, HOME: path.join(folder, 'home'), XDG_RUNTIME_DIR: path.join(folder, 'run') };
  const work = path.join(folder, 'work');
  const settings = path.join(folder, 'home/.config/wherefore');
  fs.mkdirSync(settings, { recursive: true });
  fs.writeFileSync(path.join(settings, 'config.toml'), '[review]\npolicy = "auto"\n');
  const git = (...args) => execFileSync('git', args, { cwd: work, env, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'P');
  git('config', 'user.email', 'p@example.org');
  return { env, work, git };
}

/** The language server of a folder, as an editor has it. */
async function served({ env, work }) {
  const server = spawn(program, ['lsp'], { env, cwd: work, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  let [next, read] = [0, Buffer.alloc(0)];
  server.stdout.on('data', (piece) => {
    read = Buffer.concat([read, piece]);
    for (;;) {
      const head = read.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(read.subarray(0, Math.max(head, 0)).toString())?.[1]);
      if (head < 0 || read.length < head + 4 + length) return;
      const message = JSON.parse(read.subarray(head + 4, head + 4 + length).toString());
      read = read.subarray(head + 4 + length);
      if (message.method && message.id !== undefined) send({ id: message.id, result: null });
      else waiting.get(message.id)?.(message);
    }
  });
  function send(message) {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
  async function ask(method, params) {
    const id = ++next;
    const answer = new Promise((done) => waiting.set(id, done));
    send({ id, method, params });
    const { result, error } = await answer;
    waiting.delete(id);
    assert.ok(!error, JSON.stringify(error));
    return result;
  }
  const tell = (method, params) => send({ method, params });
  const uri = pathToFileURL(work).href;
  await ask('initialize', { processId: process.pid, rootUri: uri, capabilities: {}, workspaceFolders: [{ uri, name: 'work' }] });
  tell('initialized', {});
  const call = async (tool, args) => {
    const answer = await ask('wherefore/call', { tool, arguments: { ...args, why }, policy: 'auto' });
    assert.ok(answer.ok !== false && !answer.error, JSON.stringify(answer).slice(0, 500));
  };
  const end = async () => {
    await ask('shutdown');
    tell('exit');
    await new Promise((done) => server.once('exit', done));
  };
  return { ask, tell, call, end };
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function ofLines() {
  const here = place('lines');
  const file = path.join(here.work, 'a.txt');
  const lines = Array.from({ length: LINES }, (_, line) => `line ${line} of the file as it began`);
  const text = () => `${lines.join('\n')}\n`;
  fs.writeFileSync(file, text());
  here.git('add', '.');
  here.git('commit', '-qm', 'Begin');
  const { ask, tell, call, end } = await served(here);
  for (let made = 0; made < CALLS; made += 1) {
    lines.splice(below(LINES - 3), 2, `line ${made}.1 of call ${made}`, `line ${made}.2 of call ${made}`);
    await call('fs.write', { path: 'a.txt', content: text() });
    if (made === CALLS / 2) here.git('commit', '-qam', 'Half of it');
  }
  const explain = (commits) => ask('wherefore/why', { path: 'a.txt', commits });
  const first = await explain(false);
  assert.equal(first.total, LINES);
  assert.ok(first.calls.length > CALLS * 0.8, String(first.calls.length));
  const uri = pathToFileURL(file).href;
  tell('textDocument/didOpen', { textDocument: { uri, languageId: 'plaintext', version: 1, text: text() } });
  const times = { again: [], one: [], typed: [], called: [], commits: [] };
  let version = 1;
  for (let round = 0; round < ROUNDS; round += 1) {
    times.again.push(await timed(() => explain(false)));
    const line = below(LINES);
    times.one.push(await timed(() => ask('wherefore/why', { path: 'a.txt', commits: false, start: line + 1, end: line + 1 })));
    const range = { start: { line, character: 0 }, end: { line, character: 0 } };
    version += 1;
    tell('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ range, text: 'x' }] });
    times.typed.push(await timed(() => explain(false)));
    if (round % 5 === 0) times.commits.push(await timed(() => explain(true)));
  }
  tell('textDocument/didClose', { textDocument: { uri } });
  for (let round = 0; round < ROUNDS / 5; round += 1) {
    lines.splice(below(LINES - 3), 2, `line ${round}.1 of round ${round}`, `line ${round}.2 of round ${round}`);
    await call('fs.write', { path: 'a.txt', content: text() });
    times.called.push(await timed(() => explain(false)));
  }
  const what = `${LINES} lines, ${CALLS} calls`;
  told(`${what}, asked again`, times.again);
  told(`${what}, of one line`, times.one);
  told(`${what}, asked after a key`, times.typed);
  told(`${what}, asked after a call`, times.called);
  told(`${what}, with git's commits`, times.commits);
  await end();
}

async function ofReports() {
  const here = place('report');
  for (let file = 0; file < 100; file += 1) fs.writeFileSync(path.join(here.work, `${file}.txt`), `text of ${file}\n`);
  const { call, end } = await served(here);
  for (let made = 0; made < REPORTED; made += 1) {
    const name = `${below(100)}.txt`;
    if (made % 10 === 0) await call('fs.write', { path: name, content: `text of call ${made}\n` });
    else await call('fs.read', { path: name });
  }
  await end();
  for (const format of ['md', 'html', 'json']) {
    const times = [];
    for (let round = 0; round < 7; round += 1) {
      times.push(await timed(() => execFileSync(program, ['report', '--format', format], { ...here, cwd: here.work, maxBuffer: 1 << 28 })));
    }
    told(`a report of ${REPORTED} calls as ${format}`, times);
  }
}

await ofLines();
await ofReports();
fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
