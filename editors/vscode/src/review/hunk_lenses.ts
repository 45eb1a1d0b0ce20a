// The row above each hunk: the why, and what can be done; and the same in a hover, with the lines.

import * as vscode from 'vscode';
import { isInText } from './hunk_marks';
import { isInReview } from './review_tabs';
import type { NearbyHunks } from './nearby_hunks';
import { placeHunks } from './target_hunk';
import { describeFileChange, findEntry, explainReadOnly, EDIT_SCHEME } from './diff_sides';
import { makeLens } from '../code_lens';
import { referTo } from './decision_target';
import { findPieces } from './selected_lines';
import { formatHunkNumber, listOtherLines, listPresentLines, type ProposalStore, type ReviewHunk } from './proposal_store';
import { isReviewedInText } from '../settings';
import { chomp, clip, formatCount, expandTabs } from '../text';
import type { Proposal } from '../server/wire';

/** Lenses that VS Code has not asked for by then are offered once more, so often: a busy window drops what it was about to ask for. */
const [AGAIN_MS, TIMES] = [1000, 8];

/** The lenses. */
export class HunkLenses implements vscode.CodeLensProvider, vscode.HoverProvider {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changes.event;
  private againTimer: NodeJS.Timeout | undefined;
  /** The documents that VS Code asked for since the last change. */
  private readonly askedDocuments = new Set<string>();

  constructor(
    private readonly store: ProposalStore,
    private readonly nearby: NearbyHunks,
  ) {}

  refresh(): void {
    this.askedDocuments.clear();
    this.changes.fire();
    clearTimeout(this.againTimer);
    this.offerAgain(TIMES);
  }

  private offerAgain(rounds: number): void {
    this.againTimer = setTimeout(() => {
      if (rounds === 0 || !this.isWaiting()) return;
      this.changes.fire();
      this.offerAgain(rounds - 1);
    }, AGAIN_MS);
  }

  /** True if a document with hunks has no lenses yet: VS Code drops what it was about to ask for where an editor loses the focus. */
  private isWaiting(): boolean {
    return vscode.window.visibleTextEditors.some(({ document }) => !this.askedDocuments.has(document.uri.toString()) && placeHunks(this.store, document).length > 0);
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    this.askedDocuments.add(document.uri.toString());
    const entry = findEntry(this.store, document.uri);
    if (!entry && document.uri.scheme === EDIT_SCHEME && document.isDirty) return [makeLens(0, 'warning', 'no hunk waits here any more: copy what you need')];
    const isReview = entry !== undefined;
    const all = placeHunks(this.store, document);
    // The right side has the buttons, below all that is taken out here.
    if (document.uri.authority === 'before' && isInReview()) return all.flatMap(({ hunk, row }) => [...(isLongRemoval(hunk) ? makeDecisionLenses(hunk, row) : []), makeReasonLens(hunk, row)]);
    return all.flatMap(({ hunk, row }, index) => {
      if (!isReview && !this.nearby.isNearAnywhere(document, hunk)) return [];
      // In the file's own editor the new lines are not seen, so that its lens leads to them.
      if (!isReview && !hunk.applied && !isReviewedInText()) return [makeReviewLens(hunk, row)];
      const doubt = hunk.applied && (!isReview || document.uri.scheme === EDIT_SCHEME) && !isInText(document, hunk, row) ? 'its text was changed since; take it back by hand' : (hunk.warning ?? hunk.loose);
      const more = document.uri.scheme === EDIT_SCHEME ? findBlocks(hunk).flatMap((line) => makeDecisionLenses(hunk, row + line)) : [];
      return [...makeHunkLenses(hunk, row, index === 0 && hunk.applied ? all.length : 0, doubt), ...more];
    });
  }

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const hunksHere = placeHunks(this.store, document).filter(({ first, last }) => first <= position.line && position.line <= last);
    // What has no line of its own is told of where no other stands.
    const found = hunksHere.find(({ hasLines }) => hasLines) ?? hunksHere[0];
    return found && new vscode.Hover(makeHover(found.hunk));
  }
}

