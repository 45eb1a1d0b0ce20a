// Shows documents and closes tabs, and waits until VS Code says that it did.

import * as vscode from 'vscode';

/** How long an editor may take to show what it was asked to. */
const SHOW_MS = 2000;

/**
 * Shows a document in a tab that stays. By the command: what the API opens stays open for minutes after its tab is closed, and
 * to the server a document that is open is the text of its file.
 */
export async function showDocument(uri: vscode.Uri): Promise<vscode.TextEditor | undefined> {
  const is = (editor: vscode.TextEditor | undefined): boolean => editor?.document.uri.toString() === uri.toString();
  const isThere = uri.scheme !== 'file' || (await vscode.workspace.fs.stat(uri).then(() => true, () => false));
  if (!isThere) return undefined;
  await vscode.commands.executeCommand('vscode.open', uri, { preview: false });
  await soon(vscode.window.onDidChangeActiveTextEditor, () => is(vscode.window.activeTextEditor));
  return is(vscode.window.activeTextEditor) ? vscode.window.activeTextEditor : undefined;
}

/** Closes a tab; nothing where it is closed already. */
export async function closeTab(tab: vscode.Tab): Promise<void> {
  try {
    await vscode.window.tabGroups.close(tab, true);
  } catch {
    // VS Code, or another part of ours, was quicker.
  }
}

/** Waits for what an event tells of; not for ever. */
export async function soon<T>(event: vscode.Event<T>, is: () => boolean, ms = SHOW_MS): Promise<void> {
  if (is()) return;
  await new Promise<void>((done) => {
    const listener = event(() => is() && end());
    const timer = setTimeout(() => end(), ms);
    const end = (): void => {
      clearTimeout(timer);
      listener.dispose();
      done();
    };
  });
}
