// The proposals that the server told of: which hunks wait, or were applied and are looked at, in which file. Nothing is
// drawn here.

import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Hunk, Proposal, ProposedFile } from '../server/wire';

/** A hunk to decide on. Its `start` moves along while the person types ahead of the server. */
export interface ReviewHunk extends Hunk {
  entry: ReviewEntry;
  /** True if it stands in the text already: accepted it stays, rejected it is taken back. */
  applied: boolean;
  /** The lines that the person made of the new ones, before they accept it. */
  draft?: string[] | undefined;
  /** True if they typed in them themselves: a formatter may have made the draft. */
  byHand?: boolean | undefined;
}

/** The lines that were made of a hunk's new ones. */
interface HunkDraft {
  lines: string[];
  byHand: boolean;
  /** When the first of them became another, by the clock of `performance`. */
  startedAt: number;
}

/** A file of a proposal, with the hunks to decide on. */
export interface ReviewEntry {
  /** The workspace folder, absolute. */
  root: string;
  proposal: Proposal;
  file: ProposedFile;
  uri: vscode.Uri;
  /** The file's real path. */
  key: string;
  hunks: ReviewHunk[];
}

export const isPending = (hunk: Hunk): boolean => (hunk.state ?? 'pending') === 'pending';

/** True if a policy applied a hunk, and nobody has looked at it. */
export const isUnseen = (hunk: Hunk): boolean => hunk.state === 'accepted' && hunk.reviewed !== true;

/** The lines of a hunk that stand in the text. */
export const listPresentLines = (hunk: ReviewHunk): string[] => (hunk.applied ? hunk.new : hunk.old);

/** The lines of a hunk that do not stand in the text: those that would come, or that are gone. */
export const listOtherLines = (hunk: ReviewHunk): string[] => (hunk.applied ? hunk.old : (hunk.draft ?? hunk.new));

/** A hunk's number in its file; decided ones count, so that it stays. */
export function formatHunkNumber(hunk: ReviewHunk): string {
  const all = hunk.entry.file.hunks;
  return `${all.findIndex((each) => each.id === hunk.id) + 1}/${all.length}`;
}

/** The time that a person must not type for what they moved to be drawn anew. */
const PAUSE_MS = 250;

const realPaths = new Map<string, string>();

/** The one name of a file, whatever links lead to it. */
export function findRealPath(path: string): string {
  const existing = realPaths.get(path);
  if (existing !== undefined) return existing;
  try {
    const real = realpathSync.native(path);
    realPaths.set(path, real);
    return real;
  } catch {
    try {
      return join(realpathSync.native(dirname(path)), basename(path));
    } catch {
      return path;
    }
  }
}

function compareEntries(a: ReviewEntry, b: ReviewEntry): number {
  const compare = (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0);
  return compare(a.key, b.key) || compare(a.proposal.created, b.proposal.created) || compare(a.proposal.id, b.proposal.id);
}

/** Every proposal with a hunk to decide on. */
export class ProposalStore implements vscode.Disposable {
  private readonly entries = new Map<string, ReviewEntry[]>();
  /** Proposals whose applied hunks are looked at. */
  private lookedAt: ReadonlySet<string> = new Set();
  private readonly changes = new vscode.EventEmitter<Set<string>>();
  private readonly proposalTakes = new vscode.EventEmitter<Proposal[]>();
  /** Files that are typed in. */
  private readonly typedFiles = new Set<string>();
  private pause: NodeJS.Timeout | undefined;
  private sorted: ReviewEntry[] | undefined;
  private byKey: Map<string, ReviewEntry[]> | undefined;

  /** The lines that the person made of hunks, by their proposal and their own ids: they outlive the server. */
  private readonly drafts = new Map<string, HunkDraft>();

  /** Hunks came, moved or went in the files with these keys. */
  readonly onChange = this.changes.event;

  /** Proposals came as the server holds them now, also those that are decided. */
  readonly onTake = this.proposalTakes.event;

  /** Takes proposals as the server holds them now. */
  takeProposals(list: Proposal[]): void {
    this.proposalTakes.fire(list);
    const touched = new Set<string>();
    for (const proposal of list) {
      const before = this.entries.get(proposal.id) ?? [];
      const looks = this.lookedAt.has(proposal.id);
      const now = proposal.files.map((file) => makeEntry(proposal, file, before, looks)).filter((entry) => entry.hunks.length > 0);
      this.applyDrafts(proposal, now);
      if (now.length > 0) this.entries.set(proposal.id, now);
      else this.entries.delete(proposal.id);
      // A server tells of every key that is typed: where all stands as it stood, nothing is drawn anew.
      if (describePlaces(before) !== describePlaces(now)) for (const entry of [...before, ...now]) touched.add(entry.key);
    }
    this.dropCache();
    if (touched.size > 0) this.changes.fire(touched);
  }

