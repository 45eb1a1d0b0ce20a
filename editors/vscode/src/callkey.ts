// One name for each call: their ids are counted anew in each session, and each folder has sessions of its own.

import * as vscode from 'vscode';
import type { Proposal } from './wire';

interface Named {
  /** The folder, as a `file:` URI. */
  root: string;
  session: string;
  call_id: string;
}

const name = (root: string, session: string, call: string): string => [root, session, call].join('\n');

/** The folder's path, with no separator at its end. */
export function pathOf(root: string): string {
  return vscode.Uri.parse(root).fsPath.replace(/(?<=.)[/\\]$/, '');
}

export function callKey({ root, session, call_id }: Named): string {
  return name(pathOf(root), session, call_id);
}

/** The key of the call that made a proposal. */
export function keyOfProposal({ files, session, call_id }: Proposal): string {
  const [file] = files;
  const path = file ? vscode.Uri.parse(file.uri, true).fsPath.slice(0, -file.path.length - 1) : '';
  return name(path || '/', session, call_id);
}
