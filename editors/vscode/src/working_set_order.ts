// The order of the working set: the hottest first, but no row moves for a difference that nobody would tell.

import type { WorkingFile } from './server/wire';

/** The heat that a file must have more than one above it to take its place. */
const MARGIN = 0.02;

/** `files` by heat; those that are about as hot stand as they did `before`, so that none moves under a hand. */
export function orderSteadily(files: readonly WorkingFile[], before: readonly string[]): WorkingFile[] {
  const stood = new Map(before.map((path, index) => [path, index]));
  const findPlace = (file: WorkingFile): number => stood.get(file.path) ?? before.length;
  const ordered: WorkingFile[] = [];
  // The sort is stable: what is new comes last, as the server ordered it.
  for (const file of [...files].sort((one, other) => findPlace(one) - findPlace(other))) {
    const margin = stood.has(file.path) ? MARGIN : 0;
    const cooler = ordered.findIndex(({ hotness }) => hotness + margin < file.hotness);
    ordered.splice(cooler < 0 ? ordered.length : cooler, 0, file);
  }
  return ordered;
}
