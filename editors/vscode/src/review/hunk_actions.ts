// A person's acts on hunks: accept, reject, edit, show. Decisions are sent; the server applies them.

import * as vscode from 'vscode';
import type { AppliedReview } from './applied_review';
import { findTarget, placeHunks } from './target_hunk';
import type { HunkNavigation } from './navigation';
import { findDeleted, type DeletedFiles } from './deleted_files';
import { findNamedHunk, makeEntryTarget, makeHunkTarget, resolveTarget, type DecisionRow, type DecisionTarget } from './decision_target';
import type { FocusVisibility } from './focus_visibility';
import { showRemark, warn } from '../messages';
import type { Notifications } from '../notifications';
import { findEntry, explainReadOnly, existsNow, EDIT_SCHEME } from './diff_sides';
import { takeLines } from './selected_lines';
import type { ReviewEntry, ProposalStore, ReviewHunk } from './proposal_store';
import type { AcceptResult, EditableSide } from './editable_side';
import type { ServerClient } from '../server/client';
import { isReviewedInText, readSetting, type AfterDecision } from '../settings';
import { isInReview, isInMultiDiff } from './review_tabs';
import { clip, formatCount, describeError } from '../text';
import type { CallUndo } from '../calls/call_undo';
import type { Act, DecideParams, Proposal } from '../server/wire';

/** A key that is pressed again within so long is the same press: a hand slipped. */
const DOUBLE_MS = 150;

/** Kinds of changes that take a file or a folder away. */
const DELETES = new Set(['delete', 'rmdir']);

