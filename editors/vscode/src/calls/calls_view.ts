// The view of calls: those that ask first, then newest first; live, each with its why and how it stands.

import * as vscode from 'vscode';
import { describeAsker, formatQuestion, type OpenQuestion, type Questions } from './questions';
import { makeCallKey, makeProposalKey, toFolderPath } from './call_key';
import { readPastCalls, summarizeProposal, type ChangeOutcome, type CallRecord } from './past_calls';
import type { ProposalStore } from '../review/proposal_store';
import type { CommandTerminals } from './command_terminals';
import { clip } from '../text';
import type { ServerClient } from '../server/client';
import type { AskParams, CallNotice, FinishNotice, Proposal } from '../server/wire';
import { TreeProvider } from '../tree_view';

/** Calls that are kept. */
const MOST_CALLS = 200;


/** The end of a command that a person stopped, as the server says it. */
const CANCELLED = 'cancelled';

/** The end of a call whose server ended before it. */
const SERVER_ENDED = 'the server ended before it';

/** The signs of a call that was cancelled, and of one whose server ended. */
const CANCELLED_SIGN: [string, string] = ['stop-circle', 'descriptionForeground'];
const SERVER_ENDED_SIGN: [string, string] = ['debug-disconnect', 'list.warningForeground'];

/** The sign of what became of a change, and its colour. */
const OUTCOME_SIGNS: Record<ChangeOutcome, [string, string]> = {
  accepted: ['check-all', 'testing.iconPassed'],
  'accepted in part': ['color-mode', 'testing.iconPassed'],
  applied: ['check-all', 'testing.iconPassed'],
  rejected: ['circle-slash', 'descriptionForeground'],
  'set aside': ['archive', 'descriptionForeground'],
  undone: ['discard', 'descriptionForeground'],
};

/** A call, by what was told of it. */
export type Call = CallRecord;

/** The outcomes that can be undone: also that of a change whose decision was not told of. */
const UNDOABLE = new Set<ChangeOutcome | undefined>([undefined, 'accepted', 'accepted in part', 'applied']);

/** A call, or a line about one. */
export type CallNode = Call | { text: string; icon: string };

/** True if it is a call of this view. */
export function isCall(node: unknown): node is Call {
  return typeof node === 'object' && node !== null && 'notice' in node;
}

/** The view. */
export class CallsView extends TreeProvider<CallNode> {
  private calls: Call[] = [];
  private readonly open = new Map<string, Call>();
  /** The calls whose hunks wait. */
  private waiting = new Set<string>();

  constructor(
    private readonly store: ProposalStore,
    private readonly questions: Questions,
    private readonly terminals: CommandTerminals,
  ) {
    super();
  }

  addCall(notice: CallNotice): void {
    const listed = this.open.get(makeCallKey(notice));
    if (listed) listed.notice = notice;
    else this.add({ notice });
    this.refresh();
  }

  /** A call asks, maybe before it is told of; where they come too many it never is. */
  addAskingCall({ root, session, call_id, tool, why, agent }: AskParams): void {
    if (call_id === '' || this.open.has(makeCallKey({ root, session, call_id }))) return;
    const time = new Date().toISOString();
    this.add({ notice: { root, session, call_id, tool, why, time, origin: { agent: agent ?? null }, paths: [], writes: false } });
    this.refresh();
  }

  endCall(notice: FinishNotice): void {
    const key = makeCallKey(notice);
    const call = this.open.get(key);
    this.open.delete(key);
    if (!call) return;
    call.end = notice;
    this.refresh();
  }

  /** Takes the calls of before from the logs of each folder, and what became of those that it lists. */
  async recall(server: ServerClient): Promise<void> {
    const roots = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
    for (const root of roots) if (server.program) this.addPastCalls(await readPastCalls(server.program.path, root));
  }

  /** Takes calls of before that are not listed yet, and what became of those that are. */
  addPastCalls(past: CallRecord[]): void {
    const byKey = new Map(this.calls.map((call) => [makeKey(call), call]));
    for (const call of past) {
      const listed = byKey.get(makeKey(call));
      if (listed) {
        listed.outcome = call.outcome ?? listed.outcome;
        listed.undoId = call.undoId;
      } else this.calls.push(call.end ? call : { ...call, end: makeLostEnd(call) });
    }
    this.calls = this.calls.sort((a, b) => a.notice.time.localeCompare(b.notice.time)).slice(-MOST_CALLS);
    this.refresh();
  }

