// node tests/bench/commands.mjs [WHEREFORE]: what commands and code cost through the server, beside the same work without
// it, in turns. Needs python3; bwrap's row is left out where /usr/bin/bwrap is missing.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';

const program = path.resolve(process.argv[2] ?? 'target/dist/wherefore');
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'wherefore-bench-'));
const python = fs.existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** A served folder: calls go to its server over the socket, one after the other. */
async function served(name, settings = '') {
  const place = path.join(scratch, name);
  const work = path.join(place, 'work');
  for (const folder of ['work/.git', 'home/.config/wherefore', 'run']) fs.mkdirSync(path.join(place, folder), { recursive: true, mode: 0o700 });
  fs.writeFileSync(path.join(place, 'home/.config/wherefore/config.toml'), settings);
  const env = { PATH: process.env.PATH, HOME: path.join(place, 'home'), XDG_RUNTIME_DIR: path.join(place, 'run') };
  const start = async () => {
    const server = spawn(program, ['serve', '--root', work], { env, stdio: 'ignore' });
    await sleep(1500);
    const caller = spawn(program, ['call', '--batch', '--root', work, '--policy', 'hold'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const answers = readline.createInterface({ input: caller.stdout })[Symbol.asyncIterator]();
    const call = async (tool, args) => {
      const began = performance.now();
      caller.stdin.write(`${JSON.stringify({ tool, arguments: { ...args, why: 'Measure what a call of this kind costs' } })}\n`);
      const answer = JSON.parse((await answers.next()).value);
      return { ms: performance.now() - began, answer };
    };
    const stop = () => {
      caller.stdin.end();
      server.kill();
    };
    return { call, stop };
  };
  return { work, env, start };
}

/** How long a program takes, with its output thrown away. */
function alone(argv, options = {}) {
  const began = performance.now();
  const ended = spawnSync(argv[0], argv.slice(1), { stdio: 'ignore', ...options });
  assert.equal(ended.status, 0, argv.join(' '));
  return performance.now() - began;
}

const at = (times, part) => times.toSorted((one, other) => one - other)[Math.min(times.length - 1, Math.floor(part * times.length))];
const shown = (times) => `p50 ${at(times, 0.5).toFixed(1)} ms, p95 ${at(times, 0.95).toFixed(1)} ms`;
const load = () => os.loadavg()[0].toFixed(2);

function bwrap(work) {
  const args = ['--unshare-all', '--cap-drop', 'ALL', '--new-session', '--clearenv', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/var/tmp'];
  for (const folder of ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/opt', '/etc/passwd', '/etc/group', '/etc/hosts', '/etc/ld.so.cache', '/etc/localtime', '/etc/nsswitch.conf', '/etc/ssl/certs', '/etc/alternatives']) {
    const found = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) args.push('--symlink', fs.readlinkSync(folder), folder);
    else if (found) args.push('--ro-bind', folder, folder);
  }
  return ['/usr/bin/bwrap', ...args, '--tmpfs', os.homedir(), '--bind', work, work, '--remount-ro', '/', '--chdir', work, '--', '/usr/bin/true'];
}

/** Runs each of the ways in turn, so that what else the machine does meets all of them. */
async function inTurns(rounds, ways) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) times[name].push(await way());
  }
  for (const [name, taken] of Object.entries(times)) console.log(`  ${name}: ${shown(taken)}`);
  return Object.fromEntries(Object.entries(times).map(([name, taken]) => [name, at(taken, 0.5)]));
}

const ran = ({ ms, answer }) => {
  assert.ok(answer.result, JSON.stringify(answer).slice(0, 600));
  return ms;
};

