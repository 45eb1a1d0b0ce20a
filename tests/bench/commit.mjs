// node tests/bench/commit.mjs WHEREFORE: what the hooks of `wherefore init --git` add to a commit, by the clock of whoever commits,
// and how long the note takes in the background; commits with and without the hooks in turns. And what they add to a push right
// after a commit, which waits for the note and sends it.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const ROUNDS = 40;
const program = path.resolve(process.argv[2] ?? 'target/dist/wherefore');
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'wherefore-bench-'));
const work = path.join(scratch, 'work');
for (const folder of ['work', 'home', 'run', 'none']) fs.mkdirSync(path.join(scratch, folder), { mode: 0o700 });
const env = { PATH: process.env.PATH, HOME: path.join(scratch, 'home'), XDG_RUNTIME_DIR: path.join(scratch, 'run') };
const git = (...args) => execFileSync('git', args, { cwd: work, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
const wherefore = (...args) => execFileSync(program, args, { cwd: work, env, encoding: 'utf8' });
const at = (list, part) => list.toSorted((one, other) => one - other)[Math.floor(part * (list.length - 1))];
const told = (name, list) => console.log(`${name}: p50 ${at(list, 0.5).toFixed(1)} ms, p95 ${at(list, 0.95).toFixed(1)} ms`);

git('init', '-q', '-b', 'main');
git('config', 'user.name', 'P');
git('config', 'user.email', 'p@example.org');
wherefore('init', '--git', '--yes');
const none = path.join(scratch, 'none');

function write(files, round) {
  for (let file = 0; file < files; file += 1) {
    const content = Array.from({ length: 50 }, (_, line) => `line ${line} of ${file} in ${round}\n`).join('');
    fs.writeFileSync(path.join(work, `${file}.txt`), content);
  }
  git('add', '-A', ':!.wherefore');
}

/** Milliseconds that a commit takes. */
function commit(settings) {
  const began = performance.now();
  const ended = spawnSync('git', [...settings, 'commit', '-qm', 'Change'], { cwd: work, env });
  assert.equal(ended.status, 0, String(ended.stderr));
  return performance.now() - began;
}

/** Milliseconds that a push takes. */
function push(settings) {
  const began = performance.now();
  const ended = spawnSync('git', [...settings, 'push', '-q', 'origin', 'main'], { cwd: work, env });
  assert.equal(ended.status, 0, String(ended.stderr));
  return performance.now() - began;
}

/** Milliseconds from now until no hook of ours is at work any more. */
function settled() {
  const began = performance.now();
  const isAtWork = () => fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).some((pid) => {
    try {
      const argv = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return argv[0] === program && argv[1] === 'git' && argv[2] === 'hook';
    } catch {
      return false;
    }
  });
  while (isAtWork()) spawnSync('sleep', ['0.01']);
  return performance.now() - began;
}

console.log(`load ${os.loadavg()[0].toFixed(2)}`);
for (const [files, rounds] of [[1, ROUNDS], [1000, 5]]) {
  const times = { with: [], without: [], note: [] };
  for (let round = 0; round < rounds; round += 1) {
    write(files, `${round}a`);
    times.without.push(commit(['-c', `core.hooksPath=${none}`]));
    write(files, `${round}b`);
    times.with.push(commit([]));
    times.note.push(settled());
  }
  told(`${files} files, a commit without hooks`, times.without);
  told(`${files} files, a commit with hooks`, times.with);
  told(`${files} files, until the note is written`, times.note);
  console.log(`${files} files, the hooks add ${(at(times.with, 0.5) - at(times.without, 0.5)).toFixed(1)} ms`);
}
git('init', '-q', '--bare', path.join(scratch, 'bare'));
git('remote', 'add', 'origin', path.join(scratch, 'bare'));
wherefore('init', '--git', '--yes');
const pushes = { with: [], without: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [how, settings] of [['without', ['-c', `core.hooksPath=${none}`]], ['with', []]]) {
    write(1, `${round} ${how}`);
    commit(settings);
    pushes[how].push(push(settings));
    settled();
  }
}
told('a push right after a commit, without hooks', pushes.without);
told('a push right after a commit, with hooks', pushes.with);
fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
