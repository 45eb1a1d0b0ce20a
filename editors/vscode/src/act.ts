// What a person does: accept, reject, undo. Decisions are sent; the server applies them.

import * as vscode from 'vscode';
import type { Applied } from './applied';
import type { Below } from './below';
import type { Edit } from './edit';
import { aimed, isAtApplied, placed } from './aim';
import { goAhead, settled } from './go';
import { removed, type Gone } from './gone';
import { about, type About } from './lenses';
import { remark, tell, warn, type Notify } from './notify';
import { entryAt, showDiff } from './preview';
import type { Entry, Review, Waiting } from './review';
import type { Server } from './server';
import { sentence } from './text';
import type { Act as Word, DecideParams, Proposal } from './wire';

/** A node of a tree that stands for a proposal, a file or a hunk. */
export interface Pointing {
  about: About;
}

/** The acts. */
export class Act {
  /** Decisions under way, so that a key pressed twice counts once. */
  private readonly sent = new Set<string>();

  constructor(
    private readonly server: Server,
    private readonly review: Review,
    private readonly below: Below,
    private readonly notify: Notify,
    private readonly applied: Applied,
    private readonly edit: Edit,
    private readonly gone: Gone,
    private readonly picked: () => About | undefined,
  ) {}

  /** Takes proposals as the server holds them now, and says where hunks went stale. */
  take(list: Proposal[]): void {
    for (const proposal of list) this.notify.wentStale(this.review.get(proposal.id), proposal);
    this.review.put(list);
    this.applied.heard(list);
    void this.gone.close(removed(list));
  }

  /** The hunk that a key means: the one at the cursor, else the nearest that is on the screen. */
  here(): Waiting | undefined {
    const editor = vscode.window.activeTextEditor;
    return editor && (this.edit.hunk(editor.document.uri) ?? aimed(placed(this.review, editor.document), editor));
  }

  /** Whether the cursor is at a hunk that was applied. */
  isAtApplied(): boolean {
    const editor = vscode.window.activeTextEditor;
    return editor !== undefined && isAtApplied(placed(this.review, editor.document), editor);
  }

  /** Decides on what is named (`picked`: in the tree), else on the hunk that the key means; where it means none, on nothing. */
  async decide(act: Word, argument: unknown, reason?: string): Promise<void> {
    const edited = act === 'accept' && argument === undefined && this.edit.shown();
    if (edited) return this.edit.accept(edited);
    const what = await this.what(argument);
    if (what) await this.send({ ...this.whole(what), act, reason: reason || null });
  }

  /** Rejects with a word that is asked for. */
  async rejectWithReason(argument: unknown): Promise<void> {
    const what = await this.what(argument);
    if (!what) return;
    const applied = what.hunks ? this.hunkOf(what)?.applied : this.isApplied(what);
    const reason = await vscode.window.showInputBox({ title: applied ? 'Take back' : 'Reject', prompt: 'Why? The agent reads this.' });
    if (reason !== undefined) await this.send({ ...this.whole(what), act: 'reject', reason: reason || null });
  }

  /** Opens the new lines of what is named, or of the hunk at the cursor, to be changed before they are accepted. */
  async editHunk(argument: unknown): Promise<void> {
    const what = await this.what(argument);
    if (!what) return;
    const hunk = this.hunkOf(what) ?? this.only(what);
    if (!hunk) return warn('these are several hunks; Wherefore: Next Hunk goes to one');
    await this.edit.open(hunk);
  }

  /** Decides on every hunk of the file shown, or of the one named. */
  async decideFile(act: Word, argument: unknown): Promise<void> {
    const named = this.named(argument);
    const found: About[] = named?.path ? [named] : this.entriesHere().map((entry) => ({ proposal: entry.proposal.id, path: entry.file.path }));
    if (found.length === 0) return warn('nothing waits in this file');
    for (const what of found) await this.send({ ...this.whole(what), act });
  }

  /** Decides on everything, in each folder. */
  async decideAll(act: Word): Promise<void> {
    const roots = Map.groupBy(this.review.entries(), (entry) => entry.root);
    if (roots.size === 0) return remark('nothing waits');
    const { since = null } = this.applied;
    for (const [root, entries] of roots) {
      const applied = entries.some((entry) => entry.hunks.some((hunk) => hunk.applied));
      const waits = entries.some((entry) => entry.hunks.some((hunk) => !hunk.applied));
      // What waits is all meant, also from before the point since which the applied is looked at.
      if (waits && applied && since !== null) await this.send({ act, root });
      if (applied || waits) await this.send(applied ? { act, root, applied, since } : { act, root });
    }
  }

