// The view of calls: newest first, live, each with its why and how it ended.

import * as vscode from 'vscode';
import type { CallNotice, FinishNotice } from '../wire';
import { clip } from '../text';
import { Tree } from './tree';

/** Calls that are kept. */
const KEPT = 200;

interface Call {
  notice: CallNotice;
  /** Whether its change waits for the person. */
  waits?: boolean;
  end?: FinishNotice;
}

type Node = Call | { text: string; icon: string };

const isCall = (node: Node): node is Call => 'notice' in node;

/** The view. */
export class Calls extends Tree<Node> {
  private calls: Call[] = [];
  private readonly running = new Map<string, Call>();

  called(notice: CallNotice): void {
    const call: Call = { notice };
    this.running.set(notice.call_id, call);
    this.calls.push(call);
    if (this.calls.length > 2 * KEPT) this.calls = this.calls.slice(-KEPT);
    this.refresh();
  }

  proposed(call_id: string): void {
    const call = this.running.get(call_id);
    if (!call) return;
    call.waits = true;
    this.refresh();
  }

  finished(notice: FinishNotice): void {
    const call = this.running.get(notice.call_id);
    this.running.delete(notice.call_id);
    if (!call) return;
    call.end = notice;
    this.refresh();
  }

  /** Calls of a server that ended will not end. */
  forget(): void {
    for (const [id, call] of this.running) {
      const error = { code: 'CANCELLED', message: 'the server ended before it', recoverable: true } as const;
      call.end = { call_id: id, tool: call.notice.tool, status: 'error', error, duration_ms: 0 };
    }
    this.running.clear();
    this.refresh();
  }

  getChildren(node?: Node): Node[] {
    if (!node) return this.calls.slice(-KEPT).reverse();
    return isCall(node) ? details(node) : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (!isCall(node)) {
      const item = new vscode.TreeItem(node.text);
      item.iconPath = new vscode.ThemeIcon(node.icon);
      item.tooltip = node.text;
      return item;
    }
    const { notice } = node;
    const item = new vscode.TreeItem(title(notice), vscode.TreeItemCollapsibleState.Collapsed);
    item.id = `${notice.root} ${notice.time} ${notice.call_id}`;
    item.description = clip(notice.why, 120);
    item.iconPath = icon(node);
    item.tooltip = `${clock(notice.time)} ${title(notice)}\n${notice.why}\n${state(node)}`;
    item.contextValue = notice.writes ? 'write' : 'read';
    item.accessibilityInformation = { label: `${title(notice)}, ${state(node)}, ${notice.why}` };
    item.command = { title: 'Show in the log', command: 'wherefore.openLog', arguments: [{ call: notice.call_id }] };
    return item;
  }
}

/** The call of a node of this view, and its folder. */
export function callOf(node: unknown): { call: string; root: string } | undefined {
  if (typeof node !== 'object' || node === null || !('notice' in node)) return undefined;
  const { call_id, root } = (node as Call).notice;
  return { call: call_id, root: vscode.Uri.parse(root, true).fsPath };
}

function title(notice: CallNotice): string {
  const path = notice.paths[0];
  return path ? `${notice.tool} ${path}` : notice.tool;
}

function clock(time: string): string {
  return new Date(time).toLocaleTimeString(undefined, { hour12: false });
}

function state({ end, waits }: Call): string {
  if (!end) return waits ? 'waits for your decision' : 'runs';
  if (end.error) return `${end.error.code}: ${end.error.message}`;
  return end.status === 'pending' ? 'waits for your decision' : `done in ${Math.round(end.duration_ms)} ms`;
}

function icon({ end, waits }: Call): vscode.ThemeIcon {
  const [name, color] =
    end?.status === 'pending' || (!end && waits)
      ? ['clock', 'list.warningForeground']
      : !end
        ? ['loading~spin', 'foreground']
        : end.status === 'error'
          ? ['error', 'list.errorForeground']
          : ['pass', 'testing.iconPassed'];
  return new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
}

function details(call: Call): Node[] {
  const { agent, door } = call.notice.origin;
  return [
    { text: call.notice.why, icon: 'question' },
    { text: `${clock(call.notice.time)}, ${agent ?? door ?? 'unknown'}`, icon: 'account' },
    { text: state(call), icon: 'info' },
  ];
}
