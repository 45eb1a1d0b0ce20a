// Proposed text and sentences made ready to be shown. What others wrote goes through here wherever it is shown: `clip` for a
// row, `inert` for a message, `visible` for a line of a file.

// With its ending, so that Node reads it too, as it is.
import { HIDDEN } from './hidden.ts';

/** `1 hunk`, `2 hunks`. */
export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** `3 hunks in 2 files`. */
export function waiting(hunks: number, files: number): string {
  return `${count(hunks, 'hunk')} in ${count(files, 'file')}`;
}

/** Characters that nobody sees, written so that everybody does: `\u{202e}`. Line ends and tabs stay. */
export function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, (sign) => (sign === '\n' || sign === '\t' ? sign : escaped(sign)));
}

/**
 * Words of others for a place where VS Code would make `[words](command:…)` a link that acts and `$(check)` an icon, whoever
 * wrote them: neither is made, and what is hidden shows.
 */
export function inert(text: string): string {
  return plain(text).replaceAll('](', '] (').replaceAll('$(', '$ (');
}

/** The same on one row: line ends and tabs become spaces, what is too long is cut. */
export function clip(text: string, length: number): string {
  const signs = [...inert(text.replace(/[\r\n\t]+/g, ' ')).trim()];
  return signs.length <= length ? signs.join('') : `${signs.slice(0, length - 1).join('')}…`;
}

/** A line without its end. */
export function chomp(line: string): string {
  return line.replace(/\r?\n$/, '');
}

/** Tabs as spaces up to the next stop; what nobody sees as `\u{202e}`. */
export function visible(line: string, tabSize: number): string {
  let out = '';
  let column = 0;
  for (const sign of line) {
    const shown = sign === '\t' ? ' '.repeat(tabSize - (column % tabSize)) : plain(sign);
    out += shown;
    column += shown.length;
  }
  return out;
}

/** A text as lines, each with its end. */
export function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** What was thrown, as a sentence. */
export function sentence(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function escaped(sign: string): string {
  return `\\u{${sign.codePointAt(0)?.toString(16)}}`;
}
