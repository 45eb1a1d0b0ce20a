// The session log as a read-only document that follows its end while the person is there.

import * as vscode from 'vscode';
import type { Documents } from './documents';
import { warn } from './notify';
import type { Server } from './server';
import { Tail } from './tail';
import { plain, sentence } from './text';

export const LANGUAGE = 'wherefore-log';

/** How long changes are gathered before the document is read anew. */
const GATHER_MS = 150;

interface Open {
  root: string;
  tail: Tail;
  uri: vscode.Uri;
  timer?: NodeJS.Timeout;
  /** Editors that were at the end when it grew. */
  following: Set<vscode.TextEditor>;
}

/** The logs that are open. */
export class Logs implements vscode.Disposable {
  private readonly open = new Map<string, Open>();
  private readonly listeners: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly documents: Documents,
  ) {
    documents.add('log', async (uri) => plain((await this.filled(uri))?.tail.text ?? 'The log could not be read.\n'));
    this.listeners = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument((event) => this.follow(event.document)),
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
      const log = known ?? this.put(uri, root ?? '', path);
      await log.tail.read();
      if (known) this.documents.changed(uri);
      const document = await vscode.workspace.openTextDocument(uri);
      const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
      const column = shown?.viewColumn ?? (vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active);
      const editor = await vscode.window.showTextDocument(document, { viewColumn: column, preview: false });
      const row = call === undefined ? document.lineCount - 1 : Math.max(eventOf(document.getText(), call), 0);
      editor.selection = new vscode.Selection(row, 0, row, 0);
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
    for (const log of this.open.values()) this.grown(log);
  }

  dispose(): void {
    this.listeners.dispose();
    for (const log of this.open.values()) {
      clearTimeout(log.timer);
      log.tail.close();
    }
  }

  private put(uri: vscode.Uri, root: string, path: string): Open {
    const log: Open = { root, tail: new Tail(path), uri, following: new Set() };
    log.tail.watch(() => this.grown(log));
    this.open.set(uri.toString(), log);
    return log;
  }

  /** The log of a document, also of one that was open when the window was closed. */
  private async filled(uri: vscode.Uri): Promise<Open | undefined> {
    const known = this.open.get(uri.toString());
    if (known) return known;
    const [, session = ''] = uri.path.split('/');
    const root = rootHere();
    const answer = await this.server.ask('log', { root, session }).catch(() => undefined);
    if (!answer) return undefined;
    const log = this.put(uri, root ?? '', answer.path);
    await log.tail.read();
    return log;
  }

  private grown(log: Open): void {
    log.timer ??= setTimeout(() => {
      delete log.timer;
      void log.tail.read().then((more) => {
        if (!more) return;
        log.following = new Set(vscode.window.visibleTextEditors.filter((editor) => editor.document.uri.toString() === log.uri.toString() && isAtEnd(editor)));
        this.documents.changed(log.uri);
      });
    }, GATHER_MS);
  }

  private follow(document: vscode.TextDocument): void {
    const log = this.open.get(document.uri.toString());
    const row = document.lineCount - 1;
    for (const editor of log?.following ?? []) {
      editor.selection = new vscode.Selection(row, 0, row, 0);
      editor.revealRange(new vscode.Range(row, 0, row, 0));
    }
  }

  private close(uri: vscode.Uri): void {
    const log = this.open.get(uri.toString());
    if (!log) return;
    clearTimeout(log.timer);
    log.tail.close();
    this.open.delete(uri.toString());
  }
}

function isAtEnd(editor: vscode.TextEditor): boolean {
  const last = editor.document.lineCount - 1;
  return editor.selection.active.line >= last - 1 && editor.visibleRanges.some((range) => range.end.line >= last - 1);
}

/** The row of the heading of a call's first event. */
function eventOf(text: string, call: string): number {
  const at = text.search(new RegExp(`^call_id: ${call.replace(/\W/g, '\\$&')}$`, 'm'));
  if (at < 0) return -1;
  const heading = text.lastIndexOf('\n## ', at) + 1;
  return text.slice(0, heading).split('\n').length - 1;
}

/** The folder of the file shown, else the first. */
function rootHere(): string | null {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const folder = uri?.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(uri) : undefined;
  const first = vscode.workspace.workspaceFolders?.find((each) => each.uri.scheme === 'file');
  return (folder ?? first)?.uri.fsPath ?? null;
}
