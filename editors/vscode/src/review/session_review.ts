// The review of a session: all that agents changed in it, file by file, also what was decided already, each hunk with its why
// and what became of it. One that was applied can be taken back here, one that waits can be decided on.

import * as vscode from 'vscode';
import { makeLens } from '../code_lens';
import type { HunkReference } from './decision_target';
import { showRemark, warn } from '../messages';
import { isPending } from './proposal_store';
import type { ServerClient } from '../server/client';
import { compareAge, listChoices, describeFate, makePages, summarizePages, type SessionPage, type SessionHunk } from './session_page';
import { closeTab, showDocument } from '../show_document';
import { clip, formatCount, describeError } from '../text';
import type { Act, Proposal } from '../server/wire';

/** Documents of either side. */
export const SESSION = 'wherefore-session';

/** The time that notices are gathered before the pages are made anew. */
const GATHER_MS = 150;

type Side = 'before' | 'after';

interface SessionChoice extends vscode.QuickPickItem {
  list: Proposal[];
}

/** The session that is shown. */
export class SessionReview implements vscode.Disposable, vscode.TextDocumentContentProvider, vscode.CodeLensProvider {
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;
  private readonly lensChanges = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.lensChanges.event;
  private shownPages: SessionPage[] = [];
  /** The proposals that are shown; nothing before any was. */
  private isIncluded: ((proposal: Proposal) => boolean) | undefined;
  private openCount = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: ServerClient) {}

  register(): vscode.Disposable {
    const selector = { scheme: SESSION };
    return vscode.Disposable.from(
      this,
      vscode.workspace.registerTextDocumentContentProvider(SESSION, this),
      vscode.languages.registerCodeLensProvider(selector, this),
      vscode.window.onDidChangeActiveTextEditor(() => void vscode.commands.executeCommand('setContext', 'wherefore.inSession', this.isHere)),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.changes.dispose();
    this.lensChanges.dispose();
  }

  /** Shows the session that the person picks, where there are several. */
  async openSession(): Promise<void> {
    try {
      const all = (await this.requestProposals()).filter(({ files }) => files.length > 0);
      if (all.length === 0) return showRemark('no agent has proposed a change yet');
      const picked = await chooseSession(all);
      if (picked) await this.showPages(picked);
    } catch (thrown) {
      warn(describeError(thrown));
    }
  }

  /** Shows what one call changed. Says whether that is still kept. */
  async showCall(call: string, session: string): Promise<boolean> {
    const list = (await this.requestProposals()).filter((each) => each.call_id === call && each.session === session && each.files.length > 0);
    if (list.length > 0) await this.showPages({ label: call, list }, CHANGE, (each) => each.call_id === call && each.session === session);
    return list.length > 0;
  }

  /** The server told of proposals: what is shown is made anew. */
  refreshSoon(): void {
    if (!this.isIncluded || !isSessionOpen()) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.refresh();
    }, GATHER_MS);
  }

  /** True if the person is in it. */
  get isHere(): boolean {
    return vscode.window.activeTextEditor?.document.uri.scheme === SESSION;
  }

  /** True if a command is about a hunk of it: the one that it names, or that at the cursor. */
  isAbout(named: unknown): boolean {
    return isSessionHunk(named) || (this.isHere && named === undefined);
  }

  /** Goes to the next hunk, or the one before. */
  step(by: 1 | -1): void {
    const editor = vscode.window.activeTextEditor;
    const found = editor && this.findPage(editor.document.uri);
    if (!found) return;
    const row = editor.selection.active.line;
    const rows = found.page.parts.map((part) => part.rows[found.side]);
    const next = by > 0 ? rows.find((each) => each > row) : rows.findLast((each) => each < row);
    if (next === undefined) {
      showRemark(by > 0 ? 'this is the last hunk of the file' : 'this is the first hunk of the file');
      return;
    }
    editor.selection = new vscode.Selection(next, 0, next, 0);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Decides on the hunk that is named, or on that at the cursor. */
  async decideHunk(act: Act, named: unknown, asks = false): Promise<void> {
    const part = isSessionHunk(named) ? named : this.findHunkAtCursor();
    if (!part) return;
    const verb = listChoices(part.hunk)[act];
    if (!verb) return warn(`this hunk is ${describeFate(part.hunk)}: there is nothing to ${act === 'accept' ? 'accept' : 'take back'}`);
    const reason = asks ? await vscode.window.showInputBox({ title: verb, prompt: 'Why? The agent reads this.' }) : '';
    if (reason === undefined) return;
    try {
      const { problems } = await this.server.request('decide', { proposal: part.proposal.id, hunks: [part.hunk.id], act, reason: reason || null });
      for (const problem of problems ?? []) warn(problem);
    } catch (thrown) {
      warn(describeError(thrown));
    }
    await this.refresh();
  }

  /** The hunk that is named, or that at the cursor, where it waits and can be edited; says what became of it where it does not. */
  findWaiting(named: unknown): HunkReference | undefined {
    const part = isSessionHunk(named) ? named : this.findHunkAtCursor();
    if (part && !isPending(part.hunk)) return void warn(`this hunk is ${describeFate(part.hunk)}: change its lines in the file`);
    return part && { proposal: part.proposal.id, hunks: [part.hunk.id] };
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const found = this.findPage(uri);
    return found ? found.page[found.side] : '';
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const found = this.findPage(uri);
    return found?.side === 'after' ? found.page.parts.flatMap((part) => makeLenses(part)) : [];
  }

  private async showPages({ list, label }: SessionChoice, titleStart = TITLE, isIncluded?: (proposal: Proposal) => boolean): Promise<void> {
    const old = listSessionTabs();
    const sessions = new Set(list.map(({ session }) => session));
    this.isIncluded = isIncluded ?? (({ session }) => sessions.has(session));
    this.shownPages = makePages(list);
    this.openCount += 1;
    const resources = this.shownPages.map(({ path }) => ({ originalUri: this.makeUri('before', path), modifiedUri: this.makeUri('after', path) }));
    const title = `${titleStart}${clip(label, 40)}: ${summarizePages(this.shownPages)}`;
    const source = vscode.Uri.from({ scheme: SESSION, authority: 'all', path: `/${this.openCount}` });
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
    const { isIncluded } = this;
    const all = await this.requestProposals().catch(() => undefined);
    if (!isIncluded || !all) return;
    this.shownPages = makePages(all.filter(isIncluded));
    for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === SESSION) this.changes.fire(uri);
    this.lensChanges.fire();
  }

  private async requestProposals(): Promise<Proposal[]> {
    return (await this.server.request('proposals', { all: true })).proposals;
  }

  private makeUri(side: Side, path: string): vscode.Uri {
    return vscode.Uri.from({ scheme: SESSION, authority: side, path: `/${path}`, query: `${this.openCount}` });
  }

  private findPage({ authority, path }: vscode.Uri): { page: SessionPage; side: Side } | undefined {
    const page = this.shownPages.find((each) => `/${each.path}` === path);
    return page && { page, side: authority === 'before' ? 'before' : 'after' };
  }

  /** The hunk at the cursor. */
  private findHunkAtCursor(): SessionHunk | undefined {
    const editor = vscode.window.activeTextEditor;
    const found = editor && this.findPage(editor.document.uri);
    const row = editor?.selection.active.line ?? 0;
    return found?.page.parts.findLast((part) => part.rows[found.side] <= row);
  }
}