async function starts() {
  const place = await served('starts');
  const { call, stop } = await place.start();
  const ways = {
    'terminal.run true': async () => ran(await call('terminal.run', { cmd: ['true'] })),
    'python.exec 1 + 1': async () => ran(await call('python.exec', { code: '1 + 1' })),
    'python3 -c': () => alone([python, '-c', '1 + 1']),
    'python3 -I -c': () => alone([python, '-I', '-c', '1 + 1']),
    'js.exec 1 + 1': async () => ran(await call('js.exec', { code: '1 + 1' })),
    'wherefore sandbox -- true': () => alone([program, 'sandbox', '--root', place.work, '--', 'true'], { env: place.env }),
    'wherefore --version': () => alone([program, '--version']),
  };
  if (fs.existsSync('/usr/bin/bwrap')) ways['bwrap true'] = () => alone(bwrap(place.work));
  for (const way of Object.values(ways)) await way();
  const p50 = await inTurns(100, ways);
  console.log(`python.exec ÷ python3 -c: ${(p50['python.exec 1 + 1'] / p50['python3 -c']).toFixed(2)}`);
  if (p50['bwrap true']) console.log(`terminal.run true ÷ bwrap: ${(p50['terminal.run true'] / p50['bwrap true']).toFixed(2)}`);
  const limits = [];
  for (let round = 0; round < 10; round++) limits.push((await call('terminal.run', { cmd: ['sleep', '30'], timeout_ms: 500 })).ms);
  console.log(`a limit of 500 ms: ${shown(limits)}, slowest ${at(limits, 1).toFixed(1)} ms`);
  stop();
}

async function output() {
  const place = await served('output');
  const big = path.join(place.work, 'big');
  fs.writeFileSync(big, 'abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefg\n'.repeat(1_250_000));
  const { call, stop } = await place.start();
  const p50 = await inTurns(10, {
    'terminal.run cat of 100 MB': async () => ran(await call('terminal.run', { cmd: ['cat', 'big'] })),
    'cat of 100 MB to a pipe': () => alone(['sh', '-c', `cat ${big} | cat >/dev/null`]),
  });
  console.log(`100 MB: ${(p50['terminal.run cat of 100 MB'] / p50['cat of 100 MB to a pipe']).toFixed(2)} times`);
  stop();
}

async function formatter() {
  const place = await served('formatter');
  const line = (name, number) => `${name} line ${number}\n`;
  const text = (name, sign) => Array.from({ length: 60 }, (_, number) => (number % 20 === 5 ? `${sign}${line(name, number)}` : line(name, number))).join('');
  fs.mkdirSync(path.join(place.work, 'src'));
  for (let file = 0; file < 300; file++) fs.writeFileSync(path.join(place.work, `src/${file}.txt`), text(file, ''));
  const { call, stop } = await place.start();
  const after = [];
  for (let round = 0; round < 5; round++) {
    const { ms, answer } = await call('terminal.run', { cmd: ['sed', '-i', '6s/^/x/;26s/^/x/;46s/^/x/', ...Array.from({ length: 300 }, (_, file) => `src/${file}.txt`)] });
    assert.equal(answer.result.status, 'pending', JSON.stringify(answer).slice(0, 600));
    after.push(ms - answer.result.duration_ms);
    await call('review.cancel', { proposal: answer.result.proposal }).catch(() => undefined);
  }
  console.log(`a proposal of 300 files and 900 hunks after the command's end: ${shown(after)}`);
  stop();
}

async function large() {
  const ways = {};
  const stops = [];
  for (const [name, ignored, many] of [['a small folder', false, 1], ['80,000 files', false, 8000], ['80,000 ignored files', true, 8000]]) {
    const place = await served(name.replaceAll(/[^a-z0-9]/g, '-'), '');
    if (ignored) fs.writeFileSync(path.join(place.work, '.gitignore'), 'deps/\n');
    for (let folder = 0; folder < many; folder++) {
      const at = path.join(place.work, 'deps', String(Math.floor(folder / 100)), String(folder));
      fs.mkdirSync(at, { recursive: true });
      for (let file = 0; file < 10; file++) fs.writeFileSync(path.join(at, String(file)), '');
    }
    const { call, stop } = await place.start();
    stops.push(stop);
    ways[`terminal.run true, ${name}`] = async () => ran(await call('terminal.run', { cmd: ['true'] }));
    ways[`python.exec, ${name}`] = async () => ran(await call('python.exec', { code: '1' }));
  }
  await sleep(6000);
  for (const way of Object.values(ways)) await way();
  await sleep(3000);
  for (const way of Object.values(ways)) await way();
  await inTurns(20, ways);
  for (const stop of stops) stop();
}

console.log(`load ${load()}`);
const parts = { starts, output, formatter, large };
for (const name of process.argv[3] ? [process.argv[3]] : Object.keys(parts)) await parts[name]();
console.log(`load ${load()}`);
fs.rmSync(scratch, { recursive: true, force: true });
process.exit();
