// Agents as their editor sees them: each finds the announcement as the real one does, enters with its token, and speaks the
// Model Context Protocol: Claude Code over a WebSocket, Gemini CLI over HTTP.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { project, until } from './code.mjs';

const WebSocket = createRequire(path.join(project, '.e2e', 'code-server', 'package.json'))('ws');

const isWithin = (folder, place) => place === folder || place.startsWith(`${folder}/`);

/** The files of a folder whose names look so, each with what it says; the newest first. */
function announced(folder, looks) {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => looks.test(name)) : [];
  const found = names.map((name) => {
    const file = path.join(folder, name);
    return { file, time: fs.statSync(file).mtimeMs, said: JSON.parse(fs.readFileSync(file, 'utf8')) };
  });
  return found.sort((one, other) => other.time - one.time);
}

/** What Claude Code takes of its folder: in a terminal of an editor the port of the environment, else the folder it is in. */
export function claudeFile(env, cwd) {
  const folder = path.join(env.CLAUDE_CONFIG_DIR ?? path.join(env.HOME, '.claude'), 'ide');
  const port = (file) => path.basename(file, '.lock');
  const all = announced(folder, /^\d+\.lock$/);
  const found = all.filter(({ file, said }) =>
    env.CLAUDE_CODE_SSE_PORT ? env.CLAUDE_CODE_SSE_PORT === port(file) : said.workspaceFolders.some((each) => isWithin(each, cwd)),
  );
  return found.map(({ file, said }) => ({ file, port: port(file), token: said.authToken, said }))[0];
}

/** What Gemini CLI takes of the folder for temporary files: the folder it is in, then the port of the environment. */
export function geminiFile(env, cwd) {
  const all = announced(path.join(env.TMPDIR ?? '/tmp', 'gemini', 'ide'), /^gemini-ide-server-\d+-\d+\.json$/);
  const here = all.filter(({ said }) => said.workspacePath.split(':').some((each) => isWithin(each, cwd)));
  const named = here.find(({ said }) => String(said.port) === env.GEMINI_CLI_IDE_SERVER_PORT);
  const found = named ?? here[0];
  return found && { file: found.file, port: found.said.port, token: found.said.authToken, said: found.said };
}

/** One connection: what is asked and answered, and what is told. */
class Peer {
  told = [];
  #answers = new Map();
  #last = 0;

  hears(message) {
    if (message.method) this.told.push(message);
    else this.#answers.get(message.id)?.(message);
  }

  async ask(method, params) {
    const id = ++this.#last;
    const answer = new Promise((done) => this.#answers.set(id, done));
    await this.sends({ jsonrpc: '2.0', id, method, params });
    const { result, error } = await answer;
    if (error) assert.fail(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  async begin(name) {
    const info = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name, version: '1' } };
    const said = await this.ask('initialize', info);
    await this.sends({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return said;
  }

  /** Calls a tool; the texts of its answer. */
  async tool(name, args = {}) {
    const { content, isError } = await this.ask('tools/call', { name, arguments: args });
    const texts = content.map(({ text }) => text);
    assert.ok(!isError, `${name}: ${texts}`);
    return texts;
  }

  /** Waits until it is told of something that is so, beginning with what was told after `from` messages. */
  hearsOf(method, is, from = 0) {
    const so = () => this.told.slice(from).find((message) => message.method === method && is(message.params));
    return until(so, `${method} in ${JSON.stringify(this.told.slice(from))}`);
  }
}

/** Claude Code. */
export class Claude extends Peer {
  #socket;

  static async enter({ port, token }) {
    const claude = new Claude();
    claude.#socket = new WebSocket(`ws://127.0.0.1:${port}`, ['mcp'], { headers: { 'X-Claude-Code-Ide-Authorization': token } });
    claude.#socket.on('message', (bytes) => claude.hears(JSON.parse(bytes)));
    await new Promise((done, failed) => claude.#socket.on('open', done).on('error', failed));
    await claude.begin('claude-code');
    await claude.sends({ jsonrpc: '2.0', method: 'ide_connected', params: { pid: process.pid } });
    return claude;
  }

  sends(message) {
    this.#socket.send(JSON.stringify(message));
  }

  /** Shows what a file would be; the answer comes with the decisions. */
  shows(file, content, tab) {
    return this.tool('openDiff', { old_file_path: file, new_file_path: file, new_file_contents: content, tab_name: tab });
  }

  /** What a tool answers as one value. */
  async value(name, args) {
    return JSON.parse((await this.tool(name, args))[0]);
  }

  leaves() {
    this.#socket.close();
  }
}

/** Gemini CLI. */
export class Gemini extends Peer {
  #url;
  #headers;
  #left = new AbortController();

  static async enter({ port, token }) {
    const gemini = new Gemini();
    gemini.#url = `http://127.0.0.1:${port}/mcp`;
    gemini.#headers = { Authorization: `Bearer ${token}`, Accept: 'application/json, text/event-stream' };
    await gemini.begin('streamable-http-client');
    const stream = await gemini.#fetch({ method: 'GET' });
    assert.equal(stream.status, 200, 'what is told comes by itself');
    void gemini.#listen(stream);
    return gemini;
  }

  async sends(message) {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await this.#fetch({ method: 'POST', headers, body: JSON.stringify(message) });
    assert.ok(answer.ok, `${answer.status} to ${message.method}`);
    const session = answer.headers.get('mcp-session-id');
    if (session) this.#headers['Mcp-Session-Id'] = session;
    if (answer.headers.get('content-type')?.startsWith('text/event-stream')) void this.#listen(answer);
    else if (message.id !== undefined) this.hears(await answer.json());
  }

  /** Shows what a file would be; what becomes of it is told. */
  shows(file, content) {
    return this.tool('openDiff', { filePath: file, newContent: content });
  }

  leaves() {
    this.#left.abort();
  }

  #fetch({ headers, ...rest }) {
    return fetch(this.#url, { ...rest, headers: { ...this.#headers, ...headers }, signal: this.#left.signal });
  }

  async #listen({ body }) {
    let said = '';
    try {
      for await (const text of body.pipeThrough(new TextDecoderStream())) {
        const events = (said + text).split(/\r?\n\r?\n/);
        said = events.pop();
        for (const event of events) {
          const data = /^data: ?(\{.*)$/m.exec(event)?.[1];
          if (data) this.hears(JSON.parse(data));
        }
      }
    } catch (thrown) {
      if (!this.#left.signal.aborted) console.log(`  a stream broke: ${thrown}`);
    }
  }
}