  /** Takes what is made of the lines of a hunk, by the person's own hand or by what changes texts for them. */
  setDraft(hunk: ReviewHunk, lines: string[], byHand: boolean): void {
    const key = `${hunk.entry.proposal.id}/${hunk.id}`;
    if (lines.join('') === hunk.new.join('')) this.drafts.delete(key);
    else {
      const before = this.drafts.get(key);
      this.drafts.set(key, { lines, byHand: byHand || before?.byHand === true, startedAt: before?.startedAt ?? performance.now() });
    }
    this.applyDraft(hunk);
  }

  /** Forgets the drafts of hunks that nobody typed and that began after a time. Says whether there were any. */
  dropUntyped(hunks: ReviewHunk[], since: number): boolean {
    const keyed = hunks.map((hunk): [string, ReviewHunk] => [`${hunk.entry.proposal.id}/${hunk.id}`, hunk]);
    const found = keyed.filter(([key]) => this.drafts.get(key)?.byHand === false && (this.drafts.get(key)?.startedAt ?? 0) >= since);
    for (const [key, hunk] of found) {
      this.drafts.delete(key);
      this.applyDraft(hunk);
    }
    return found.length > 0;
  }

  /** Shows the applied hunks of these proposals from now on, and of no other. */
  showApplied(list: Proposal[]): void {
    const proposals = new Map(this.listEntries().map(({ proposal }) => [proposal.id, proposal]));
    this.lookedAt = new Set(list.map(({ id }) => id));
    for (const proposal of list) proposals.set(proposal.id, proposal);
    this.takeProposals([...proposals.values()]);
  }

  /** True if the applied hunks of a proposal are looked at. */
  isLookedAt(id: string): boolean {
    return this.lookedAt.has(id);
  }

  /** Forgets everything, as when the server ended. */
  clear(): void {
    const touched = new Set(this.listEntries().map((entry) => entry.key));
    this.entries.clear();
    this.lookedAt = new Set();
    this.dropCache();
    this.changes.fire(touched);
  }

  /** The proposal as it was last told, while a hunk of it is to decide on. */
  findProposal(id: string): Proposal | undefined {
    return this.entries.get(id)?.[0]?.proposal;
  }

  /** Every file with a hunk to decide on, in the order of paths, then of age. */
  listEntries(): ReviewEntry[] {
    this.sorted ??= [...this.entries.values()].flat().sort(compareEntries);
    return this.sorted;
  }

