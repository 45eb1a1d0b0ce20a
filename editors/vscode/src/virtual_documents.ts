// Documents `wherefore://WHAT/…` that no file holds: each kind has a part of its own that gives the text.

import * as vscode from 'vscode';

type TextSource = (uri: vscode.Uri) => Promise<string>;

/** The kinds, by the authority of their URIs. */
export class VirtualDocuments implements vscode.TextDocumentContentProvider {
  private readonly sources = new Map<string, TextSource>();
  private readonly change = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.change.event;

  addKind(authority: string, give: TextSource): void {
    this.sources.set(authority, give);
  }

  /** The text is another one now. */
  noteChange(uri: vscode.Uri): void {
    this.change.fire(uri);
  }

  /** Open documents have another text now: those that a part says have. */
  noteChangeOf(isChanged: (uri: vscode.Uri) => boolean): void {
    for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === 'wherefore' && isChanged(uri)) this.change.fire(uri);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const give = this.sources.get(uri.authority);
    return give ? give(uri) : '';
  }
}