  /** Proposals as the server holds them now. */
  takeProposals(proposals: Proposal[]): void {
    for (const proposal of proposals) {
      const key = makeProposalKey(proposal);
      const call = this.calls.findLast((each) => makeKey(each) === key);
      // A decision on one that is undone comes before that.
      if (call && call.outcome !== 'undone') call.outcome = summarizeProposal(proposal) ?? call.outcome;
    }
  }

  /** Calls of a server that ended will not end. */
  endAll(): void {
    for (const call of this.listRunning()) this.endCall(makeLostEnd(call));
  }

  /** The calls that run, newest first. */
  listRunning(): Call[] {
    return [...this.open.values()].reverse();
  }

  /** The calls that run, and those whose command goes on in the background, newest first. */
  listStoppable(): Call[] {
    return [...this.listRunning(), ...this.calls.filter((call) => call.end && this.findTier(call)).reverse()];
  }

  getChildren(node?: CallNode): CallNode[] {
    if (node) return isCall(node) ? this.listDetails(node) : [];
    this.waiting = new Set(this.store.listEntries().map(({ proposal }) => makeProposalKey(proposal)));
    const asking = this.listRunning().filter((call) => this.questions.findByCall(makeKey(call)));
    return [...asking, ...this.calls.slice(-MOST_CALLS).reverse().filter((call) => !asking.includes(call))];
  }

  protected makeItem(node: CallNode): vscode.TreeItem {
    if (!isCall(node)) {
      const item = new vscode.TreeItem(node.text);
      item.iconPath = new vscode.ThemeIcon(node.icon);
      item.tooltip = node.text;
      return item;
    }
    const { notice, end } = node;
    const question = this.questions.findByCall(makeKey(node));
    const state = this.describeState(node, question);
    const item = new vscode.TreeItem(notice.why || describeTool(notice), vscode.TreeItemCollapsibleState.Collapsed);
    item.id = makeKey(node);
    const tier = this.findTier(node);
    const subject = notice.why ? describeSubject(notice) : '';
    item.description = clip((question || tier || this.findFailure(node) ? [state, subject] : [subject]).filter(Boolean).join(' · '), 200);
    item.iconPath = this.makeIcon(node, question);
    item.tooltip = [notice.why, `${formatClock(notice.time)} ${describeSubject(notice)}`, state].filter(Boolean).join('\n');
    const words = {
      running: !end || tier !== undefined,
      command: this.terminals.hasCommand(notice),
      undoable: notice.writes && end !== undefined && end.status !== 'error' && UNDOABLE.has(node.outcome),
      redoable: node.outcome === 'undone' && node.undoId !== undefined,
      asks: question !== undefined,
      choices: question !== undefined && question.params.answers.length > 2,
    };
    item.contextValue = Object.entries(words).filter(([, isSet]) => isSet).map(([word]) => word).join(' ');
    item.accessibilityInformation = { label: [notice.why, state, describeTool(notice)].filter(Boolean).join(', ') };
    item.command = { title: 'Show in the log', command: 'wherefore.openLog', arguments: [node] };
    return item;
  }

  private add(call: Call): void {
    const key = makeKey(call);
    // The log may have told of it first.
    if (!this.open.has(key)) this.calls = this.calls.filter((each) => makeKey(each) !== key);
    this.open.set(key, call);
    this.calls.push(call);
    if (this.calls.length > 2 * MOST_CALLS) this.calls = this.calls.slice(-MOST_CALLS);
  }

  /** The tier of the command that runs for it. */
  private findTier({ notice }: Call): string | undefined {
    return this.terminals.findRunningTier(notice);
  }

  private isWaiting(call: Call): boolean {
    return this.waiting.has(makeKey(call));
  }

  /** Finds how what it ran ended, where the call did not fail and that did, or was stopped. */
  private findFailure(call: Call): string | undefined {
    if (!call.end || call.end.error || this.findTier(call)) return undefined;
    const failure = call.end.failure ?? this.terminals.findFailure(call.notice) ?? call.failure;
    return failure ? clip(failure, 80) : undefined;
  }

  /** The sign of a call that went well: what its command came to, or its change. */
  private findEndSign(call: Call): [string, string] {
    const failure = this.findFailure(call);
    if (failure) return failure === CANCELLED ? CANCELLED_SIGN : ['error', 'list.errorForeground'];
    if (call.outcome) return OUTCOME_SIGNS[call.outcome];
    return call.end?.latent ? ['circle-outline', 'descriptionForeground'] : ['pass', 'testing.iconPassed'];
  }

