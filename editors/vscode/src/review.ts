// The proposals that the server told of: which hunks wait, or were applied and are looked at, in which file. Nothing is
// drawn here.

import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Hunk, Proposal, ProposedFile } from './wire';

/** A hunk to decide on. Its `start` moves along while the person types ahead of the server. */
export interface Waiting extends Hunk {
  entry: Entry;
  /** Whether it stands in the text already: accepted it stays, rejected it is taken back. */
  applied: boolean;
  /** The lines that the person made of the new ones, before they accept it. */
  draft?: string[] | undefined;
}

/** One file of a proposal, with the hunks to decide on. */
export interface Entry {
  /** The workspace folder, absolute. */
  root: string;
  proposal: Proposal;
  file: ProposedFile;
  uri: vscode.Uri;
  /** The file's real path. */
  key: string;
  hunks: Waiting[];
}

export const isPending = (hunk: Hunk): boolean => (hunk.state ?? 'pending') === 'pending';

/** Whether a policy applied a hunk, and nobody has looked at it. */
export const isUnseen = (hunk: Hunk): boolean => hunk.state === 'accepted' && hunk.reviewed !== true;

/** The lines of a hunk that stand in the text. */
export const there = (hunk: Waiting): string[] => (hunk.applied ? hunk.new : hunk.old);

/** The lines of a hunk that do not stand in the text: those that would come, or that are gone. */
export const other = (hunk: Waiting): string[] => (hunk.applied ? hunk.old : (hunk.draft ?? hunk.new));

/** Which of its file's hunks one is; decided ones count, so that a number stays. */
export function number(hunk: Waiting): string {
  const all = hunk.entry.file.hunks;
  return `${all.findIndex((each) => each.id === hunk.id) + 1}/${all.length}`;
}

/** How long a person must not type for what they moved to be drawn anew. */
const PAUSE_MS = 250;

const realPaths = new Map<string, string>();

