// Why a line is as it is: in a hover, on demand for any line, and by setting at the end of the cursor's line.

import * as vscode from 'vscode';
import { warn } from './notify';
import type { Server } from './server';
import { setting } from './settings';
import { clip, sentence } from './text';
import { isOfAgent, words, type LineWhy } from './whywords';

/** How long an answer may take. */
const ANSWER_MS = 3000;

/** How long the cursor rests before its line is asked about. */
const REST_MS = 250;

/** For so long after the command the hover tells of any line. */
const ASKED_MS = 5000;

const ANNOTATION = 'why.annotation';

/** A call in the links of a hover. */
export interface Located {
  call: string;
  session: string;
  root: string;
}

/** Whether a command's argument names a call so. */
export const isLocated = (named: unknown): named is Located =>
  typeof named === 'object' && named !== null && ['call', 'session', 'root'].every((key) => typeof (named as Record<string, unknown>)[key] === 'string');

/** The whys of lines. */
export class Why implements vscode.Disposable, vscode.HoverProvider {
  private readonly type = vscode.window.createTextEditorDecorationType({ rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen });
  private timer: NodeJS.Timeout | undefined;
  private asking: vscode.CancellationTokenSource | undefined;
  /** The line that the person asked about, and until when. */
  private asked: { uri: string; line: number; until: number } | undefined;

  constructor(private readonly server: () => Server) {}

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
    this.forget();
    this.type.dispose();
  }

  /** A hover on a line of an agent's; on that which the person asked about, whoever wrote it. */
  async provideHover(document: vscode.TextDocument, position: vscode.Position, over: vscode.CancellationToken): Promise<vscode.Hover | undefined> {
    const { line } = position;
    const isAsked = this.asked?.uri === document.uri.toString() && this.asked.line === line && Date.now() < this.asked.until;
    const root = rootOf(document);
    if (root === undefined || (!isAsked && !this.server().running)) return undefined;
    try {
      const why = await this.ask(document, root, line, isAsked, over);
      if (!why || (!isAsked && !isOfAgent(why))) return undefined;
      return new vscode.Hover(told(why, root), document.lineAt(line).range);
    } catch (thrown) {
      return isAsked ? new vscode.Hover(new vscode.MarkdownString().appendText(clip(sentence(thrown), 400))) : undefined;
    }
  }

  /** Says of the cursor's line, whoever wrote it, why it is so. */
  async show(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor || rootOf(editor.document) === undefined) return warn('open a file of the folder first: its lines have whys');
    this.asked = { uri: editor.document.uri.toString(), line: editor.selection.active.line, until: Date.now() + ASKED_MS };
    // From the palette the editor gets the focus only now, without which it shows no hover.
    await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn ?? vscode.ViewColumn.Active, preserveFocus: false });
    await vscode.commands.executeCommand('editor.action.showHover', { focus: 'autoFocusImmediately' });
  }

  /** Asks anew about the cursor's line, once the cursor rests. */
  refresh(): void {
    this.forget();
    for (const editor of vscode.window.visibleTextEditors) editor.setDecorations(this.type, []);
    if (setting(ANNOTATION, false)) this.timer = setTimeout(() => void this.annotate(), REST_MS);
  }

  private forget(): void {
    clearTimeout(this.timer);
    this.asking?.cancel();
    this.asking = undefined;
  }

  private async annotate(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const root = editor && rootOf(editor.document);
    if (!editor || root === undefined || !this.server().running) return;
    const asking = new vscode.CancellationTokenSource();
    this.asking = asking;
    const { line } = editor.selection.active;
    const why = await this.ask(editor.document, root, line, false, asking.token).catch(() => undefined);
    if (asking.token.isCancellationRequested || !why || !isOfAgent(why) || line >= editor.document.lineCount) return;
    const { kind } = vscode.window.activeColorTheme;
    const isHighContrast = kind === vscode.ColorThemeKind.HighContrast || kind === vscode.ColorThemeKind.HighContrastLight;
    const color = new vscode.ThemeColor(isHighContrast ? 'editor.foreground' : 'editorCodeLens.foreground');
    const contentText = words(why).annotation;
    const { end } = editor.document.lineAt(line).range;
    editor.setDecorations(this.type, [{ range: new vscode.Range(end, end), renderOptions: { after: { contentText, color, margin: '0 0 0 3em', fontStyle: 'italic' } } }]);
  }

  /** What the server knows of a line; nothing where nobody waits for that any more. */
  private async ask(document: vscode.TextDocument, root: string, row: number, commits: boolean, over: vscode.CancellationToken): Promise<LineWhy | undefined> {
    const ended = new vscode.CancellationTokenSource();
    const timer = setTimeout(() => ended.cancel(), ANSWER_MS);
    const listener = over.onCancellationRequested(() => ended.cancel());
    try {
      const line = row + 1;
      const { groups, calls, commits: all, altered, warnings } = await this.server().ask('why', { root, path: document.uri.fsPath, start: line, end: line, commits }, ended.token);
      const group = groups.find(({ start, end }) => start <= line && line <= end);
      if (!group || over.isCancellationRequested) return undefined;
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
function rootOf({ uri }: vscode.TextDocument): string | undefined {
  return uri.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath : undefined;
}

function told(why: LineWhy, root: string): vscode.MarkdownString {
  const { head, reason, rest } = words(why);
  // With no icons: there are none of ours in it.
  const text = new vscode.MarkdownString();
  text.isTrusted = { enabledCommands: ['wherefore.openLog', 'wherefore.showChange'] };
  if (reason) text.appendMarkdown('**').appendText(reason).appendMarkdown('**\n\n');
  text.appendText(head);
  for (const row of rest) text.appendMarkdown('\n\n').appendText(row);
  const { call } = why;
  if (!call) return text;
  const located: Located = { call: call.call, session: call.session, root };
  const argument = encodeURIComponent(JSON.stringify([located]));
  return text.appendMarkdown(`\n\n[Open in log](command:wherefore.openLog?${argument}) · [Show that change](command:wherefore.showChange?${argument})`);
}
