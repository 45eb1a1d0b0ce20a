// News of calls and changes: questions and what went wrong as messages, new hunks once for an agent and turn, the calls in the
// status bar. Settings ask for more, or for nothing.

import * as vscode from 'vscode';
import { makeCallKey, STOPPED_CODES } from './calls/call_key';
import { showMessage, warn, type MessageLevel } from './messages';
import { isOnScreen } from './review/target_hunk';
import type { ProposalStore } from './review/proposal_store';
import { readSetting, type CallsShown, type ProposalsShown } from './settings';
import { clip, formatCount, escapeMarkup, formatHunkCount } from './text';
import type { AskParams, CallNotice, FinishNotice, Proposal } from './server/wire';

/** The time that new hunks of an agent are gathered before they are told of. */
const GATHER_MS = 500;

/** An agent that proposes nothing for so long begins another turn. */
const TURN_MS = 60_000;

/** For so long the last call stands in the status bar after its end. */
const LINGER_MS = 4000;

interface FoldedCalls {
  count: number;
  tools: Map<string, number>;
  last: string;
}

/** The proposals of an agent in one turn. */
interface AgentTurn {
  last: number;
  proposals: Proposal[];
  timer: NodeJS.Timeout | undefined;
}

/** The messages, and the call in the status bar. */
export class Notifications implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('wherefore.call', vscode.StatusBarAlignment.Left, 48);
  private readonly running = new Map<string, CallNotice>();
  /** Calls that ask the person: whether they answered. */
  private readonly answeredByCall = new Map<string, boolean>();
  private readonly turns = new Map<string, AgentTurn>();
  private shownTimes: number[] = [];
  private folded: FoldedCalls | undefined;
  private lingerTimer: NodeJS.Timeout | undefined;

  constructor(private readonly store: ProposalStore) {
    this.item.name = 'wherefore: the call that runs';
    this.item.command = 'wherefore.calls.focus';
  }

  dispose(): void {
    this.clear();
    this.item.dispose();
  }

  /** A call began. */
  showCall(notice: CallNotice): void {
    const key = makeCallKey(notice);
    this.running.set(key, notice);
    this.drawStatus(notice);
    const calls = readSetting<CallsShown>('notifications.calls', 'none');
    if (this.answeredByCall.has(key) || !(calls === 'all' || (calls === 'changes' && notice.writes))) return;
    const path = notice.paths[0];
    const message = `${notice.tool}${path ? ` ${path}` : ''}: ${notice.why}`;
    if (notice.writes) void showCallMessage(message, 'info');
    else this.foldCall(notice.tool, message);
  }

  /** A call ended. Its fault is the agent's to mend: the person is told where they ask for that. */
  showCallEnd(notice: FinishNotice): void {
    const key = makeCallKey(notice);
    const call = this.running.get(key);
    const isAnswered = this.answeredByCall.get(key) === true;
    this.running.delete(key);
    this.answeredByCall.delete(key);
    this.drawStatus(call, notice);
    const calls = readSetting<CallsShown>('notifications.calls', 'none');
    if (calls === 'none') return;
    const why = call ? ` (${call.why})` : '';
    if (notice.failure && (calls === 'all' || calls === 'failed')) this.foldCall(notice.tool, `${notice.tool}: ${notice.failure}${why}`);
    if (notice.status !== 'error') return;
    // The person knows what they did.
    const code = notice.error?.code;
    if (code === 'REJECTED' || code === 'CANCELLED' || (isAnswered && code === 'PERMISSION_DENIED')) return;
    void showCallMessage(`${notice.tool}: ${code ?? 'error'}: ${notice.error?.message ?? '?'}${why}`, 'warning', notice.call_id);
  }

  /** A change waits. */
  addProposal(proposal: Proposal): void {
    const choice = readSetting<ProposalsShown>('notifications.proposals', 'once a turn');
    const agent = proposal.origin.agent ?? proposal.tool;
    const turn = this.turns.get(agent) ?? { last: Number.NEGATIVE_INFINITY, proposals: [], timer: undefined };
    this.turns.set(agent, turn);
    const isNew = performance.now() - turn.last > TURN_MS;
    turn.last = performance.now();
    if (choice === 'none' || !(isNew || turn.timer || choice === 'each')) return;
    turn.proposals.push(proposal);
    turn.timer ??= setTimeout(() => {
      turn.timer = undefined;
      void this.tellOfProposals(agent, turn.proposals.splice(0));
    }, GATHER_MS);
  }

  /** A call asks the person, maybe before it is told of. */
  noteQuestion(params: AskParams): void {
    this.answeredByCall.set(makeCallKey(params), false);
  }

  /** The person answered. */
  noteAnswer(params: AskParams): void {
    this.answeredByCall.set(makeCallKey(params), true);
  }

  /** Says where hunks of a proposal went stale since it was last told. */
  warnOfStaleHunks(before: Proposal | undefined, now: Proposal): void {
    const hunks = before?.files.flatMap((file) => file.hunks) ?? [];
    const waited = new Set(hunks.filter((hunk) => (hunk.state ?? 'pending') === 'pending').map((hunk) => hunk.id));
    for (const file of now.files) {
      const stale = file.hunks.filter((hunk) => hunk.state === 'stale' && waited.has(hunk.id)).length;
      if (stale === 0) continue;
      const ending = stale === 1 ? 'no longer fits the text and was set aside' : 'no longer fit the text and were set aside';
      warn(`${formatCount(stale, 'hunk')} of ${file.path} ${ending}`);
    }
  }

  /** Forgets calls of a server that ended. */
  clear(): void {
    for (const { timer } of this.turns.values()) clearTimeout(timer);
    this.turns.clear();
    this.running.clear();
    this.answeredByCall.clear();
    clearTimeout(this.lingerTimer);
    this.item.hide();
  }

  /** Says what an agent proposes, unless all of it is on the screen. */
  private async tellOfProposals(agent: string, proposals: Proposal[]): Promise<void> {
    const waiting = proposals.map((proposal) => ({ proposal, hunks: this.store.listWaiting(proposal.id) }));
    const unseen = waiting.filter(({ hunks }) => hunks.some((hunk) => !isOnScreen(this.store, hunk)));
    const [first] = unseen;
    if (!first) return;
    const hunks = unseen.flatMap((each) => each.hunks);
    const files = new Set(hunks.map(({ entry }) => entry.key));
    const why = unseen.length === 1 ? `: ${first.proposal.why}` : '';
    const pressed = await showMessage('info', clip(`${agent} proposes ${formatHunkCount(hunks.length, files.size)}${why}`, 400), { title: 'Review' }, { title: 'Later' });
    if (pressed?.title === 'Review') await vscode.commands.executeCommand('wherefore.review', { proposal: first.proposal.id });
  }

  /** Shows the call that runs, the last of several, or the one that just ended. */
  private drawStatus(ended: CallNotice | undefined, end?: FinishNotice): void {
    const notice = [...this.running.values()].at(-1);
    clearTimeout(this.lingerTimer);
    const call = notice ?? ended;
    if (!call) {
      this.item.hide();
      return;
    }
    const [sign, how] = notice ? ['sync~spin', 'runs'] : describeEnd(end);
    const who = clip(call.origin.agent ?? call.tool, 24);
    const sentence = [`${who}: ${clip(call.why, 60)}`, !notice && clip(end?.failure ?? '', 40)].filter(Boolean).join(' · ');
    this.item.text = `$(${sign}) ${sentence}`;
    this.item.tooltip = escapeMarkup(`${call.tool} ${call.paths.join(', ')}\n${call.why}`);
    this.item.accessibilityInformation = { label: `${how}: ${sentence}` };
    this.item.show();
    if (!notice) this.lingerTimer = setTimeout(() => this.item.hide(), LINGER_MS);
  }

  /** Shows a message of a call that only reads, or counts it where too many were shown within a second. A change or a fault is
   * never counted. */
  private foldCall(tool: string, message: string): void {
    const now = Date.now();
    this.shownTimes = this.shownTimes.filter((time) => now - time < 1000);
    if (!this.folded && this.shownTimes.length < readSetting('notifications.perSecond', 4)) {
      this.shownTimes.push(now);
      return void showCallMessage(message, 'info');
    }
    if (!this.folded) {
      this.folded = { count: 0, tools: new Map(), last: '' };
      setTimeout(() => this.flushFolded(), 1000);
    }
    this.folded.count += 1;
    this.folded.tools.set(tool, (this.folded.tools.get(tool) ?? 0) + 1);
    this.folded.last = message;
  }

  private flushFolded(): void {
    const many = this.folded;
    this.folded = undefined;
    if (!many) return;
    const tools = [...many.tools].map(([tool, times]) => `${times} ${tool}`).sort();
    void showCallMessage(`${formatCount(many.count, 'more call')} (${tools.join(', ')}), the last: ${many.last}`, 'info');
  }
}

/** The sign of how a call ended, and a word for it. */
function describeEnd(end: FinishNotice | undefined): [string, string] {
  if (STOPPED_CODES.has(end?.error?.code)) return ['circle-slash', 'stopped'];
  return end?.error || end?.failure ? ['error', 'failed'] : ['check', 'ended'];
}

async function showCallMessage(message: string, level: MessageLevel, call?: string): Promise<void> {
  const text = clip(message, 400);
  if (level === 'warning') {
    const pressed = await showMessage(level, text, { title: 'Open Log' });
    if (pressed) await vscode.commands.executeCommand('wherefore.openLog', { call });
  } else {
    await showMessage(level, text);
  }
}
