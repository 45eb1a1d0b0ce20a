// Files that a decision or an undo removed: what shows them closes, so that no save brings them back unasked.

import * as vscode from 'vscode';
import { warn } from '../messages';
import { findRealPath } from './proposal_store';
import type { ServerClient } from '../server/client';
import { closeTab, waitFor } from '../show_document';
import type { Proposal, ProposedFile } from '../server/wire';

/** The time that VS Code may take to close a document whose tabs are closed. */
const CLOSE_MS = 300;

/** The files that are gone where proposals stand like this: deletions that were accepted, and new files that were taken back. */
export function findDeleted(list: Proposal[]): vscode.Uri[] {
  const isDeleted = ({ kind, hunks }: ProposedFile): boolean => {
    const state = kind === 'delete' ? 'accepted' : kind === 'create' || kind === 'copy' ? 'rejected' : undefined;
    return hunks.length > 0 && hunks.every((hunk) => hunk.state === state);
  };
  return list.flatMap(({ files }) => files.filter(isDeleted)).map((file) => vscode.Uri.parse(file.uri, true));
}

/** The editors of such files. */
export class DeletedFiles implements vscode.Disposable {
  /**
   * Documents of such files that nobody sees and that VS Code keeps, as it does for minutes where an extension opened them. To the
   * server they are closed: what it takes for open is to it the text of a file.
   */
  private readonly closedDocuments = new Set<vscode.TextDocument>();
  private readonly listeners = vscode.Disposable.from(
    vscode.workspace.onDidCloseTextDocument((document) => this.closedDocuments.delete(document)),
    vscode.workspace.onDidChangeTextDocument(({ document }) => this.reportOpen(document)),
    vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach(({ document }) => void this.reportOpen(document))),
  );

  constructor(private readonly server: ServerClient) {}

  dispose(): void {
    this.listeners.dispose();
  }

  /** The server began: the language client told it of every document. */
  reportClosed(): void {
    for (const document of this.closedDocuments) void this.server.reportDocument(document, 'closed');
  }

  /** Closes every tab on those of the files that are not on the disk. One with text that is not saved stays, and that is said. */
  async closeTabs(files: vscode.Uri[]): Promise<void> {
    const deleted = new Map<string, string>();
    for (const uri of files) {
      const isThere = await vscode.workspace.fs.stat(uri).then(() => true, () => false);
      if (!isThere) deleted.set(findRealPath(uri.fsPath), vscode.workspace.asRelativePath(uri));
    }
    if (deleted.size === 0) return;
    const unsaved = new Set<string>();
    for (const tab of vscode.window.tabGroups.all.flatMap((group) => group.tabs)) {
      const [key] = listFiles(tab).map(({ fsPath }) => findRealPath(fsPath)).filter((each) => deleted.has(each));
      if (key === undefined) continue;
      if (isUnsaved(tab)) unsaved.add(key);
      else await closeTab(tab);
    }
    for (const key of unsaved) warn(`${deleted.get(key)} was deleted, and what you typed in it is not saved: saving brings it back, closing it lets that go`);
    const listLeft = (): vscode.TextDocument[] => vscode.workspace.textDocuments.filter(({ uri, isDirty }) => uri.scheme === 'file' && deleted.has(findRealPath(uri.fsPath)) && !isDirty);
    await waitFor(vscode.workspace.onDidCloseTextDocument, () => listLeft().length === 0, CLOSE_MS);
    for (const document of listLeft().filter((each) => !isVisible(each) && !this.closedDocuments.has(each))) {
      this.closedDocuments.add(document);
      await this.server.reportDocument(document, 'closed');
    }
  }

  /** Somebody sees it again, or it has another text: it is open to the server too. */
  private reportOpen(document: vscode.TextDocument): void {
    if (this.closedDocuments.delete(document)) void this.server.reportDocument(document, 'open');
  }
}

const isVisible = (document: vscode.TextDocument): boolean => vscode.window.visibleTextEditors.some((editor) => editor.document === document);

/** True if closing a tab would lose text. A tab hears of it later than its document. */
function isUnsaved(tab: vscode.Tab): boolean {
  const names = listFiles(tab).map(String);
  return tab.isDirty || vscode.workspace.textDocuments.some((document) => document.isDirty && names.includes(document.uri.toString()));
}

/** The files that a tab shows. */
function listFiles({ input }: vscode.Tab): vscode.Uri[] {
  const uris =
    input instanceof vscode.TabInputTextDiff || input instanceof vscode.TabInputNotebookDiff
      ? [input.original, input.modified]
      : input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputNotebook
        ? [input.uri]
        : [];
  return uris.filter(({ scheme }) => scheme === 'file');
}
