// The view of calls: those that ask first, then newest first; live, each with its why and how it stands.

import * as vscode from 'vscode';
import { asker, question, type Asked, type Asks } from '../asks';
import { callKey, keyOfProposal, pathOf } from '../callkey';
import { outcomeOfProposal, type Outcome, type Past } from '../history';
import type { Review } from '../review';
import type { Terminals } from '../terminals';
import { clip } from '../text';
import type { AskParams, CallNotice, FinishNotice, Proposal } from '../wire';
import { Tree } from './tree';

/** Calls that are kept. */
const KEPT = 200;

/** How calls end that a person stopped: no fault of anybody's. */
const STOPPED = new Set<string | undefined>(['REJECTED', 'CANCELLED']);

/** The sign of what became of a change, and its colour. */
const SIGNS: Record<Outcome, [string, string]> = {
  accepted: ['check-all', 'testing.iconPassed'],
  'accepted in part': ['color-mode', 'testing.iconPassed'],
  applied: ['check-all', 'testing.iconPassed'],
  rejected: ['circle-slash', 'descriptionForeground'],
  'set aside': ['circle-slash', 'descriptionForeground'],
  undone: ['discard', 'descriptionForeground'],
};

/** A call, by what was told of it. */
export type Call = Past;

/** What can be undone: also a change whose decision was not told of. */
const UNDOABLE = new Set<Outcome | undefined>([undefined, 'accepted', 'accepted in part', 'applied']);

/** A call, or a line about one. */
export type Node = Call | { text: string; icon: string };

/** Whether it is a call of this view. */
export function isCall(node: unknown): node is Call {
  return typeof node === 'object' && node !== null && 'notice' in node;
}

/** The view. */
export class Calls extends Tree<Node> {
  private calls: Call[] = [];
  private readonly open = new Map<string, Call>();
  /** The calls whose hunks wait. */
  private waiting = new Set<string>();

  constructor(
    private readonly review: Review,
    private readonly asks: Asks,
    private readonly terminals: Terminals,
  ) {
    super();
  }

  called(notice: CallNotice): void {
    const known = this.open.get(callKey(notice));
    if (known) known.notice = notice;
    else this.begin({ notice });
    this.refresh();
  }

  /** A call asks, maybe before it is told of; where they come too many it never is. */
  asked({ root, session, call_id, tool, why, agent }: AskParams): void {
    if (call_id === '' || this.open.has(callKey({ root, session, call_id }))) return;
    const time = new Date().toISOString();
    this.begin({ notice: { root, session, call_id, tool, why, time, origin: { agent: agent ?? null }, paths: [], writes: false } });
    this.refresh();
  }

  finished(notice: FinishNotice): void {
    const key = callKey(notice);
    const call = this.open.get(key);
    this.open.delete(key);
    if (!call) return;
    call.end = notice;
    this.refresh();
  }

  /** Takes calls of before that are not listed yet, and what became of those that are. */
  fill(past: Past[]): void {
    const known = new Map(this.calls.map((call) => [keyOf(call), call]));
    for (const call of past) {
      const listed = known.get(keyOf(call));
      if (listed) listed.outcome = call.outcome ?? listed.outcome;
      else this.calls.push(call.end ? call : { ...call, end: lost(call) });
    }
    this.calls = this.calls.sort((a, b) => a.notice.time.localeCompare(b.notice.time)).slice(-KEPT);
    this.refresh();
  }

  /** Proposals as the server holds them now. */
  told(proposals: Proposal[]): void {
    for (const proposal of proposals) {
      const key = keyOfProposal(proposal);
      const call = this.calls.findLast((each) => keyOf(each) === key);
      // A decision on one that is undone comes before that.
      if (call && call.outcome !== 'undone') call.outcome = outcomeOfProposal(proposal) ?? call.outcome;
    }
  }

  /** Calls of a server that ended will not end. */
  forget(): void {
    for (const call of this.running()) this.finished(lost(call));
  }

  /** The calls that run, newest first. */
  running(): Call[] {
    return [...this.open.values()].reverse();
  }

  /** The calls that run, and those whose command goes on in the background, newest first. */
  stoppable(): Call[] {
    return [...this.running(), ...this.calls.filter((call) => call.end && this.tier(call)).reverse()];
  }

  getChildren(node?: Node): Node[] {
    if (node) return isCall(node) ? this.details(node) : [];
    this.waiting = new Set(this.review.entries().map(({ proposal }) => keyOfProposal(proposal)));
    const asking = this.running().filter((call) => this.asks.of(keyOf(call)));
    return [...asking, ...this.calls.slice(-KEPT).reverse().filter((call) => !asking.includes(call))];
  }