/** The beginnings of the labels of such tabs. */
const TITLE = 'Session of ';
const CHANGE = 'Change of ';

const isSessionHunk = (named: unknown): named is SessionHunk => typeof named === 'object' && named !== null && 'hunk' in named && 'rows' in named;

function listSessionTabs(): vscode.Tab[] {
  const all = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return all.filter(({ input, label }) => (label.startsWith(TITLE) || label.startsWith(CHANGE)) && !(input instanceof vscode.TabInputText || input instanceof vscode.TabInputTextDiff));
}

const isSessionOpen = (): boolean => vscode.workspace.textDocuments.some(({ uri }) => uri.scheme === SESSION);

/** The row of a hunk: what can be done first, then what became of it, and its why. */
function makeLenses(part: SessionHunk): vscode.CodeLens[] {
  const { proposal, file, hunk } = part;
  const row = part.rows.after;
  const { accept, reject } = listChoices(hunk);
  const position = `${file.hunks.indexOf(hunk) + 1}/${file.hunks.length}`;
  const agent = proposal.origin.agent ? clip(proposal.origin.agent, 24) : '';
  const word = hunk.reason ? `your word: ${clip(hunk.reason, 60)}` : '';
  const saying = [position, describeFate(hunk), clip(proposal.why, 100), agent, word].filter(Boolean).join(' · ');
  return [
    ...(accept ? [makeLens(row, 'check', accept, 'accept', `${accept} this hunk`, part)] : []),
    ...(reject ? [makeLens(row, accept === 'Accept' ? 'close' : 'discard', reject, 'reject', `${reject} this hunk`, part)] : []),
    makeLens(row, 'go-to-file', 'Show', 'showFile', 'Show where it stands in the file', part),
    makeLens(row, '', saying, 'openLog', `${proposal.why}\n\nShow the call in the session log`, { call: proposal.call_id }),
  ];
}

/** Shows where a hunk stands in its file, or stood. */
export async function showHunkInFile(named: unknown): Promise<void> {
  if (!isSessionHunk(named)) return;
  const editor = await showDocument(vscode.Uri.parse(named.file.uri, true));
  if (!editor) return warn(`${named.file.path} is not on the disk`);
  const row = Math.min(named.hunk.start, editor.document.lineCount - 1);
  editor.selection = new vscode.Selection(row, 0, row, 0);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenter);
}

/** The only session, or the one that is picked; the latest first, and all of them. */
async function chooseSession(all: Proposal[]): Promise<SessionChoice | undefined> {
  const sessions = [...Map.groupBy(all.toSorted(compareAge), ({ session }) => session).values()].reverse();
  const makeItem = (list: Proposal[]): SessionChoice => {
    const agents = [...new Set(list.flatMap(({ origin }) => (origin.agent ? [clip(origin.agent, 24)] : [])))].join(', ');
    const pages = makePages(list);
    return { label: describeStart(list[0]), description: agents, detail: `${formatCount(pages.length, 'file')}: ${summarizePages(pages)}`, list };
  };
  const items = sessions.map(makeItem);
  if (items.length < 2) return items[0];
  items.push({ ...makeItem(all), label: 'all sessions', description: '' });
  return vscode.window.showQuickPick(items, { title: 'Review a session', placeHolder: 'What agents changed, with what became of it', matchOnDescription: true });
}

/** When a session's first change was made, as the person counts time. */
function describeStart(first: Proposal | undefined): string {
  const time = new Date(first?.created ?? '');
  const isToday = time.toDateString() === new Date().toDateString();
  return isToday ? time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }) : time.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}
