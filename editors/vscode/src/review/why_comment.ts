// The whole why of the hunk at the cursor, with its agent, above it: VS Code cuts a row of buttons, and wraps a comment. Only
// where the row has no room for them.

import * as vscode from 'vscode';
import { EDIT_SCHEME } from './diff_sides';
import { formatCommand } from './hunk_lenses';
import { formatHunkNumber, type ProposalStore, type ReviewHunk } from './proposal_store';
import { placeHunks, type PlacedHunk } from './target_hunk';
import { clip, escapeHidden } from '../text';

/** Signs of a why and its agent that a row has room for beside the buttons, or above the left side of a narrow diff. */
const ROOM = 50;

/** The comment, of which there is one at most. */
export class WhyComment implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('wherefore.why', 'Wherefore');
  private thread: vscode.CommentThread | undefined;
  /** The place and the words of the comment that is shown. */
  private shown = '';

  constructor(private readonly store: ProposalStore) {}

  register(): vscode.Disposable {
    const follow = (editor: vscode.TextEditor | undefined): void => {
      if (editor === vscode.window.activeTextEditor) this.refresh();
    };
    return vscode.Disposable.from(
      this,
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => follow(textEditor)),
      vscode.window.onDidChangeActiveTextEditor(follow),
      vscode.workspace.onDidChangeTextDocument(({ document }) => document.uri.scheme === EDIT_SCHEME && this.refresh()),
      this.store.onChange(() => this.refresh()),
    );
  }

  dispose(): void {
    this.thread?.dispose();
    this.controller.dispose();
  }

  private refresh(): void {
    const editor = vscode.window.activeTextEditor;
    const place = editor?.document.uri.scheme === EDIT_SCHEME ? this.findPlace(editor) : undefined;
    const shown = editor && place ? JSON.stringify([editor.document.uri, place.row, place.hunk.id, formatHunkNumber(place.hunk)]) : '';
    if (shown === this.shown) return;
    this.shown = shown;
    this.thread?.dispose();
    this.thread = editor && place && this.show(editor.document.uri, place);
  }

  /** The hunk at the cursor, where its why is long. */
  private findPlace({ document, selection }: vscode.TextEditor): PlacedHunk | undefined {
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