  private describeState(call: Call, question: OpenQuestion | undefined): string {
    const { end } = call;
    if (question) return `${describeAsker(question.params) || 'asks'}: ${formatQuestion(question.params)}`;
    const tier = this.findTier(call);
    if (tier) return end ? `its command runs in the background, ${tier}` : `running, ${tier}`;
    if (end?.error?.code === 'REJECTED') return `rejected: ${end.error.message}`;
    if (end?.error?.code === 'CANCELLED') return end.error.message === SERVER_ENDED ? SERVER_ENDED : `cancelled: ${end.error.message}`;
    if (end?.error) return `${end.error.code}: ${end.error.message}`;
    if (this.isWaiting(call)) return 'waits for your decision';
    if (!end) return 'runs';
    const failure = this.findFailure(call);
    if (failure) return [failure === CANCELLED ? 'its command was cancelled' : `✗ ${failure}`, call.outcome && `its changes: ${call.outcome}`].filter(Boolean).join('; ');
    if (call.outcome) return call.outcome;
    if (end.latent) return 'no code ran: the caller filled the result';
    return end.status === 'pending' ? 'answered before it was decided on' : `done in ${Math.round(end.duration_ms)} ms`;
  }

  private makeIcon(call: Call, question: OpenQuestion | undefined): vscode.ThemeIcon {
    const { end } = call;
    const [name, color] = question
      ? ['question', 'list.warningForeground']
      : end?.status === 'error'
        ? findFaultSign(end)
        : this.isWaiting(call)
          ? ['clock', 'list.warningForeground']
          : end && !this.findTier(call)
            ? this.findEndSign(call)
            : ['loading~spin', 'foreground'];
    return new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
  }

  private listDetails(call: Call): CallNode[] {
    const { agent, door, tool } = call.notice.origin;
    const own = tool ? `, by its own ${tool} (${door ?? 'unknown'})` : '';
    const rows = [
      { text: call.notice.why, icon: 'comment' },
      { text: `${formatClock(call.notice.time)}, ${agent ?? door ?? 'unknown'}${own}`, icon: 'account' },
      { text: this.describeState(call, this.questions.findByCall(makeKey(call))), icon: 'info' },
    ];
    return rows.filter(({ text }) => text !== '');
  }
}

/** The sign of a call that was answered with a fault. */
function findFaultSign({ error }: FinishNotice): [string, string] {
  if (error?.code === 'REJECTED') return OUTCOME_SIGNS.rejected;
  if (error?.code === 'CANCELLED') return error.message === SERVER_ENDED ? SERVER_ENDED_SIGN : CANCELLED_SIGN;
  return ['error', 'list.errorForeground'];
}

/** The end of a call whose server ended before it. */
function makeLostEnd({ notice: { root, session, call_id, tool } }: Call): FinishNotice {
  const error = { code: 'CANCELLED', message: SERVER_ENDED, recoverable: true } as const;
  return { root, session, call_id, tool, status: 'error', error, duration_ms: 0 };
}

/** The call's one name. */
export function makeKey({ notice }: Call): string {
  return makeCallKey(notice);
}

/** The undo of a call of this view, where it is undone, with its folder. */
export function findUndo(node: unknown): { call: string; root: string } | undefined {
  if (!isCall(node) || node.undoId === undefined) return undefined;
  return { call: `${node.notice.session}/${node.undoId}`, root: toFolderPath(node.notice.root) };
}

/** The call of a node of this view, with its session and its folder. */
export function locateCall(node: unknown): { call: string; session: string; root: string } | undefined {
  if (!isCall(node)) return undefined;
  const { call_id, session, root } = node.notice;
  return { call: call_id, session, root: toFolderPath(root) };
}

/** The tool, and the first of what it is about. */
export function describeTool(notice: CallNotice): string {
  const path = notice.paths[0];
  const tool = notice.origin.tool ?? notice.tool;
  return path ? `${tool} ${path}` : tool;
}

/** The same for behind the why. */
function describeSubject(notice: CallNotice): string {
  return [notice.origin.tool ?? notice.tool, notice.paths[0]].filter(Boolean).join(' · ');
}

/** The time of day. */
export function formatClock(time: string): string {
  return new Date(time).toLocaleTimeString(undefined, { hour12: false });
}
