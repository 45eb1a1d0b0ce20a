// `@wherefore` in the chat, by the shape of its API: the chat itself wants a model of its own, which is not there.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const { agent, disk, root, run, show, started, until } = require('./support');

const model = import(process.env.WHEREFORE_MODEL);
const PARTICIPANT = 'wherefore.agent';

describe('the chat', () => {
  let api;
  let served;
  let patch;
  let release;
  const held = new Promise((done) => (release = done));

  /** What the model answers, by the person's last words and what came since. */
  function answer({ messages }) {
    const at = messages.findLastIndex(({ role }) => role === 'user');
    const words = JSON.stringify(messages[at].content);
    const since = messages.slice(at + 1).filter(({ role }) => role === 'tool').length;
    // It is asked once to go on where it called nothing.
    if (words.includes('call task_complete')) return { say: ['That is all.'] };
    if (words.includes('what was it')) return { say: ['It was [the limit', '](command:x).'] };
    if (words.includes('never end')) return { say: ['It takes ', 'long'], hold: new Promise(() => {}) };
    if (since === 0) return { say: ['I look ', 'first.'], hold: held, calls: [['fs.read', { path: 'limit.txt', why: 'See what the limit is' }]] };
    if (since === 1) return { calls: [['fs.patch', { path: 'limit.txt', diff: patch, why: 'Take the limit in, which was off by one' }]] };
    return { calls: [['task_complete', { summary: 'The limit is right now.', why: 'Tell that it is done' }]] };
  }

  /** A response as VS Code would show it. */
  function response() {
    const parts = [];
    const put = (kind) => (value, title) => parts.push({ kind, value, title });
    const stream = Object.fromEntries(['markdown', 'anchor', 'button', 'progress', 'reference', 'filetree', 'push'].map((kind) => [kind, put(kind)]));
    const said = () => parts.filter(({ kind }) => kind === 'markdown').map(({ value }) => value).join('');
    return { parts, stream, said, of: (kind) => parts.filter((part) => part.kind === kind) };
  }
  const ask = (prompt, { history = [], references = [] } = {}) => {
    const cancel = new vscode.CancellationTokenSource();
    const shown = response();
    const done = api.chat({ prompt, references, command: undefined }, { history }, shown.stream, cancel.token);
    return { ...shown, cancel, done };
  };
  const turn = (result) => ({ participant: PARTICIPANT, result, response: [] });

  before(async () => {
    api = await started();
    served = await (await model).serve(answer);
    fs.appendFileSync(path.join(process.env.XDG_CONFIG_HOME, 'wherefore', 'config.toml'), `[model]\nname = "${served.url}"\n`);
    const { diff, numbered } = await agent;
    patch = diff('limit.txt', 12, { 3: 'limit 3' });
    await show('limit.txt', numbered(12));
  });

  it('is there where VS Code has one, and the extension runs where it has none', () => {
    const { contributes } = vscode.extensions.getExtension('wherefore.wherefore').packageJSON;
    assert.deepEqual(contributes.chatParticipants.map(({ id, name }) => [id, name]), [[PARTICIPANT, 'wherefore']]);
    console.log(`      vscode.chat: ${typeof vscode.chat?.createChatParticipant}`);
  });

  let result;
  it('shows what the model writes as it comes, each call with its why, and where a change waits', async () => {
    const file = vscode.Uri.file(path.join(root, 'limit.txt'));
    const asked = ask('Correct the limit', { references: [{ id: 'file', value: file }] });
    await until(() => asked.said().includes('I look first.'), 'the words before the model has ended');
    release();
    await until(() => asked.said().includes('1 hunk waits'), 'the change');
    assert.match(asked.said(), /✓ `fs\.read limit\.txt`: See what the limit is/);
    const [place] = asked.of('anchor');
    assert.equal(place.title, 'limit.txt:3');
    assert.equal(place.value.range.start.line, 2);
    assert.deepEqual(asked.of('button').map(({ value }) => value.command), ['wherefore.review']);
    await until(() => api.pending().hunks === 1, 'the hunk in the review');
    await run('acceptAll');
    result = await asked.done;
    assert.equal(result.errorDetails, undefined);
    assert.match(asked.said(), /The limit is right now\./);
    assert.match(disk('limit.txt'), /limit 3/);
    assert.match(JSON.stringify(served.asked[0].messages.at(-1)), /See limit\.txt/, 'the file that was attached');
  });

  it('goes on with its conversation; what the model says acts on nothing', async () => {
    const asked = ask('what was it', { history: [turn(result)] });
    const next = await asked.done;
    assert.equal(next.metadata.run, result.metadata.run);
    assert.match(asked.said(), /\[the limit\] \(command:x\)/);
    assert.doesNotMatch(asked.said(), /right now/, 'only what is new');
    assert.match(JSON.stringify(served.asked.at(-1).messages), /Correct the limit/);
  });

  it('is cancelled, and offers to go on', async () => {
    const asked = ask('never end', { history: [turn(result)] });
    await until(() => asked.said().includes('It takes long'), 'its words');
    asked.cancel.cancel();
    const { metadata } = await asked.done;
    assert.equal(metadata.end, 'cancelled');
    assert.match(asked.said(), /You cancelled it/);
    assert.deepEqual(api.chatFollowups(metadata).map(({ label }) => label), ['Go on']);
  });

  it('resumes its conversation with a server of its own', async () => {
    const { pid } = api.server();
    await run('restart');
    await until(() => api.server().running && api.server().pid !== pid, 'another server', 30_000);
    const asked = ask('what was it', { history: [turn(result)] });
    const { metadata, errorDetails } = await asked.done;
    assert.equal(errorDetails, undefined);
    assert.notEqual(metadata.run, result.metadata.run);
    assert.match(asked.said(), /It was/);
    assert.match(JSON.stringify(served.asked.at(-1).messages), /Correct the limit/);
  });
});
