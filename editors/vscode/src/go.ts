// Goes from hunk to hunk, and on into the next file: in the review, or in the text of the files.

import * as vscode from 'vscode';
import { ahead, placed, type Placed } from './aim';
import { remark, warn } from './notify';
import type { OnScreen } from './onscreen';
import { entryAt, shown } from './preview';
import { keyOf, type Entry, type Review, type Waiting } from './review';
import { setting, type Opens } from './settings';
import { showDocument, soon } from './show';
import { isInReview, isInSeveral, type Tabs } from './tabs';

type Step = 1 | -1;

/** The ways to hunks. */
export class Go {
  /** The last way to a hunk, until its place is on the screen. */
  private underWay: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly review: Review,
    private readonly tabs: Tabs,
    private readonly onScreen: OnScreen,
    private readonly arrived: () => void,
  ) {}

  /** Waits until the last way to a hunk has come to its end: a key that follows it means what it led to. */
  async settled(): Promise<void> {
    await this.underWay;
  }

  /** Opens the review: at the hunk at the cursor or the next one of its file, else at the oldest one; or at the first of a proposal. */
  open(proposal?: string): Promise<void> {
    return this.begun(this.opened(proposal));
  }

  /** Goes to the next hunk or the previous one, around the end. */
  step(step: Step): Promise<void> {
    return this.begun(this.along(step));
  }

  /** Goes to a hunk; of its file alone, where that is asked for. */
  to(hunk: Waiting, alone = false): Promise<void> {
    return this.begun(this.show(hunk.entry, hunk, alone));
  }

  /** Shows a proposal whole, at its first hunk. */
  proposal(id: string): Promise<void> {
    return this.begun(this.whole(id));
  }

  /** Goes to the hunk at the cursor or the next one, where none is on the screen. Says whether there is one. */
  async goAhead(): Promise<boolean> {
    const editor = vscode.window.activeTextEditor;
    const found = editor && ahead(placed(this.review, editor.document), editor);
    if (found) await this.begun(this.again(editor, found));
    else await this.step(1);
    return found !== undefined || this.review.entries().length > 0;
  }

  /** The hunk that follows one that is decided on, around the end; in the order of the review. */
  following(hunk: Waiting): (() => Waiting | undefined) {
    const all = this.order().flatMap((entry) => [...entry.hunks].sort((a, b) => a.start - b.start));
    const at = all.findIndex((each) => each.id === hunk.id && each.entry.proposal.id === hunk.entry.proposal.id);
    const rest = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))];
    return () => {
      for (const { id, entry } of rest) {
        const left = this.review.proposal(entry.proposal.id).flatMap((each) => each.hunks).find((each) => each.id === id);
        if (left) return left;
      }
      return undefined;
    };
  }

  /** Whether going on leads through the text of the files. */
  get isInText(): boolean {
    return setting<Opens>('review.open', 'all files') === 'in the text';
  }

  private begun<T>(way: Promise<T>): Promise<T> {
    this.underWay = way.catch(() => undefined).then(() => {
      this.onScreen.arrived();
      this.arrived();
    });
    return way;
  }

  /** The entries in the order that they are gone through: of the review the oldest first, of files their paths. */
  private order(): Entry[] {
    return this.isInText ? this.review.entries() : this.review.queue();
  }

  /** Shows a hunk of the editor with the focus, which may be scrolled away in a diff of several files. */
  private async again(editor: vscode.TextEditor, { hunk, first }: Placed): Promise<void> {
    if (isInSeveral()) await this.tabs.back(hunk.entry);
    await reveal(editor, first);
  }

  private async opened(proposal?: string): Promise<void> {
    const named = proposal === undefined ? undefined : this.order().find((entry) => entry.proposal.id === proposal);
    if (named) return this.show(named, top(named));
    const editor = vscode.window.activeTextEditor;
    const here = editor && ahead(placed(this.review, editor.document), editor)?.hunk;
    const [first] = this.order();
    if (here) return this.show(here.entry, here);
    if (first) return this.show(first, top(first));
    remark('nothing waits');
  }

  private async whole(id: string): Promise<void> {
    const entries = this.review.proposal(id);
    const [first] = entries;
    const editor = first && (entries.length === 1 ? await this.tabs.one(first) : await this.tabs.among(first, entries));
    if (first && editor) await this.reveal(editor, first, top(first));
  }

  private async along(step: Step): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor && (isInReview() || this.isInText)) {
      const row = editor.selection.active.line;
      const rows = placed(this.review, editor.document).map(({ row }) => row);
      const next = step > 0 ? rows.find((each) => each > row) : rows.findLast((each) => each < row);
      if (next !== undefined) return reveal(editor, next);
    } else if (step > 0) return this.opened();
    const entry = this.beyond(step, editor?.document.uri);
    if (!entry) return remark('nothing waits');
    await this.show(entry, step > 0 ? top(entry) : bottom(entry));
  }

  /** The entry of another file that follows, around the end. */
  private beyond(step: Step, uri: vscode.Uri | undefined): Entry | undefined {
    const entries = this.order();
    if (this.isInText) {
      const key = uri && (entryAt(this.review, uri)?.key ?? (uri.scheme === 'file' ? keyOf(uri.fsPath) : ''));
      if (step > 0) return entries.find((entry) => entry.key > (key ?? '')) ?? entries[0];
      return entries.findLast((entry) => entry.key < (key ?? '')) ?? entries.at(-1);
    }
    const here = uri && (entryAt(this.review, uri) ?? this.review.of(uri)[0]);
    const at = here ? entries.indexOf(here) : step > 0 ? -1 : 0;
    return entries.at((at + step) % Math.max(entries.length, 1));
  }

  /** Shows an entry where the person wants it, at one of its hunks. */
  private async show(entry: Entry, hunk: Waiting | undefined, alone = false): Promise<void> {
    const opens = setting<Opens>('review.open', 'all files');
    let editor: vscode.TextEditor | undefined;
    if (opens === 'in the text' && !alone) editor = await showDocument(shown(entry));
    else if (opens === 'all files' && !alone) editor = await this.tabs.among(entry, this.review.queue());
    else editor = await this.tabs.one(entry);
    const waits = this.review.proposal(entry.proposal.id).some(({ file }) => file.path === entry.file.path);
    if (!editor) return waits ? warn(`${entry.file.path} cannot be shown`) : undefined;
    await this.reveal(editor, entry, hunk);
  }

  private async reveal(editor: vscode.TextEditor, entry: Entry, hunk: Waiting | undefined): Promise<void> {
    const found = placed(this.review, editor.document).find((each) => each.hunk.id === hunk?.id && each.hunk.entry.proposal.id === entry.proposal.id);
    if (found) await reveal(editor, found.row);
  }
}

const top = ({ hunks }: Entry): Waiting | undefined => hunks.toSorted((a, b) => a.start - b.start)[0];
const bottom = ({ hunks }: Entry): Waiting | undefined => hunks.toSorted((a, b) => a.start - b.start).at(-1);

/** Puts the cursor on a row and the row on the screen. */
function reveal(editor: vscode.TextEditor, row: number): Promise<void> {
  const place = new vscode.Position(row, 0);
  editor.selection = new vscode.Selection(place, place);
  editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return soon(vscode.window.onDidChangeTextEditorVisibleRanges, () => editor.visibleRanges.some(({ start, end }) => start.line <= row && row <= end.line));
}
