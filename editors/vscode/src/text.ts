// Proposed text and sentences made ready to be shown. What others wrote goes through here wherever it is shown: `clip` for a
// row, `escapeMarkup` for a message, `expandTabs` for a line of a file.

// With its ending, so that Node reads it too, as it is.
import { HIDDEN } from './hidden_characters.ts';

/** `1 hunk`, `2 hunks`. */
export function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** `3 hunks in 2 files`. */
export function formatHunkCount(hunks: number, files: number): string {
  return `${formatCount(hunks, 'hunk')} in ${formatCount(files, 'file')}`;
}

/** Characters that nobody sees, written so that everybody does: `\u{202e}`. Line ends and tabs stay. */
export function escapeHidden(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, (sign) => (sign === '\n' || sign === '\t' ? sign : escapeCharacter(sign)));
}

/**
 * Words of others for a place where VS Code would make `[words](command:…)` a link that acts and `$(check)` an icon, whoever
 * wrote them: neither is made, and what is hidden shows.
 */
export function escapeMarkup(text: string): string {
  return escapeHidden(text).replaceAll('](', '] (').replaceAll('$(', '$ (');
}

/** The same on one row: line ends and tabs become spaces, what is too long is cut. */
export function clip(text: string, length: number): string {
  const signs = [...escapeMarkup(text.replace(/[\r\n\t]+/g, ' ')).trim()];
  return signs.length <= length ? signs.join('') : `${signs.slice(0, length - 1).join('')}…`;
}

/** A line without its end. */
export function chomp(line: string): string {
  return line.replace(/\r?\n$/, '');
}

/** Tabs as spaces up to the next stop; what nobody sees as `\u{202e}`. */
export function expandTabs(line: string, tabSize: number): string {
  let out = '';
  let column = 0;
  for (const sign of line) {
    const cell = sign === '\t' ? ' '.repeat(tabSize - (column % tabSize)) : escapeHidden(sign);
    out += cell;
    column += cell.length;
  }
  return out;
}

/** A text as lines, each with its end. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Describes what was thrown, as a sentence. */
export function describeError(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function escapeCharacter(sign: string): string {
  return `\\u{${sign.codePointAt(0)?.toString(16)}}`;
}
