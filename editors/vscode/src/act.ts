// What a person does: accept, reject, undo. Decisions are sent; the server applies them.

import * as vscode from 'vscode';
import type { Applied } from './applied';
import { aimed, placed } from './aim';
import type { Go } from './go';
import { removed, type Gone } from './gone';
import { about, type About } from './lenses';
import type { OnScreen } from './onscreen';
import { remark, tell, warn, type Notify } from './notify';
import { entryAt, fixed, RIGHT } from './preview';
import type { Entry, Review, Waiting } from './review';
import type { Right } from './right';
import type { Server } from './server';
import { setting, type AfterDecision } from './settings';
import { isInReview, isInSeveral } from './tabs';
import { clip, count, sentence } from './text';
import type { Act as Word, DecideParams, Proposal } from './wire';

/** Kinds of changes that take a file or a folder away. */
const DELETES = new Set(['delete', 'rmdir']);

/** A node of a tree that stands for a proposal, a file or a hunk. */
export interface Pointing {
  about: About;
}

/** The acts. */
export class Act {
  /** Decisions under way, so that a key pressed twice counts once. */
  private readonly sent = new Set<string>();
  /** Called once a call is undone. */
  undone: () => void = () => undefined;

  constructor(
    private readonly server: Server,
    private readonly review: Review,
    private readonly go: Go,
    private readonly onScreen: OnScreen,
    private readonly notify: Notify,
    private readonly applied: Applied,
    private readonly right: Right,
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
    if (isInSeveral() && this.onScreen.isInDoubt) return undefined;
    return editor && aimed(placed(this.review, editor.document), editor);
  }

  /** Decides on what is named (`picked`: in the tree), else on the hunk that the key means; where it means none, on nothing. */
  async decide(act: Word, argument: unknown, reason?: string): Promise<void> {
    const what = await this.what(argument);
    if (what) await this.sendAndGoOn(what, { act, reason: reason || null });
  }

  /** Rejects with a word that is asked for. */
  async rejectWithReason(argument: unknown): Promise<void> {
    const what = await this.what(argument);
    if (!what) return;
    const applied = what.hunks ? this.hunkOf(what)?.applied : this.isApplied(what);
    const reason = await vscode.window.showInputBox({ title: applied ? 'Take back' : 'Reject', prompt: 'Why? The agent reads this.' });
    if (reason !== undefined) await this.sendAndGoOn(what, { act: 'reject', reason: reason || null });
  }

  /** Lets the person edit the new lines of what is named, or of the hunk that the key means. */
  async editHunk(argument: unknown): Promise<void> {
    const what = await this.what(argument);
    if (!what) return;
    const hunk = this.hunkOf(what) ?? this.only(what);
    if (!hunk) return warn('these are several hunks; Wherefore: Next Hunk goes to one');
    const why = fixed(hunk);
    if (why) return warn(why);
    await this.go.to(hunk, this.go.isInText);
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (uri?.scheme === RIGHT) await this.right.begin(uri);
  }

  /** Decides on every hunk of the file shown, or of the one named. */
  async decideFile(act: Word, argument: unknown): Promise<void> {
    const named = this.named(argument);
    const found: About[] = named?.path ? [named] : this.entriesHere().map((entry) => ({ proposal: entry.proposal.id, path: entry.file.path }));
    if (found.length === 0) return warn('nothing waits in this file');
    for (const what of found) await this.send({ ...this.whole(what), act });
  }

  /** Decides on everything, in each folder. Asks first where an acceptance deletes, unless a key says `{"deletions": true}`. */
  async decideAll(act: Word, argument?: unknown): Promise<void> {
    const roots = Map.groupBy(this.review.entries(), (entry) => entry.root);
    if (roots.size === 0) return remark('nothing waits');
    const isMeant = act !== 'accept' || (argument as { deletions?: boolean } | undefined)?.deletions === true;
    const kept = isMeant ? [] : await this.deletions();
    if (kept === undefined) return remark('nothing is decided');
    if (kept.length > 0) return this.acceptBut(kept);
    const { since = null } = this.applied;
    for (const [root, entries] of roots) {
      const applied = entries.some((entry) => entry.hunks.some((hunk) => hunk.applied));
      const waits = entries.some((entry) => entry.hunks.some((hunk) => !hunk.applied));
      // What waits is all meant, also from before the point since which the applied is looked at.
      if (waits && applied && since !== null) await this.send({ act, root });
      if (applied || waits) await this.send(applied ? { act, root, applied, since } : { act, root });
    }
  }

