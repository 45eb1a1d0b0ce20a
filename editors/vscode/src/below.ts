// Lines of a hunk that do not stand in the text, shown below those that do: comment threads are the one place between
// lines that an extension may fill.

import * as vscode from 'vscode';
import { isBeside } from './draw';
import { number, other, there, type Review, type Waiting } from './review';
import { setting } from './settings';
import { chomp, clip, count, visible } from './text';

/** Lines around what is seen for which threads are made ahead. */
const AROUND = 40;

interface Shown {
  thread: vscode.CommentThread;
  hunk: Waiting;
  body: string;
}

/** The threads, made as their lines come into view. */
export class Below implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('wherefore', 'wherefore');
  private readonly shown = new Map<string, Shown>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly review: Review) {}

  /** Soon, and once for many reasons. */
  refresh(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.show();
    }, 20);
  }

  /** The hunk of a thread. */
  hunk(thread: unknown): Waiting | undefined {
    return [...this.shown.values()].find((each) => each.thread === thread)?.hunk;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.controller.dispose();
  }

  private show(): void {
    const kept = new Set<string>();
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      if (document.uri.scheme !== 'file') continue;
      for (const hunk of this.review.hunks(document.uri)) {
        if (other(hunk).length === 0 || isBeside(hunk)) continue;
        const id = `${document.uri.toString()} ${hunk.entry.proposal.id}/${hunk.id}`;
        if (this.shown.has(id) || isNear(editor, hunk)) {
          this.put(id, document, hunk, Number(editor.options.tabSize) || 4);
          kept.add(id);
        }
      }
    }
    for (const [id, { thread }] of this.shown) {
      if (kept.has(id)) continue;
      thread.dispose();
      this.shown.delete(id);
    }
  }

  private put(id: string, document: vscode.TextDocument, hunk: Waiting, tabSize: number): void {
    const row = Math.min(Math.max(hunk.start + there(hunk).length - 1, 0), document.lineCount - 1);
    // What goes above the first line has no line to stand below: it is told of the file, which shows it on top.
    const range = hunk.start === 0 && there(hunk).length === 0 ? undefined : new vscode.Range(row, 0, row, 0);
    const body = lines(hunk, tabSize);
    const known = this.shown.get(id);
    if (!known) {
      const thread = this.controller.createCommentThread(document.uri, range as vscode.Range, [comment(body, hunk)]);
      thread.canReply = false;
      thread.label = label(hunk);
      thread.contextValue = hunk.applied ? 'applied' : 'hunk';
      thread.state = vscode.CommentThreadState.Resolved;
      thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
      this.shown.set(id, { thread, hunk, body });
      return;
    }
    known.hunk = hunk;
    if (range && !known.thread.range?.isEqual(range)) known.thread.range = range;
    if (known.body !== body) {
      known.body = body;
      known.thread.comments = [comment(body, hunk)];
    }
  }
}

function isNear(editor: vscode.TextEditor, hunk: Waiting): boolean {
  return editor.visibleRanges.some(
    (range) => hunk.start + there(hunk).length >= range.start.line - AROUND && hunk.start <= range.end.line + AROUND,
  );
}

function label(hunk: Waiting): string {
  const { why, origin } = hunk.entry.proposal;
  return `${number(hunk)}${hunk.applied ? ' applied' : ''} ${clip(why, 100)}${origin.agent ? ` · ${clip(origin.agent, 24)}` : ''}`;
}

function comment(body: string, hunk: Waiting): vscode.Comment {
  const text = new vscode.MarkdownString(body);
  text.supportHtml = true;
  text.isTrusted = { enabledCommands: ['wherefore.showDiff'] };
  return { body: text, mode: vscode.CommentMode.Preview, author: { name: size(hunk) } };
}

/** How many lines there are, and where they belong. */
function size(hunk: Waiting): string {
  const [those, these] = [there(hunk).length, other(hunk).length];
  if (hunk.applied) return `${count(these, 'line')} taken out${those > 0 ? `, the ${those} above put in` : ' here'}`;
  return `${count(these, 'line')} ${those > 0 ? `in place of the ${those} above` : 'more'}`;
}

const ESCAPED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function lines(hunk: Waiting, tabSize: number): string {
  const limit = setting('maxLines', 60);
  const background = hunk.applied ? 'removed' : 'inserted';
  const rows = other(hunk).slice(0, limit).map((line) => {
    const text = visible(chomp(line), tabSize).replace(/[&<>]/g, (sign) => ESCAPED[sign] ?? sign);
    return `<span style="background-color:var(--vscode-diffEditor-${background}LineBackground);">${text || ' '}</span>`;
  });
  const body = `<pre>${rows.join('\n')}</pre>`;
  const more = other(hunk).length - limit;
  if (more <= 0) return body;
  const target = encodeURIComponent(JSON.stringify([{ proposal: hunk.entry.proposal.id }]));
  return `${body}\n\n[… ${count(more, 'more line')}, all in the diff](command:wherefore.showDiff?${target})`;
}
