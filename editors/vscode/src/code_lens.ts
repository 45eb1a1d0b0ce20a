// A lens: an icon of ours, and words that others may have written.

import * as vscode from 'vscode';
import { clip, escapeMarkup } from './text';

/** Signs of a lens's words. */
const LONGEST = 140;

/** Makes one above a row; with no command it only says something. */
export function makeLens(row: number, icon: string, words: string, command = '', tooltip = '', ...args: unknown[]): vscode.CodeLens {
  const title = `${icon ? `$(${icon}) ` : ''}${clip(words, LONGEST)}`;
  const run = { title, command: command && `wherefore.${command}`, tooltip: escapeMarkup(tooltip), arguments: args };
  return new vscode.CodeLens(new vscode.Range(row, 0, row, 0), run);
}
