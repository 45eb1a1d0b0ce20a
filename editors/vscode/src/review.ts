// The proposals that the server told of: which hunks wait, in which file. Nothing is drawn here.

import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Hunk, Proposal, ProposedFile } from './wire';

/** A hunk that waits. Its `start` moves along while the person types ahead of the server. */
export interface Waiting extends Hunk {
  entry: Entry;
}

/** One file of a proposal, with the hunks that wait. */
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

const isPending = (hunk: Hunk): boolean => (hunk.state ?? 'pending') === 'pending';

/** Which of its file's hunks one is; decided ones count, so that a number stays. */
export function number(hunk: Waiting): string {
  const all = hunk.entry.file.hunks;
  return `${all.findIndex((each) => each.id === hunk.id) + 1}/${all.length}`;
}

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

/** Every proposal with a hunk that waits. */
export class Review implements vscode.Disposable {
  private readonly held = new Map<string, Entry[]>();
  private readonly change = new vscode.EventEmitter<Set<string>>();
  private sorted: Entry[] | undefined;
  private byKey = new Map<string, Entry[]>();

  /** Hunks came, moved or went in the files with these keys. */
  readonly onChange = this.change.event;

  /** Takes proposals as the server holds them now. */
  put(list: Proposal[]): void {
    const touched = new Set<string>();
    for (const proposal of list) {
      const before = this.held.get(proposal.id) ?? [];
      const now = proposal.files.map((file) => entryOf(proposal, file, before)).filter((entry) => entry.hunks.length > 0);
      for (const entry of [...before, ...now]) touched.add(entry.key);
      if (now.length > 0) this.held.set(proposal.id, now);
      else this.held.delete(proposal.id);
    }
    this.changed(touched);
  }

  /** Forgets everything, as when the server ended. */
  forget(): void {
    const touched = new Set(this.entries().map((entry) => entry.key));
    this.held.clear();
    this.changed(touched);
  }

  /** The proposal as it was last told, while a hunk of it waits. */
  get(id: string): Proposal | undefined {
    return this.held.get(id)?.[0]?.proposal;
  }

  /** Every file with a hunk that waits, in the order of paths, then of age. */
  entries(): Entry[] {
    this.sorted ??= [...this.held.values()].flat().sort(order);
    return this.sorted;
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

  /** The hunks that wait in a file, from top to bottom. */
  hunks(uri: vscode.Uri): Waiting[] {
    return this.of(uri).flatMap((entry) => entry.hunks).sort((a, b) => a.start - b.start);
  }

  /** How many hunks wait, in how many files. */
  count(): { hunks: number; files: number } {
    const hunks = this.entries().reduce((sum, entry) => sum + entry.hunks.length, 0);
    return { hunks, files: this.byKeys().size };
  }

  /** Moves hunks along with what the person types, until the server says where they are. */
  follow(event: vscode.TextDocumentChangeEvent): void {
    const hunks = this.of(event.document.uri).flatMap((entry) => entry.hunks);
    if (hunks.length === 0) return;
    let moved = false;
    for (const change of event.contentChanges) {
      const grown = change.text.split('\n').length - 1 - (change.range.end.line - change.range.start.line);
      if (grown === 0) continue;
      for (const hunk of hunks) {
        const above = change.range.end.line < hunk.start || (change.range.end.line === hunk.start && change.range.end.character === 0);
        if (above) {
          hunk.start += grown;
          moved = true;
        }
      }
    }
    if (moved) this.change.fire(new Set([keyOf(event.document.uri.fsPath)]));
  }

  dispose(): void {
    this.change.dispose();
  }

  private byKeys(): Map<string, Entry[]> {
    if (!this.sorted) this.byKey = Map.groupBy(this.entries(), (entry) => entry.key);
    return this.byKey;
  }

  private changed(touched: Set<string>): void {
    this.sorted = undefined;
    this.byKeys();
    this.change.fire(touched);
  }
}

function entryOf(proposal: Proposal, file: ProposedFile, before: Entry[]): Entry {
  const uri = vscode.Uri.parse(file.uri, true);
  const key = keyOf(uri.fsPath);
  const root = uri.fsPath.slice(0, -file.path.length - 1) || '/';
  const entry: Entry = { root, proposal, file, uri, key, hunks: [] };
  const known = before.find((each) => each.file.path === file.path);
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  // Where typing is ahead of the text that the server counted in, the place that moved along knows better.
  const ahead = open !== undefined && typeof file.version === 'number' && file.version < open.version;
  entry.hunks = file.hunks.filter(isPending).map((hunk) => {
    const moved = ahead ? known?.hunks.find((each) => each.id === hunk.id)?.start : undefined;
    return { ...hunk, start: moved ?? hunk.start, entry };
  });
  return entry;
}
