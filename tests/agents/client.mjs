// An editor of the Agent Client Protocol, by its official SDK: client.mjs AGENT… starts the agent and gives it one task.
// It prints what it sees, a line of JSON each. Environment: ACP_SDK, the SDK's module; WORK, the folder;
// FILES=none, an editor that reads and writes no files; REVIEW=accept, one that decides on our proposals by itself.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { Readable, Writable } from 'node:stream';

const acp = await import(process.env.ACP_SDK);
const { agent, client } = acp.methods;
const folder = process.env.WORK;
const files = process.env.FILES !== 'none';
const say = (what, value) => console.log(JSON.stringify({ what, value }));

const child = spawn(process.argv[2], process.argv.slice(3), { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));

function permit({ params }) {
  say('permission', params);
  const ours = params.options.find((option) => option.optionId.startsWith('wherefore-'));
  if (ours && process.env.REVIEW !== 'accept') {
    // The person decides elsewhere: this question stays open.
    return new Promise(() => {});
  }
  const yes = params.options.find((option) => option.kind === 'allow_once');
  return { outcome: { outcome: 'selected', optionId: yes.optionId } };
}

const app = acp
  .client({ name: 'test' })
  .onRequest(client.fs.readTextFile, ({ params }) => {
    say('read', params);
    return { content: fs.existsSync(params.path) ? fs.readFileSync(params.path, 'utf8') : '' };
  })
  .onRequest(client.fs.writeTextFile, ({ params }) => {
    say('write', params);
    fs.writeFileSync(params.path, params.content);
    return {};
  })
  .onRequest(client.session.requestPermission, permit)
  .onNotification(client.session.update, ({ params }) => say('update', params.update));

await app
  .connectWith(stream, async (agentEnd) => {
    const initialized = await agentEnd.request(agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientInfo: { name: 'test', version: '0' },
      clientCapabilities: { fs: { readTextFile: files, writeTextFile: files }, terminal: false },
    });
    say('initialized', initialized);
    const session = await agentEnd.request(agent.session.new, { cwd: folder, mcpServers: [] });
    const prompt = [{ type: 'text', text: 'Do the task.' }];
    say('stopped', await agentEnd.request(agent.session.prompt, { sessionId: session.sessionId, prompt }));
  })
  .catch((error) => say('error', { message: String(error.message ?? error), data: error.data }));
child.stdin.end();
await new Promise((ended) => child.once('exit', ended));
process.exit(0);
