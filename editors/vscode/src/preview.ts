// The text of a file before and after the changes that wait: virtual documents, for diffs and for new files.

import { basename } from 'node:path';
import * as vscode from 'vscode';
import { number, other, there, type Entry, type Review, type Waiting } from './review';
import { clip, lines, sentence } from './text';

/** The scheme of right sides: files that can be edited. */
export const RIGHT = 'wherefore-edit';

/** The file of each side that was made, for what is shown of it once its hunks are decided. */
const made = new Map<string, vscode.Uri>();

/** The path that VS Code shows; of several folders it begins with the name of the one. */
function pathOf({ root, file }: Entry): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const name = folders.length > 1 ? basename(root) : '';
  return name ? `/${name}/${file.path}` : `/${file.path}`;
}

function side(name: 'before' | 'after', entry: Entry): vscode.Uri {
  // The path is the file's own, since VS Code shows it; which proposal it is of stands in the query.
  const uri = vscode.Uri.from({ scheme: name === 'after' ? RIGHT : 'wherefore', authority: name, path: pathOf(entry), query: `${entry.proposal.id}/${entry.file.kind}` });
  made.set(uri.toString(), entry.uri);
  return uri;
}

/** The file that a virtual document stands for. */
export const fileOf = (uri: vscode.Uri): vscode.Uri | undefined => made.get(uri.toString());

export const before = (entry: Entry): vscode.Uri => side('before', entry);
export const after = (entry: Entry): vscode.Uri => side('after', entry);

/** What is done to the file, where that is not a change of its lines. */
export function doing(entry: Entry): string | undefined {
  const { kind, from, path, what } = entry.file;
  if (kind === 'create') return what ? clip(what, 400) : 'new file';
  if (kind === 'delete') return 'delete the file';
  if (kind === 'mkdir') return `new folder: ${path}`;
  if (kind === 'copy') return `copy of ${from ?? '?'}: ${path}`;
  return what ? clip(what, 400) : undefined;
}

/** Kinds that a file shows by its lines, or above them. */
const IN_FILE = new Set(['edit', 'create', 'delete', 'mode']);

/** Kinds with hunks of lines. */
const HAS_TEXT = new Set(['edit', 'create', 'delete']);

/** Whether the file is there now. */
export function isThere(entry: Entry): boolean {
  const { kind } = entry.file;
  if (!IN_FILE.has(kind) && kind !== 'mkdir' && kind !== 'copy') return false;
  return entry.hunks[0]?.applied ? entry.file.kind !== 'delete' : wasThere(entry);
}

/** Whether the file was there before the change. */
function wasThere(entry: Entry): boolean {
  return entry.file.kind === 'edit' || entry.file.kind === 'delete' || entry.file.kind === 'mode';
}

/** What shows an entry as it is now: its file, or a virtual document where that is not there. */
export function shown(entry: Entry): vscode.Uri {
  if (isThere(entry)) return entry.uri;
  return entry.file.kind === 'delete' ? before(entry) : after(entry);
}

/** Whether a document is a side of the review. */
export function isSide({ scheme, authority }: vscode.Uri): boolean {
  return scheme === RIGHT || (scheme === 'wherefore' && authority === 'before');
}

/** The entry that a virtual document shows. */
export function entryAt(review: Review, uri: vscode.Uri): Entry | undefined {
  if (!isSide(uri)) return undefined;
  const [id = '', kind] = uri.query.split('/');
  return review.proposal(id).find((entry) => pathOf(entry) === uri.path && entry.file.kind === kind);
}

/** The rows at which hunks start in a virtual document, and how many lines of each stand there. */
export function places(entry: Entry, uri: vscode.Uri): { hunk: Waiting; row: number; rows: number }[] {
  let grown = 0;
  return [...entry.hunks].sort((a, b) => a.start - b.start).map((hunk) => {
    const row = hunk.start + grown;
    const rows = (isPut(hunk, uri) ? other(hunk) : there(hunk)).length;
    grown += rows - there(hunk).length;
    return { hunk, row, rows };
  });
}

/** Whether a virtual document has the other lines of a hunk than the file has now. */
const isPut = (hunk: Waiting, uri: vscode.Uri): boolean => hunk.applied === (uri.authority === 'before');

/** The text of a virtual document. */
export async function text(review: Review, uri: vscode.Uri): Promise<string> {
  const entry = entryAt(review, uri);
  if (!entry) return decided(uri);
  const { kind } = entry.file;
  if (!HAS_TEXT.has(kind)) return uri.authority === 'after' ? `${doing(entry)}\n` : '';
  let now: string[] = [];
  if (isThere(entry)) {
    try {
      now = lines(await current(entry.uri));
    } catch (thrown) {
      return `${entry.file.path} cannot be shown: ${sentence(thrown)}\n`;
    }
  }
  const put = entry.hunks.filter((hunk) => isPut(hunk, uri)).sort((a, b) => b.start - a.start);
  for (const hunk of put) now.splice(hunk.start, there(hunk).length, ...other(hunk));
  return now.join('');
}

/** A file as the person sees it, or as it is on the disk. It is not opened: what the API opens stays open for minutes. */
async function current(uri: vscode.Uri): Promise<string> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  return open ? open.getText() : vscode.workspace.decode(await vscode.workspace.fs.readFile(uri), { uri });
}

/** Both sides of a file whose hunks are all decided are what it is now: an open diff of it is empty, and shows no colours. */
async function decided(uri: vscode.Uri): Promise<string> {
  const file = fileOf(uri);
  return file ? current(file).catch(() => '') : '';
}

/** Why a hunk cannot be edited, and what to do instead. */
export function fixed(hunk: Waiting): string | undefined {
  const { kind } = hunk.entry.file;
  if (hunk.applied) return 'this hunk stands in the text already; change it there';
  return kind === 'edit' || kind === 'create' ? undefined : `this hunk (${kind}) adds no text; accept or reject it`;
}

/** A title for a hunk: which one it is, and of how many lines, or what it does. */
export function title(hunk: Waiting): string {
  if (!HAS_TEXT.has(hunk.entry.file.kind)) return `${number(hunk)}  ${doing(hunk.entry) ?? ''}`;
  return `${number(hunk)}  −${hunk.old.length} +${hunk.new.length}`;
}
