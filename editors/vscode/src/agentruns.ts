// Runs of the built-in agent, with a model of the person's own: asked for, shown while they go on, continued and cancelled.
// Changes and questions of theirs are decided on where those of every agent are.

import * as vscode from 'vscode';
import type { Happening } from './agentevents';
import { AgentText } from './agenttext';
import type { Documents } from './documents';
import { Following } from './following';
import { lens } from './lens';
import { rootHere } from './log';
import { remark, warn } from './notify';
import type { Server } from './server';
import { clip, sentence } from './text';
import type { AgentRunParams, AgentRunSummary } from './wire';

/** The name of the documents, by which their language is known. */
export const NAME = 'The agent';

/** How long events are gathered before the document is made anew. */
const GATHER_MS = 40;

/** Runs of which nobody asked here, and the events that are kept of each until somebody does. */
const STRANGERS = 8;
const EARLY = 500;

interface Shown {
  run: string;
  root: string;
  text: AgentText;
  uri: vscode.Uri;
  /** Editors that were at the end when it grew. */
  following: Following;
  timer: NodeJS.Timeout | undefined;
}

interface Picked extends vscode.QuickPickItem {
  summary?: AgentRunSummary;
}

/** The runs that are shown. */
export class AgentRuns implements vscode.Disposable, vscode.CodeLensProvider {
  private readonly shown = new Map<string, Shown>();
  /** Events of a run may come before the answer that names it. */
  private readonly early = new Map<string, Happening[]>();
  private readonly moved = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.moved.event;
  private latest: string | undefined;

