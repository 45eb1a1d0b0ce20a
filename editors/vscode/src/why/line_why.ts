// Why a line is as it is: in a hover, on demand for any line, and by setting at the end of the cursor's line.

import * as vscode from 'vscode';
import { warn } from '../messages';
import type { ServerClient } from '../server/client';
import { readSetting } from '../settings';
import { clip, describeError } from '../text';
import { isOfAgent, describeLine, type LineWhy } from './line_why_words';

/** The time that an answer may take. */
const ANSWER_MS = 3000;

/** The time that the cursor rests before its line is asked about. */
const REST_MS = 250;

/** For so long after the command the hover tells of any line. */
const ASKED_MS = 5000;

const ANNOTATION = 'why.annotation';

/** A call in the links of a hover. */
export interface CallLocation {
  call: string;
  session: string;
  root: string;
}

/** True if a command's argument names a call so. */
export const isCallLocation = (named: unknown): named is CallLocation =>
  typeof named === 'object' && named !== null && ['call', 'session', 'root'].every((key) => typeof (named as Record<string, unknown>)[key] === 'string');

/** The whys of lines. */
export class LineWhyProvider implements vscode.Disposable, vscode.HoverProvider {
  private readonly decoration = vscode.window.createTextEditorDecorationType({ rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen });
  private timer: NodeJS.Timeout | undefined;
  private asking: vscode.CancellationTokenSource | undefined;
  /** The line that the person asked about, and until when. */
  private askedLine: { uri: string; line: number; until: number } | undefined;

  constructor(private readonly server: ServerClient) {}

  register(): vscode.Disposable {
    const isHere = (document: vscode.TextDocument): boolean => document === vscode.window.activeTextEditor?.document;
    return vscode.Disposable.from(
      this,
      vscode.languages.registerHoverProvider({ scheme: 'file' }, this),
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
      vscode.window.onDidChangeActiveColorTheme(() => this.refresh()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => isHere(textEditor.document) && this.refresh()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => isHere(document) && this.refresh()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(`wherefore.${ANNOTATION}`) && this.refresh()),
    );
  }

  dispose(): void {
    this.cancelRequest();
    this.decoration.dispose();
  }

  /** A hover on a line of an agent's; on that which the person asked about, whoever wrote it. */
  async provideHover(document: vscode.TextDocument, position: vscode.Position, token: vscode.CancellationToken): Promise<vscode.Hover | undefined> {
    const { line } = position;
    const isAsked = this.askedLine?.uri === document.uri.toString() && this.askedLine.line === line && Date.now() < this.askedLine.until;
    const root = findRoot(document);
    if (root === undefined || (!isAsked && !this.server.isRunning)) return undefined;
    try {
      const why = await this.requestWhy(document, root, line, isAsked, token);
      if (!why || (!isAsked && !isOfAgent(why))) return undefined;
      return new vscode.Hover(makeHoverText(why, root), document.lineAt(line).range);
    } catch (thrown) {
      return isAsked ? new vscode.Hover(new vscode.MarkdownString().appendText(clip(describeError(thrown), 400))) : undefined;
    }
  }

  /** Says of the cursor's line, whoever wrote it, why it is so. */
  async showHover(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor || findRoot(editor.document) === undefined) return warn('open a file of the folder first: its lines have whys');
    this.askedLine = { uri: editor.document.uri.toString(), line: editor.selection.active.line, until: Date.now() + ASKED_MS };
    // From the palette the editor gets the focus only now, without which it shows no hover.
    await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn ?? vscode.ViewColumn.Active, preserveFocus: false });
    await vscode.commands.executeCommand('editor.action.showHover', { focus: 'autoFocusImmediately' });
  }

  /** Asks anew about the cursor's line, once the cursor rests. */
  refresh(): void {
    this.cancelRequest();
    for (const editor of vscode.window.visibleTextEditors) editor.setDecorations(this.decoration, []);
    if (readSetting(ANNOTATION, false)) this.timer = setTimeout(() => void this.annotate(), REST_MS);
  }

  private cancelRequest(): void {
    clearTimeout(this.timer);
    this.asking?.cancel();
    this.asking = undefined;
  }

  private async annotate(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const root = editor && findRoot(editor.document);
    if (!editor || root === undefined || !this.server.isRunning) return;
    const asking = new vscode.CancellationTokenSource();
    this.asking = asking;
    const { line } = editor.selection.active;
    const why = await this.requestWhy(editor.document, root, line, false, asking.token).catch(() => undefined);
    if (asking.token.isCancellationRequested || !why || !isOfAgent(why) || line >= editor.document.lineCount) return;
    const { kind } = vscode.window.activeColorTheme;
    const isHighContrast = kind === vscode.ColorThemeKind.HighContrast || kind === vscode.ColorThemeKind.HighContrastLight;
    const color = new vscode.ThemeColor(isHighContrast ? 'editor.foreground' : 'editorCodeLens.foreground');
    const contentText = describeLine(why).annotation;
    const { end } = editor.document.lineAt(line).range;
    editor.setDecorations(this.decoration, [{ range: new vscode.Range(end, end), renderOptions: { after: { contentText, color, margin: '0 0 0 3em', fontStyle: 'italic' } } }]);
  }

  /** Asks the server for the origin of a line; nothing where nobody waits for that any more. */
  private async requestWhy(document: vscode.TextDocument, root: string, row: number, commits: boolean, token: vscode.CancellationToken): Promise<LineWhy | undefined> {
    const ended = new vscode.CancellationTokenSource();
    const timer = setTimeout(() => ended.cancel(), ANSWER_MS);
    const listener = token.onCancellationRequested(() => ended.cancel());
    try {
      const line = row + 1;
      const { groups, calls, commits: all, altered, warnings } = await this.server.request('why', { root, path: document.uri.fsPath, start: line, end: line, commits }, ended.token);
      const group = groups.find(({ start, end }) => start <= line && line <= end);
      if (!group || token.isCancellationRequested) return undefined;
      const commit = group.commit ? all?.[group.commit] : undefined;
      const call = typeof group.call === 'number' ? calls[group.call] : undefined;
      return { by: group.by, call, commit: commit && { ...commit, hash: group.commit ?? '' }, altered: call && altered && Object.hasOwn(altered, call.session) ? altered[call.session] : undefined, warnings: warnings ?? [] };
    } finally {
      clearTimeout(timer);
      listener.dispose();
    }
  }
}

/** The folder of a file of the workspace. */
function findRoot({ uri }: vscode.TextDocument): string | undefined {
  return uri.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath : undefined;
}

function makeHoverText(why: LineWhy, root: string): vscode.MarkdownString {
  const { head, reason, rest } = describeLine(why);
  // With no icons: there are none of ours in it.
  const text = new vscode.MarkdownString();
  text.isTrusted = { enabledCommands: ['wherefore.openLog', 'wherefore.showChange'] };
  if (reason) text.appendMarkdown('**').appendText(reason).appendMarkdown('**\n\n');
  text.appendText(head);
  for (const row of rest) text.appendMarkdown('\n\n').appendText(row);
  const { call } = why;
  if (!call) return text;
  const located: CallLocation = { call: call.call, session: call.session, root };
  const argument = encodeURIComponent(JSON.stringify([located]));
  return text.appendMarkdown(`\n\n[Open in log](command:wherefore.openLog?${argument}) · [Show that change](command:wherefore.showChange?${argument})`);
}