/** The one name of a file, whatever links lead to it. */
export function keyOf(path: string): string {
  const known = realPaths.get(path);
  if (known !== undefined) return known;
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

function order(a: Entry, b: Entry): number {
  const by = (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0);
  return by(a.key, b.key) || by(a.proposal.created, b.proposal.created) || by(a.proposal.id, b.proposal.id);
}

/** Every proposal with a hunk to decide on. */
export class Review implements vscode.Disposable {
  private readonly held = new Map<string, Entry[]>();
  /** Proposals whose applied hunks are looked at. */
  private looked: ReadonlySet<string> = new Set();
  private readonly change = new vscode.EventEmitter<Set<string>>();
  private readonly told = new vscode.EventEmitter<Proposal[]>();
  /** Files that are typed in. */
  private readonly typed = new Set<string>();
  private pause: NodeJS.Timeout | undefined;
  private sorted: Entry[] | undefined;
  private byKey: Map<string, Entry[]> | undefined;

  /** The lines that the person made of hunks, by their proposal and their own ids: they outlive the server. */
  private readonly drafts = new Map<string, string[]>();

  /** Hunks came, moved or went in the files with these keys. */
  readonly onChange = this.change.event;

  /** Proposals came as the server holds them now, also those that are decided. */
  readonly onTold = this.told.event;

  /** Takes proposals as the server holds them now. */
  put(list: Proposal[]): void {
    this.told.fire(list);
    const touched = new Set<string>();
    for (const proposal of list) {
      const before = this.held.get(proposal.id) ?? [];
      const looks = this.looked.has(proposal.id);
      const now = proposal.files.map((file) => entryOf(proposal, file, before, looks)).filter((entry) => entry.hunks.length > 0);
      this.drafted(proposal, now);
      if (now.length > 0) this.held.set(proposal.id, now);
      else this.held.delete(proposal.id);
      // A server tells of every key that is typed: where all stands as it stood, nothing is drawn anew.
      if (stands(before) !== stands(now)) for (const entry of [...before, ...now]) touched.add(entry.key);
    }
    this.stale();
    if (touched.size > 0) this.change.fire(touched);
  }

  /** Takes what the person makes of the lines of a hunk. */
  draft(hunk: Waiting, lines: string[]): void {
    const isAsProposed = lines.join('') === hunk.new.join('');
    hunk.draft = isAsProposed ? undefined : lines;
    const key = `${hunk.entry.proposal.id}/${hunk.id}`;
    if (isAsProposed) this.drafts.delete(key);
    else this.drafts.set(key, lines);
  }

  /** Shows the applied hunks of these proposals from now on, and of no other. */
  look(list: Proposal[]): void {
    const shown = new Map(this.entries().map(({ proposal }) => [proposal.id, proposal]));
    this.looked = new Set(list.map(({ id }) => id));
    for (const proposal of list) shown.set(proposal.id, proposal);
    this.put([...shown.values()]);
  }

  /** Whether the applied hunks of a proposal are looked at. */
  looksAt(id: string): boolean {
    return this.looked.has(id);
  }

  /** Forgets everything, as when the server ended. */
  forget(): void {
    const touched = new Set(this.entries().map((entry) => entry.key));
    this.held.clear();
    this.looked = new Set();
    this.stale();
    this.change.fire(touched);
  }

  /** The proposal as it was last told, while a hunk of it is to decide on. */
  get(id: string): Proposal | undefined {
    return this.held.get(id)?.[0]?.proposal;
  }

  /** Every file with a hunk to decide on, in the order of paths, then of age. */
  entries(): Entry[] {
    this.sorted ??= [...this.held.values()].flat().sort(order);
    return this.sorted;
  }

  /** The same, the oldest proposal first. */
  queue(): Entry[] {
    return this.entries().toSorted(({ proposal: a }, { proposal: b }) => (a.created < b.created ? -1 : a.created > b.created ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  }

  /** The entries of one proposal. */
  proposal(id: string): Entry[] {
    return this.entries().filter((entry) => entry.proposal.id === id);
  }

  /** The entries of a file. */
  of(uri: vscode.Uri): Entry[] {
    if (uri.scheme !== 'file' || this.held.size === 0) return [];
    return this.byKeys().get(keyOf(uri.fsPath)) ?? [];
  }

  /** The hunks to decide on in a file, from top to bottom. */
  hunks(uri: vscode.Uri): Waiting[] {
    return this.of(uri).flatMap((entry) => entry.hunks).sort((a, b) => a.start - b.start);
  }

  /** How many hunks wait, in how many files. */
  count(): { hunks: number; files: number } {
    return counted(this.entries(), (hunk) => !hunk.applied);
  }

  /** How many applied hunks are still to look at, in how many files. */
  applied(): { hunks: number; files: number } {
    return counted(this.entries(), (hunk) => hunk.applied);
  }

  /** Moves hunks along with what the person types, until the server says where they are. */
  follow(event: vscode.TextDocumentChangeEvent): void {
    const hunks = this.of(event.document.uri).flatMap((entry) => entry.hunks);
    if (hunks.length === 0) return;
    let moved = false;
    for (const change of event.contentChanges) {
      const grown = change.text.split('\n').length - 1 - (change.range.end.line - change.range.start.line);
      // What was applied looks otherwise once its text is another.
      const within = (hunk: Waiting): boolean => change.range.end.line >= hunk.start && change.range.start.line < hunk.start + there(hunk).length;
      moved ||= hunks.some((hunk) => hunk.applied && within(hunk));
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
    this.typed.add(keyOf(event.document.uri.fsPath));
    clearTimeout(this.pause);
    this.pause = setTimeout(() => {
      const keys = new Set(this.typed);
      this.typed.clear();
      this.change.fire(keys);
    }, PAUSE_MS);
  }

  dispose(): void {
    clearTimeout(this.pause);
    this.told.dispose();
    this.change.dispose();
  }

  /** Gives hunks their drafts, and forgets those of hunks that are decided. */
  private drafted(proposal: Proposal, now: Entry[]): void {
    if (this.drafts.size === 0) return;
    const waiting = new Map(now.flatMap(({ hunks }) => hunks.filter(({ applied }) => !applied).map((hunk) => [hunk.id, hunk])));
    for (const { id } of proposal.files.flatMap(({ hunks }) => hunks)) {
      const hunk = waiting.get(id);
      if (hunk) hunk.draft = this.drafts.get(`${proposal.id}/${id}`);
      else this.drafts.delete(`${proposal.id}/${id}`);
    }
  }

  private byKeys(): Map<string, Entry[]> {
    this.byKey ??= Map.groupBy(this.entries(), (entry) => entry.key);
    return this.byKey;
  }

  private stale(): void {
    this.sorted = undefined;
    this.byKey = undefined;
  }
}

function counted(entries: Entry[], is: (hunk: Waiting) => boolean): { hunks: number; files: number } {
  const found = entries.map((entry) => ({ key: entry.key, count: entry.hunks.filter(is).length })).filter(({ count }) => count > 0);
  return { hunks: found.reduce((sum, { count }) => sum + count, 0), files: new Set(found.map(({ key }) => key)).size };
}

/** What of entries is drawn, in one word that is another where any of it is. */
function stands(entries: Entry[]): string {
  return entries.map(({ key, hunks }) => `${key} ${hunks.map((hunk) => `${hunk.id} ${hunk.start} ${hunk.applied}`).join()}`).join('\n');
}

function entryOf(proposal: Proposal, file: ProposedFile, before: Entry[], looks: boolean): Entry {
  const uri = vscode.Uri.parse(file.uri, true);
  const key = file.kind === 'symlink' || file.kind === 'rename' ? join(keyOf(dirname(uri.fsPath)), basename(uri.fsPath)) : keyOf(uri.fsPath);
  const root = uri.fsPath.slice(0, -file.path.length - 1) || '/';
  const entry: Entry = { root, proposal, file, uri, key, hunks: [] };
  const known = before.find((each) => each.file.path === file.path);
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  // Where typing is ahead of the text that the server counted in, the place that moved along knows better.
  const ahead = open !== undefined && typeof file.version === 'number' && file.version < open.version;
  entry.hunks = file.hunks.filter((hunk) => isPending(hunk) || (looks && isUnseen(hunk))).map((hunk) => {
    const moved = ahead ? known?.hunks.find((each) => each.id === hunk.id)?.start : undefined;
    return { ...hunk, start: moved ?? hunk.start, entry, applied: !isPending(hunk) };
  });
  return entry;
}
