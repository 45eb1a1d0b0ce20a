// The built-in agent at a long task in real VS Code, over each interface of a model: reads together, faults, a hunk that is
// rejected with its reason, a conversation that is made shorter, and its end. By keys and clicks.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { diff, numbered, program } from './agent.mjs';
import { play } from './cases.mjs';
import { extension, open, project, scratch, until } from './code.mjs';
import { PATHS, written } from './modelwire.mjs';
import { person } from './person.mjs';

assert.ok(program, 'WHEREFORE_BIN names the program');
const shots = path.join(project, '.e2e', 'vscode-shots');
fs.mkdirSync(shots, { recursive: true });
const REASON = 'the ninth line is quoted elsewhere';
const WHY = 'Make two lines stand out for the reader';
const patch = { path: 'lines.txt', diff: diff('lines.txt', 12, { 2: 'TWO', 9: 'NINE' }) };
const read = (name, why) => ['fs.read', { path: name, why }];
const long = [1, 201, 401].map((start) => ['fs.read', { path: 'big.txt', range: { start, end: start + 199 }, why: 'Find who else names the ninth line' }]);

/** What the model answers, one after the other. */
const TASK = [
  { say: ['I look ', 'first.'], calls: [read('lines.txt', 'Learn which lines there are'), read('other.txt', 'Learn how the other file counts'), ['fs.ls', { path: '.', why: 'See what else belongs to it' }]] },
  { calls: [read('absent.txt', 'Learn what the task says of it')] },
  { calls: [['search.lexical', { query: 'line 9', why: 'Find who else names the ninth line' }]] },
  { calls: [['fs.patch', patch]] },
  { calls: [['fs.patch', { ...patch, why: WHY }]] },
  { calls: long },
  { calls: long },
  { calls: [read('lines.txt', 'Check what stands there now')] },
  { calls: [['task_complete', { summary: 'The second line stands out, the ninth stays.', why: 'Tell that it is done' }]] },
];

/** A server of that interface. */
async function serve(api) {
  const asked = [];
  const server = http.createServer(async (request, response) => {
    let said = '';
    for await (const bytes of request) said += bytes;
    const json = (value) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (request.url === '/api/show') return json({ model_info: { 'general.architecture': 'q', 'q.context_length': 16_384 }, capabilities: ['completion', 'tools'] });
    if (request.url !== PATHS[api]) return json({ object: 'list', data: [{ id: 'scripted', object: 'model' }] });
    asked.push(said);
    const { say = [], calls } = TASK[Math.min(asked.length, TASK.length) - 1];
    // Names are offered with no dots.
    const named = calls.map(([name, args]) => [name.replaceAll('.', '_'), args]);
    response.writeHead(200, { 'Content-Type': api === 'ollama' ? 'application/x-ndjson' : 'text/event-stream' });
    for (const piece of written[api]({ say, calls: named, number: asked.length, model: 'scripted', tokens: Math.ceil(said.length / 4) })) response.write(piece);
    response.end();
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const base = `http://127.0.0.1:${server.address().port}${api === 'ollama' ? '' : '/v1'}`;
  return { asked, settings: `[native]\noutside = false\n[model]\nname = "scripted"\nurl = "${base}"\napi = "${api}"\n`, close: () => server.close() };
}

const big = Array.from({ length: 600 }, (_, index) => `${index + 1} ${'words of a long text'.repeat(3)}\n`).join('');
const place = scratch({ 'lines.txt': numbered(12), 'other.txt': numbered(3), 'big.txt': big });
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix') });
const { page } = code;
const me = person(page);
const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

/** The task over one interface. */
async function done(api) {
  const model = await serve(api);
  fs.writeFileSync(path.join(place.tmp, 'config', 'wherefore', 'config.toml'), model.settings);
  fs.writeFileSync(path.join(place.root, 'lines.txt'), numbered(12));
  await me.command('View: Close All Editors');
  await me.pick('Wherefore: Ask the Agent…');
  await page.locator('.quick-input-widget .quick-input-title', { hasText: 'agent' }).waitFor();
  await page.locator('.quick-input-widget input[type=text]').fill(`Make lines 2 and 9 stand out over ${api}`);
  await page.keyboard.press('Enter');
  await me.tab('The agent');
  await me.sees('waits for your decision');
  await me.status('2 hunks in 1 file');
  await me.keys('v');
  await me.tab(`lines.txt: ${WHY}`);
  await page.locator('.monaco-diff-editor .char-insert').first().waitFor();
  await me.lens('1/2');
  await page.keyboard.press('a');
  await me.status('1 hunk in 1 file');
  await page.keyboard.press('Shift+R');
  await page.locator('.quick-input-widget input[type=text]').waitFor();
  await page.keyboard.type(REASON);
  await page.keyboard.press('Enter');
  await until(() => model.asked.length === TASK.length, 'the whole task', 30_000);
  await until(() => place.file('lines.txt') === numbered(12, { 2: 'TWO' }), 'the accepted hunk alone');
  await me.command('View: Close All Editors');
  await me.pick('Wherefore: Ask the Agent…');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: `over ${api}` }).first().click();
  await me.tab('The agent');
  await me.sees('The task is complete: The second line stands out, the ninth stays.');
  await shot(`loop-${api}`);
  for (const text of ['line 12', 'line 3', 'big.txt']) assert.ok(model.asked[1].includes(text), `${text}, of calls that were made together`);
  assert.match(model.asked[2], /NOT_FOUND/);
  assert.match(model.asked[4], /MISSING_WHY/);
  assert.ok(model.asked[5].includes(REASON), 'the reason reaches the model');
  assert.match(model.asked.at(-1), /left out|shortened/, 'the conversation was made shorter');
  model.close();
}

const cases = Object.fromEntries(Object.keys(PATHS).map((api) => [`a long task over ${api} goes from reads over a rejected hunk to its end`, () => done(api)]));
await play('loop', cases, { code, place, me, shot });
