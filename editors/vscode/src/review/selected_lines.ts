// The changed lines of a hunk: a hunk may hold lines that stay, so that a diff shows it as several blocks. And what a
// hunk adds where a person takes only some of its lines.

/** Old lines that new ones stand for, each by where they begin and how many they are. */
export interface LinePiece {
  old: number;
  olds: number;
  new: number;
  news: number;
}

/** Hunks with more pairs of lines than this are one piece. */
const MOST = 1_000_000;

/** The pieces in which two texts differ, from top to bottom, by the longest run of lines that both have. */
export function findPieces(old: string[], now: string[]): LinePiece[] {
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const [olds, news] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  if (olds.length === 0 && news.length === 0) return [];
  const whole = { old: start, olds: olds.length, new: start, news: news.length };
  if (olds.length * news.length > MOST) return [whole];
  return cutPieces(olds, news).map((piece) => ({ ...piece, old: piece.old + start, new: piece.new + start }));
}

function cutPieces(olds: string[], news: string[]): LinePiece[] {
  const width = news.length + 1;
  const lengths = new Uint32Array((olds.length + 1) * width);
  const common = (a: number, b: number): number => lengths[a * width + b] ?? 0;
  for (let a = olds.length - 1; a >= 0; a--) {
    for (let b = news.length - 1; b >= 0; b--) {
      lengths[a * width + b] = olds[a] === news[b] ? common(a + 1, b + 1) + 1 : Math.max(common(a + 1, b), common(a, b + 1));
    }
  }
  const out: LinePiece[] = [];
  let [a, b] = [0, 0];
  while (a < olds.length || b < news.length) {
    const piece = { old: a, olds: 0, new: b, news: 0 };
    while (a < olds.length || b < news.length) {
      if (a < olds.length && b < news.length && olds[a] === news[b]) break;
      if (b >= news.length || (a < olds.length && common(a + 1, b) >= common(a, b + 1))) a += 1;
      else b += 1;
    }
    out.push({ ...piece, olds: a - piece.old, news: b - piece.new });
    while (a < olds.length && b < news.length && olds[a] === news[b]) {
      a += 1;
      b += 1;
    }
  }
  return out.filter(({ olds: removed, news: added }) => removed + added > 0);
}

/**
 * The lines of a hunk where only the selected ones change. Where as many new lines stand for old ones they go one by one; else
 * the selected new ones stand for all of the old ones, and a selected old one takes all of its piece.
 */
export function takeLines(old: string[], now: string[], side: 'old' | 'new', isSelected: (line: number) => boolean): string[] {
  const out: string[] = [];
  let at = 0;
  for (const piece of findPieces(old, now)) {
    out.push(...old.slice(at, piece.old));
    at = piece.old + piece.olds;
    const [first, size] = side === 'old' ? [piece.old, piece.olds] : [piece.new, piece.news];
    const chosen = Array.from({ length: size }, (_, index) => isSelected(first + index));
    const [olds, news] = [old.slice(piece.old, at), now.slice(piece.new, piece.new + piece.news)];
    if (olds.length === news.length) out.push(...news.map((line, index) => (chosen[index] ? line : (olds[index] ?? ''))));
    else if (!chosen.includes(true)) out.push(...olds);
    else if (side === 'new') out.push(...news.filter((_, index) => chosen[index]));
    else if (piece.news === 0) out.push(...olds.filter((_, index) => !chosen[index]));
    else out.push(...news);
  }
  out.push(...old.slice(at));
  return out;
}
