// Messages of a person to an agent beside decisions: words, selected lines with their diagnostics, or a comment on a hunk.
// The agent's next result brings it.

import * as vscode from 'vscode';
import type { DecisionTarget } from '../review/decision_target';
import { showRemark, warn } from '../messages';
import type { ServerClient } from '../server/client';
import { describeError } from '../text';
import type { SendParams } from '../server/wire';

/** Severities in the order of VS Code's numbers. */
const SEVERITIES = ['error', 'warning', 'information', 'hint'];

/** Describes what language servers say of lines, a sentence each. */
function describeDiagnostics(uri: vscode.Uri, at: vscode.Range): string[] {
  const there = vscode.languages.getDiagnostics(uri).filter(({ range }) => range.start.line <= at.end.line && range.end.line >= at.start.line);
  return there.map(({ range, severity, message, source }) => `line ${range.start.line + 1}: ${SEVERITIES[severity]}: ${message}${source ? ` (${source})` : ''}`);
}

/** The lines selected in a file, with what is said of them; at a mere cursor its line where something is said of it, else nothing. */
function readSelection(editor: vscode.TextEditor | undefined): Pick<SendParams, 'path' | 'lines' | 'diagnostics'> | undefined {
  if (editor?.document.uri.scheme !== 'file') return undefined;
  const { document, selection } = editor;
  const { start, end, isEmpty } = selection;
  // A selection of whole lines ends before the first character of the next.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  const descriptions = describeDiagnostics(document.uri, new vscode.Range(start.line, 0, last, 0));
  if (isEmpty && descriptions.length === 0) return undefined;
  return { path: document.uri.fsPath, lines: { first: start.line + 1, last: last + 1 }, diagnostics: descriptions };
}

/** Sends what a person says. */
export class AgentMessages {
  constructor(
    private readonly server: ServerClient,
    private readonly findTarget: (argument: unknown) => Promise<DecisionTarget | undefined>,
  ) {}

  /** Asks for words, and sends them with the lines that are selected. */
  async sendWords(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const lines = readSelection(editor);
    const folder = editor && vscode.workspace.getWorkspaceFolder(editor.document.uri);
    const prompt = lines ? 'Your words go with these lines to the agent, with its next result.' : 'The agent gets your words with its next result.';
    const text = await vscode.window.showInputBox({ title: 'Send to the agent', prompt });
    if (text === undefined || (text.trim() === '' && !lines)) return;
    await this.send({ text, ...lines, root: folder?.uri.fsPath ?? null });
  }

  /** Asks for a comment on the hunk named, else on the one that a key means, and sends it; nothing is decided. */
  async sendComment(argument: unknown): Promise<void> {
    const target = await this.findTarget(argument);
    if (!target) return;
    const text = await vscode.window.showInputBox({ title: 'Comment', prompt: 'The agent reads this with its next result; nothing is decided.' });
    if (!text?.trim()) return;
    const { reference, root } = target;
    await this.send({ text, proposal: reference.proposal, hunk: reference.hunks?.[0] ?? null, root });
  }

  private async send(params: SendParams): Promise<void> {
    try {
      const { agent, problems } = await this.server.request('send', params);
      for (const problem of problems ?? []) warn(problem);
      showRemark(`${agent ?? 'the next agent that calls'} gets it with its next result`);
    } catch (thrown) {
      warn(describeError(thrown));
    }
  }
}
