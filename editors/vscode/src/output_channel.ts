// The output channel. What others wrote stands in it too, so what is hidden shows there.

import * as vscode from 'vscode';
import { escapeHidden } from './text';

/** The methods that write to a channel. */
const WRITERS = new Set<string | symbol>(['append', 'appendLine', 'replace', 'trace', 'debug', 'info', 'warn', 'error']);

const escapePart = (part: unknown): unknown => (typeof part === 'string' ? escapeHidden(part) : part);

/** Makes the channel. */
export function createOutput(): vscode.LogOutputChannel {
  const channel = vscode.window.createOutputChannel('wherefore', { log: true });
  return new Proxy(channel, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found !== 'function') return found;
      const run = found.bind(target) as (...parts: unknown[]) => unknown;
      return WRITERS.has(name) ? (...parts: unknown[]) => run(...parts.map(escapePart)) : run;
    },
  });
}