  /** `asks` says whether something waits for the person's answer. */
  constructor(
    private readonly server: () => Server,
    private readonly documents: Documents,
    private readonly asks: () => boolean,
  ) {
    documents.add('agent', async (uri) => this.at(uri)?.text.text ?? 'This run is over: Wherefore: Ask the Agent… resumes it.\n');
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this,
      vscode.languages.registerCodeLensProvider({ scheme: 'wherefore', pattern: `**/${NAME}` }, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.at(document.uri)?.following.grew(document)),
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
    );
  }

  dispose(): void {
    for (const { timer } of this.shown.values()) clearTimeout(timer);
    this.moved.dispose();
  }

  /** Something happened in a run. */
  heard(event: Happening): void {
    const shown = this.shown.get(event.run);
    if (shown) {
      shown.text.take(event);
      shown.timer ??= setTimeout(() => this.grown(shown), GATHER_MS);
      return;
    }
    const events = this.early.get(event.run) ?? [];
    if (events.length < EARLY) events.push(event);
    this.early.set(event.run, events);
    const oldest = this.early.keys().next().value;
    if (this.early.size > STRANGERS && oldest !== undefined) this.early.delete(oldest);
  }

  /** The server ended, and all runs with it. */
  forget(): void {
    this.early.clear();
    for (const shown of this.shown.values()) {
      shown.text.lost();
      this.grown(shown);
    }
  }

  /** What is offered at the end of a run is another. */
  refresh(): void {
    const here = this.here();
    void vscode.commands.executeCommand('setContext', 'wherefore.agentHere', here?.text.state ?? '');
    this.moved.fire();
  }

  /** Asks for a task, or for the run that goes on. */
  async ask(): Promise<void> {
    const root = rootHere();
    try {
      const { runs } = await this.server().ask('agentList', { root });
      const picked = await choose(runs);
      if (!picked) return;
      if (typeof picked === 'string') await this.begin({ task: picked, root });
      else if (picked.state === 'ended') await this.resume(picked.run, root);
      else await this.show(picked.run, root);
    } catch (thrown) {
      warn(sentence(thrown));
    }
  }

  /** Says more to the run that is shown, or resumes one that is over. */
  async say(): Promise<void> {
    const shown = this.here();
    if (!shown) return this.ask();
    try {
      if (shown.text.state === 'ended') return await this.resume(shown.run, shown.root);
      const text = await vscode.window.showInputBox({ title: 'Say more to the agent', prompt: shown.text.state === 'working' ? 'It hears this before its next step.' : 'It goes on with this.' });
      if (text?.trim()) await this.server().ask('agentSay', { run: shown.run, text });
    } catch (thrown) {
      warn(sentence(thrown));
    }
  }

  /** Cancels the turn of the run that is shown, or ends the run. */
  async cancel(end: boolean): Promise<void> {
    const shown = this.here();
    if (!shown || shown.text.state === 'ended') return remark('no run of the agent is under way');
    try {
      await this.server().ask('agentCancel', { run: shown.run, end });
      if (!end) return;
      shown.text.close();
      this.grown(shown);
    } catch (thrown) {
      warn(sentence(thrown));
    }
  }

  provideCodeLenses({ uri, lineCount }: vscode.TextDocument): vscode.CodeLens[] {
    const shown = this.at(uri);
    if (!shown) return [];
    const { state } = shown.text;
    const row = Math.max(lineCount - 1, 0);
    const lenses = [state === 'ended' ? lens(row, 'debug-continue', 'Resume…', 'agentSay') : lens(row, 'comment', 'Say More…', 'agentSay')];
    if (state === 'working') lenses.push(lens(row, 'debug-stop', 'Cancel', 'agentCancel'));
    if (state === 'waiting') lenses.push(lens(row, 'close', 'End', 'agentEnd'));
    if (this.asks()) lenses.push(lens(row, 'question', 'Answer…', 'answer'));
    lenses.push(lens(row, 'diff-multiple', 'Review What Waits', 'review'));
    return lenses;
  }

  private async resume(run: string, root: string | null): Promise<void> {
    const task = await vscode.window.showInputBox({ title: 'Resume the agent', prompt: 'Its conversation goes on with your words.' });
    if (task?.trim()) await this.begin({ task, resume: run, root });
  }

  private async begin(params: AgentRunParams): Promise<void> {
    const window = { location: vscode.ProgressLocation.Window, title: 'wherefore: the agent begins' };
    const { run } = await vscode.window.withProgress(window, () => this.server().ask('agentRun', { ...params, attended: false }));
    await this.open(run, params.root ?? '', this.early.get(run) ?? [], params.resume ?? undefined);
  }

  /** What happened in an earlier run, as the log has it. Without it a run goes on all the same. */
  private async told(run: string, root: string): Promise<Happening[]> {
    const answer = await this.server().ask('agentEvents', { run, after: 0, wait_ms: 0, logged: true, root }).catch(() => undefined);
    return (answer?.events ?? []) as Happening[];
  }

  /** Shows a run that this server has. */
  private async show(run: string, root: string | null): Promise<void> {
    const known = this.shown.has(run);
    const { events = [] } = known ? {} : await this.server().ask('agentEvents', { run, after: 0, wait_ms: 0 });
    await this.open(run, root ?? '', events as Happening[]);
  }

  private async open(run: string, root: string, events: Happening[], resumes?: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: 'wherefore', authority: 'agent', path: `/${run}/${NAME}` });
    const known = this.shown.get(run);
    const shown = known ?? { run, root, text: new AgentText(), uri, following: new Following(), timer: undefined };
    if (!known && resumes !== undefined) shown.text.earlier(await this.told(resumes, root), resumes);
    this.shown.set(run, shown);
    this.latest = run;
    // What came meanwhile came early, too.
    const early = this.early.get(run) ?? [];
    this.early.delete(run);
    for (const event of [...events, ...early]) shown.text.take(event);
    const document = await vscode.workspace.openTextDocument(uri);
    const column = vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    const editor = await vscode.window.showTextDocument(document, { viewColumn: column, preview: false });
    const row = document.lineCount - 1;
    editor.selection = new vscode.Selection(row, 0, row, 0);
    editor.revealRange(new vscode.Range(row, 0, row, 0));
    this.grown(shown);
  }

  private grown(shown: Shown): void {
    clearTimeout(shown.timer);
    shown.timer = undefined;
    const isAtEnd = ({ selection, document }: vscode.TextEditor): boolean => selection.active.line >= document.lineCount - 2;
    shown.following.grows(shown.uri, isAtEnd);
    this.documents.changed(shown.uri);
    this.refresh();
  }

  /** The run of the editor shown, else the latest one. */
  private here(): Shown | undefined {
    const active = vscode.window.activeTextEditor?.document.uri;
    return (active && this.at(active)) ?? this.shown.get(this.latest ?? '');
  }

  private at({ scheme, authority, path }: vscode.Uri): Shown | undefined {
    return scheme === 'wherefore' && authority === 'agent' ? this.shown.get(path.split('/')[1] ?? '') : undefined;
  }
}

/** The words of a new task, or the run that goes on. */
function choose(runs: AgentRunSummary[]): Promise<string | AgentRunSummary | undefined> {
  const pick = vscode.window.createQuickPick<Picked>();
  pick.title = 'Ask the agent';
  pick.placeholder = 'What is it to do? Or pick a run that goes on';
  const earlier = runs.map((summary): Picked => {
    const time = new Date(summary.time);
    const when = Number.isNaN(time.getTime()) ? '' : time.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
    return { label: clip(summary.task, 100), description: [summary.state, clip(summary.model, 40), when].filter(Boolean).join(' · '), summary };
  });
  const offer = (): void => {
    const task = pick.value.trim();
    pick.items = [...(task ? [{ label: `Ask: ${clip(task, 100)}`, alwaysShow: true }] : []), ...earlier];
  };
  offer();
  return new Promise((done) => {
    pick.onDidChangeValue(offer);
    pick.onDidAccept(() => {
      const [chosen] = pick.selectedItems;
      const task = pick.value.trim();
      if (!chosen && !task) return;
      done(chosen?.summary ?? task);
      pick.hide();
    });
    pick.onDidHide(() => {
      done(undefined);
      pick.dispose();
    });
    pick.show();
  });
}
