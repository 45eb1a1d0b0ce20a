// The output channel. What others wrote stands in it too, so what is hidden shows there.

import * as vscode from 'vscode';
import { plain } from './text';

/** What writes to a channel. */
const WRITES = new Set<string | symbol>(['append', 'appendLine', 'replace', 'trace', 'debug', 'info', 'warn', 'error']);

const shown = (part: unknown): unknown => (typeof part === 'string' ? plain(part) : part);

/** Makes the channel. */
export function makeOutput(): vscode.LogOutputChannel {
  const channel = vscode.window.createOutputChannel('wherefore', { log: true });
  return new Proxy(channel, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found !== 'function') return found;
      const run = found.bind(target) as (...parts: unknown[]) => unknown;
      return WRITES.has(name) ? (...parts: unknown[]) => run(...parts.map(shown)) : run;
    },
  });
}