  /** The same, the oldest proposal first. */
  listByAge(): ReviewEntry[] {
    return this.listEntries().toSorted(({ proposal: a }, { proposal: b }) => (a.created < b.created ? -1 : a.created > b.created ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  }

  /** The hunk that takes the place of one that was given out earlier, while it is to decide on. */
  findCurrent({ id, entry: { proposal } }: ReviewHunk): ReviewHunk | undefined {
    return this.entries.get(proposal.id)?.flatMap(({ hunks }) => hunks).find((hunk) => hunk.id === id);
  }

  /** The entry that takes the place of one that was given out earlier, while a hunk of it is to decide on. */
  findCurrentEntry({ file, proposal }: ReviewEntry): ReviewEntry | undefined {
    return this.entries.get(proposal.id)?.find((entry) => entry.file.path === file.path);
  }

  /** The entries of one proposal. */
  listOfProposal(id: string): ReviewEntry[] {
    return this.listEntries().filter((entry) => entry.proposal.id === id);
  }

  /** The hunks of one proposal that wait. */
  listWaiting(id: string): ReviewHunk[] {
    return this.listOfProposal(id).flatMap((entry) => entry.hunks.filter((hunk) => !hunk.applied));
  }

  /** The entries of a file. */
  listOfFile(uri: vscode.Uri): ReviewEntry[] {
    if (uri.scheme !== 'file' || this.entries.size === 0) return [];
    return this.groupByKey().get(findRealPath(uri.fsPath)) ?? [];
  }

  /** The hunks to decide on in a file, from top to bottom. */
  listHunks(uri: vscode.Uri): ReviewHunk[] {
    return this.listOfFile(uri).flatMap((entry) => entry.hunks).sort((a, b) => a.start - b.start);
  }

  /** Counts the hunks that wait, and their files. */
  countWaiting(): { hunks: number; files: number } {
    return countHunks(this.listEntries(), (hunk) => !hunk.applied);
  }

  /** Counts the applied hunks that are still to look at, and their files. */
  countApplied(): { hunks: number; files: number } {
    return countHunks(this.listEntries(), (hunk) => hunk.applied);
  }

  /** Moves hunks along with what the person types, until the server says where they are. */
  followTyping(event: vscode.TextDocumentChangeEvent): void {
    const hunks = this.listOfFile(event.document.uri).flatMap((entry) => entry.hunks);
    if (hunks.length === 0) return;
    let moved = false;
    for (const change of event.contentChanges) {
      const grown = change.text.split('\n').length - 1 - (change.range.end.line - change.range.start.line);
      // What was applied looks otherwise once its text is another.
      const overlaps = (hunk: ReviewHunk): boolean => change.range.end.line >= hunk.start && change.range.start.line < hunk.start + listPresentLines(hunk).length;
      moved ||= hunks.some((hunk) => hunk.applied && overlaps(hunk));
      if (grown === 0) continue;
      for (const hunk of hunks) {
        const above = change.range.end.line < hunk.start || (change.range.end.line === hunk.start && change.range.end.character === 0);
        if (above) {
          hunk.start += grown;
          moved = true;
        }
      }
    }
    if (!moved) return;
    // What is drawn moves along by itself: it is drawn anew where the typing pauses.
    this.typedFiles.add(findRealPath(event.document.uri.fsPath));
    clearTimeout(this.pause);
    this.pause = setTimeout(() => {
      const keys = new Set(this.typedFiles);
      this.typedFiles.clear();
      this.changes.fire(keys);
    }, PAUSE_MS);
  }

  dispose(): void {
    clearTimeout(this.pause);
    this.proposalTakes.dispose();
    this.changes.dispose();
  }

  /** Gives hunks their drafts, and forgets those of hunks that are decided. */
  private applyDrafts(proposal: Proposal, now: ReviewEntry[]): void {
    if (this.drafts.size === 0) return;
    const waiting = new Map(now.flatMap(({ hunks }) => hunks.filter(({ applied }) => !applied).map((hunk) => [hunk.id, hunk])));
    for (const { id } of proposal.files.flatMap(({ hunks }) => hunks)) {
      const hunk = waiting.get(id);
      if (hunk) this.applyDraft(hunk);
      else this.drafts.delete(`${proposal.id}/${id}`);
    }
  }

  private applyDraft(hunk: ReviewHunk): void {
    const draft = this.drafts.get(`${hunk.entry.proposal.id}/${hunk.id}`);
    hunk.draft = draft?.lines;
    hunk.byHand = draft?.byHand;
  }

  private groupByKey(): Map<string, ReviewEntry[]> {
    this.byKey ??= Map.groupBy(this.listEntries(), (entry) => entry.key);
    return this.byKey;
  }

  private dropCache(): void {
    this.sorted = undefined;
    this.byKey = undefined;
  }
}

function countHunks(entries: ReviewEntry[], isCounted: (hunk: ReviewHunk) => boolean): { hunks: number; files: number } {
  const found = entries.map((entry) => ({ key: entry.key, count: entry.hunks.filter(isCounted).length })).filter(({ count }) => count > 0);
  return { hunks: found.reduce((sum, { count }) => sum + count, 0), files: new Set(found.map(({ key }) => key)).size };
}

/** Describes what is drawn of entries, in a text that is another where any of it is. */
function describePlaces(entries: ReviewEntry[]): string {
  return entries.map(({ key, hunks }) => `${key} ${hunks.map((hunk) => `${hunk.id} ${hunk.start} ${hunk.applied}`).join()}`).join('\n');
}

function makeEntry(proposal: Proposal, file: ProposedFile, before: ReviewEntry[], looks: boolean): ReviewEntry {
  const uri = vscode.Uri.parse(file.uri, true);
  const key = file.kind === 'symlink' || file.kind === 'rename' ? join(findRealPath(dirname(uri.fsPath)), basename(uri.fsPath)) : findRealPath(uri.fsPath);
  const root = uri.fsPath.slice(0, -file.path.length - 1) || '/';
  const entry: ReviewEntry = { root, proposal, file, uri, key, hunks: [] };
  const existing = before.find((each) => each.file.path === file.path);
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  // Where typing is ahead of the text that the server counted in, the place that moved along knows better.
  const ahead = open !== undefined && typeof file.version === 'number' && file.version < open.version;
  entry.hunks = file.hunks.filter((hunk) => isPending(hunk) || (looks && isUnseen(hunk))).map((hunk) => {
    const moved = ahead ? existing?.hunks.find((each) => each.id === hunk.id)?.start : undefined;
    return { ...hunk, start: moved ?? hunk.start, entry, applied: !isPending(hunk) };
  });
  return entry;
}
