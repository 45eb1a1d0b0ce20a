// The extension's door: what VS Code calls, and what other extensions may ask.

import * as vscode from 'vscode';
import { listFollowups, type ChatAgent } from './agent/chat';
import { makeCommands } from './commands';
import { Context } from './context';
import { readSetting } from './settings';

/** Answers for other extensions, and for tests. */
export interface Api {
  /** Counts the hunks that wait, and their files. */
  pending(): { hunks: number; files: number };
  /** Counts the applied hunks that are shown and their files, and all of those that nobody has looked at. */
  applied(): { hunks: number; files: number; unseen: number };
  /** Tells of the server: if it runs, and its process. */
  server(): { running: boolean; pid: number | undefined; trouble: string | undefined };
  /** Gives the milliseconds that drawing a file's hunks took the last time. */
  drawMs(): number;
  /** Answers a request of the chat. */
  chat: ChatAgent['answerRequest'];
  /** Lists what may be said after a response of the chat. */
  chatFollowups: typeof listFollowups;
}

let context: Context | undefined;

export function activate(extension: vscode.ExtensionContext): Api {
  const created = new Context(extension);
  context = created;
  extension.subscriptions.push(created);
  for (const [name, run] of Object.entries(makeCommands(created))) {
    extension.subscriptions.push(vscode.commands.registerCommand(`wherefore.${name}`, run));
  }
  void created.addProgramToPath();
  if (readSetting('autostart', true)) void created.server.start();
  return makeApi(created);
}

export function deactivate(): Promise<void> | undefined {
  return context?.server.stop();
}

function makeApi({ store, applied, chat, server, marks }: Context): Api {
  return {
    pending: () => store.countWaiting(),
    applied: () => ({ ...store.countApplied(), unseen: applied.unseen }),
    chat: (...request) => chat.answerRequest(...request),
    chatFollowups: listFollowups,
    server: () => ({ running: server.isRunning, pid: server.pid, trouble: server.trouble }),
    drawMs: () => marks.lastDrawMs,
  };
}
