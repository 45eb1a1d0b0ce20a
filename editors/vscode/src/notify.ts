// Tells the person what is called and why, folded where many calls come. Never modal.

import * as vscode from 'vscode';
import { callKey, keyOfProposal } from './callkey';
import { setting, type Shown } from './settings';
import { clip, count, inert } from './text';
import type { AskParams, CallNotice, FinishNotice, Proposal } from './wire';

/** How long a call that writes is held back at most: its proposal or its fault says the same and more. */
const HOLD_MS = 1500;

/** How a message is shown. */
export type Level = 'info' | 'warning' | 'error';

interface Folded {
  count: number;
  tools: Map<string, number>;
  last: string;
}

/** The messages. */
export class Notify {
  private readonly running = new Map<string, CallNotice>();
  private readonly held = new Set<string>();
  /** Calls that ask the person: the question says the same and more. Whether they answered it. */
  private readonly asking = new Map<string, boolean>();
  private shown: number[] = [];
  private folded: Folded | undefined;

  /** A call began. */
  called(notice: CallNotice): void {
    const key = callKey(notice);
    this.running.set(key, notice);
    if (!wanted(notice.writes) || this.asking.has(key)) return;
    if (!notice.writes) {
      this.fold(notice.tool, describe(notice));
      return;
    }
    this.held.add(key);
    setTimeout(() => this.release(notice), HOLD_MS);
  }

  /** A call ended; a fault is worth a message, and a change that was made without a question. */
  finished(notice: FinishNotice): void {
    const key = callKey(notice);
    const call = this.running.get(key);
    const answered = this.asking.get(key) === true;
    this.running.delete(key);
    this.asking.delete(key);
    if (call && notice.status !== 'error') this.release(call);
    if (notice.status !== 'error' || setting<Shown>('notify', 'all') === 'none') return;
    this.held.delete(key);
    // The person knows what they did.
    const code = notice.error?.code;
    if (code === 'REJECTED' || code === 'CANCELLED' || (answered && code === 'PERMISSION_DENIED')) return;
    const why = call ? ` (${call.why})` : '';
    this.fold(notice.tool, `${notice.tool}: ${notice.error?.code ?? 'error'}: ${notice.error?.message ?? '?'}${why}`, 'warning', notice.call_id);
  }

  /** A change waits. */
  proposed(proposal: Proposal, waiting: number): void {
    this.held.delete(keyOfProposal(proposal));
    if (waiting === 0 || !wanted(true)) return;
    const more = proposal.files.length - 1;
    const where = (proposal.files[0]?.path ?? '?') + (more > 0 ? ` and ${more} more` : '');
    this.fold(proposal.tool, `${proposal.tool} ${where}, ${count(waiting, 'hunk')}: ${proposal.why}`, 'info', undefined, proposal.id);
  }

  /** A call asks the person, maybe before it is told of. */
  asked(params: AskParams): void {
    const key = callKey(params);
    this.asking.set(key, false);
    this.held.delete(key);
  }

  /** The person answered. */
  answered(params: AskParams): void {
    this.asking.set(callKey(params), true);
  }

  /** Says where hunks of a proposal went stale since it was last told. */
  wentStale(before: Proposal | undefined, now: Proposal): void {
    const hunks = before?.files.flatMap((file) => file.hunks) ?? [];
    const waited = new Set(hunks.filter((hunk) => (hunk.state ?? 'pending') === 'pending').map((hunk) => hunk.id));
    for (const file of now.files) {
      const stale = file.hunks.filter((hunk) => hunk.state === 'stale' && waited.has(hunk.id)).length;
      if (stale > 0) warn(`${count(stale, 'hunk')} of ${file.path} no longer fit the text and were set aside`);
    }
  }

  /** Forgets calls of a server that ended. */
  forget(): void {
    this.running.clear();
    this.held.clear();
    this.asking.clear();
  }

  private release(notice: CallNotice): void {
    if (this.held.delete(callKey(notice))) this.fold(notice.tool, describe(notice));
  }

  /** Shows a message of a call, or counts it where too many were shown within a second. */
  private fold(tool: string, message: string, level: Level = 'info', call?: string, proposal?: string): void {
    const now = Date.now();
    this.shown = this.shown.filter((time) => now - time < 1000);
    if (!this.folded && this.shown.length < setting('notifyPerSecond', 4)) {
      this.shown.push(now);
      return void show(message, level, call, proposal);
    }
    if (!this.folded) {
      this.folded = { count: 0, tools: new Map(), last: '' };
      setTimeout(() => this.flush(), 1000);
    }
    this.folded.count += 1;
    this.folded.tools.set(tool, (this.folded.tools.get(tool) ?? 0) + 1);
    this.folded.last = message;
  }

  private flush(): void {
    const many = this.folded;
    this.folded = undefined;
    if (!many) return;
    const tools = [...many.tools].map(([tool, times]) => `${times} ${tool}`).sort();
    void show(`${count(many.count, 'more call')} (${tools.join(', ')}), the last: ${many.last}`, 'info');
  }
}

/** Shows a message, the words of others in it made harmless; gives the button that was pressed. */
export function tell<T extends vscode.MessageItem>(level: Level, message: string, ...buttons: T[]): Thenable<T | undefined> {
  const text = inert(message);
  if (level === 'error') return vscode.window.showErrorMessage(text, ...buttons);
  return level === 'warning' ? vscode.window.showWarningMessage(text, ...buttons) : vscode.window.showInformationMessage(text, ...buttons);
}

/** A warning of ours. */
export function warn(message: string): void {
  void tell('warning', `wherefore: ${message}`);
}

/** A remark in the status bar that goes by itself. */
export function remark(message: string): void {
  vscode.window.setStatusBarMessage(clip(`wherefore: ${message}`, 300), 4000);
}

function wanted(writes: boolean): boolean {
  const shown = setting<Shown>('notify', 'all');
  return shown === 'all' || (shown === 'writes' && writes);
}

function describe(notice: CallNotice): string {
  const path = notice.paths[0];
  return `${notice.tool}${path ? ` ${path}` : ''}: ${notice.why}`;
}

async function show(message: string, level: Level, call?: string, proposal?: string): Promise<void> {
  const text = clip(message, 400);
  if (level === 'warning') {
    const pressed = await tell(level, text, { title: 'Open Log' });
    if (pressed) await vscode.commands.executeCommand('wherefore.openLog', { call });
  } else if (proposal) {
    const pressed = await tell(level, text, { title: 'Review' });
    if (pressed) await vscode.commands.executeCommand('wherefore.next', { proposal });
  } else {
    await tell(level, text);
  }
}
