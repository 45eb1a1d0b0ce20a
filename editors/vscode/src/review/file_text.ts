// The text of a file as VS Code would show it, and the same with the lines of hunks put in.

import * as vscode from 'vscode';
import { listOtherLines, listPresentLines, type ReviewHunk } from './proposal_store';

/** Bytes at the start of a file in which VS Code looks for zeros: with such it may be UTF-16. */
const LOOKED_AT = 512;

/** A file as the person sees it, or as it is on the disk. It is not opened: what the API opens stays open for minutes. */
export async function readFileText(uri: vscode.Uri): Promise<string> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  return open ? open.getText() : decodeText(await vscode.workspace.fs.readFile(uri), uri);
}

/** A text in which other lines of hunks take the place of those that stand there. The text may have millions of lines. */
export function putOtherLines(text: string, hunks: ReviewHunk[]): string {
  const parts: string[] = [];
  let [offset, row] = [0, 0];
  const skipTo = (line: number): void => {
    for (; row < line && offset < text.length; row++) offset = text.indexOf('\n', offset) + 1 || text.length;
  };
  for (const hunk of hunks.toSorted((a, b) => a.start - b.start)) {
    const from = offset;
    skipTo(hunk.start);
    parts.push(text.slice(from, offset), ...listOtherLines(hunk));
    skipTo(hunk.start + listPresentLines(hunk).length);
  }
  return parts.join('') + text.slice(offset);
}

/** Decodes UTF-8 here, where nothing speaks for another encoding: VS Code's own way sends the bytes to its window and the text back. */
async function decodeText(bytes: Uint8Array, uri: vscode.Uri): Promise<string> {
  const files = vscode.workspace.getConfiguration('files', uri);
  const isPlain = files.get('encoding') === 'utf8' && !files.get('autoGuessEncoding') && !files.inspect('encoding')?.languageIds?.length;
  if (isPlain && !bytes.subarray(0, LOOKED_AT).includes(0)) {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      // VS Code knows what else it may be.
    }
  }
  return vscode.workspace.decode(bytes, { uri });
}
