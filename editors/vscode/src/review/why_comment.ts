// The whole why of the hunk at the cursor, with its agent, above it: VS Code cuts a row of buttons, and wraps a comment. Only
// where the row has no room for them.

import * as vscode from 'vscode';
import { EDIT_SCHEME } from './diff_sides';
import type { FocusVisibility } from './focus_visibility';
import { formatCommand } from './hunk_lenses';
import { formatHunkNumber, type ProposalStore, type ReviewHunk } from './proposal_store';
import { placeHunks, type PlacedHunk } from './target_hunk';
import { clip, escapeHidden } from '../text';

/** Signs of a why and its agent that a row has room for beside the buttons, or above the left side of a narrow diff. */
const ROOM = 50;

/**
 * The time that the cursor must rest at a hunk: a comment takes VS Code long to draw, and who goes from hunk to hunk has read what
 * they have in common.
 */
const REST_MS = { newWhy: 150, sameWhy: 700 };

/** The comment, of which there is one at most. */
export class WhyComment implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('wherefore.why', 'Wherefore');
  private thread: vscode.CommentThread | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** The place and the words of the comment that is shown. */
  private shown = '';
  /** The proposal that it is of. */
  private proposal: string | undefined;

  constructor(
    private readonly store: ProposalStore,
    private readonly focusVisibility: FocusVisibility,
  ) {}

  register(): vscode.Disposable {
    const follow = (editor: vscode.TextEditor | undefined): void => {
      if (editor === vscode.window.activeTextEditor) this.refreshSoon();
    };
    return vscode.Disposable.from(
      this,
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => follow(textEditor)),
      vscode.window.onDidChangeActiveTextEditor(follow),
      vscode.workspace.onDidChangeTextDocument(({ document }) => document.uri.scheme === EDIT_SCHEME && this.refreshSoon()),
      this.store.onChange(() => this.refreshSoon()),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.thread?.dispose();
    this.controller.dispose();
  }

  private refreshSoon(): void {
    const place = this.findPlace();
    const isSame = place !== undefined && place.hunk.entry.proposal.id === this.proposal;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), isSame ? REST_MS.sameWhy : REST_MS.newWhy);
  }

  private refresh(): void {
    const editor = vscode.window.activeTextEditor;
    const place = this.findPlace();
    const shown = editor && place ? JSON.stringify([editor.document.uri, place.row, place.hunk.id, formatHunkNumber(place.hunk)]) : '';
    if (shown === this.shown) return;
    this.shown = shown;
    this.proposal = place?.hunk.entry.proposal.id;
    // It makes room, or gives it back: what moves is no scroll.
    this.focusVisibility.noteOwnChange();
    this.thread?.dispose();
    this.thread = editor && place && this.show(editor.document.uri, place);
  }

  /** The hunk at the cursor of the review, where its why is long. */
  private findPlace(): PlacedHunk | undefined {
    const { document, selection } = vscode.window.activeTextEditor ?? {};
    if (document?.uri.scheme !== EDIT_SCHEME || !selection) return undefined;
    const row = selection.active.line;
    const found = placeHunks(this.store, document).find(({ first, last }) => first <= row && row <= last);
    return found && isLong(found.hunk) ? found : undefined;
  }

  private show(uri: vscode.Uri, { hunk, row }: PlacedHunk): vscode.CommentThread {
    const above = Math.max(row - 1, 0);
    const thread = this.controller.createCommentThread(uri, new vscode.Range(above, 0, above, 0), [makeComment(hunk)]);
    thread.canReply = false;
    thread.label = `Why of ${formatHunkNumber(hunk)}`;
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    return thread;
  }
}

function isLong({ entry: { proposal } }: ReviewHunk): boolean {
  return `${proposal.why} · ${proposal.origin.agent ?? ''}`.length > ROOM;
}

function makeComment({ entry: { proposal } }: ReviewHunk): vscode.Comment {
  // Text, and no Markdown: others wrote it.
  const body = escapeHidden([proposal.why, ...formatCommand(proposal)].join('\n'));
  return { author: { name: clip(proposal.origin.agent ?? '', 60) }, body, mode: vscode.CommentMode.Preview };
}
