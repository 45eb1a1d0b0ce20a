// The row above each hunk: the why, and what can be done; and the same in a hover, with the lines.

import * as vscode from 'vscode';
import { isInText } from './draw';
import { fixed } from './edit';
import type { Near } from './near';
import { doing, entryAt, places } from './preview';
import { lens } from './lens';
import { number, there, type Review, type Waiting } from './review';
import { chomp, clip, count, visible } from './text';

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

  constructor(
    private readonly review: Review,
    private readonly near: Near,
  ) {}

  refresh(): void {
    this.change.fire();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const entry = entryAt(this.review, document.uri);
    const placed = entry ? places(entry, document.uri) : this.review.hunks(document.uri).map((hunk) => ({ hunk, row: head(hunk) }));
    return placed.flatMap(({ hunk, row }, index) => {
      if (!entry && !this.near.shows(document, hunk)) return [];
      const doubt = hunk.applied && !entry && !isInText(document, hunk) ? 'its text was changed since; take it back by hand' : (hunk.warning ?? hunk.loose);
      return above(hunk, Math.min(row, document.lineCount - 1), index === 0 ? placed.length : 0, doubt);
    });
  }

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const hunk = at(this.review.hunks(document.uri), position.line);
    return hunk && new vscode.Hover(hover(hunk));
  }
}

/** The hunk at a row; what has no line there counts on both rows that it goes between, where no other stands. */
export function at(hunks: Waiting[], row: number): Waiting | undefined {
  return (
    hunks.find((hunk) => row >= hunk.start && row < hunk.start + there(hunk).length) ??
    hunks.find((hunk) => there(hunk).length === 0 && (row === hunk.start || row === hunk.start - 1))
  );
}

/** The row that a hunk's header stands above: what has no line of its own shows below the line before it. */
function head(hunk: Waiting): number {
  return there(hunk).length > 0 ? hunk.start : Math.max(hunk.start - 1, 0);
}

/** What accepting and rejecting come to, in a word each. */
export function words(hunk: Waiting): { accept: string; reject: string } {
  return hunk.applied ? { accept: 'Keep', reject: 'Take back' } : { accept: 'Accept', reject: 'Reject' };
}

function above(hunk: Waiting, row: number, all: number, doubt: string | null | undefined): vscode.CodeLens[] {
  const { proposal, file } = hunk.entry;
  const make = (icon: string, words: string, command: string, tooltip: string, what: About = about(hunk)): vscode.CodeLens =>
    lens(row, icon, words, command, tooltip, what);
  const agent = proposal.origin.agent ? ` · ${clip(proposal.origin.agent, 24)}` : '';
  const what = [hunk.applied ? 'applied' : '', doing(hunk.entry) ?? ''].filter(Boolean).join(': ');
  const { accept, reject } = words(hunk);
  const lenses = [
    make('', `${number(hunk)}${what ? ` ${clip(what, 40)}` : ''} ${clip(proposal.why, 60)}${agent}`, 'showDiff', `${proposal.why}\n\nShow the proposal as a diff`),
    make('check', accept, 'accept', `${accept} this hunk`),
    make('close', reject, 'reject', `${reject} this hunk`),
    make('', `${reject} with reason`, 'rejectWithReason', `${reject} this hunk with a word for the agent`),
  ];
  if (!fixed(hunk)) lenses.push(make('edit', 'Edit', 'editHunk', 'Change the new lines before you accept them'));
  if (doubt) lenses.splice(1, 0, make('warning', `look twice: ${clip(doubt, 60)}`, 'showDiff', doubt));
  if (all > 1) {
    const whole = { proposal: proposal.id, path: file.path };
    lenses.push(make('check-all', `${accept} all ${all}`, 'acceptFile', `${accept} every hunk of this file`, whole));
    lenses.push(make('close-all', `${reject} all`, 'rejectFile', `${reject} every hunk of this file`, whole));
  }
  return lenses;
}

/** Tabs in a hover, which has no setting of its own. */
const TAB = 4;

function hover(hunk: Waiting): vscode.MarkdownString {
  // With no icons: there are none of ours in it.
  const text = new vscode.MarkdownString();
  text.isTrusted = { enabledCommands: ['accept', 'reject', 'rejectWithReason', 'editHunk', 'showDiff'].map((name) => `wherefore.${name}`) };
  const { proposal } = hunk.entry;
  text.appendText(clip(`${number(hunk)}${hunk.applied ? ' applied' : ''} ${proposal.why}`, 400));
  if (hunk.warning) text.appendText(`\n\nLook twice: ${clip(hunk.warning, 200)}`);
  const sign = (mark: string) => (line: string) => mark + visible(chomp(line), TAB);
  const rows = [...hunk.old.map(sign('-')), ...hunk.new.map(sign('+'))];
  const more = rows.length - 40;
  text.appendCodeblock([...rows.slice(0, 40), ...(more > 0 ? [`… ${count(more, 'more line')}`] : [])].join('\n'), 'diff');
  const argument = encodeURIComponent(JSON.stringify([about(hunk)]));
  const link = (title: string, command: string): string => `[${title}](command:wherefore.${command}?${argument})`;
  const { accept, reject } = words(hunk);
  const links = [link(accept, 'accept'), link(reject, 'reject'), link(`${reject} with reason`, 'rejectWithReason')];
  if (!fixed(hunk)) links.push(link('Edit', 'editHunk'));
  links.push(link('Show diff', 'showDiff'));
  return text.appendMarkdown(links.join(' · '));
}
