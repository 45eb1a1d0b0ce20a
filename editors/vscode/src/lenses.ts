// The row above each hunk: the why, and what can be done; and the same in a hover, with the lines.

import * as vscode from 'vscode';
import { doing, entryAt, places } from './preview';
import { number, type Review, type Waiting } from './review';
import { chomp, clip, count } from './text';

/** What a command of a lens, a hover or a tree is about. */
export interface About {
  proposal: string;
  path?: string;
  hunks?: string[];
}

export const about = (hunk: Waiting): About => ({ proposal: hunk.entry.proposal.id, hunks: [hunk.id] });

/** The lenses. */
export class Lenses implements vscode.CodeLensProvider, vscode.HoverProvider {
  private readonly change = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.change.event;

  constructor(private readonly review: Review) {}

  refresh(): void {
    this.change.fire();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const entry = entryAt(this.review, document.uri);
    const placed = entry ? places(entry, document.uri) : this.review.hunks(document.uri).map((hunk) => ({ hunk, row: head(hunk) }));
    return placed.flatMap(({ hunk, row }, index) => above(hunk, Math.min(row, document.lineCount - 1), index === 0 ? placed.length : 0));
  }

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const hunk = at(this.review.hunks(document.uri), position.line);
    return hunk && new vscode.Hover(hover(hunk));
  }
}

/** The hunk at a row; what only adds counts on both rows that it goes between, where no other stands. */
export function at(hunks: Waiting[], row: number): Waiting | undefined {
  return (
    hunks.find((hunk) => row >= hunk.start && row < hunk.start + hunk.old.length) ??
    hunks.find((hunk) => hunk.old.length === 0 && (row === hunk.start || row === hunk.start - 1))
  );
}

/** The row that a hunk's header stands above: what only adds shows below the line before it. */
function head(hunk: Waiting): number {
  return hunk.old.length > 0 ? hunk.start : Math.max(hunk.start - 1, 0);
}

function above(hunk: Waiting, row: number, all: number): vscode.CodeLens[] {
  const range = new vscode.Range(row, 0, row, 0);
  const { proposal, file } = hunk.entry;
  const lens = (title: string, command: string, tooltip: string, what: About = about(hunk)): vscode.CodeLens =>
    new vscode.CodeLens(range, { title, command, tooltip, arguments: [what] });
  const agent = proposal.origin.agent ? ` · ${clip(proposal.origin.agent, 24)}` : '';
  const what = doing(hunk.entry);
  const title = `${number(hunk)}${what ? ` ${what}` : ''} ${clip(proposal.why, 60)}${agent}`;
  const lenses = [
    lens(title, 'wherefore.showDiff', `${proposal.why}\n\nShow the proposal as a diff`),
    lens('$(check) Accept', 'wherefore.accept', 'Accept this hunk'),
    lens('$(close) Reject', 'wherefore.reject', 'Reject this hunk'),
    lens('Reject with reason', 'wherefore.rejectWithReason', 'Reject this hunk with a word for the agent'),
  ];
  if (hunk.loose) lenses.splice(1, 0, lens(`$(warning) look twice: ${clip(hunk.loose, 60)}`, 'wherefore.showDiff', hunk.loose));
  if (all > 1) {
    const whole = { proposal: proposal.id, path: file.path };
    lenses.push(lens(`$(check-all) Accept all ${all}`, 'wherefore.acceptFile', 'Accept every hunk of this file', whole));
    lenses.push(lens('$(close-all) Reject all', 'wherefore.rejectFile', 'Reject every hunk of this file', whole));
  }
  return lenses;
}

function hover(hunk: Waiting): vscode.MarkdownString {
  const text = new vscode.MarkdownString(undefined, true);
  text.isTrusted = { enabledCommands: ['wherefore.accept', 'wherefore.reject', 'wherefore.rejectWithReason', 'wherefore.showDiff'] };
  const { proposal } = hunk.entry;
  text.appendText(`${number(hunk)} ${proposal.why}`);
  const rows = [...hunk.old.map((line) => `-${chomp(line)}`), ...hunk.new.map((line) => `+${chomp(line)}`)];
  const more = rows.length - 40;
  text.appendCodeblock([...rows.slice(0, 40), ...(more > 0 ? [`… ${count(more, 'more line')}`] : [])].join('\n'), 'diff');
  const argument = encodeURIComponent(JSON.stringify([about(hunk)]));
  const link = (title: string, command: string): string => `[${title}](command:wherefore.${command}?${argument})`;
  const links = [link('Accept', 'accept'), link('Reject', 'reject'), link('Reject with reason', 'rejectWithReason'), link('Show diff', 'showDiff')];
  return text.appendMarkdown(links.join(' · '));
}
