// The review at the end: hunks that a policy applied with nobody looking are shown and decided on as those that wait are.
// Accepted, they stay; rejected, they are taken back.

import * as vscode from 'vscode';
import { remark, warn } from './notify';
import { isUnseen, type Review } from './review';
import type { Server } from './server';
import { clip, count, sentence, waiting } from './text';
import type { Proposal } from './wire';

/** How long notices are gathered before the server is asked how things stand. */
const GATHER_MS = 150;

interface From extends vscode.QuickPickItem {
  since?: string;
}

/** The review of what was applied. */
export class Applied implements vscode.Disposable {
  /** After which point of the log it looks; nothing where it is off. */
  private on: { since: string | undefined } | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Proposals that are not shown and were asked about: they came before the point. */
  private readonly met = new Set<string>();
  /** Whether one was told of that may belong to what is shown. */
  private fresh = false;
  /** Hunks that were applied and that nobody has looked at, whether they are shown or not. */
  unseen = 0;

  constructor(
    private readonly server: () => Server,
    private readonly review: Review,
    private readonly changed: () => void,
  ) {}

  /** Whether applied hunks are shown. */
  get isOn(): boolean {
    return this.on !== undefined;
  }

  /** The point of the log after which applied hunks are looked at. */
  get since(): string | undefined {
    return this.on?.since;
  }

  /** Begins at a point of the log; asks which one, where none is given and there is a choice. */
  async begin(since?: string): Promise<boolean> {
    try {
      const all = await this.ask(since);
      if (all.length === 0) {
        remark('nothing was applied that nobody has looked at');
        return false;
      }
      const from = since === undefined ? await choose(all) : { since };
      if (!from) return false;
      const list = from.since === since ? all : await this.ask(from.since);
      this.on = { since: from.since };
      this.met.clear();
      this.review.look(list);
      this.changed();
      const { hunks, files } = this.review.applied();
      remark(`${waiting(hunks, files)} applied with nobody looking: accept keeps, reject takes back`);
      return true;
    } catch (thrown) {
      warn(sentence(thrown));
      return false;
    }
  }

  /** Shows only what waits again. */
  end(): void {
    if (!this.on) {
      remark('hunks that were applied are not shown');
      return;
    }
    this.on = undefined;
    this.review.look([]);
    this.changed();
  }

  /** The server told of proposals, or began: how many applied hunks there are is asked anew, and they are shown. */
  heard(list?: Proposal[]): void {
    if (list && this.unseen === 0 && !list.some((proposal) => unseen(proposal) > 0)) return;
    for (const { id } of (list ?? []).filter((proposal) => unseen(proposal) > 0)) {
      if (this.review.looksAt(id) || this.met.has(id)) continue;
      this.met.add(id);
      this.fresh = true;
    }
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.look();
    }, GATHER_MS);
  }

  /** The server ended. */
  forget(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.on = undefined;
    this.unseen = 0;
  }

  /** Leaves where nothing is left. */
  settle(): void {
    if (!this.on || this.review.applied().hunks > 0) return;
    this.on = undefined;
    remark('all that was applied has been looked at');
    this.changed();
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private async look(): Promise<void> {
    const status = await this.server().ask('status', null).catch(() => undefined);
    if (!status) return;
    this.unseen = status.workspaces.reduce((sum, workspace) => sum + workspace.unreviewed_hunks, 0);
    const { on } = this;
    if (on && this.fresh) {
      this.fresh = false;
      const found = await this.ask(on.since).catch(() => undefined);
      if (found && this.on === on && found.some(({ id }) => !this.review.looksAt(id))) this.review.look(found);
    }
    this.changed();
  }

  /** The proposals with applied hunks after a point, oldest first. */
  private async ask(since: string | undefined): Promise<Proposal[]> {
    const { proposals } = await this.server().ask('proposals', { applied: true, since: since ?? null });
    return proposals.filter((proposal) => unseen(proposal) > 0);
  }
}

/** How many hunks of a proposal were applied with nobody looking. */
const unseen = ({ files }: Proposal): number => files.reduce((sum, { hunks }) => sum + hunks.filter(isUnseen).length, 0);

/** Where to begin: all of it, a time, the last session, or one of the calls. */
async function choose(all: Proposal[]): Promise<{ since?: string } | undefined> {
  const last = all.at(-1);
  if (!last || all.length === 1) return {};
  const size = (list: Proposal[]): string => count(list.reduce((sum, proposal) => sum + unseen(proposal), 0), 'hunk');
  const items: From[] = [{ label: 'All that nobody has looked at', description: size(all) }];
  const offer = (label: string, since: string, list: Proposal[]): void => {
    const before = items.at(-1)?.description;
    if (list.length > 0 && list.length < all.length && size(list) !== before) items.push({ label, since, description: size(list) });
  };
  offer('This session', `${last.session}/c-0000`, all.filter(({ session }) => session === last.session));
  for (const [label, minutes] of [['The last hour', 60], ['The last 15 minutes', 15]] as const) {
    const since = new Date(Date.now() - minutes * 60_000).toISOString();
    offer(label, since, all.filter(({ created }) => Date.parse(created) > Date.parse(since)));
  }
  items.push({ label: 'Since a call', kind: vscode.QuickPickItemKind.Separator });
  for (const [index, { session, call_id: call, tool, why, files }] of [...all.entries()].reverse()) {
    const since = index === 0 ? undefined : `${session}/c-${String(Number(call.slice(2)) - 1).padStart(4, '0')}`;
    const list = all.slice(index).filter((proposal) => proposal.session === session);
    const path = files[0]?.path ?? '';
    items.push({ label: clip(why, 80), description: clip(`${size(list)} · ${call} ${tool} ${path}`, 160), ...(since ? { since } : {}) });
  }
  return vscode.window.showQuickPick(items, { title: 'Look at what was applied', placeHolder: 'Since when?', matchOnDescription: true });
}
