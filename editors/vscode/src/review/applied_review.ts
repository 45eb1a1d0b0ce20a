// The review at the end: hunks that a policy applied with nobody looking are shown and decided on as those that wait are.
// Accepted, they stay; rejected, they are taken back.

import * as vscode from 'vscode';
import { showRemark, warn } from '../messages';
import { isUnseen, type ProposalStore } from './proposal_store';
import type { ServerClient } from '../server/client';
import { clip, formatCount, describeError, formatHunkCount } from '../text';
import type { Proposal } from '../server/wire';

/** The time that notices are gathered before the server is asked how things stand. */
const GATHER_MS = 150;

interface StartChoice extends vscode.QuickPickItem {
  since?: string;
}

/** The review of what was applied. */
export class AppliedReview implements vscode.Disposable {
  /** After which point of the log it looks; nothing where it is off. */
  private shownFrom: { since: string | undefined } | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Proposals that are not shown and were asked about: they came before the point. */
  private readonly seenBefore = new Set<string>();
  /** True if one was told of that may belong to what is shown. */
  private hasNew = false;
  /** Hunks that were applied and that nobody has looked at, whether they are shown or not. */
  unseen = 0;

  constructor(
    private readonly server: ServerClient,
    private readonly store: ProposalStore,
    private readonly onChange: () => void,
  ) {}

  /** True if applied hunks are shown. */
  get isOn(): boolean {
    return this.shownFrom !== undefined;
  }

  /** The point of the log after which applied hunks are looked at. */
  get since(): string | undefined {
    return this.shownFrom?.since;
  }

  /** Begins at a point of the log; asks which one, where none is given and there is a choice. */
  async beginReview(since?: string): Promise<boolean> {
    try {
      const all = await this.requestProposals(since);
      if (all.length === 0) {
        showRemark('nothing was applied that nobody has looked at');
        return false;
      }
      const from = since === undefined ? await chooseStart(all) : { since };
      if (!from) return false;
      const list = from.since === since ? all : await this.requestProposals(from.since);
      this.shownFrom = { since: from.since };
      this.seenBefore.clear();
      this.store.showApplied(list);
      this.onChange();
      const { hunks, files } = this.store.countApplied();
      showRemark(`${formatHunkCount(hunks, files)} applied with nobody looking: accept keeps, reject takes back`);
      return true;
    } catch (thrown) {
      warn(describeError(thrown));
      return false;
    }
  }

  /** Shows only what waits again. */
  endReview(): void {
    if (!this.shownFrom) {
      showRemark('hunks that were applied are not shown');
      return;
    }
    this.shownFrom = undefined;
    this.store.showApplied([]);
    this.onChange();
  }

  /** The server told of proposals, or began: how many applied hunks there are is asked anew, and they are shown. */
  takeProposals(list?: Proposal[]): void {
    if (list && this.unseen === 0 && !list.some((proposal) => countUnseen(proposal) > 0)) return;
    for (const { id } of (list ?? []).filter((proposal) => countUnseen(proposal) > 0)) {
      if (this.store.isLookedAt(id) || this.seenBefore.has(id)) continue;
      this.seenBefore.add(id);
      this.hasNew = true;
    }
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.refresh();
    }, GATHER_MS);
  }

  /** The server ended. */
  reset(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.shownFrom = undefined;
    this.unseen = 0;
  }

  /** Leaves where nothing is left. */
  leaveIfDone(): void {
    if (!this.shownFrom || this.store.countApplied().hunks > 0) return;
    this.shownFrom = undefined;
    showRemark('all that was applied has been looked at');
    this.onChange();
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private async refresh(): Promise<void> {
    const status = await this.server.request('status', null).catch(() => undefined);
    if (!status) return;
    this.unseen = status.workspaces.reduce((sum, workspace) => sum + workspace.unreviewed_hunks, 0);
    const { shownFrom } = this;
    if (shownFrom && this.hasNew) {
      this.hasNew = false;
      const found = await this.requestProposals(shownFrom.since).catch(() => undefined);
      if (found && this.shownFrom === shownFrom && found.some(({ id }) => !this.store.isLookedAt(id))) this.store.showApplied(found);
    }
    this.onChange();
  }

  /** The proposals with applied hunks after a point, oldest first. */
  private async requestProposals(since: string | undefined): Promise<Proposal[]> {
    const { proposals } = await this.server.request('proposals', { applied: true, since: since ?? null });
    return proposals.filter((proposal) => countUnseen(proposal) > 0);
  }
}

/** Counts the hunks of a proposal that were applied with nobody looking. */
const countUnseen = ({ files }: Proposal): number => files.reduce((sum, { hunks }) => sum + hunks.filter(isUnseen).length, 0);

/** The beginning: all of it, a time, the last session, or one of the calls. */
async function chooseStart(all: Proposal[]): Promise<{ since?: string } | undefined> {
  const last = all.at(-1);
  if (!last || all.length === 1) return {};
  const describeSize = (list: Proposal[]): string => formatCount(list.reduce((sum, proposal) => sum + countUnseen(proposal), 0), 'hunk');
  const items: StartChoice[] = [{ label: 'All that nobody has looked at', description: describeSize(all) }];
  const offerStart = (label: string, since: string, list: Proposal[]): void => {
    const before = items.at(-1)?.description;
    if (list.length > 0 && list.length < all.length && describeSize(list) !== before) items.push({ label, since, description: describeSize(list) });
  };
  offerStart('This session', `${last.session}/c-0000`, all.filter(({ session }) => session === last.session));
  for (const [label, minutes] of [['The last hour', 60], ['The last 15 minutes', 15]] as const) {
    const since = new Date(Date.now() - minutes * 60_000).toISOString();
    offerStart(label, since, all.filter(({ created }) => Date.parse(created) > Date.parse(since)));
  }
  items.push({ label: 'Since a call', kind: vscode.QuickPickItemKind.Separator });
  for (const [index, { session, call_id: call, tool, why, files }] of [...all.entries()].reverse()) {
    const since = index === 0 ? undefined : `${session}/c-${String(Number(call.slice(2)) - 1).padStart(4, '0')}`;
    const list = all.slice(index).filter((proposal) => proposal.session === session);
    const path = files[0]?.path ?? '';
    items.push({ label: clip(why, 80), description: clip(`${describeSize(list)} · ${call} ${tool} ${path}`, 160), ...(since ? { since } : {}) });
  }
  return vscode.window.showQuickPick(items, { title: 'Look at what was applied', placeHolder: 'Since when?', matchOnDescription: true });
}
