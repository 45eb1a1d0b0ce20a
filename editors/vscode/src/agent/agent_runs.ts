// Runs of the built-in agent, with a model of the person's own: asked for, shown while they go on, continued and cancelled.
// Changes and questions of theirs are decided on where those of every agent are.

import * as vscode from 'vscode';
import type { RunEvent } from './agent_events';
import { RunText } from './run_text';
import type { VirtualDocuments } from '../virtual_documents';
import { EndFollower } from '../end_follower';
import { makeLens } from '../code_lens';
import { findCurrentRoot } from '../log/session_log';
import { showRemark, warn } from '../messages';
import type { ServerClient } from '../server/client';
import { clip, describeError } from '../text';
import type { AgentRunParams, AgentRunSummary } from '../server/wire';

/** The name of the documents, by which their language is known. */
export const DOCUMENT_NAME = 'The agent';

/** The time that events are gathered before the document is made anew. */
const GATHER_MS = 40;

/** Runs of which nobody asked here, and the events that are kept of each until somebody does. */
const UNKNOWN_RUNS = 8;
const EARLY_EVENTS = 500;

interface ShownRun {
  run: string;
  root: string;
  text: RunText;
  uri: vscode.Uri;
  /** Editors that were at the end when it grew. */
  follower: EndFollower;
  timer: NodeJS.Timeout | undefined;
}

interface RunChoice extends vscode.QuickPickItem {
  summary?: AgentRunSummary;
}

/** The runs that are shown. */
export class AgentRuns implements vscode.Disposable, vscode.CodeLensProvider {
  private readonly shownRuns = new Map<string, ShownRun>();
  /** Events of a run may come before the answer that names it. */
  private readonly early = new Map<string, RunEvent[]>();
  private readonly lensChanges = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.lensChanges.event;
  private latest: string | undefined;

