// The parts of a session log for the outline, for folding, and its links to files and proposals.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { LANGUAGE, type SessionLogs } from './session_log';
import type { ProposalStore } from '../review/proposal_store';

/** Rows of a change or an output above which it is folded when the log is opened. */
const LONG = 12;

interface LogPart {
  title: string;
  why: string;
  first: number;
  last: number;
}

/** The calls of a log, and what stands between them: each begins with its time. */
function findParts(document: vscode.TextDocument): LogPart[] {
  const found: LogPart[] = [];
  for (let row = 0; row < document.lineCount; row++) {
    const { text } = document.lineAt(row);
    if (text === '') continue;
    const head = /^\d\S* +(?:c-\d+ +)?(.*)$/.exec(text);
    const previous = found.at(-1);
    if (head) found.push({ title: head[1] ?? '', why: '', first: row, last: row });
    else if (previous) {
      if (row === previous.first + 1) previous.why = text.trim();
      previous.last = row;
    }
  }
  return found;
}

/** Rows that follow each other and are a change, or an output. */
function findBlocks(document: vscode.TextDocument, { first, last }: LogPart): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let start: number | undefined;
  for (let row = first; row <= last + 1; row++) {
    const text = row > last ? '' : document.lineAt(row).text;
    const isIn = start === undefined ? /^ {10}(?:proposal p-|[|!] )/.test(text) : /^ {10}(?:[-+ @\\|!=…]|$)/.test(text);
    if (isIn) start ??= row;
    else if (start !== undefined) {
      if (row - 1 > start) found.push({ start, end: row - 1 });
      start = undefined;
    }
  }
  return found;
}

function chooseSymbolKind(title: string): vscode.SymbolKind {
  if (/ [A-Z][A-Z_]{3,}(?: |$)/.test(title)) return vscode.SymbolKind.Event;
  return /^[a-z]\w*\.\w+/.test(title) ? vscode.SymbolKind.Function : vscode.SymbolKind.String;
}

/** Answers to what the editor asks of a log. */
export class LogOutline implements vscode.DocumentSymbolProvider, vscode.FoldingRangeProvider, vscode.DocumentLinkProvider {
  constructor(
    private readonly sessionLogs: SessionLogs,
    private readonly store: ProposalStore,
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
    return findParts(document).map(({ title, why, first, last }) => {
      const range = new vscode.Range(first, 0, last, document.lineAt(last).text.length);
      return new vscode.DocumentSymbol(title || ' ', why, chooseSymbolKind(title), range, document.lineAt(first).range);
    });
  }

  provideFoldingRanges(document: vscode.TextDocument): vscode.FoldingRange[] {
    return findParts(document).flatMap((part) => {
      const inner = findBlocks(document, part).map(({ start, end }) => new vscode.FoldingRange(start, end, end - start > LONG ? vscode.FoldingRangeKind.Region : undefined));
      return part.last > part.first ? [new vscode.FoldingRange(part.first, part.last), ...inner] : inner;
    });
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const root = this.sessionLogs.findRoot(document.uri);
    const links: vscode.DocumentLink[] = [];
    const checked = new Map<string, boolean>();
    const isFile = (folder: string, name: string): boolean => {
      if (!checked.has(name)) checked.set(name, name !== '.' && existsSync(join(folder, name)));
      return checked.get(name) === true;
    };
    for (let row = 0; row < document.lineCount; row++) {
      const { text } = document.lineAt(row);
      const proposal = /^ {10}proposal (p-\w+): /.exec(text)?.[1];
      if (proposal && this.store.findProposal(proposal)) links.push(makeLink(row, text.indexOf(proposal), proposal, makeDiffUri(proposal), 'Show the proposal'));
      const head = /^(\S+ +c-\d+ +\S+ +)(.*)$/.exec(text);
      if (!root || !head) continue;
      for (const { 0: name, index } of (head[2] ?? '').matchAll(/\S+/g)) {
        if (isFile(root, name)) links.push(makeLink(row, (head[1] ?? '').length + index, name, vscode.Uri.joinPath(vscode.Uri.file(root), name), 'Open the file'));
      }
    }
    return links;
  }
}

/** The diff of a proposal that waits. */
function makeDiffUri(proposal: string): vscode.Uri {
  return vscode.Uri.parse(`command:wherefore.showDiff?${encodeURIComponent(JSON.stringify([{ proposal }]))}`);
}

function makeLink(row: number, column: number, part: string, target: vscode.Uri, tooltip: string): vscode.DocumentLink {
  const created = new vscode.DocumentLink(new vscode.Range(row, column, row, column + part.length), target);
  created.tooltip = tooltip;
  return created;
}
