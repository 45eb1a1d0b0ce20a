// The review of a session: all that agents changed in it, file by file, also what was decided already, each hunk with its why
// and what became of it. One that was applied can be taken back here, one that waits can be decided on.

import * as vscode from 'vscode';
import { lens } from './lens';
import { remark, warn } from './notify';
import type { Server } from './server';
import { byAge, choices, fate, pages, sum, type Page, type Part } from './sessionpage';
import { closeTab, showDocument } from './show';
import { clip, count, sentence } from './text';
import type { Act, Proposal } from './wire';

/** Documents of either side. */
export const SESSION = 'wherefore-session';

/** How long notices are gathered before the pages are made anew. */
const GATHER_MS = 150;

type Side = 'before' | 'after';

interface Choice extends vscode.QuickPickItem {
  list: Proposal[];
}

/** The session that is shown. */
export class Session implements vscode.Disposable, vscode.TextDocumentContentProvider, vscode.CodeLensProvider {
  private readonly change = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.change.event;
  private readonly moved = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.moved.event;
  private shown: Page[] = [];
  /** Which proposals are shown; nothing before any was. */
  private is: ((proposal: Proposal) => boolean) | undefined;
  private opened = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: () => Server) {}

  register(): vscode.Disposable {
    const of = { scheme: SESSION };
    return vscode.Disposable.from(
      this,
      vscode.workspace.registerTextDocumentContentProvider(SESSION, this),
      vscode.languages.registerCodeLensProvider(of, this),
      vscode.window.onDidChangeActiveTextEditor(() => void vscode.commands.executeCommand('setContext', 'wherefore.inSession', this.isHere)),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.change.dispose();
    this.moved.dispose();
  }

  /** Shows the session that the person picks, where there are several. */
  async open(): Promise<void> {
    try {
      const all = (await this.ask()).filter(({ files }) => files.length > 0);
      if (all.length === 0) return remark('no agent has proposed a change yet');
      const picked = await choose(all);
      if (picked) await this.show(picked);
    } catch (thrown) {
      warn(sentence(thrown));
    }
  }

  /** Shows what one call changed. Says whether that is still kept. */
  async showCall(call: string, session: string): Promise<boolean> {
    const list = (await this.ask()).filter((each) => each.call_id === call && each.session === session && each.files.length > 0);
    if (list.length > 0) await this.show({ label: call, list }, CHANGE, (each) => each.call_id === call && each.session === session);
    return list.length > 0;
  }

  /** The server told of proposals: what is shown is made anew. */
  heard(): void {
    if (!this.is || !isOpen()) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.refresh();
    }, GATHER_MS);
  }

  /** Whether the person is in it. */
  get isHere(): boolean {
    return vscode.window.activeTextEditor?.document.uri.scheme === SESSION;
  }

  /** Whether a command is about a hunk of it: the one that it names, or that at the cursor. */
  isAbout(named: unknown): boolean {
    return isPart(named) || (this.isHere && named === undefined);
  }

  /** Goes to the next hunk, or the one before. */
  step(by: 1 | -1): void {
    const editor = vscode.window.activeTextEditor;
    const found = editor && this.at(editor.document.uri);
    if (!found) return;
    const row = editor.selection.active.line;
    const rows = found.page.parts.map((part) => part.rows[found.side]);
    const next = by > 0 ? rows.find((each) => each > row) : rows.findLast((each) => each < row);
    if (next === undefined) {
      remark(by > 0 ? 'this is the last hunk of the file' : 'this is the first hunk of the file');
      return;
    }
    editor.selection = new vscode.Selection(next, 0, next, 0);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Decides on the hunk that is named, or on that at the cursor. */
  async decide(act: Act, named: unknown, asks = false): Promise<void> {
    const part = isPart(named) ? named : this.here();
    if (!part) return;
    const done = choices(part.hunk)[act];
    if (!done) return warn(`this hunk is ${fate(part.hunk)}: there is nothing to ${act === 'accept' ? 'accept' : 'take back'}`);
    const reason = asks ? await vscode.window.showInputBox({ title: done, prompt: 'Why? The agent reads this.' }) : '';
    if (reason === undefined) return;
    try {
      const { problems } = await this.server().ask('decide', { proposal: part.proposal.id, hunks: [part.hunk.id], act, reason: reason || null });
      for (const problem of problems ?? []) warn(problem);
    } catch (thrown) {
      warn(sentence(thrown));
    }
    await this.refresh();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const found = this.at(uri);
    return found ? found.page[found.side] : '';
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const found = this.at(uri);
    return found?.side === 'after' ? found.page.parts.flatMap((part) => lenses(part)) : [];
  }

  private async show({ list, label }: Choice, what = TITLE, is?: (proposal: Proposal) => boolean): Promise<void> {
    const old = tabs();
    const sessions = new Set(list.map(({ session }) => session));
    this.is = is ?? (({ session }) => sessions.has(session));
    this.shown = pages(list);
    this.opened += 1;
    const resources = this.shown.map(({ path }) => ({ originalUri: this.uri('before', path), modifiedUri: this.uri('after', path) }));
    const title = `${what}${clip(label, 40)}: ${sum(this.shown)}`;
    const source = vscode.Uri.from({ scheme: SESSION, authority: 'all', path: `/${this.opened}` });
    try {
      await vscode.commands.executeCommand('_workbench.openMultiDiffEditor', { title, multiDiffSourceUri: source, resources });
      await vscode.commands.executeCommand('workbench.action.keepEditor');
    } catch {
      await vscode.commands.executeCommand('vscode.changes', title, resources.map(({ originalUri, modifiedUri }) => [modifiedUri, originalUri, modifiedUri]));
    }
    for (const tab of old) await closeTab(tab);
  }

  /** Makes the pages anew; a tab keeps the files that it was opened with. */
  private async refresh(): Promise<void> {
    const { is } = this;
    const all = await this.ask().catch(() => undefined);
    if (!is || !all) return;
    this.shown = pages(all.filter(is));
    for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === SESSION) this.change.fire(uri);
    this.moved.fire();
  }

  private async ask(): Promise<Proposal[]> {
    return (await this.server().ask('proposals', { all: true })).proposals;
  }

  private uri(side: Side, path: string): vscode.Uri {
    return vscode.Uri.from({ scheme: SESSION, authority: side, path: `/${path}`, query: `${this.opened}` });
  }

  private at({ authority, path }: vscode.Uri): { page: Page; side: Side } | undefined {
    const page = this.shown.find((each) => `/${each.path}` === path);
    return page && { page, side: authority === 'before' ? 'before' : 'after' };
  }

  /** The hunk at the cursor. */
  private here(): Part | undefined {
    const editor = vscode.window.activeTextEditor;
    const found = editor && this.at(editor.document.uri);
    const row = editor?.selection.active.line ?? 0;
    return found?.page.parts.findLast((part) => part.rows[found.side] <= row);
  }
}