/** Chooses the words for accepting and rejecting. */
export function chooseVerbs(hunk: ReviewHunk): { accept: string; reject: string } {
  if (hunk.applied) return { accept: 'Keep', reject: 'Take back' };
  return { accept: hunk.draft ? 'Accept as edited' : 'Accept', reject: 'Reject' };
}

/** Lines of a script that are shown. */
const SCRIPT_LINES = 12;

/** The command that made a change and the end of its output, a line each; none where no command did. */
export function formatCommand({ command }: Proposal): string[] {
  if (!command) return [];
  const script = command.script.trim().split('\n');
  const more = script.length - SCRIPT_LINES;
  const rows = script.slice(0, SCRIPT_LINES).map((line, at) => `${at === 0 ? '$' : ' '} ${line}`);
  if (more > 0) rows.push(`  … ${formatCount(more, 'more line')}`);
  return command.output ? [...rows, ...command.output.split('\n').map((line) => `| ${line}`)] : rows;
}

/** The number of a hunk, its why, its command and its agent. */
export function summarizeHunk(hunk: ReviewHunk, length: number): string {
  const { proposal } = hunk.entry;
  const state = [hunk.applied ? 'applied' : '', describeFileChange(hunk.entry) ?? ''].filter(Boolean).join(': ');
  const agent = proposal.origin.agent ? clip(proposal.origin.agent, 24) : '';
  const ran = clip(formatCommand(proposal)[0] ?? '', 60);
  return [formatHunkNumber(hunk), clip(state, 60), clip(proposal.why, length), ran, agent].filter(Boolean).join(' · ');
}

/** The one lens of a hunk in the file's own editor. */
function makeReviewLens(hunk: ReviewHunk, row: number): vscode.CodeLens {
  const { proposal } = hunk.entry;
  return makeLens(row, 'diff', `Review ${summarizeHunk(hunk, 80)}`, 'next', `${[proposal.why, ...formatCommand(proposal)].join('\n')}\n\nShow the hunk in the review`, hunk);
}

/** Lines that a removal has where its buttons stand at its top, too. */
const LONG_REMOVAL = 8;

/** Lines that stay between two blocks of a hunk with buttons at each. */
const BLOCK_GAP = 3;

function isLongRemoval(hunk: ReviewHunk): boolean {
  return listPresentLines(hunk).length === 0 ? listOtherLines(hunk).length >= LONG_REMOVAL && hunk.applied : listOtherLines(hunk).length === 0 && listPresentLines(hunk).length >= LONG_REMOVAL && !hunk.applied;
}

/** The new lines at which a diff shows further blocks of a hunk: it holds lines that stay. */
function findBlocks(hunk: ReviewHunk): number[] {
  const pieces = findPieces(hunk.old, hunk.applied ? hunk.new : listOtherLines(hunk));
  return pieces.flatMap((piece, index) => {
    const before = pieces[index - 1];
    return before && piece.new - before.new - before.news >= BLOCK_GAP ? [piece.new] : [];
  });
}

/** The why on the left side, where the row beside the buttons is empty: it has the width of the editor. */
function makeReasonLens(hunk: ReviewHunk, row: number): vscode.CodeLens {
  const { proposal } = hunk.entry;
  const agent = proposal.origin.agent ? clip(proposal.origin.agent, 24) : '';
  const words = [clip(proposal.why, 300), agent].filter(Boolean).join(' · ');
  return makeLens(row, '', words, 'openLog', `${[proposal.why, ...formatCommand(proposal)].join('\n')}\n\nShow the call in the session log`, { call: proposal.call_id });
}

/** The buttons of a hunk once more, at another place of it. */
function makeDecisionLenses(hunk: ReviewHunk, row: number): vscode.CodeLens[] {
  const { accept, reject } = chooseVerbs(hunk);
  return [
    makeLens(row, hunk.applied ? 'pass' : 'check', accept, 'accept', `${accept} this hunk`, hunk),
    makeLens(row, hunk.applied ? 'discard' : 'close', reject, 'reject', `${reject} this hunk`, hunk),
    makeLens(row, '', `of ${formatHunkNumber(hunk)}`, 'openLog', `${hunk.entry.proposal.why}\n\nShow the call in the session log`, { call: hunk.entry.proposal.call_id }),
  ];
}

