// An editor of the Agent Client Protocol by its official SDK, with a buffer that is not saved: what it checks it prints, a
// line of JSON each. editor.mjs AGENT… starts the agent. Environment: ACP_SDK, the SDK's module; WORK, the folder.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';

const acp = await import(process.env.ACP_SDK);
const { agent, client } = acp.methods;
const cwd = process.env.WORK;
const [program, ...args] = process.argv.slice(2);
const lines = join(cwd, 'lines.txt');
const REASON = 'the ninth line is quoted elsewhere';

/** The text of the one buffer, which the person typed into and did not save. */
let buffer = fs.readFileSync(lines, 'utf8').replace('line 1\n', 'typed, not saved\n');
const seen = { reads: [], writes: [], updates: [], withdrawn: 0 };
/** What answers the next question for permission. */
let answers = [];

const choose = (optionId) => ({ outcome: { outcome: 'selected', optionId } });

async function permit({ params, signal }) {
  const next = answers.shift();
  assert.ok(next, `nobody expects ${JSON.stringify(params)}`);
  if (typeof next === 'string') {
    assert.ok(params.options.some(({ optionId }) => optionId === next), JSON.stringify(params.options));
    return choose(next);
  }
  // The question stays open until it is withdrawn, as it is decided elsewhere, or its turn cancelled.
  const withdrawn = new Promise((done) => signal.addEventListener('abort', done));
  await next(params);
  await withdrawn;
  seen.withdrawn += 1;
  return { outcome: { outcome: 'cancelled' } };
}

/** Starts the agent, and works with it as that editor. */
async function editing(work) {
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const app = acp
    .client({ name: 'test' })
    .onRequest(client.fs.readTextFile, ({ params: { path } }) => {
      seen.reads.push(path);
      return { content: path === lines ? buffer : fs.readFileSync(path, 'utf8') };
    })
    .onRequest(client.fs.writeTextFile, ({ params: { path, content } }) => {
      seen.writes.push(path);
      if (path === lines) buffer = content;
      fs.writeFileSync(path, content);
      return {};
    })
    .onRequest(client.session.requestPermission, permit)
    .onNotification(client.session.update, ({ params }) => seen.updates.push(params.update));
  await app.connectWith(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)), async (ctx) => {
    const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
    await ctx.request(agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities });
    await work(ctx);
  });
  child.stdin.end();
  await new Promise((ended) => child.once('exit', ended));
}

const say = (ctx, sessionId, text) => ctx.request(agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
/** Waits until something holds: what is sent beside the answer to a prompt may be handled after it. */
async function until(holds) {
  for (let waits = 0; !holds() && waits < 200; waits++) await new Promise((done) => setTimeout(done, 50));
}
/** Waits until so many questions were withdrawn. */
async function withdrawn(count) {
  await until(() => seen.withdrawn >= count);
  assert.equal(seen.withdrawn, count);
}
const updates = (kind) => seen.updates.filter(({ sessionUpdate }) => sessionUpdate === kind);
/** The outcomes of the calls since, oldest first, once there are so many. */
async function outcomes(count) {
  const ended = () => updates('tool_call_update').filter(({ status }) => status !== 'in_progress');
  await until(() => ended().length >= count);
  return ended().map(({ status }) => status);
}

let sessionId;
await editing(async (ctx) => {
  const begun = await ctx.request(agent.session.new, { cwd, mcpServers: [] });
  sessionId = begun.sessionId;
  assert.equal(begun.modes.currentModeId, 'ask', 'the mode is that of the settings');
  assert.deepEqual(begun.modes.availableModes.map(({ id }) => id), ['ask', 'auto', 'hold', 'deny']);

  // One hunk is accepted in the question for permission, the other rejected elsewhere, with the reason that the protocol
  // has no room for.
  const reject = ({ toolCall }) => {
    const [, proposal] = /^(.*)-h2$/.exec(toolCall.toolCallId);
    execFileSync(program, ['review', proposal, '--reject', 'h2', '--reason', REASON], { cwd });
  };
  answers = ['wherefore-each', 'wherefore-accept', reject];
  const reviewed = await say(ctx, sessionId, 'Make lines 2 and 9 stand out');
  assert.equal(reviewed.stopReason, 'end_turn');
  await withdrawn(1);
  assert.match(buffer, /^typed, not saved\nTWO\nline 3/);
  assert.match(buffer, /line 9/);
  assert.deepEqual(new Set(seen.reads), new Set([lines]), 'the unsaved text is what is read');
  assert.deepEqual(seen.writes, [lines], 'the accepted hunk is written through the editor');

  await ctx.request(agent.session.setMode, { sessionId, modeId: 'auto' });
  seen.updates = [];
  await say(ctx, sessionId, 'Note it');
  assert.deepEqual(await outcomes(1), ['completed'], 'nobody is asked');
  assert.equal(fs.readFileSync(join(cwd, 'note.txt'), 'utf8'), 'noted\n');

  await ctx.request(agent.session.setMode, { sessionId, modeId: 'deny' });
  seen.updates = [];
  await say(ctx, sessionId, 'Change more');
  assert.deepEqual(await outcomes(3), ['failed', 'failed', 'failed']);
  assert.equal(fs.existsSync(join(cwd, 'more.txt')) || fs.existsSync(join(cwd, 'made.txt')), false);
  await assert.rejects(ctx.request(agent.session.setMode, { sessionId, modeId: 'yolo' }), /no mode/);

  await ctx.request(agent.session.setMode, { sessionId, modeId: 'ask' });
  answers = [() => ctx.notify(agent.session.cancel, { sessionId })];
  const cancelled = await say(ctx, sessionId, 'Write it');
  assert.equal(cancelled.stopReason, 'cancelled');
  await withdrawn(2);
});

// Another process, as after the editor was started anew.
seen.updates = [];
await editing(async (ctx) => {
  const loaded = await ctx.request(agent.session.load, { cwd, mcpServers: [], sessionId });
  assert.equal(loaded.modes.currentModeId, 'ask');
  const said = () => updates('user_message_chunk').map(({ content }) => content.text);
  await until(() => said().length >= 4 && updates('tool_call').length >= 6);
  assert.deepEqual(said(), ['Make lines 2 and 9 stand out', 'Note it', 'Change more', 'Write it']);
  assert.ok(updates('tool_call').length >= 6);
  const { stopReason } = await say(ctx, sessionId, 'Go on');
  assert.equal(stopReason, 'end_turn');
});
assert.deepEqual(answers, []);
console.log('all held');