/** What the tab is called begins so. */
const TITLE = 'Session of ';
const CHANGE = 'Change of ';

const isPart = (named: unknown): named is Part => typeof named === 'object' && named !== null && 'hunk' in named && 'rows' in named;

function tabs(): vscode.Tab[] {
  const all = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return all.filter(({ input, label }) => (label.startsWith(TITLE) || label.startsWith(CHANGE)) && !(input instanceof vscode.TabInputText || input instanceof vscode.TabInputTextDiff));
}

const isOpen = (): boolean => vscode.workspace.textDocuments.some(({ uri }) => uri.scheme === SESSION);

/** The row of a hunk: what can be done first, then what became of it, and its why. */
function lenses(part: Part): vscode.CodeLens[] {
  const { proposal, file, hunk } = part;
  const row = part.rows.after;
  const { accept, reject } = choices(hunk);
  const of = `${file.hunks.indexOf(hunk) + 1}/${file.hunks.length}`;
  const agent = proposal.origin.agent ? clip(proposal.origin.agent, 24) : '';
  const word = hunk.reason ? `your word: ${clip(hunk.reason, 60)}` : '';
  const saying = [of, fate(hunk), clip(proposal.why, 100), agent, word].filter(Boolean).join(' · ');
  return [
    ...(accept ? [lens(row, 'check', accept, 'accept', `${accept} this hunk`, part)] : []),
    ...(reject ? [lens(row, accept === 'Accept' ? 'close' : 'discard', reject, 'reject', `${reject} this hunk`, part)] : []),
    lens(row, 'go-to-file', 'Show', 'showFile', 'Show where it stands in the file', part),
    lens(row, '', saying, 'openLog', `${proposal.why}\n\nShow the call in the session log`, { call: proposal.call_id }),
  ];
}

/** Shows where a hunk stands in its file, or stood. */
export async function showFile(named: unknown): Promise<void> {
  if (!isPart(named)) return;
  const editor = await showDocument(vscode.Uri.parse(named.file.uri, true));
  if (!editor) return warn(`${named.file.path} is not on the disk`);
  const row = Math.min(named.hunk.start, editor.document.lineCount - 1);
  editor.selection = new vscode.Selection(row, 0, row, 0);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenter);
}

/** The only session, or the one that is picked; the latest first, and all of them. */
async function choose(all: Proposal[]): Promise<Choice | undefined> {
  const sessions = [...Map.groupBy(all.toSorted(byAge), ({ session }) => session).values()].reverse();
  const item = (list: Proposal[]): Choice => {
    const agents = [...new Set(list.flatMap(({ origin }) => (origin.agent ? [clip(origin.agent, 24)] : [])))].join(', ');
    const shown = pages(list);
    return { label: begun(list[0]), description: agents, detail: `${count(shown.length, 'file')}: ${sum(shown)}`, list };
  };
  const items = sessions.map(item);
  if (items.length < 2) return items[0];
  items.push({ ...item(all), label: 'all sessions', description: '' });
  return vscode.window.showQuickPick(items, { title: 'Review a session', placeHolder: 'What agents changed, with what became of it', matchOnDescription: true });
}

/** When a session's first change was made, as the person counts time. */
function begun(first: Proposal | undefined): string {
  const time = new Date(first?.created ?? '');
  const isToday = time.toDateString() === new Date().toDateString();
  return isToday ? time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }) : time.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}
