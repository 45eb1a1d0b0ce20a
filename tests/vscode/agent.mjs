// An agent of another process, that reaches the server of the editor through its socket.

import { spawn } from 'node:child_process';

export const program = process.env.WHEREFORE_BIN;

/** Calls a tool; what it answers comes with the decision. */
export function call(place, tool, args, policy = 'ask', agent = 'tester/1') {
  const options = ['call', tool, JSON.stringify(args), '--root', place.root, '--policy', policy, '--agent', agent];
  const child = spawn(program, options, { env: place.env, stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((done) => {
    let said = '';
    child.stdout.on('data', (bytes) => (said += bytes));
    child.stderr.on('data', (bytes) => (said += bytes));
    child.on('close', () => done(said));
  });
}

/** An agent over MCP that calls a tool and never hears the answer: what it gives breaks the call off, as Escape does. */
export async function interruptible(place, tool, args) {
  const child = spawn(program, ['mcp', '--root', place.root], { env: place.env, stdio: ['pipe', 'pipe', 'ignore'] });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'claude-code', version: '2.1.0' };
  send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  await new Promise((done) => child.stdout.once('data', done));
  child.stdout.resume();
  send({ method: 'notifications/initialized' });
  send({ id: 1, method: 'tools/call', params: { name: tool, arguments: args } });
  return {
    interrupt: () => send({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'Escape' } }),
    end: () => child.stdin.end(),
  };
}

/** Lines `line 1` … `line n`, with some replaced; null removes one. */
export function numbered(count, changes = {}) {
  const lines = Array.from({ length: count }, (_, index) => (index + 1 in changes ? changes[index + 1] : `line ${index + 1}`));
  return lines.filter((line) => line !== null).map((line) => `${line}\n`).join('');
}

/** A unified diff that deletes a file of such lines. */
export function deletion(name, count) {
  const rows = numbered(count).replace(/^(?=.)/gm, '-');
  return `--- a/${name}\n+++ /dev/null\n@@ -1,${count} +0,0 @@\n${rows}`;
}

/** A unified diff with a hunk of one line of context for each line changed; lines must stand apart. */
export function diff(name, count, changes) {
  let grown = 0;
  const hunks = Object.entries(changes).map(([key, text]) => {
    const line = Number(key);
    const first = Math.max(line - 1, 1);
    const last = Math.min(line + 1, count);
    const added = text === null ? [] : text.split('\n');
    const rows = [];
    for (let at = first; at <= last; at++) {
      if (at === line) rows.push(`-line ${at}`, ...added.map((each) => `+${each}`));
      else rows.push(` line ${at}`);
    }
    const old = last - first + 1;
    const head = `@@ -${first},${old} +${first + grown},${old - 1 + added.length} @@`;
    grown += added.length - 1;
    return [head, ...rows].join('\n');
  });
  return `--- a/${name}\n+++ b/${name}\n${hunks.join('\n')}\n`;
}
