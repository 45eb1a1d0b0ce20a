// The changes of agents in a session as pages, one a file: its hunks from all proposals, the oldest first, with what became of
// each. Nothing is drawn here.

import { isPending, isUnseen } from './proposal_store';
import { clip } from '../text';
import type { Hunk, Proposal, ProposedFile } from '../server/wire';

/** A hunk on a page. */
export interface SessionHunk {
  proposal: Proposal;
  file: ProposedFile;
  hunk: Hunk;
  /** The row of its heading on either side, from 0. */
  rows: { before: number; after: number };
}

/** A file of the session. */
export interface SessionPage {
  path: string;
  parts: SessionHunk[];
  before: string;
  after: string;
}

/** The pages of proposals, in the order of their paths. */
export function makePages(proposals: Proposal[]): SessionPage[] {
  const files = proposals.toSorted(compareAge).flatMap((proposal) => proposal.files.map((file) => ({ proposal, file })));
  const byPath = Map.groupBy(files, ({ file }) => file.path);
  return [...byPath].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([path, list]) => makePage(path, list));
}

function makePage(path: string, list: { proposal: Proposal; file: ProposedFile }[]): SessionPage {
  const created: SessionPage = { path, parts: [], before: '', after: '' };
  let [before, after] = [0, 0];
  for (const { proposal, file } of list) {
    for (const hunk of file.hunks) {
      created.parts.push({ proposal, file, hunk, rows: { before, after } });
      const heading = `⋯ ${describePlace(file, hunk)}`;
      const sides = [hunk.old, hunk.new].map((lines) => [heading, ...lines.map((line) => line.replace(/\r?\n$/, '')), '']) as [string[], string[]];
      created.before += `${sides[0].join('\n')}\n`;
      created.after += `${sides[1].join('\n')}\n`;
      before += sides[0].length;
      after += sides[1].length;
    }
  }
  return { ...created, before: created.before.slice(0, -2), after: created.after.slice(0, -2) };
}

/** The lines of a hunk, or its effect where it has none. */
function describePlace(file: ProposedFile, hunk: Hunk): string {
  if (file.what) return clip(file.what, 200);
  if (hunk.old.length + hunk.new.length === 0) return `${file.kind} ${file.from ? `${file.from} → ` : ''}${file.path}`;
  return `line ${hunk.start + 1}`;
}

/** Describes what became of a hunk. */
export function describeFate(hunk: Hunk): string {
  if (isPending(hunk)) return 'waits for you';
  if (isUnseen(hunk)) return 'applied with nobody looking';
  if (hunk.state === 'accepted') return hunk.edited ? 'accepted, changed by hand' : 'accepted';
  return hunk.state === 'stale' ? 'set aside: its text was changed' : 'rejected';
}

/** Lists what can be done with a hunk: its word for accepting and the one for rejecting, where there are such. */
export function listChoices(hunk: Hunk): { accept?: string; reject?: string } {
  if (isPending(hunk)) return { accept: 'Accept', reject: 'Reject' };
  if (isUnseen(hunk)) return { accept: 'Keep', reject: 'Take back' };
  return hunk.state === 'accepted' ? { reject: 'Take back' } : {};
}

/** Describes what became of all: `2 accepted, 1 rejected`. */
export function summarizePages(list: SessionPage[]): string {
  const names = list.flatMap(({ parts }) => parts.map(({ hunk }) => (isPending(hunk) ? 'waiting' : hunk.state === 'stale' ? 'set aside' : `${hunk.state}`)));
  const counts = Map.groupBy(names, (name) => name);
  return ['waiting', 'accepted', 'rejected', 'set aside'].flatMap((name) => (counts.has(name) ? [`${counts.get(name)?.length} ${name}`] : [])).join(', ');
}

export const compareAge = (a: Proposal, b: Proposal): number => (a.created < b.created ? -1 : a.created > b.created ? 1 : 0);
