// Files that a decision or an undo removed: what shows them closes, so that no save brings them back unasked.

import * as vscode from 'vscode';
import { warn } from './notify';
import { keyOf } from './review';
import type { Server } from './server';
import { closeTab, soon } from './show';
import type { Proposal, ProposedFile } from './wire';

/** How long VS Code may take to close a document whose tabs are closed. */
const CLOSE_MS = 300;

/** The files that are gone where proposals stand like this: deletions that were accepted, and new files that were taken back. */
export function removed(list: Proposal[]): vscode.Uri[] {
  const is = ({ kind, hunks }: ProposedFile): boolean => {
    const state = kind === 'delete' ? 'accepted' : kind === 'create' || kind === 'copy' ? 'rejected' : undefined;
    return hunks.length > 0 && hunks.every((hunk) => hunk.state === state);
  };
  return list.flatMap(({ files }) => files.filter(is)).map((file) => vscode.Uri.parse(file.uri, true));
}

/** What shows such files. */
export class Gone implements vscode.Disposable {
  /**
   * Documents of such files that nobody sees and that VS Code keeps, as it does for minutes where an extension opened them. To the
   * server they are closed: what it takes for open is to it the text of a file.
   */
  private readonly kept = new Set<vscode.TextDocument>();
  private readonly listeners = vscode.Disposable.from(
    vscode.workspace.onDidCloseTextDocument((document) => this.kept.delete(document)),
    vscode.workspace.onDidChangeTextDocument(({ document }) => this.again(document)),
    vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach(({ document }) => void this.again(document))),
  );

  constructor(private readonly server: () => Server) {}

  dispose(): void {
    this.listeners.dispose();
  }

  /** The server began: the language client told it of every document. */
  began(): void {
    for (const document of this.kept) void this.server().tellOf(document, 'closed');
  }

  /** Closes every tab on those of the files that are not on the disk. One with text that is not saved stays, and that is said. */
  async close(files: vscode.Uri[]): Promise<void> {
    const gone = new Map<string, string>();
    for (const uri of files) {
      const isThere = await vscode.workspace.fs.stat(uri).then(() => true, () => false);
      if (!isThere) gone.set(keyOf(uri.fsPath), vscode.workspace.asRelativePath(uri));
    }
    if (gone.size === 0) return;
    const unsaved = new Set<string>();
    for (const tab of vscode.window.tabGroups.all.flatMap((group) => group.tabs)) {
      const [key] = urisOf(tab).map(({ fsPath }) => keyOf(fsPath)).filter((each) => gone.has(each));
      if (key === undefined) continue;
      if (isUnsaved(tab)) unsaved.add(key);
      else await closeTab(tab);
    }
    for (const key of unsaved) warn(`${gone.get(key)} was deleted, and what you typed in it is not saved: saving brings it back, closing it lets that go`);
    const left = (): vscode.TextDocument[] => vscode.workspace.textDocuments.filter(({ uri, isDirty }) => uri.scheme === 'file' && gone.has(keyOf(uri.fsPath)) && !isDirty);
    await soon(vscode.workspace.onDidCloseTextDocument, () => left().length === 0, CLOSE_MS);
    for (const document of left().filter((each) => !isSeen(each) && !this.kept.has(each))) {
      this.kept.add(document);
      await this.server().tellOf(document, 'closed');
    }
  }

  /** Somebody sees it again, or it has another text: it is open to the server too. */
  private again(document: vscode.TextDocument): void {
    if (this.kept.delete(document)) void this.server().tellOf(document, 'open');
  }
}

const isSeen = (document: vscode.TextDocument): boolean => vscode.window.visibleTextEditors.some((editor) => editor.document === document);

/** Whether closing a tab would lose text. A tab hears of it later than its document. */
function isUnsaved(tab: vscode.Tab): boolean {
  const names = urisOf(tab).map(String);
  return tab.isDirty || vscode.workspace.textDocuments.some((document) => document.isDirty && names.includes(document.uri.toString()));
}

/** The files that a tab shows. */
function urisOf({ input }: vscode.Tab): vscode.Uri[] {
  const uris =
    input instanceof vscode.TabInputTextDiff || input instanceof vscode.TabInputNotebookDiff
      ? [input.original, input.modified]
      : input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputNotebook
        ? [input.uri]
        : [];
  return uris.filter(({ scheme }) => scheme === 'file');
}
