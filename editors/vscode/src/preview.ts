// The text of a file before and after the changes that wait: virtual documents, for diffs and for new files.

import * as vscode from 'vscode';
import { number, other, there, type Entry, type Review, type Waiting } from './review';
import { closeTab, showDocument } from './show';
import { clip, lines, sentence } from './text';

const side = (name: 'before' | 'after', entry: Entry): vscode.Uri =>
  vscode.Uri.from({ scheme: 'wherefore', authority: name, path: `/${entry.proposal.id}/${entry.file.path}` });

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

/** What shows an entry: its file, or a virtual document where that is not there. */
export function shown(entry: Entry): vscode.Uri {
  if (isThere(entry)) return entry.uri;
  return entry.file.kind === 'delete' ? before(entry) : after(entry);
}

/** Whether a document shows a file that is not there yet. */
export function isNew(review: Review, uri: vscode.Uri): boolean {
  const entry = uri.authority === 'after' ? entryAt(review, uri) : undefined;
  return entry?.file.kind === 'create' && !isThere(entry);
}

/** The entry that a virtual document shows. */
export function entryAt(review: Review, uri: vscode.Uri): Entry | undefined {
  if (uri.scheme !== 'wherefore' || (uri.authority !== 'before' && uri.authority !== 'after')) return undefined;
  const [, id = '', ...path] = uri.path.split('/');
  return review.proposal(id).find((entry) => entry.file.path === path.join('/'));
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
  if (!entry) return '';
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

/** Shows a whole proposal, file by file. */
export async function showDiff(entries: Entry[]): Promise<void> {
  const [first] = entries;
  if (!first) return;
  if (entries.length === 1) {
    const title = clip(`${first.file.path}: ${first.proposal.why}`, 200);
    await vscode.commands.executeCommand('vscode.diff', before(first), after(first), title, { preview: true });
    return;
  }
  const resources = entries.map((entry) => [after(entry), wasThere(entry) ? before(entry) : undefined, after(entry)]);
  await vscode.commands.executeCommand('vscode.changes', clip(`${first.proposal.id}: ${first.proposal.why}`, 200), resources);
}

/** Closes diffs and new files whose hunks are all decided; a new file that is there now is opened instead. */
export async function tidy(review: Review): Promise<void> {
  for (const tab of vscode.window.tabGroups.all.flatMap((group) => group.tabs)) {
    const { input } = tab;
    const uri = input instanceof vscode.TabInputTextDiff ? input.modified : input instanceof vscode.TabInputText ? input.uri : undefined;
    if (uri?.scheme !== 'wherefore' || (uri.authority !== 'after' && uri.authority !== 'before') || entryAt(review, uri)) continue;
    const file = vscode.workspace.workspaceFolders?.map((folder) => vscode.Uri.joinPath(folder.uri, uri.path.split('/').slice(2).join('/')));
    const wasNew = input instanceof vscode.TabInputText && tab.isActive;
    await closeTab(tab);
    for (const each of wasNew ? (file ?? []) : []) {
      await showDocument(each);
    }
  }
}

/** A title for a hunk: which one it is, and of how many lines, or what it does. */
export function title(hunk: Waiting): string {
  if (!HAS_TEXT.has(hunk.entry.file.kind)) return `${number(hunk)}  ${doing(hunk.entry) ?? ''}`;
  return `${number(hunk)}  −${hunk.old.length} +${hunk.new.length}`;
}
