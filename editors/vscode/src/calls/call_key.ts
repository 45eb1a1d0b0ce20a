// A unique name for each call: their ids are counted anew in each session, and each folder has sessions of its own. And how calls end
// that did not fail.

import * as vscode from 'vscode';
import type { Proposal } from '../server/wire';

interface CallIdentity {
  /** The folder, as a `file:` URI. */
  root: string;
  session: string;
  call_id: string;
}

/** Codes of calls that were stopped: no fault of anybody's. */
export const STOPPED_CODES = new Set<string | undefined>(['REJECTED', 'CANCELLED']);

const joinKey = (root: string, session: string, call: string): string => [root, session, call].join('\n');

/** The folder's path, with no separator at its end. */
export function toFolderPath(root: string): string {
  return vscode.Uri.parse(root).fsPath.replace(/(?<=.)[/\\]$/, '');
}

export function makeCallKey({ root, session, call_id }: CallIdentity): string {
  return joinKey(toFolderPath(root), session, call_id);
}

/** The key of the call that made a proposal. */
export function makeProposalKey({ files, session, call_id }: Proposal): string {
  const [file] = files;
  const path = file ? vscode.Uri.parse(file.uri, true).fsPath.slice(0, -file.path.length - 1) : '';
  return joinKey(path || '/', session, call_id);
}
