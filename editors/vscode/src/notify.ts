// Tells the person, never in a modal: questions and what went wrong as messages, new hunks once for an agent and turn, the
// calls in the status bar. Settings ask for more, or for nothing.

import * as vscode from 'vscode';
import { callKey } from './callkey';
import { setting, type CallsShown, type ProposalsShown } from './settings';
import { clip, count, inert, waiting } from './text';
import type { AskParams, CallNotice, FinishNotice, Proposal } from './wire';

/** How long new hunks of an agent are gathered before they are told of. */
const GATHER_MS = 500;

/** An agent that proposes nothing for so long begins another turn. */
const TURN_MS = 60_000;

/** For so long the last call stands in the status bar after its end. */
const LINGER_MS = 4000;

/** How a message is shown. */
export type Level = 'info' | 'warning' | 'error';

interface Folded {
  count: number;
  tools: Map<string, number>;
  last: string;
}

/** What an agent proposes, as far as it was told. */
interface Turn {
  last: number;
  fresh: Proposal[];
  timer: NodeJS.Timeout | undefined;
}

/** The messages, and the call in the status bar. */
export class Notify implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('wherefore.call', vscode.StatusBarAlignment.Left, 48);
  private readonly running = new Map<string, CallNotice>();
  /** Calls that ask the person: whether they answered. */
  private readonly asking = new Map<string, boolean>();
  private readonly turns = new Map<string, Turn>();
  private shown: number[] = [];
  private folded: Folded | undefined;
  private linger: NodeJS.Timeout | undefined;

  /** `waits` says how many hunks of a proposal wait in which files, and `isSeen` whether all of them are on the screen. */
  constructor(
    private readonly waits: (id: string) => { hunks: number; files: string[] },
    private readonly isSeen: (id: string) => boolean,
  ) {
    this.item.name = 'wherefore: the call that runs';
    this.item.command = 'wherefore.calls.focus';
  }

  dispose(): void {
    this.forget();
    this.item.dispose();
  }

  /** A call began. */
  called(notice: CallNotice): void {
    const key = callKey(notice);
    this.running.set(key, notice);
    this.draw(notice);
    const calls = setting<CallsShown>('notifications.calls', 'none');
    if (this.asking.has(key) || !(calls === 'all' || (calls === 'changes' && notice.writes))) return;
    const path = notice.paths[0];
    this.fold(notice.tool, `${notice.tool}${path ? ` ${path}` : ''}: ${notice.why}`);
  }

  /** A call ended. Its fault is the agent's to mend: the person is told where they ask for that. */
  finished(notice: FinishNotice): void {
    const key = callKey(notice);
    const call = this.running.get(key);
    const answered = this.asking.get(key) === true;
    this.running.delete(key);
    this.asking.delete(key);
    this.draw(call);
    if (notice.status !== 'error' || setting<CallsShown>('notifications.calls', 'none') === 'none') return;
    // The person knows what they did.
    const code = notice.error?.code;
    if (code === 'REJECTED' || code === 'CANCELLED' || (answered && code === 'PERMISSION_DENIED')) return;
    const why = call ? ` (${call.why})` : '';
    this.fold(notice.tool, `${notice.tool}: ${code ?? 'error'}: ${notice.error?.message ?? '?'}${why}`, 'warning', notice.call_id);
  }

  /** A change waits. */
  proposed(proposal: Proposal): void {
    const shown = setting<ProposalsShown>('notifications.proposals', 'once a turn');
    const agent = proposal.origin.agent ?? proposal.tool;
    const turn = this.turns.get(agent) ?? { last: Number.NEGATIVE_INFINITY, fresh: [], timer: undefined };
    this.turns.set(agent, turn);
    const isNew = performance.now() - turn.last > TURN_MS;
    turn.last = performance.now();
    if (shown === 'none' || !(isNew || turn.timer || shown === 'each')) return;
    turn.fresh.push(proposal);
    turn.timer ??= setTimeout(() => {
      turn.timer = undefined;
      void this.tellOf(agent, turn.fresh.splice(0));
    }, GATHER_MS);
  }

  /** A call asks the person, maybe before it is told of. */
  asked(params: AskParams): void {
    this.asking.set(callKey(params), false);
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
    for (const { timer } of this.turns.values()) clearTimeout(timer);
    this.turns.clear();
    this.running.clear();
    this.asking.clear();
    clearTimeout(this.linger);
    this.item.hide();
  }

  /** Says what an agent proposes, unless all of it is on the screen. */
  private async tellOf(agent: string, proposals: Proposal[]): Promise<void> {
    const unseen = proposals.filter(({ id }) => this.waits(id).hunks > 0 && !this.isSeen(id));
    const [first] = unseen;
    if (!first) return;
    const hunks = unseen.reduce((sum, { id }) => sum + this.waits(id).hunks, 0);
    const files = new Set(unseen.flatMap(({ id }) => this.waits(id).files));
    const why = unseen.length === 1 ? `: ${first.why}` : '';
    const pressed = await tell('info', clip(`${agent} proposes ${waiting(hunks, files.size)}${why}`, 400), { title: 'Review' }, { title: 'Later' });
    if (pressed?.title === 'Review') await vscode.commands.executeCommand('wherefore.review', { proposal: first.id });
  }

  /** Shows the call that runs, the last of several, or the one that just ended. */
  private draw(ended: CallNotice | undefined): void {
    const notice = [...this.running.values()].at(-1);
    clearTimeout(this.linger);
    const call = notice ?? ended;
    if (!call) {
      this.item.hide();
      return;
    }
    const said = `${clip(call.origin.agent ?? call.tool, 24)}: ${clip(call.why, 60)}`;
    this.item.text = `${notice ? '$(sync~spin)' : '$(check)'} ${said}`;
    this.item.tooltip = inert(`${call.tool} ${call.paths.join(', ')}\n${call.why}`);
    this.item.accessibilityInformation = { label: `${notice ? 'runs' : 'ended'}: ${said}` };
    this.item.show();
    if (!notice) this.linger = setTimeout(() => this.item.hide(), LINGER_MS);
  }

  /** Shows a message of a call, or counts it where too many were shown within a second. */
  private fold(tool: string, message: string, level: Level = 'info', call?: string): void {
    const now = Date.now();
    this.shown = this.shown.filter((time) => now - time < 1000);
    if (!this.folded && this.shown.length < setting('notifications.perSecond', 4)) {
      this.shown.push(now);
      return void show(message, level, call);
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
export function remark(message: string, ms = 4000): void {
  vscode.window.setStatusBarMessage(clip(`wherefore: ${message}`, 300), ms);
}

async function show(message: string, level: Level, call?: string): Promise<void> {
  const text = clip(message, 400);
  if (level === 'warning') {
    const pressed = await tell(level, text, { title: 'Open Log' });
    if (pressed) await vscode.commands.executeCommand('wherefore.openLog', { call });
  } else {
    await tell(level, text);
  }
}
