// What a person says to an agent beside decisions: words, selected lines with their diagnostics, or a comment on a hunk.
// The agent's next result brings it.

import * as vscode from 'vscode';
import type { About } from './lenses';
import { remark, warn } from './notify';
import type { Review } from './review';
import type { Server } from './server';
import { sentence } from './text';
import type { SendParams } from './wire';

/** Severities in the order of VS Code's numbers. */
const SEVERITIES = ['error', 'warning', 'information', 'hint'];

/** What language servers say of lines, a sentence each. */
function diagnostics(uri: vscode.Uri, at: vscode.Range): string[] {
  const there = vscode.languages.getDiagnostics(uri).filter(({ range }) => range.start.line <= at.end.line && range.end.line >= at.start.line);
  return there.map(({ range, severity, message, source }) => `line ${range.start.line + 1}: ${SEVERITIES[severity]}: ${message}${source ? ` (${source})` : ''}`);
}

/** The lines selected in a file, with what is said of them; at a mere cursor its line where something is said of it, else nothing. */
function selected(editor: vscode.TextEditor | undefined): Pick<SendParams, 'path' | 'lines' | 'diagnostics'> | undefined {
  if (editor?.document.uri.scheme !== 'file') return undefined;
  const { document, selection } = editor;
  const { start, end, isEmpty } = selection;
  // A selection of whole lines ends before the first character of the next.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  const said = diagnostics(document.uri, new vscode.Range(start.line, 0, last, 0));
  if (isEmpty && said.length === 0) return undefined;
  return { path: document.uri.fsPath, lines: { first: start.line + 1, last: last + 1 }, diagnostics: said };
}

/** Sends what a person says. */
export class Send {
  constructor(
    private readonly server: Server,
    private readonly review: Review,
    private readonly hunk: (argument: unknown) => Promise<About | undefined>,
  ) {}

  /** Asks for words, and sends them with the lines that are selected. */
  async words(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const lines = selected(editor);
    const folder = editor && vscode.workspace.getWorkspaceFolder(editor.document.uri);
    const prompt = lines ? 'Your words go with these lines to the agent, with its next result.' : 'The agent gets your words with its next result.';
    const text = await vscode.window.showInputBox({ title: 'Send to the agent', prompt });
    if (text === undefined || (text.trim() === '' && !lines)) return;
    await this.send({ text, ...lines, root: folder?.uri.fsPath ?? null });
  }

  /** Asks for a comment on the hunk named, else on the one that a key means, and sends it; nothing is decided. */
  async comment(argument: unknown): Promise<void> {
    const what = await this.hunk(argument);
    if (!what) return;
    const text = await vscode.window.showInputBox({ title: 'Comment', prompt: 'The agent reads this with its next result; nothing is decided.' });
    if (!text?.trim()) return;
    const root = this.review.proposal(what.proposal)[0]?.root ?? null;
    await this.send({ text, proposal: what.proposal, hunk: what.hunks?.[0] ?? null, root });
  }

  private async send(params: SendParams): Promise<void> {
    try {
      const { agent, problems } = await this.server.ask('send', params);
      for (const problem of problems ?? []) warn(problem);
      remark(`${agent ?? 'the next agent that calls'} gets it with its next result`);
    } catch (thrown) {
      warn(sentence(thrown));
    }
  }
}
