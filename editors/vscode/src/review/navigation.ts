// Goes from hunk to hunk, and on into the next file: in the review, or in the text of the files.

import * as vscode from 'vscode';
import { findNext, placeHunks, type PlacedHunk } from './target_hunk';
import { showRemark, warn } from '../messages';
import type { FocusVisibility } from './focus_visibility';
import { EDIT_SCHEME, findEntry, listShownLines, makeShownUri } from './diff_sides';
import { findRealPath, type ReviewEntry, type ProposalStore, type ReviewHunk } from './proposal_store';
import { isReviewedInText, readSetting, type ReviewPlace } from '../settings';
import { showDocument, waitFor } from '../show_document';
import { isInReview, isInMultiDiff, type ReviewTabs } from './review_tabs';
import { chomp } from '../text';

type Step = 1 | -1;

/** The time that VS Code may take to read a document anew. */
const READ_MS = 1500;

/** The ways to hunks. */
export class HunkNavigation {
  /** The last way to a hunk, until its place is on the screen. */
  private underWay: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: ProposalStore,
    private readonly tabs: ReviewTabs,
    private readonly focusVisibility: FocusVisibility,
    private readonly onArrival: () => void,
  ) {}

  /** Waits until the last way to a hunk has come to its end: a key that follows it means what it led to. */
  async waitUntilArrived(): Promise<void> {
    await this.underWay;
  }

  /** Opens the review: at the hunk at the cursor or the next one of its file, else at the oldest one; or at the first of a proposal. */
  openReview(proposal?: string): Promise<void> {
    return this.trackWay(this.openAtHunk(proposal));
  }

  /** Goes to the next hunk or the previous one, around the end. */
  step(step: Step): Promise<void> {
    return this.trackWay(this.stepAlong(step));
  }

  /** Goes to a hunk; of its file alone, where that is asked for. */
  goTo(hunk: ReviewHunk, alone = false): Promise<void> {
    return this.trackWay(this.showEntry(hunk.entry, hunk, alone));
  }

  /** Goes to a hunk in the diff of its file alone: VS Code's diff of several files takes no typing, and comes back afterwards. */
  goToEdit(hunk: ReviewHunk): Promise<void> {
    if (isInMultiDiff()) this.tabs.setAside(hunk.entry);
    return this.goTo(hunk, true);
  }

  /** Goes to the hunk that follows one of the same document while that is decided on: keys wait for the decision, and for the text after it. */
  goAlong(hunk: ReviewHunk, decision: Promise<void>): Promise<void> {
    const way = this.showEntry(hunk.entry, hunk);
    return this.trackWay(Promise.all([way, decision]).then(() => this.waitUntilPlaced(hunk)));
  }

  /** Goes to the lines of a hunk in the file's own editor. */
  goToFile(hunk: ReviewHunk): Promise<void> {
    return this.trackWay(this.showInFile(hunk));
  }

  /** Notes that the person decides: where that closes the review, the focus goes back to where they came from. */
  noteDecision(): void {
    this.tabs.noteDecision();
  }

  /** Shows a proposal whole, at its first hunk. */
  showProposal(id: string): Promise<void> {
    return this.trackWay(this.showWhole(id));
  }

  /** Goes to the hunk at the cursor or the next one, where none is on the screen. Says whether there is one. */
  async goAhead(): Promise<boolean> {
    const editor = vscode.window.activeTextEditor;
    const found = editor && findNext(placeHunks(this.store, editor.document), editor);
    if (found) await this.trackWay(this.showAgain(editor, found));
    else await this.step(1);
    return found !== undefined || this.store.listEntries().length > 0;
  }

  /** The hunk that follows one that is decided on, around the end; in the order of the review. */
  findFollowing(hunk: ReviewHunk): (() => ReviewHunk | undefined) {
    const all = this.listInOrder().flatMap((entry) => [...entry.hunks].sort((a, b) => a.start - b.start));
    const at = all.findIndex((each) => each.id === hunk.id && each.entry.proposal.id === hunk.entry.proposal.id);
    const rest = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))];
    return () => {
      for (const each of rest) {
        const current = this.store.findCurrent(each);
        if (current) return current;
      }
      return undefined;
    };
  }

  private trackWay<T>(way: Promise<T>): Promise<T> {
    this.underWay = way.catch(() => undefined).then(() => {
      this.focusVisibility.noteArrival();
      this.onArrival();
    });
    return way;
  }

  /** Waits until the document with the focus has a hunk's lines where the store has them: VS Code reads it anew a moment after a decision. */
  private waitUntilPlaced(hunk: ReviewHunk): Promise<void> {
    const isPlaced = (): boolean => {
      const { document } = vscode.window.activeTextEditor ?? {};
      const current = this.store.findCurrent(hunk);
      if (document?.uri.scheme !== EDIT_SCHEME || !current) return true;
      const place = placeHunks(this.store, document).find((each) => each.hunk === current);
      return !place || listShownLines(current, document.uri).every((line, index) => place.row + index < document.lineCount && document.lineAt(place.row + index).text === chomp(line));
    };
    return waitFor(vscode.workspace.onDidChangeTextDocument, isPlaced, READ_MS);
  }

  /** The entries in the order that they are gone through: of the review the oldest first, of files their paths. */
  private listInOrder(): ReviewEntry[] {
    return isReviewedInText() ? this.store.listEntries() : this.store.listByAge();
  }

  /** Shows a hunk of the editor with the focus, which may be scrolled away in a diff of several files. */
  private async showAgain(editor: vscode.TextEditor, { hunk, first }: PlacedHunk): Promise<void> {
    if (isInMultiDiff()) await this.tabs.scrollTo(hunk.entry);
    await revealRow(editor, first);
  }

  private async openAtHunk(proposal?: string): Promise<void> {
    const named = proposal === undefined ? undefined : this.listInOrder().find((entry) => entry.proposal.id === proposal);
    if (named) return this.showEntry(named, findFirstHunk(named));
    const editor = vscode.window.activeTextEditor;
    const current = editor && findNext(placeHunks(this.store, editor.document), editor)?.hunk;
    const [first] = this.listInOrder();
    if (current) return this.showEntry(current.entry, current);
    if (first) return this.showEntry(first, findFirstHunk(first));
    showRemark('nothing waits');
  }

  private async showWhole(id: string): Promise<void> {
    const entries = this.store.listOfProposal(id);
    const [first] = entries;
    const editor = first && (entries.length === 1 ? await this.tabs.showAlone(first) : await this.tabs.showAmong(first, entries));
    if (first && editor) await this.revealHunk(editor, first, findFirstHunk(first));
  }

  private async stepAlong(step: Step): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor && (isInReview() || isReviewedInText())) {
      const row = editor.selection.active.line;
      const rows = placeHunks(this.store, editor.document).map(({ row }) => row);
      const next = step > 0 ? rows.find((each) => each > row) : rows.findLast((each) => each < row);
      if (next !== undefined) return revealRow(editor, next);
    } else if (step > 0) return this.openAtHunk();
    const entry = this.findEntryBeyond(step, editor?.document.uri);
    if (!entry) return showRemark('nothing waits');
    await this.showEntry(entry, step > 0 ? findFirstHunk(entry) : findLastHunk(entry));
  }

  /** The entry of another file that follows, around the end. */
  private findEntryBeyond(step: Step, uri: vscode.Uri | undefined): ReviewEntry | undefined {
    const entries = this.listInOrder();
    if (isReviewedInText()) {
      const key = uri && (findEntry(this.store, uri)?.key ?? (uri.scheme === 'file' ? findRealPath(uri.fsPath) : ''));
      if (step > 0) return entries.find((entry) => entry.key > (key ?? '')) ?? entries[0];
      return entries.findLast((entry) => entry.key < (key ?? '')) ?? entries.at(-1);
    }
    const current = uri && (findEntry(this.store, uri) ?? this.store.listOfFile(uri)[0]);
    const at = current ? entries.indexOf(current) : step > 0 ? -1 : 0;
    return entries.at((at + step) % Math.max(entries.length, 1));
  }

  /** Shows an entry where the person wants it, at one of its hunks. */
  private async showEntry(entry: ReviewEntry, hunk: ReviewHunk | undefined, alone = false): Promise<void> {
    const opens = readSetting<ReviewPlace>('review.open', 'all files');
    let editor: vscode.TextEditor | undefined;
    if (opens === 'in the text' && !alone) editor = await showDocument(makeShownUri(entry));
    else if (opens === 'all files' && !alone) editor = await this.tabs.showAmong(entry, this.store.listByAge());
    else editor = await this.tabs.showAlone(entry);
    const waits = this.store.findCurrentEntry(entry) !== undefined;
    if (!editor) return waits ? warn(`${entry.file.path} cannot be shown`) : undefined;
    await this.revealHunk(editor, entry, hunk);
  }

  private async showInFile(hunk: ReviewHunk): Promise<void> {
    const editor = await showDocument(hunk.entry.uri);
    if (!editor) return warn(`${hunk.entry.file.path} cannot be shown`);
    await revealRow(editor, Math.min(hunk.start, editor.document.lineCount - 1));
    showRemark('this hunk stands in the text: change it here and save');
  }

  private async revealHunk(editor: vscode.TextEditor, entry: ReviewEntry, hunk: ReviewHunk | undefined): Promise<void> {
    const found = placeHunks(this.store, editor.document).find((each) => each.hunk.id === hunk?.id && each.hunk.entry.proposal.id === entry.proposal.id);
    if (found) await revealRow(editor, found.row);
  }
}

const findFirstHunk = ({ hunks }: ReviewEntry): ReviewHunk | undefined => hunks.toSorted((a, b) => a.start - b.start)[0];
const findLastHunk = ({ hunks }: ReviewEntry): ReviewHunk | undefined => hunks.toSorted((a, b) => a.start - b.start).at(-1);

/** Puts the cursor on a row and the row on the screen. */
function revealRow(editor: vscode.TextEditor, row: number): Promise<void> {
  const place = new vscode.Position(row, 0);
  editor.selection = new vscode.Selection(place, place);
  editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return waitFor(vscode.window.onDidChangeTextEditorVisibleRanges, () => editor.visibleRanges.some(({ start, end }) => start.line <= row && row <= end.line));
}
