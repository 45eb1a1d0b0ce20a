// Proposed text and sentences made ready to be shown.

/** `1 hunk`, `2 hunks`. */
export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** `3 hunks in 2 files`. */
export function waiting(hunks: number, files: number): string {
  return `${count(hunks, 'hunk')} in ${count(files, 'file')}`;
}

/** One row: line ends and control characters become spaces, what is too long is cut. */
export function clip(text: string, length: number): string {
  const plain = text.replace(/\p{Cc}+/gu, ' ').trim();
  const signs = [...plain];
  return signs.length <= length ? plain : signs.slice(0, length - 1).join('') + '…';
}

/** Text for a message, where VS Code would make `[words](command:…)` a link that acts, whoever wrote the words. */
export function inert(text: string): string {
  return text.replaceAll('](', '] (');
}

/** A line without its end. */
export function chomp(line: string): string {
  return line.replace(/\r?\n$/, '');
}

/** Tabs as spaces up to the next stop; what nobody sees (control and bidi characters) as `\u{202e}`. */
export function visible(line: string, tabSize: number): string {
  let out = '';
  let column = 0;
  for (const sign of line) {
    const code = sign.codePointAt(0) ?? 0;
    let shown = sign;
    if (sign === '\t') shown = ' '.repeat(tabSize - (column % tabSize));
    else if (/[\p{Cc}\p{Cf}]/u.test(sign)) shown = `\\u{${code.toString(16)}}`;
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
