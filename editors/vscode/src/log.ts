// The session log as a read-only document, told for people, that follows its end while the person is there.

import * as vscode from 'vscode';
import type { Documents } from './documents';
import { Following } from './following';
import { warn } from './notify';
import { NAME } from './program';
import type { Server } from './server';
import { plain, sentence } from './text';
import { Told } from './told';

export const LANGUAGE = 'wherefore-log';

interface Open {
  root: string;
  told: Told;
  uri: vscode.Uri;
  /** Editors that were at the end when it grew. */
  following: Following;
}

/** The logs that are open. */
export class Logs implements vscode.Disposable {
  private readonly open = new Map<string, Open>();
  private readonly listeners: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly documents: Documents,
  ) {
    documents.add('log', async (uri) => plain((await this.filled(uri))?.told.text ?? 'The log could not be read.\n'));
    this.listeners = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.open.get(document.uri.toString())?.following.grew(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.close(document.uri)),
    );
  }

  /** Opens the log beside; at a call's event where one is named (with its session and folder), else at its end. */
  async show(call?: string, of?: { session: string; root: string }): Promise<void> {
    try {
      const root = of?.root ?? rootHere();
      const { uri: named, path } = await this.server.ask('log', { root, session: of?.session ?? null });
      const session = vscode.Uri.parse(named).path.slice(1);
      const uri = vscode.Uri.from({ scheme: 'wherefore', authority: 'log', path: `/${session}/Session log` });
      const known = this.open.get(uri.toString());
      const log = known ?? (await this.put(uri, root ?? '', session, path));
      if (call !== undefined && rowOf(log.told.text, call) < 0) await log.told.whole();
      if (known) this.documents.changed(uri);
      const document = await vscode.workspace.openTextDocument(uri);
      const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
      const column = shown?.viewColumn ?? (vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active);
      const editor = await vscode.window.showTextDocument(document, { viewColumn: column, preview: false });
      const row = call === undefined ? document.lineCount - 1 : Math.max(rowOf(document.getText(), call), 0);
      editor.selection = new vscode.Selection(row, 0, row, 0);
      // Long changes and outputs.
      if (!shown) await vscode.commands.executeCommand('editor.foldAllMarkerRegions');
      editor.revealRange(new vscode.Range(row, 0, row, 0), call ? vscode.TextEditorRevealType.AtTop : vscode.TextEditorRevealType.Default);
    } catch (thrown) {
      warn(sentence(thrown));
    }
  }

  /** The folder that a log is of. */
  root(uri: vscode.Uri): string | undefined {
    return this.open.get(uri.toString())?.root;
  }

  /** Reads on in every open log, where the file's own events were missed. */
  refresh(): void {
    for (const log of this.open.values()) log.told.grown();
  }

  dispose(): void {
    this.listeners.dispose();
    for (const log of this.open.values()) log.told.close();
  }

  private async put(uri: vscode.Uri, root: string, session: string, path: string): Promise<Open> {
    const told = new Told(this.server.program?.path ?? NAME, root, session, path, () => this.grown(log));
    const log: Open = { root, told, uri, following: new Following() };
    this.open.set(uri.toString(), log);
    await told.begin();
    return log;
  }

  /** The log of a document, also of one that was open when the window was closed. */
  private async filled(uri: vscode.Uri): Promise<Open | undefined> {
    const known = this.open.get(uri.toString());
    if (known) return known;
    const [, session = ''] = uri.path.split('/');
    const root = rootHere();
    const answer = await this.server.ask('log', { root, session }).catch(() => undefined);
    return answer && this.put(uri, root ?? '', session, answer.path);
  }

  private grown(log: Open): void {
    log.following.grows(log.uri, isAtEnd);
    this.documents.changed(log.uri);
  }

  private close(uri: vscode.Uri): void {
    const log = this.open.get(uri.toString());
    if (!log) return;
    log.told.close();
    this.open.delete(uri.toString());
  }
}

function isAtEnd(editor: vscode.TextEditor): boolean {
  const last = editor.document.lineCount - 1;
  return editor.selection.active.line >= last - 1 && editor.visibleRanges.some((range) => range.end.line >= last - 1);
}

/** The row at which a call begins. */
function rowOf(text: string, call: string): number {
  const id = call.replace(/\W/g, '\\$&');
  return text.split('\n').findIndex((row) => new RegExp(`^\\S+ +${id}(?: |$)`).test(row));
}

/** The folder of the file shown, else the first. */
export function rootHere(): string | null {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const folder = uri?.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(uri) : undefined;
  const first = vscode.workspace.workspaceFolders?.find((each) => each.uri.scheme === 'file');
  return (folder ?? first)?.uri.fsPath ?? null;
}
