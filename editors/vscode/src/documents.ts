// Documents `wherefore://WHAT/…` that no file holds: each kind has a part of its own that gives the text.

import * as vscode from 'vscode';

type Give = (uri: vscode.Uri) => Promise<string>;

/** The kinds, by the authority of their URIs. */
export class Documents implements vscode.TextDocumentContentProvider {
  private readonly kinds = new Map<string, Give>();
  private readonly change = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.change.event;

  add(authority: string, give: Give): void {
    this.kinds.set(authority, give);
  }

  /** The text is another one now. */
  changed(uri: vscode.Uri): void {
    this.change.fire(uri);
  }

  /** Every open document of these kinds has another text now. */
  allChanged(...authorities: string[]): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme === 'wherefore' && authorities.includes(uri.authority)) this.change.fire(uri);
    }
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const give = this.kinds.get(uri.authority);
    return give ? give(uri) : '';
  }
}