/** The acts on hunks. */
export class HunkActions {
  /** Decisions under way, so that a key pressed twice counts once. */
  private readonly underWay = new Set<string>();
  private pressedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly server: ServerClient,
    private readonly store: ProposalStore,
    private readonly navigation: HunkNavigation,
    private readonly focusVisibility: FocusVisibility,
    private readonly notifications: Notifications,
    private readonly applied: AppliedReview,
    private readonly editableSide: EditableSide,
    private readonly deletedFiles: DeletedFiles,
    private readonly undo: CallUndo,
    private readonly findPicked: () => DecisionRow | undefined,
  ) {}

  /** Takes proposals as the server holds them now, and says where hunks went stale. */
  takeProposals(list: Proposal[]): void {
    for (const proposal of list) this.notifications.warnOfStaleHunks(this.store.findProposal(proposal.id), proposal);
    this.store.takeProposals(list);
    this.applied.takeProposals(list);
    this.undo.takeProposals(list);
    void this.deletedFiles.closeTabs(findDeleted(list));
  }

  /** The hunk that a key means: the one at the cursor, else the nearest that is on the screen. */
  private findHunkOfKey(): ReviewHunk | undefined {
    const editor = vscode.window.activeTextEditor;
    if (isInMultiDiff() && this.focusVisibility.isInDoubt) return undefined;
    return editor && findTarget(placeHunks(this.store, editor.document), editor);
  }

  /** Decides on what is named (`picked`: in the tree), else on the hunk that the key means; where it means none, on nothing. */
  async decideHunk(act: Act, argument: unknown, reason?: string): Promise<void> {
    if (argument === undefined && this.isDoublePress()) return;
    const target = await this.findTarget(argument);
    this.noteDecision(argument);
    if (target) await this.sendAndGoOn(target, { act, reason: reason || null });
  }

  /** True if a key comes so soon after the one before, whose decision is under way, that nobody has seen the next hunk yet. */
  private isDoublePress(): boolean {
    const now = performance.now();
    const isDouble = this.underWay.size > 0 && now - this.pressedAt < DOUBLE_MS;
    if (!isDouble) this.pressedAt = now;
    return isDouble;
  }

  /** Accepts the selected lines of the hunk that the key means; its other lines stay as they are. */
  async acceptLines(): Promise<void> {
    await this.navigation.waitUntilArrived();
    const editor = vscode.window.activeTextEditor;
    const hunk = this.findHunkOfKey();
    if (!editor || !hunk) return warn('no hunk is on the screen: select lines of one');
    const why = explainReadOnly(hunk);
    if (why) return warn(why);
    const place = placeHunks(this.store, editor.document).find((each) => each.hunk === hunk);
    const { start, end } = editor.selection;
    // A selection that ends at the start of a line does not hold that line.
    const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
    const side = editor.document.uri.scheme === EDIT_SCHEME ? 'new' : 'old';
    const [all, isByHand] = [hunk.draft ?? hunk.new, hunk.byHand === true];
    const chosen = takeLines(hunk.old, all, side, (line) => line + (place?.row ?? 0) >= start.line && line + (place?.row ?? 0) <= last);
    if (chosen.join('') === hunk.old.join('')) return warn('none of the selected lines is changed by a hunk');
    this.noteDecision(undefined);
    this.store.setDraft(hunk, chosen, true);
    await this.sendAndGoOn(makeHunkTarget(hunk), { act: 'accept' });
    const current = this.store.findCurrent(hunk);
    // It was not accepted: what it would add is what it was.
    if (current) this.store.setDraft(current, all, isByHand);
    else if (chosen.join('') !== all.join('')) showRemark('the selected lines are accepted, the others of the hunk stay as they were');
  }

  /** Rejects with a word that is asked for. */
  async rejectWithReason(argument: unknown): Promise<void> {
    const target = await this.findTarget(argument);
    if (!target) return;
    const applied = target.hunks.some((hunk) => hunk.applied);
    const reason = await vscode.window.showInputBox({ title: applied ? 'Take back' : 'Reject', prompt: 'Why? The agent reads this.' });
    this.noteDecision(argument);
    if (reason !== undefined) await this.sendAndGoOn(target, { act: 'reject', reason: reason || null });
  }

  /** Lets the person edit the new lines of what is named, or of the hunk that the key means. */
  async editHunk(argument: unknown): Promise<void> {
    const target = await this.findTarget(argument);
    if (!target) return;
    const [hunk, another] = target.hunks;
    if (!hunk || another) return warn(another ? 'these are several hunks; Wherefore: Next Hunk goes to one' : 'that hunk does not wait in this window');
    if (hunk.applied && existsNow(hunk.entry)) return this.navigation.goToFile(hunk);
    const why = explainReadOnly(hunk);
    if (why) return warn(why);
    await this.navigation.goToEdit(hunk);
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (uri?.scheme === EDIT_SCHEME) await this.editableSide.beginEdit(uri);
  }

  /** Decides on every hunk of the file shown, or of the one named. */
  async decideFile(act: Act, argument: unknown): Promise<void> {
    const named = this.findNamed(argument);
    const targets = named?.reference.path ? [named] : this.listEntriesHere().map(makeEntryTarget);
    if (targets.length === 0) return warn('nothing waits in this file');
    this.noteDecision(argument);
    for (const target of targets) await this.sendTarget(target, { act });
  }

  /** Decides on everything, in each folder. Asks first where an acceptance deletes, unless a key says `{"deletions": true}`. */
  async decideAll(act: Act, argument?: unknown): Promise<void> {
    const roots = Map.groupBy(this.store.listEntries(), (entry) => entry.root);
    if (roots.size === 0) return showRemark('nothing waits');
    const isAsked = act === 'accept' && (argument as { deletions?: boolean } | undefined)?.deletions !== true;
    const spared = isAsked ? await this.askAboutDeletions() : [];
    if (spared === undefined) return showRemark('nothing is decided');
    if (spared.length > 0) return this.acceptAllBut(spared);
    const { since = null } = this.applied;
    this.navigation.noteDecision();
    for (const [root, entries] of roots) {
      const applied = entries.some((entry) => entry.hunks.some((hunk) => hunk.applied));
      const waits = entries.some((entry) => entry.hunks.some((hunk) => !hunk.applied));
      const hunks = entries.flatMap((entry) => entry.hunks);
      // All that waits is decided on, also from before the point since which the applied is looked at.
      if (waits && applied && since !== null) await this.sendDecision({ act, root }, hunks);
      if (applied || waits) await this.sendDecision(applied ? { act, root, applied, since } : { act, root }, hunks);
    }
  }

  /** Where files or folders are to be deleted, asks about them: gives those that the person leaves waiting, or undefined. */
  private async askAboutDeletions(): Promise<ReviewEntry[] | undefined> {
    const found = this.store.listEntries().filter(({ file, hunks }) => DELETES.has(file.kind) && hunks.some((hunk) => !hunk.applied));
    if (found.length === 0) return [];
    const paths = clip(found.map(({ file }) => file.path).join(', '), 200);
    const rest = this.store.listEntries().length > found.length;
    const items = [
      { label: `$(trash) Accept Everything, and delete ${formatCount(found.length, 'file')}`, detail: paths, spared: [] },
      ...(rest ? [{ label: '$(check) Accept the rest', detail: 'The deletions go on waiting', spared: found }] : []),
      { label: '$(close) Cancel', spared: undefined },
    ];
    const title = `This deletes ${formatCount(found.length, 'file')}`;
    return (await vscode.window.showQuickPick<vscode.QuickPickItem & { spared: ReviewEntry[] | undefined }>(items, { title, ignoreFocusOut: true }))?.spared;
  }

  /** Accepts everything but these. */
  private async acceptAllBut(spared: ReviewEntry[]): Promise<void> {
    const rest = this.store.listEntries().filter((entry) => !spared.includes(entry));
    for (const entry of rest) await this.sendTarget(resolveTarget(this.store, entry) ?? makeEntryTarget(entry), { act: 'accept' });
  }

  /** Shows a proposal whole: the one named, the one at the cursor, or the first that waits. */
  async showDiff(argument: unknown): Promise<void> {
    const id = this.findNamed(argument)?.reference.proposal ?? this.findHunkOfKey()?.entry.proposal.id ?? this.listEntriesHere()[0]?.proposal.id ?? this.store.listEntries()[0]?.proposal.id;
    if (id === undefined) return showRemark('nothing waits');
    await this.navigation.showProposal(id);
  }

  /** The entries of the file that the active editor shows. */
  listEntriesHere(): ReviewEntry[] {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (!uri) return [];
    const shown = findEntry(this.store, uri);
    return shown ? [shown] : this.store.listOfFile(uri);
  }

  /** Notes that the person decides in the review; one who presses a button of a list stays there. */
  private noteDecision(argument: unknown): void {
    const isOfList = argument === 'picked' || (typeof argument === 'object' && argument !== null && 'about' in argument);
    if (!isOfList) this.navigation.noteDecision();
  }

  /** The hunks that an argument names. */
  private findNamed(argument: unknown): DecisionTarget | undefined {
    return resolveTarget(this.store, argument === 'picked' ? this.findPicked() : argument);
  }

  /** Finds the hunks that are named, else the one that the key means. Where it means none it leads to the next one, and says so. */
  async findTarget(argument: unknown): Promise<DecisionTarget | undefined> {
    const named = this.findNamed(argument);
    if (named) return named;
    if (argument === 'picked') return void warn('no row is selected in Proposals');
    await this.navigation.waitUntilArrived();
    const hunk = this.findHunkOfKey();
    if (hunk) return makeHunkTarget(hunk);
    if (await this.navigation.goAhead()) showRemark('no hunk was on the screen, so nothing is decided: this is the next one');
    return undefined;
  }

  /** Decides, and goes on to the next hunk where the person wants that: from one hunk of the review, or of the text that they go through. */
  private async sendAndGoOn(target: DecisionTarget, how: Pick<DecideParams, 'act' | 'reason'>): Promise<void> {
    const hunk = findNamedHunk(target);
    const findFollowing = hunk && this.isGoingOn() ? this.navigation.findFollowing(hunk) : undefined;
    // What is typed is kept first, in the hunk where it was typed.
    await this.editableSide.saveAll();
    const decision = this.sendTarget(target, how);
    const near = findFollowing?.();
    const isNear = near !== undefined && near.entry === hunk?.entry && this.listEntriesHere().includes(near.entry);
    if (isNear) await this.navigation.goAlong(near, decision);
    await decision;
    this.focusVisibility.noteArrival();
    const isLeft = hunk !== undefined && this.store.findCurrent(hunk) !== undefined;
    // One that could not be decided on is gone back to.
    const next = isLeft ? isNear && hunk : !isNear && findFollowing?.();
    if (next) await this.navigation.goTo(next);
  }

  /** Accepts hunks of one file with their drafts: a save of the person's. Gives what could not be done, and what goes on to the next hunk. */
  async acceptEdited(hunks: ReviewHunk[]): Promise<AcceptResult> {
    const [first, last] = [hunks[0], hunks.at(-1)];
    if (!first || !last) return { problems: '', goOn: () => undefined };
    const findFollowing = this.isGoingOn() ? this.navigation.findFollowing(last) : undefined;
    this.navigation.noteDecision();
    const answer = await this.server.request('decide', makeEditedDecision(hunks));
    this.takeProposals(answer.proposals);
    const goOn = (): void => {
      const next = findFollowing?.();
      if (next) void this.navigation.goTo(next);
    };
    return { problems: (answer.problems ?? []).join('; '), goOn };
  }

  /** True if the next hunk follows a decision. */
  private isGoingOn(): boolean {
    return readSetting<AfterDecision>('review.afterDecision', 'next') === 'next' && (isInReview() || isReviewedInText());
  }

  /** Sends a decision on a target. Applied hunks are part of one that is named whole; named one by one they are meant anyway. */
  private sendTarget({ reference, root, hunks }: DecisionTarget, how: Pick<DecideParams, 'act' | 'reason'>): Promise<void> {
    const applied = reference.hunks === undefined && hunks.some((hunk) => hunk.applied) ? { applied: true } : {};
    return this.sendDecision({ ...reference, ...applied, root, ...how }, hunks);
  }

  /** Sends a decision that is about these hunks. Those that the person edited are accepted with their lines, each proposal by itself. */
  private async sendDecision(params: DecideParams, hunks: ReviewHunk[]): Promise<void> {
    await this.editableSide.saveAll();
    const current = params.act === 'accept' ? hunks.flatMap((hunk) => this.store.findCurrent(hunk) ?? []) : [];
    const edited = current.filter((hunk) => hunk.draft);
    // Where edited lines are not accepted, the same hunks must not be accepted as they were proposed.
    for (const list of Map.groupBy(edited, ({ entry }) => entry.proposal.id).values()) {
      if (!(await this.requestDecision(makeEditedDecision(list)))) return;
    }
    const rest = params.hunks?.filter((id) => !edited.some((hunk) => hunk.id === id));
    if (rest?.length !== 0) await this.requestDecision(rest ? { ...params, hunks: rest } : params);
  }

  /** Decides, and says whether all of it was done. The same once more, while it is under way, is not. */
  private async requestDecision(params: DecideParams): Promise<boolean> {
    const once = JSON.stringify([params.proposal, params.hunks, params.path, params.applied]);
    if (this.underWay.has(once)) return false;
    this.underWay.add(once);
    try {
      const answer = await this.server.request('decide', params);
      this.takeProposals(answer.proposals);
      for (const problem of answer.problems ?? []) warn(problem);
      return (answer.problems ?? []).length === 0;
    } catch (thrown) {
      warn(describeError(thrown));
      return false;
    } finally {
      this.underWay.delete(once);
    }
  }
}

/** Makes the acceptance of hunks of one proposal with the lines that were made of them. */
function makeEditedDecision(list: ReviewHunk[]): DecideParams {
  const [first] = list;
  const texts = Object.fromEntries(list.map(({ id, draft }) => [id, (draft ?? []).join('')]));
  return { proposal: first?.entry.proposal.id ?? null, hunks: list.map(({ id }) => id), act: 'accept', texts, root: first?.entry.root ?? null };
}