  /** Where files or folders are to be deleted, asks about them: gives those that the person leaves waiting, or undefined. */
  private async deletions(): Promise<Entry[] | undefined> {
    const found = this.review.entries().filter(({ file, hunks }) => DELETES.has(file.kind) && hunks.some((hunk) => !hunk.applied));
    if (found.length === 0) return [];
    const paths = clip(found.map(({ file }) => file.path).join(', '), 200);
    const rest = this.review.entries().length > found.length;
    const items = [
      { label: `$(trash) Accept Everything, and delete ${count(found.length, 'file')}`, detail: paths, kept: [] },
      ...(rest ? [{ label: '$(check) Accept the rest', detail: 'The deletions go on waiting', kept: found }] : []),
      { label: '$(close) Cancel', kept: undefined },
    ];
    const title = `This deletes ${count(found.length, 'file')}`;
    return (await vscode.window.showQuickPick<vscode.QuickPickItem & { kept: Entry[] | undefined }>(items, { title, ignoreFocusOut: true }))?.kept;
  }

  /** Accepts everything but these. */
  private async acceptBut(kept: Entry[]): Promise<void> {
    const rest = this.review.entries().filter((entry) => !kept.includes(entry));
    for (const { proposal, file, root } of rest) await this.send({ ...this.whole({ proposal: proposal.id, path: file.path }), act: 'accept', root });
  }

  /** Shows a proposal whole: the one named, the one at the cursor, or the first that waits. */
  async diff(argument: unknown): Promise<void> {
    const what = this.named(argument) ?? (this.here() && about(this.here() as Waiting));
    const id = what?.proposal ?? this.entriesHere()[0]?.proposal.id ?? this.review.entries()[0]?.proposal.id;
    if (id === undefined) return remark('nothing waits');
    await this.go.proposal(id);
  }

  /** Takes a call back; the last one that changed a file when none is named. */
  async undo(what?: { call: string; root: string | null }): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const root = what ? what.root : ((uri && vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath) ?? null);
    try {
      const answer = await this.server.ask('undo', { call: what?.call ?? null, root });
      this.undone();
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
    return undefined;
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
  async what(argument: unknown): Promise<About | undefined> {
    const named = this.named(argument);
    if (named) return named;
    if (argument === 'picked') return void warn('no row is selected in Proposals');
    await this.go.settled();
    const hunk = this.here();
    if (hunk) return about(hunk);
    if (await this.go.goAhead()) remark('no hunk was on the screen, so nothing is decided: this is the next one');
    return undefined;
  }

  /** Decides, and goes on to the next hunk where the person wants that: from one hunk of the review, or of the text that they go through. */
  private async sendAndGoOn(what: About, how: Pick<DecideParams, 'act' | 'reason'>): Promise<void> {
    const hunk = this.hunkOf(what);
    const goesOn = setting<AfterDecision>('review.afterDecision', 'next') === 'next' && (isInReview() || this.go.isInText);
    const following = hunk && goesOn ? this.go.following(hunk) : undefined;
    await this.send({ ...this.whole(what), ...how });
    this.onScreen.arrived();
    const next = following?.();
    if (next && !(hunk && this.hunkOf(about(hunk)))) await this.go.to(next);
  }

  private async send(params: DecideParams): Promise<void> {
    await this.right.keepAll();
    const edited = this.edited(params);
    for (const each of edited) await this.ask(each);
    const sent = edited.flatMap(({ hunks }) => hunks ?? []);
    const rest = params.hunks?.filter((id) => !sent.includes(id));
    if (rest?.length !== 0) await this.ask(rest ? { ...params, hunks: rest } : params);
  }

  /** Hunks that the person edited are accepted with their lines, each proposal by itself. */
  private edited(params: DecideParams): DecideParams[] {
    if (params.act !== 'accept') return [];
    const meant = this.review.entries().filter(({ root, file, proposal }) => {
      return (params.proposal ?? proposal.id) === proposal.id && (params.path ?? file.path) === file.path && (params.root ?? root) === root;
    });
    return [...Map.groupBy(meant, ({ proposal }) => proposal.id)].flatMap(([proposal, entries]) => {
      const hunks = entries.flatMap((entry) => entry.hunks).filter((hunk) => hunk.draft && (params.hunks?.includes(hunk.id) ?? true));
      const texts = Object.fromEntries(hunks.map(({ id, draft }) => [id, (draft ?? []).join('')]));
      return hunks.length > 0 ? [{ proposal, hunks: hunks.map(({ id }) => id), act: 'accept', texts, root: entries[0]?.root ?? null }] : [];
    });
  }

  private async ask(params: DecideParams): Promise<void> {
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