  /** Shows a proposal whole: the one named, the one at the cursor, or the first that waits. */
  async diff(argument: unknown): Promise<void> {
    const what = this.named(argument) ?? (this.here() && about(this.here() as Waiting));
    const id = what?.proposal ?? this.entriesHere()[0]?.proposal.id ?? this.review.entries()[0]?.proposal.id;
    if (id === undefined) return remark('nothing waits');
    await showDiff(this.review.proposal(id));
  }

  /** Takes a call back; the last one that changed a file when none is named. */
  async undo(what?: { call: string; root: string | null }): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const root = what ? what.root : ((uri && vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath) ?? null);
    try {
      const answer = await this.server.ask('undo', { call: what?.call ?? null, root });
      if ((answer.withdrawn ?? 0) > 0) remark(`${answer.withdrawn} hunks of ${answer.call} that waited are rejected`);
      if (answer.paths.length === 0) return;
      const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => root === null || folder.uri.fsPath === root);
      void this.gone.close(folders.flatMap((folder) => answer.paths.map((path) => vscode.Uri.joinPath(folder.uri, path))));
      const said = `wherefore: ${answer.call} undone: ${answer.paths.join(', ')}`;
      const back = await tell('info', said, { title: 'Take That Back' });
      if (back) await this.undo({ call: answer.undo_id, root });
    } catch (thrown) {
      warn(sentence(thrown));
    }
  }

  /** The entries of the file that the active editor shows. */
  entriesHere(): Entry[] {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (!uri) return [];
    const shown = entryAt(this.review, uri);
    return shown ? [shown] : this.review.of(uri);
  }

  private named(argument: unknown): About | undefined {
    if (argument === 'picked') return this.picked();
    if (typeof argument !== 'object' || argument === null) return undefined;
    if ('proposal' in argument) return argument as About;
    if ('about' in argument) return (argument as Pointing).about;
    const hunk = this.below.hunk(argument);
    return hunk && about(hunk);
  }

  /** The hunk that is named, where it is one. */
  private hunkOf({ proposal, hunks }: About): Waiting | undefined {
    const all = this.review.proposal(proposal).flatMap((entry) => entry.hunks);
    return hunks?.length === 1 ? all.find((hunk) => hunk.id === hunks[0]) : undefined;
  }

  /** The one hunk of what is named whole. */
  private only(what: About): Waiting | undefined {
    const all = this.meant(what).flatMap((entry) => entry.hunks);
    return all.length === 1 ? all[0] : undefined;
  }

  private meant({ proposal, path }: About): Entry[] {
    return this.review.proposal(proposal).filter((entry) => path === undefined || entry.file.path === path);
  }

  /** Whether applied hunks are among what is named whole. */
  private isApplied(what: About): boolean {
    return this.meant(what).some((entry) => entry.hunks.some((hunk) => hunk.applied));
  }

  /** What is named, with its applied hunks where those are shown: named one by one they are meant anyway. */
  private whole(what: About): About & Pick<DecideParams, 'applied'> {
    return what.hunks === undefined && this.isApplied(what) ? { ...what, applied: true } : what;
  }

  /** What is named, else the hunk that the key means. Where it means none it leads to the next one, and says so. */
  private async what(argument: unknown): Promise<About | undefined> {
    const named = this.named(argument);
    if (named) return named;
    if (argument === 'picked') return void warn('no row is selected in Proposals');
    await settled();
    const hunk = this.here();
    if (hunk) return about(hunk);
    if (await goAhead(this.review)) remark('no hunk was on the screen, so nothing is decided: this is the next one');
    return undefined;
  }

  private async send(params: DecideParams): Promise<void> {
    const once = JSON.stringify([params.proposal, params.hunks, params.path, params.applied]);
    if (this.sent.has(once)) return;
    this.sent.add(once);
    const root = params.root ?? this.review.proposal(params.proposal ?? '')[0]?.root ?? null;
    try {
      const answer = await this.server.ask('decide', { ...params, root });
      this.take(answer.proposals);
      for (const problem of answer.problems ?? []) warn(problem);
    } catch (thrown) {
      warn(sentence(thrown));
    } finally {
      this.sent.delete(once);
    }
  }
}
