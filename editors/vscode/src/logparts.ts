// The parts of a session log for the outline, for folding, and its links to files and proposals.

import * as vscode from 'vscode';
import { LANGUAGE, type Logs } from './log';
import type { Review } from './review';

interface Part {
  title: string;
  why: string;
  first: number;
  last: number;
}

/** The events of a log. */
function parts(document: vscode.TextDocument): Part[] {
  const found: Part[] = [];
  for (let row = 0; row < document.lineCount; row++) {
    const text = document.lineAt(row).text;
    if (!text.startsWith('## ')) continue;
    const previous = found.at(-1);
    if (previous) previous.last = row - 1;
    const below = row + 2 < document.lineCount ? document.lineAt(row + 2).text : '';
    found.push({ title: text.slice(3), why: below.startsWith('```') ? '' : below, first: row, last: document.lineCount - 1 });
  }
  return found;
}

function kindOf(title: string): vscode.SymbolKind {
  if (/— Tool call/.test(title)) return vscode.SymbolKind.Function;
  if (/— Tool error/.test(title)) return vscode.SymbolKind.Event;
  return /— (Proposal|Decision|Undo)/.test(title) ? vscode.SymbolKind.Key : vscode.SymbolKind.String;
}

/** What the editor asks of a log. */
export class LogParts implements vscode.DocumentSymbolProvider, vscode.FoldingRangeProvider, vscode.DocumentLinkProvider {
  constructor(
    private readonly logs: Logs,
    private readonly review: Review,
  ) {}

  register(): vscode.Disposable {
    const selector = { language: LANGUAGE };
    return vscode.Disposable.from(
      vscode.languages.registerDocumentSymbolProvider(selector, this, { label: 'Session log' }),
      vscode.languages.registerFoldingRangeProvider(selector, this),
      vscode.languages.registerDocumentLinkProvider(selector, this),
    );
  }

  provideDocumentSymbols(document: vscode.TextDocument): vscode.DocumentSymbol[] {
    return parts(document).map(({ title, why, first, last }) => {
      const range = new vscode.Range(first, 0, last, document.lineAt(last).text.length);
      return new vscode.DocumentSymbol(title, why, kindOf(title), range, document.lineAt(first).range);
    });
  }

  provideFoldingRanges(document: vscode.TextDocument): vscode.FoldingRange[] {
    return parts(document).flatMap(({ first, last }) => {
      const fence = rowOf(document, first, last, (text) => text.startsWith('```'));
      const block = fence === undefined ? [] : [new vscode.FoldingRange(fence, Math.max(last - 1, fence))];
      return [new vscode.FoldingRange(first, Math.max(last - 1, first)), ...block];
    });
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const root = this.logs.root(document.uri);
    const links: vscode.DocumentLink[] = [];
    for (let row = 0; row < document.lineCount; row++) {
      const { text } = document.lineAt(row);
      const path = /^ *(?:- )?(?:path|from|to): "?([^"\n]+?)"?$/.exec(text)?.[1];
      if (root && path && path !== '.') links.push(link(row, text, path, vscode.Uri.joinPath(vscode.Uri.file(root), path), 'Open the file'));
      const proposal = /^ *proposal: (p-\w+)$/.exec(text)?.[1];
      if (proposal) links.push(link(row, text, proposal, this.target(document, proposal), 'Show the proposal'));
    }
    return links;
  }

  /** The proposal's diff while it waits, else where the log tells of it. */
  private target(document: vscode.TextDocument, proposal: string): vscode.Uri {
    if (this.review.get(proposal)) {
      return vscode.Uri.parse(`command:wherefore.showDiff?${encodeURIComponent(JSON.stringify([{ proposal }]))}`);
    }
    const row = rowOf(document, 0, document.lineCount - 1, (text) => text.endsWith(`Proposal: ${proposal}`));
    return document.uri.with({ fragment: `L${(row ?? 0) + 1}` });
  }
}

function rowOf(document: vscode.TextDocument, first: number, last: number, is: (text: string) => boolean): number | undefined {
  for (let row = first; row <= last; row++) if (is(document.lineAt(row).text)) return row;
  return undefined;
}

function link(row: number, text: string, part: string, target: vscode.Uri, tooltip: string): vscode.DocumentLink {
  const column = text.lastIndexOf(part);
  const made = new vscode.DocumentLink(new vscode.Range(row, column, row, column + part.length), target);
  made.tooltip = tooltip;
  return made;
}
