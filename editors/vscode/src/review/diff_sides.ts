// The text of a file before and after the changes that wait: virtual documents, for diffs and for new files.

import { basename } from 'node:path';
import * as vscode from 'vscode';
import { putOtherLines, readFileText } from './file_text';
import { formatHunkNumber, listOtherLines, listPresentLines, type ReviewEntry, type ProposalStore, type ReviewHunk } from './proposal_store';
import { clip, describeError } from '../text';

/** The scheme of right sides: files that can be edited. */
export const EDIT_SCHEME = 'wherefore-edit';

/** The file of each side that was made, for what is shown of it once its hunks are decided. */
const fileBySide = new Map<string, Pick<ReviewEntry, 'uri' | 'key'>>();

/** The path that VS Code shows; of several folders it begins with the name of the one. */
function makeShownPath({ root, file }: ReviewEntry): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const name = folders.length > 1 ? basename(root) : '';
  return name ? `/${name}/${file.path}` : `/${file.path}`;
}

function makeSide(name: 'before' | 'after', entry: ReviewEntry): vscode.Uri {
  // The path is the file's own, since VS Code shows it; which proposal it is of stands in the query.
  const uri = vscode.Uri.from({ scheme: name === 'after' ? EDIT_SCHEME : 'wherefore', authority: name, path: makeShownPath(entry), query: `${entry.proposal.id}/${entry.file.kind}` });
  fileBySide.set(uri.toString(), { uri: entry.uri, key: entry.key });
  return uri;
}

/** The file that a virtual document stands for. */
export const findFile = (uri: vscode.Uri): vscode.Uri | undefined => fileBySide.get(uri.toString())?.uri;

/** True if a virtual document stands for a file with one of these keys. */
export const standsForAny = (uri: vscode.Uri, keys: ReadonlySet<string>): boolean => keys.has(fileBySide.get(uri.toString())?.key ?? '');

export const makeBeforeUri = (entry: ReviewEntry): vscode.Uri => makeSide('before', entry);
export const makeAfterUri = (entry: ReviewEntry): vscode.Uri => makeSide('after', entry);

/** Describes what is done to the file, where that is not a change of its lines. */
export function describeFileChange(entry: ReviewEntry): string | undefined {
  const { kind, from, path, what: sentence } = entry.file;
  if (kind === 'create') return sentence ? clip(sentence, 400) : 'new file';
  if (kind === 'delete') return 'delete the file';
  if (kind === 'mkdir') return `new folder: ${path}`;
  if (kind === 'copy') return `copy of ${from ?? '?'}: ${path}`;
  return sentence ? clip(sentence, 400) : undefined;
}

/** Kinds that a file shows by its lines, or above them. */
const IN_FILE = new Set(['edit', 'create', 'delete', 'mode']);

/** Kinds with hunks of lines. */
const HAS_TEXT = new Set(['edit', 'create', 'delete']);

/** True if the file is there now. */
export function existsNow(entry: ReviewEntry): boolean {
  const { kind } = entry.file;
  if (!IN_FILE.has(kind) && kind !== 'mkdir' && kind !== 'copy') return false;
  return entry.hunks[0]?.applied ? entry.file.kind !== 'delete' : existedBefore(entry);
}

/** True if the file was there before the change. */
function existedBefore(entry: ReviewEntry): boolean {
  return entry.file.kind === 'edit' || entry.file.kind === 'delete' || entry.file.kind === 'mode';
}

/** Makes the URI that shows an entry as it is now: of its file, or of a virtual document where that is not there. */
export function makeShownUri(entry: ReviewEntry): vscode.Uri {
  if (existsNow(entry)) return entry.uri;
  return entry.file.kind === 'delete' ? makeBeforeUri(entry) : makeAfterUri(entry);
}

/** True if a document is a side of the review. */
export function isSide({ scheme, authority }: vscode.Uri): boolean {
  return scheme === EDIT_SCHEME || (scheme === 'wherefore' && authority === 'before');
}

/** The entry that a virtual document shows. */
export function findEntry(store: ProposalStore, uri: vscode.Uri): ReviewEntry | undefined {
  if (!isSide(uri)) return undefined;
  const [id = '', kind] = uri.query.split('/');
  return store.listOfProposal(id).find((entry) => makeShownPath(entry) === uri.path && entry.file.kind === kind);
}

/** The rows at which hunks start in a virtual document, and how many lines of each stand there. */
export function listHunkRows(entry: ReviewEntry, uri: vscode.Uri): { hunk: ReviewHunk; row: number; rows: number }[] {
  let grown = 0;
  return [...entry.hunks].sort((a, b) => a.start - b.start).map((hunk) => {
    const row = hunk.start + grown;
    const rows = listShownLines(hunk, uri).length;
    grown += rows - listPresentLines(hunk).length;
    return { hunk, row, rows };
  });
}

/** The lines of a hunk that stand in a virtual document. */
export const listShownLines = (hunk: ReviewHunk, uri: vscode.Uri): string[] => (hasOtherLines(hunk, uri) ? listOtherLines(hunk) : listPresentLines(hunk));

/** True if a virtual document has the other lines of a hunk than the file has now. */
const hasOtherLines = (hunk: ReviewHunk, uri: vscode.Uri): boolean => hunk.applied === (uri.authority === 'before');

/** The text of a virtual document. */
export async function readSide(store: ProposalStore, uri: vscode.Uri): Promise<string> {
  const entry = findEntry(store, uri);
  if (!entry) return readDecided(uri);
  const { kind } = entry.file;
  if (!HAS_TEXT.has(kind)) return uri.authority === 'after' ? `${describeFileChange(entry)}\n` : '';
  try {
    const text = existsNow(entry) ? await readFileText(entry.uri) : '';
    return putOtherLines(text, entry.hunks.filter((hunk) => hasOtherLines(hunk, uri)));
  } catch (thrown) {
    return `${entry.file.path} cannot be shown: ${describeError(thrown)}\n`;
  }
}

/** Both sides of a file whose hunks are all decided are what it is now: an open diff of it is empty, and shows no colours. */
async function readDecided(uri: vscode.Uri): Promise<string> {
  const file = findFile(uri);
  return file ? readFileText(file).catch(() => '') : '';
}

/** Why a hunk cannot be edited, and what to do instead. */
export function explainReadOnly(hunk: ReviewHunk): string | undefined {
  const { kind } = hunk.entry.file;
  if (hunk.applied) return 'this hunk stands in the text already; change it there';
  return kind === 'edit' || kind === 'create' ? undefined : `this hunk (${kind}) adds no text; accept or reject it`;
}

/** A title for a hunk: which one it is, and of how many lines, or what it does. */
export function describeHunk(hunk: ReviewHunk): string {
  if (!HAS_TEXT.has(hunk.entry.file.kind)) return `${formatHunkNumber(hunk)}  ${describeFileChange(hunk.entry) ?? ''}`;
  return `${formatHunkNumber(hunk)}  −${hunk.old.length} +${hunk.new.length}`;
}
