// node tests/bench/hook.mjs [WHEREFORE]: how long an agent waits for the hook of a call that may go on, from the start of the
// process to its end, beside hooks in Node and Python that only read their message, in turns.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const ROUNDS = 60;
const python = fs.existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';
const program = path.resolve(process.argv[2] ?? 'target/dist/wherefore');
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'wherefore-bench-'));
const work = path.join(scratch, 'work');
for (const folder of ['work/.git', 'home', 'run']) fs.mkdirSync(path.join(scratch, folder), { recursive: true, mode: 0o700 });
fs.writeFileSync(path.join(work, 'a.txt'), 'one\n');
const env = { PATH: process.env.PATH, HOME: path.join(scratch, 'home'), XDG_RUNTIME_DIR: path.join(scratch, 'run') };

const message = (tool_name, tool_input) =>
  JSON.stringify({ hook_event_name: 'PreToolUse', tool_name, tool_input, cwd: work, session_id: 's', transcript_path: '/none' });
const read = message('Read', { file_path: path.join(work, 'a.txt') });
const kinds = {
  'a read': [[program, 'hook', 'claude'], read],
  'a command': [[program, 'hook', 'claude'], message('Bash', { command: 'ls', description: 'List the files' })],
  'a tool that touches nothing': [[program, 'hook', 'claude'], message('WebSearch', { query: 'x' })],
  'node, reading alone': [['node', '-e', "JSON.parse(require('fs').readFileSync(0))"], read],
  'python3, reading alone': [[python, '-c', 'import json, sys; json.load(sys.stdin)'], read],
};

function run([argv, input]) {
  const began = performance.now();
  const ended = spawnSync(argv[0], argv.slice(1), { env, cwd: work, input, encoding: 'utf8' });
  assert.equal(ended.status, 0, ended.stderr);
  return performance.now() - began;
}

const first = run(kinds['a read']);
const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [kind, of] of Object.entries(kinds)) times[kind].push(run(of));
}
const at = (list, part) => list.toSorted((one, other) => one - other)[Math.floor(part * (list.length - 1))];
console.log(`load ${os.loadavg()[0].toFixed(2)}; the first call, which starts the server: ${first.toFixed(0)} ms`);
for (const [kind, list] of Object.entries(times)) {
  console.log(`${kind}: p50 ${at(list, 0.5).toFixed(1)} ms, p95 ${at(list, 0.95).toFixed(1)} ms`);
}
for (const name of fs.readdirSync(path.join(scratch, 'run', 'wherefore')).filter((name) => name.endsWith('.json'))) {
  process.kill(JSON.parse(fs.readFileSync(path.join(scratch, 'run', 'wherefore', name), 'utf8')).pid);
}
fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
