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

  /** Every open document of these kinds has another text now. */
  noteChangeOfAll(...authorities: string[]): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme === 'wherefore' && authorities.includes(uri.authority)) this.change.fire(uri);
    }
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const give = this.sources.get(uri.authority);
    return give ? give(uri) : '';
  }
}
