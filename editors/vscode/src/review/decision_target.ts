// The hunks that a decision is about. A command finds them once, where it begins; from there on they travel as objects.

import type { ProposalStore, ReviewEntry, ReviewHunk } from './proposal_store';

/** Hunks of a proposal as a link can name them: all of them, those of a file, or some. */
export interface HunkReference {
  proposal: string;
  path?: string;
  hunks?: string[];
}

/** A row of a tree whose buttons decide on a file or on a hunk. */
export interface DecisionRow {
  about: ReviewEntry | ReviewHunk;
}

/** The hunks that a person decides on. */
export interface DecisionTarget {
  /** Their name for the server. */
  reference: HunkReference;
  root: string | null;
  /** The ones that the store holds. */
  hunks: ReviewHunk[];
}

/** True for a hunk of the store, whether it holds that still or not. */
export const isReviewHunk = (value: unknown): value is ReviewHunk => typeof value === 'object' && value !== null && 'entry' in value && 'applied' in value;

/** True for a file of the store, whether it holds that still or not. */
export const isReviewEntry = (value: unknown): value is ReviewEntry => typeof value === 'object' && value !== null && 'file' in value && 'hunks' in value && 'key' in value;

/** Names a hunk so that a link can hold it. */
export const referTo = (hunk: ReviewHunk): HunkReference => ({ proposal: hunk.entry.proposal.id, hunks: [hunk.id] });

/** Makes the target of a hunk. */
export function makeHunkTarget(hunk: ReviewHunk): DecisionTarget {
  return { reference: referTo(hunk), root: hunk.entry.root, hunks: [hunk] };
}

/** Makes the target of a file. */
export function makeEntryTarget({ proposal, file, root, hunks }: ReviewEntry): DecisionTarget {
  return { reference: { proposal: proposal.id, path: file.path }, root, hunks };
}

/** Finds the hunks that the argument of a command names; nothing where it names none. */
export function resolveTarget(store: ProposalStore, argument: unknown): DecisionTarget | undefined {
  if (typeof argument !== 'object' || argument === null) return undefined;
  if (isReviewHunk(argument)) return { ...makeHunkTarget(argument), hunks: [store.findCurrent(argument) ?? []].flat() };
  if (isReviewEntry(argument)) return { ...makeEntryTarget(argument), hunks: store.findCurrentEntry(argument)?.hunks ?? [] };
  if ('about' in argument) return resolveTarget(store, (argument as DecisionRow).about);
  return 'proposal' in argument ? resolveReference(store, argument as HunkReference) : undefined;
}

function resolveReference(store: ProposalStore, reference: HunkReference): DecisionTarget {
  const entries = store.listOfProposal(reference.proposal);
  const ofPath = entries.filter(({ file }) => (reference.path ?? file.path) === file.path);
  const hunks = ofPath.flatMap((entry) => entry.hunks).filter(({ id }) => reference.hunks?.includes(id) ?? true);
  return { reference, root: entries[0]?.root ?? null, hunks };
}

/** The hunk of a target that names just one. */
export function findNamedHunk({ reference, hunks }: DecisionTarget): ReviewHunk | undefined {
  return reference.hunks?.length === 1 ? hunks[0] : undefined;
}
