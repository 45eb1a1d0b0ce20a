// The row above each hunk: the why, and what can be done; and the same in a hover, with the lines.

import * as vscode from 'vscode';
import { isInText } from './draw';
import { isInReview } from './tabs';
import type { Near } from './near';
import { placed } from './aim';
import { doing, entryAt, fixed, RIGHT } from './preview';
import { lens } from './lens';
import { number, type Review, type Waiting } from './review';
import { chomp, clip, count, visible } from './text';

/** What a command of a lens, a hover or a tree is about. */
export interface About {
  proposal: string;
  path?: string;
  hunks?: string[];
}

export const about = (hunk: Waiting): About => ({ proposal: hunk.entry.proposal.id, hunks: [hunk.id] });

/** Lenses that VS Code has not asked for by then are offered once more. */
const AGAIN_MS = 1000;

/** The lenses. */
export class Lenses implements vscode.CodeLensProvider, vscode.HoverProvider {
  private readonly change = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.change.event;
  private again: NodeJS.Timeout | undefined;
  /** The documents that VS Code asked for since the last change. */
  private readonly asked = new Set<string>();

  constructor(
    private readonly review: Review,
    private readonly near: Near,
    private readonly isInText: () => boolean,
  ) {}

  refresh(): void {
    this.asked.clear();
    this.change.fire();
    clearTimeout(this.again);
    this.again = setTimeout(() => this.isWaiting() && this.change.fire(), AGAIN_MS);
  }

  /** Whether a document with hunks has no lenses yet: VS Code drops what it was about to ask for where the focus leaves an editor. */
  private isWaiting(): boolean {
    return vscode.window.visibleTextEditors.some(({ document }) => !this.asked.has(document.uri.toString()) && placed(this.review, document).length > 0);
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    this.asked.add(document.uri.toString());
    const entry = entryAt(this.review, document.uri);
    if (!entry && document.uri.scheme === RIGHT && document.isDirty) return [lens(0, 'warning', 'no hunk waits here any more: copy what you need')];
    const isReview = entry !== undefined;
    // The right side has them.
    if (document.uri.authority === 'before' && isInReview()) return [];
    const all = placed(this.review, document);
    return all.flatMap(({ hunk, row }, index) => {
      if (!isReview && !this.near.shows(document, hunk)) return [];
      // In the file's own editor the new lines are not seen, so that its lens leads to them.
      if (!isReview && !hunk.applied && !this.isInText()) return [leading(hunk, row)];
      const doubt = hunk.applied && !isReview && !isInText(document, hunk) ? 'its text was changed since; take it back by hand' : (hunk.warning ?? hunk.loose);
      return above(hunk, row, index === 0 && hunk.applied ? all.length : 0, doubt);
    });
  }

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const here = placed(this.review, document).filter(({ first, last }) => first <= position.line && position.line <= last);
    // What has no line of its own is told of where no other stands.
    const found = here.find(({ stands }) => stands) ?? here[0];
    return found && new vscode.Hover(hover(found.hunk));
  }
}

/** What accepting and rejecting come to, in a word each. */
export function words(hunk: Waiting): { accept: string; reject: string } {
  if (hunk.applied) return { accept: 'Keep', reject: 'Take back' };
  return { accept: hunk.draft ? 'Accept as edited' : 'Accept', reject: 'Reject' };
}

/** Which hunk it is, why, and who proposes it. */
export function saying(hunk: Waiting, length: number): string {
  const { proposal } = hunk.entry;
  const what = [hunk.applied ? 'applied' : '', doing(hunk.entry) ?? ''].filter(Boolean).join(': ');
  const agent = proposal.origin.agent ? clip(proposal.origin.agent, 24) : '';
  return [number(hunk), clip(what, 60), clip(proposal.why, length), agent].filter(Boolean).join(' · ');
}

/** The one lens of a hunk in the file's own editor. */
function leading(hunk: Waiting, row: number): vscode.CodeLens {
  const { proposal, file } = hunk.entry;
  return lens(row, 'diff', `Review ${saying(hunk, 80)}`, 'next', `${proposal.why}\n\nShow the hunk in the review`, { proposal: proposal.id, path: file.path, hunk: hunk.id });
}

/** The row of a hunk: the acts first, the why last, since a narrow editor cuts the end. */
function above(hunk: Waiting, row: number, all: number, doubt: string | null | undefined): vscode.CodeLens[] {
  const { proposal, file } = hunk.entry;
  const make = (icon: string, words: string, command: string, tooltip: string, what: unknown = about(hunk)): vscode.CodeLens => lens(row, icon, words, command, tooltip, what);
  const { accept, reject } = words(hunk);
  const lenses = [
    make('check', accept, 'accept', `${accept} this hunk`),
    make('close', reject, 'reject', `${reject} this hunk`),
    make('', `${reject} with reason`, 'rejectWithReason', `${reject} this hunk with a word for the agent`),
  ];
  if (!fixed(hunk)) lenses.push(make('edit', 'Edit', 'editHunk', 'Change the new lines before you accept them'));
  if (all > 1) {
    const whole = { proposal: proposal.id, path: file.path };
    lenses.push(make('check-all', `${accept} all ${all}`, 'acceptFile', `${accept} every hunk of this file`, whole));
    lenses.push(make('close-all', `${reject} all`, 'rejectFile', `${reject} every hunk of this file`, whole));
  }
  if (doubt) lenses.push(make('warning', `look twice: ${clip(doubt, 60)}`, 'showDiff', doubt));
  lenses.push(make('', saying(hunk, 100), 'openLog', `${proposal.why}\n\nShow the call in the session log`, { call: proposal.call_id }));
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
  const rows = [...hunk.old.map(sign('-')), ...(hunk.draft ?? hunk.new).map(sign('+'))];
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