  /** `asks` says whether something waits for the person's answer. */
  constructor(
    private readonly server: ServerClient,
    private readonly documents: VirtualDocuments,
    private readonly hasQuestions: () => boolean,
  ) {
    documents.addKind('agent', async (uri) => this.findRun(uri)?.text.text ?? 'This run is over: Wherefore: Ask the Agent… resumes it.\n');
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this,
      vscode.languages.registerCodeLensProvider({ scheme: 'wherefore', pattern: `**/${DOCUMENT_NAME}` }, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.findRun(document.uri)?.follower.follow(document)),
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
    );
  }

  dispose(): void {
    for (const { timer } of this.shownRuns.values()) clearTimeout(timer);
    this.lensChanges.dispose();
  }

  /** Something happened in a run. */
  takeEvent(event: RunEvent): void {
    const shown = this.shownRuns.get(event.run);
    if (shown) {
      shown.text.takeEvent(event);
      shown.timer ??= setTimeout(() => this.redraw(shown), GATHER_MS);
      return;
    }
    const events = this.early.get(event.run) ?? [];
    if (events.length < EARLY_EVENTS) events.push(event);
    this.early.set(event.run, events);
    const oldest = this.early.keys().next().value;
    if (this.early.size > UNKNOWN_RUNS && oldest !== undefined) this.early.delete(oldest);
  }

  /** The server ended, and all runs with it. */
  endAll(): void {
    this.early.clear();
    for (const shown of this.shownRuns.values()) {
      shown.text.markLost();
      this.redraw(shown);
    }
  }

  /** Offers at the end of a run what can be done now. */
  refresh(): void {
    const current = this.findCurrentRun();
    void vscode.commands.executeCommand('setContext', 'wherefore.agentHere', current?.text.state ?? '');
    this.lensChanges.fire();
  }

  /** Asks for a task, or for the run that goes on. */
  async askForTask(): Promise<void> {
    const root = findCurrentRoot();
    try {
      const { runs } = await this.server.request('agentList', { root });
      const picked = await chooseRun(runs);
      if (!picked) return;
      if (typeof picked === 'string') await this.beginRun({ task: picked, root });
      else if (picked.state === 'ended') await this.resumeRun(picked.run, root);
      else await this.showRun(picked.run, root);
    } catch (thrown) {
      warn(describeError(thrown));
    }
  }

  /** Says more to the run that is shown, or resumes one that is over. */
  async sayMore(): Promise<void> {
    const shown = this.findCurrentRun();
    if (!shown) return this.askForTask();
    try {
      if (shown.text.state === 'ended') return await this.resumeRun(shown.run, shown.root);
      const text = await vscode.window.showInputBox({ title: 'Say more to the agent', prompt: shown.text.state === 'working' ? 'It hears this before its next step.' : 'It goes on with this.' });
      if (text?.trim()) await this.server.request('agentSay', { run: shown.run, text });
    } catch (thrown) {
      warn(describeError(thrown));
    }
  }

  /** Cancels the turn of the run that is shown, or ends the run. */
  async cancelRun(end: boolean): Promise<void> {
    const shown = this.findCurrentRun();
    if (!shown || shown.text.state === 'ended') return showRemark('no run of the agent is under way');
    try {
      await this.server.request('agentCancel', { run: shown.run, end });
      if (!end) return;
      shown.text.markEnded();
      this.redraw(shown);
    } catch (thrown) {
      warn(describeError(thrown));
    }
  }

  provideCodeLenses({ uri, lineCount }: vscode.TextDocument): vscode.CodeLens[] {
    const shown = this.findRun(uri);
    if (!shown) return [];
    const { state } = shown.text;
    const row = Math.max(lineCount - 1, 0);
    const lenses = [state === 'ended' ? makeLens(row, 'debug-continue', 'Resume…', 'agentSay') : makeLens(row, 'comment', 'Say More…', 'agentSay')];
    if (state === 'working') lenses.push(makeLens(row, 'debug-stop', 'Cancel', 'agentCancel'));
    if (state === 'waiting') lenses.push(makeLens(row, 'close', 'End', 'agentEnd'));
    if (this.hasQuestions()) lenses.push(makeLens(row, 'question', 'Answer…', 'answer'));
    lenses.push(makeLens(row, 'diff-multiple', 'Review What Waits', 'review'));
    return lenses;
  }

  private async resumeRun(run: string, root: string | null): Promise<void> {
    const task = await vscode.window.showInputBox({ title: 'Resume the agent', prompt: 'Its conversation goes on with your words.' });
    if (task?.trim()) await this.beginRun({ task, resume: run, root });
  }

  private async beginRun(params: AgentRunParams): Promise<void> {
    const window = { location: vscode.ProgressLocation.Window, title: 'wherefore: the agent begins' };
    const { run } = await vscode.window.withProgress(window, () => this.server.request('agentRun', { ...params, attended: false }));
    await this.openRun(run, params.root ?? '', this.early.get(run) ?? [], params.resume ?? undefined);
  }

  /** Reads what happened in an earlier run from the log. Without it a run goes on all the same. */
  private async readLoggedEvents(run: string, root: string): Promise<RunEvent[]> {
    const answer = await this.server.request('agentEvents', { run, after: 0, wait_ms: 0, logged: true, root }).catch(() => undefined);
    return (answer?.events ?? []) as RunEvent[];
  }

  /** Shows a run that this server has. */
  private async showRun(run: string, root: string | null): Promise<void> {
    const existing = this.shownRuns.has(run);
    const { events = [] } = existing ? {} : await this.server.request('agentEvents', { run, after: 0, wait_ms: 0 });
    await this.openRun(run, root ?? '', events as RunEvent[]);
  }

  private async openRun(run: string, root: string, events: RunEvent[], resumes?: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: 'wherefore', authority: 'agent', path: `/${run}/${DOCUMENT_NAME}` });
    const existing = this.shownRuns.get(run);
    const shown = existing ?? { run, root, text: new RunText(), uri, follower: new EndFollower(), timer: undefined };
    if (!existing && resumes !== undefined) shown.text.takeEarlier(await this.readLoggedEvents(resumes, root), resumes);
    this.shownRuns.set(run, shown);
    this.latest = run;
    // What came meanwhile came early, too.
    const early = this.early.get(run) ?? [];
    this.early.delete(run);
    for (const event of [...events, ...early]) shown.text.takeEvent(event);
    const document = await vscode.workspace.openTextDocument(uri);
    const column = vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    const editor = await vscode.window.showTextDocument(document, { viewColumn: column, preview: false });
    const row = document.lineCount - 1;
    editor.selection = new vscode.Selection(row, 0, row, 0);
    editor.revealRange(new vscode.Range(row, 0, row, 0));
    this.redraw(shown);
  }

  private redraw(shown: ShownRun): void {
    clearTimeout(shown.timer);
    shown.timer = undefined;
    const isAtEnd = ({ selection, document }: vscode.TextEditor): boolean => selection.active.line >= document.lineCount - 2;
    shown.follower.prepare(shown.uri, isAtEnd);
    this.documents.noteChange(shown.uri);
    this.refresh();
  }

  /** The run of the editor shown, else the latest one. */
  private findCurrentRun(): ShownRun | undefined {
    const active = vscode.window.activeTextEditor?.document.uri;
    return (active && this.findRun(active)) ?? this.shownRuns.get(this.latest ?? '');
  }

  private findRun({ scheme, authority, path }: vscode.Uri): ShownRun | undefined {
    return scheme === 'wherefore' && authority === 'agent' ? this.shownRuns.get(path.split('/')[1] ?? '') : undefined;
  }
}

/** The words of a new task, or the run that goes on. */
function chooseRun(runs: AgentRunSummary[]): Promise<string | AgentRunSummary | undefined> {
  const pick = vscode.window.createQuickPick<RunChoice>();
  pick.title = 'Ask the agent';
  pick.placeholder = 'What is it to do? Or pick a run that goes on';
  const earlier = runs.map((summary): RunChoice => {
    const time = new Date(summary.time);
    const when = Number.isNaN(time.getTime()) ? '' : time.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
    return { label: clip(summary.task, 100), description: [summary.state, clip(summary.model, 40), when].filter(Boolean).join(' · '), summary };
  });
  const offerItems = (): void => {
    const task = pick.value.trim();
    pick.items = [...(task ? [{ label: `Ask: ${clip(task, 100)}`, alwaysShow: true }] : []), ...earlier];
  };
  offerItems();
  return new Promise((resolve) => {
    pick.onDidChangeValue(offerItems);
    pick.onDidAccept(() => {
      const [chosen] = pick.selectedItems;
      const task = pick.value.trim();
      if (!chosen && !task) return;
      resolve(chosen?.summary ?? task);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}
