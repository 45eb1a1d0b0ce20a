// Shows documents and closes tabs, and waits until VS Code says that it did.

import * as vscode from 'vscode';

/** The time that an editor may take to show what it was asked to. */
const SHOW_MS = 2000;

/**
 * Shows a document in a tab that stays. By the command: what the API opens stays open for minutes after its tab is closed, and
 * to the server a document that is open is the text of its file.
 */
export async function showDocument(uri: vscode.Uri): Promise<vscode.TextEditor | undefined> {
  const isShown = (editor: vscode.TextEditor | undefined): boolean => editor?.document.uri.toString() === uri.toString();
  const isThere = uri.scheme !== 'file' || (await vscode.workspace.fs.stat(uri).then(() => true, () => false));
  if (!isThere) return undefined;
  await vscode.commands.executeCommand('vscode.open', uri, { preview: false });
  await waitFor(vscode.window.onDidChangeActiveTextEditor, () => isShown(vscode.window.activeTextEditor));
  return isShown(vscode.window.activeTextEditor) ? vscode.window.activeTextEditor : undefined;
}

/**
 * Closes a tab; nothing where it is closed already. The focus stays where it is, unless `passesFocus`: then the editor behind
 * the tab gets it, where the tab has it and no list or input of VS Code's is open above it.
 */
export async function closeTab(tab: vscode.Tab, passesFocus = false): Promise<void> {
  try {
    await vscode.window.tabGroups.close(tab, !passesFocus);
  } catch {
    // VS Code, or another part of ours, was quicker.
  }
}

/** Waits for what an event tells of; not for ever. */
export async function waitFor<T>(event: vscode.Event<T>, isDone: () => boolean, ms = SHOW_MS): Promise<void> {
  if (isDone()) return;
  await new Promise<void>((resolve) => {
    const listener = event(() => isDone() && finish());
    const timer = setTimeout(() => finish(), ms);
    const finish = (): void => {
      clearTimeout(timer);
      listener.dispose();
      resolve();
    };
  });
}
