// The session log as a read-only document, told for people, that follows its end while the person is there.

import * as vscode from 'vscode';
import type { VirtualDocuments } from '../virtual_documents';
import { EndFollower } from '../end_follower';
import { warn } from '../messages';
import { PROGRAM_NAME } from '../server/program';
import type { ServerClient } from '../server/client';
import { escapeHidden, describeError } from '../text';
import { LogText } from './log_text';

export const LANGUAGE = 'wherefore-log';

interface OpenLog {
  root: string;
  text: LogText;
  uri: vscode.Uri;
  /** Editors that were at the end when it grew. */
  follower: EndFollower;
}

/** The logs that are open. */
export class SessionLogs implements vscode.Disposable {
  private readonly open = new Map<string, OpenLog>();
  private readonly listeners: vscode.Disposable;

  constructor(
    private readonly server: ServerClient,
    private readonly documents: VirtualDocuments,
  ) {
    documents.addKind('log', async (uri) => escapeHidden((await this.findLog(uri))?.text.text ?? 'The log could not be read.\n'));
    this.listeners = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.open.get(document.uri.toString())?.follower.follow(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.closeLog(document.uri)),
    );
  }

  /** Opens the log beside; at a call's event where one is named (with its session and folder), else at its end. */
  async showLog(call?: string, location?: { session: string; root: string }): Promise<void> {
    try {
      const root = location?.root ?? findCurrentRoot();
      const { uri: named, path } = await this.server.request('log', { root, session: location?.session ?? null });
      const session = vscode.Uri.parse(named).path.slice(1);
      const uri = vscode.Uri.from({ scheme: 'wherefore', authority: 'log', path: `/${session}/Session log` });
      const existing = this.open.get(uri.toString());
      const log = existing ?? (await this.addLog(uri, root ?? '', session, path));
      if (call !== undefined && findCallRow(log.text.text, call) < 0) await log.text.readAll();
      if (existing) this.documents.noteChange(uri);
      const document = await vscode.workspace.openTextDocument(uri);
      const visible = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
      const column = visible?.viewColumn ?? (vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active);
      const editor = await vscode.window.showTextDocument(document, { viewColumn: column, preview: false });
      const row = call === undefined ? document.lineCount - 1 : Math.max(findCallRow(document.getText(), call), 0);
      editor.selection = new vscode.Selection(row, 0, row, 0);
      // Long changes and outputs.
      if (!visible) await vscode.commands.executeCommand('editor.foldAllMarkerRegions');
      editor.revealRange(new vscode.Range(row, 0, row, 0), call ? vscode.TextEditorRevealType.AtTop : vscode.TextEditorRevealType.Default);
    } catch (thrown) {
      warn(describeError(thrown));
    }
  }

  /** The folder that a log is of. */
  findRoot(uri: vscode.Uri): string | undefined {
    return this.open.get(uri.toString())?.root;
  }

  /** Reads on in every open log, where the file's own events were missed. */
  refresh(): void {
    for (const log of this.open.values()) log.text.noteGrowth();
  }

  dispose(): void {
    this.listeners.dispose();
    for (const log of this.open.values()) log.text.close();
  }

  private async addLog(uri: vscode.Uri, root: string, session: string, path: string): Promise<OpenLog> {
    const text = new LogText(this.server.program?.path ?? PROGRAM_NAME, root, session, path, () => this.redraw(log));
    const log: OpenLog = { root, text: text, uri, follower: new EndFollower() };
    this.open.set(uri.toString(), log);
    await text.begin();
    return log;
  }

  /** The log of a document, also of one that was open when the window was closed. */
  private async findLog(uri: vscode.Uri): Promise<OpenLog | undefined> {
    const existing = this.open.get(uri.toString());
    if (existing) return existing;
    const [, session = ''] = uri.path.split('/');
    const root = findCurrentRoot();
    const answer = await this.server.request('log', { root, session }).catch(() => undefined);
    return answer && this.addLog(uri, root ?? '', session, answer.path);
  }

  private redraw(log: OpenLog): void {
    log.follower.prepare(log.uri, isAtEnd);
    this.documents.noteChange(log.uri);
  }

  private closeLog(uri: vscode.Uri): void {
    const log = this.open.get(uri.toString());
    if (!log) return;
    log.text.close();
    this.open.delete(uri.toString());
  }
}

function isAtEnd(editor: vscode.TextEditor): boolean {
  const last = editor.document.lineCount - 1;
  return editor.selection.active.line >= last - 1 && editor.visibleRanges.some((range) => range.end.line >= last - 1);
}

/** The row at which a call begins. */
function findCallRow(text: string, call: string): number {
  const id = call.replace(/\W/g, '\\$&');
  return text.split('\n').findIndex((row) => new RegExp(`^\\S+ +${id}(?: |$)`).test(row));
}

/** The folder of the file shown, else the first. */
export function findCurrentRoot(): string | null {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const folder = uri?.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(uri) : undefined;
  const first = vscode.workspace.workspaceFolders?.find((each) => each.uri.scheme === 'file');
  return (folder ?? first)?.uri.fsPath ?? null;
}