/** The row of a hunk: the acts first, the why last, since a narrow editor cuts the end. */
function makeHunkLenses(hunk: ReviewHunk, row: number, all: number, doubt: string | null | undefined): vscode.CodeLens[] {
  const { proposal } = hunk.entry;
  const makeOne = (icon: string, words: string, command: string, tooltip: string, argument: unknown = hunk): vscode.CodeLens => makeLens(row, icon, words, command, tooltip, argument);
  const { accept, reject } = chooseVerbs(hunk);
  const lenses = [
    makeOne(hunk.applied ? 'pass' : 'check', accept, 'accept', `${accept} this hunk`),
    makeOne(hunk.applied ? 'discard' : 'close', reject, 'reject', `${reject} this hunk`),
    makeOne('', `${reject} with reason`, 'rejectWithReason', `${reject} this hunk with a word for the agent`),
  ];
  if (!explainReadOnly(hunk)) lenses.push(makeOne('edit', 'Edit', 'editHunk', 'Change the new lines before you accept them'));
  if (all > 1) {
    lenses.push(makeOne('check-all', `${accept} all ${all}`, 'acceptFile', `${accept} every hunk of this file`, hunk.entry));
    lenses.push(makeOne('close-all', `${reject} all`, 'rejectFile', `${reject} every hunk of this file`, hunk.entry));
  }
  if (doubt) lenses.push(makeOne('warning', `look twice: ${clip(doubt, 60)}`, 'showDiff', doubt));
  lenses.push(makeOne('', summarizeHunk(hunk, 100), 'openLog', `${[proposal.why, ...formatCommand(proposal)].join('\n')}\n\nShow the call in the session log`, { call: proposal.call_id }));
  return lenses;
}

/** Tabs in a hover, which has no setting of its own. */
const TAB_SIZE = 4;

function makeHover(hunk: ReviewHunk): vscode.MarkdownString {
  // With no icons: there are none of ours in it.
  const text = new vscode.MarkdownString();
  text.isTrusted = { enabledCommands: ['accept', 'reject', 'rejectWithReason', 'editHunk', 'showDiff'].map((name) => `wherefore.${name}`) };
  const { proposal } = hunk.entry;
  text.appendText(clip(`${formatHunkNumber(hunk)}${hunk.applied ? ' applied' : ''} ${proposal.why}`, 400));
  const ran = formatCommand(proposal);
  if (ran.length > 0) text.appendCodeblock(ran.map((line) => expandTabs(line, TAB_SIZE)).join('\n'), 'text');
  if (hunk.warning) text.appendText(`\n\nLook twice: ${clip(hunk.warning, 200)}`);
  const markLine = (mark: string) => (line: string) => mark + expandTabs(chomp(line), TAB_SIZE);
  const rows = [...hunk.old.map(markLine('-')), ...(hunk.draft ?? hunk.new).map(markLine('+'))];
  const more = rows.length - 40;
  text.appendCodeblock([...rows.slice(0, 40), ...(more > 0 ? [`… ${formatCount(more, 'more line')}`] : [])].join('\n'), 'diff');
  const argument = encodeURIComponent(JSON.stringify([referTo(hunk)]));
  const makeLink = (title: string, command: string): string => `[${title}](command:wherefore.${command}?${argument})`;
  const { accept, reject } = chooseVerbs(hunk);
  const links = [makeLink(accept, 'accept'), makeLink(reject, 'reject'), makeLink(`${reject} with reason`, 'rejectWithReason')];
  if (!explainReadOnly(hunk)) links.push(makeLink('Edit', 'editHunk'));
  links.push(makeLink('Show diff', 'showDiff'));
  return text.appendMarkdown(links.join(' · '));
}
