// `wherefore/save`: documents that the server changed are written, as they are.

import * as vscode from 'vscode';
import { warn } from '../messages';
import type { SaveAnswer, SaveParams } from './wire';

/** Saves one document without formatting where the editor can; says why it was not saved. */
async function saveDocument(uri: vscode.Uri): Promise<string | undefined> {
  const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
  if (!document || document.isClosed) return 'it is not open';
  if (!document.isDirty) return undefined;
  if (vscode.window.activeTextEditor?.document === document) {
    await vscode.commands.executeCommand('workbench.action.files.saveWithoutFormatting');
  }
  if (!document.isDirty || (await document.save())) return undefined;
  return 'the file on the disk may have been changed by another program; compare, then save it yourself';
}

/** Saves what the server names, and tells it truly. */
export async function saveDocuments(params: SaveParams): Promise<SaveAnswer> {
  const saved: string[] = [];
  for (const uri of params.uris) {
    const problem = await saveDocument(vscode.Uri.parse(uri, true));
    if (problem === undefined) saved.push(uri);
    else warn(`${vscode.workspace.asRelativePath(vscode.Uri.parse(uri))} was not saved: ${problem}`);
  }
  return { saved };
}