  protected item(node: Node): vscode.TreeItem {
    if (!isCall(node)) {
      const item = new vscode.TreeItem(node.text);
      item.iconPath = new vscode.ThemeIcon(node.icon);
      item.tooltip = node.text;
      return item;
    }
    const { notice, end } = node;
    const asked = this.asks.of(keyOf(node));
    const state = this.state(node, asked);
    const item = new vscode.TreeItem(notice.why || title(notice), vscode.TreeItemCollapsibleState.Collapsed);
    item.id = keyOf(node);
    const tier = this.tier(node);
    const what = notice.why ? about(notice) : '';
    item.description = clip((asked || tier ? [state, what] : [what]).filter(Boolean).join(' · '), 200);
    item.iconPath = this.icon(node, asked);
    item.tooltip = [notice.why, `${clock(notice.time)} ${about(notice)}`, state].filter(Boolean).join('\n');
    const words = {
      running: !end || tier !== undefined,
      command: this.terminals.has(notice),
      undoable: notice.writes && end !== undefined && end.status !== 'error' && UNDOABLE.has(node.outcome),
      asks: asked !== undefined,
      choices: asked !== undefined && asked.params.answers.length > 2,
    };
    item.contextValue = Object.entries(words).filter(([, is]) => is).map(([word]) => word).join(' ');
    item.accessibilityInformation = { label: [notice.why, state, title(notice)].filter(Boolean).join(', ') };
    item.command = { title: 'Show in the log', command: 'wherefore.openLog', arguments: [node] };
    return item;
  }

  private begin(call: Call): void {
    const key = keyOf(call);
    // The log may have told of it first.
    if (!this.open.has(key)) this.calls = this.calls.filter((each) => keyOf(each) !== key);
    this.open.set(key, call);
    this.calls.push(call);
    if (this.calls.length > 2 * KEPT) this.calls = this.calls.slice(-KEPT);
  }

  /** The tier of the command that runs for it. */
  private tier({ notice }: Call): string | undefined {
    return this.terminals.running(notice);
  }

  private waits(call: Call): boolean {
    return this.waiting.has(keyOf(call));
  }

  private state(call: Call, asked: Asked | undefined): string {
    const { end } = call;
    if (asked) return `${asker(asked.params) || 'asks'}: ${question(asked.params)}`;
    const tier = this.tier(call);
    if (tier) return end ? `its command runs in the background, ${tier}` : `running, ${tier}`;
    if (end?.error) return `${end.error.code}: ${end.error.message}`;
    if (this.waits(call)) return 'waits for your decision';
    if (!end) return 'runs';
    if (call.outcome) return call.outcome;
    return end.status === 'pending' ? 'answered before it was decided on' : `done in ${Math.round(end.duration_ms)} ms`;
  }

  private icon(call: Call, asked: Asked | undefined): vscode.ThemeIcon {
    const { end } = call;
    const [name, color] = asked
      ? ['question', 'list.warningForeground']
      : end?.status === 'error'
        ? STOPPED.has(end.error?.code)
          ? ['circle-slash', 'descriptionForeground']
          : ['error', 'list.errorForeground']
        : this.waits(call)
          ? ['clock', 'list.warningForeground']
          : end && !this.tier(call)
            ? call.outcome
              ? SIGNS[call.outcome]
              : ['pass', 'testing.iconPassed']
            : ['loading~spin', 'foreground'];
    return new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
  }

  private details(call: Call): Node[] {
    const { agent, door, tool } = call.notice.origin;
    const own = tool ? `, by its own ${tool} (${door ?? 'unknown'})` : '';
    const rows = [
      { text: call.notice.why, icon: 'comment' },
      { text: `${clock(call.notice.time)}, ${agent ?? door ?? 'unknown'}${own}`, icon: 'account' },
      { text: this.state(call, this.asks.of(keyOf(call))), icon: 'info' },
    ];
    return rows.filter(({ text }) => text !== '');
  }
}

/** The end of a call whose server ended before it. */
function lost({ notice: { root, session, call_id, tool } }: Call): FinishNotice {
  const error = { code: 'CANCELLED', message: 'the server ended before it', recoverable: true } as const;
  return { root, session, call_id, tool, status: 'error', error, duration_ms: 0 };
}

/** The call's one name. */
export function keyOf({ notice }: Call): string {
  return callKey(notice);
}

/** The call of a node of this view, with its session and its folder. */
export function callOf(node: unknown): { call: string; session: string; root: string } | undefined {
  if (!isCall(node)) return undefined;
  const { call_id, session, root } = node.notice;
  return { call: call_id, session, root: pathOf(root) };
}

/** The tool, and the first of what it is about. */
export function title(notice: CallNotice): string {
  const path = notice.paths[0];
  const tool = notice.origin.tool ?? notice.tool;
  return path ? `${tool} ${path}` : tool;
}

/** The same for behind the why. */
function about(notice: CallNotice): string {
  return [notice.origin.tool ?? notice.tool, notice.paths[0]].filter(Boolean).join(' · ');
}

/** The time of day. */
export function clock(time: string): string {
  return new Date(time).toLocaleTimeString(undefined, { hour12: false });
}
