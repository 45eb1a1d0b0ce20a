// The extension: what there is, and what tells what.

import * as vscode from 'vscode';
import { Act } from './act';
import { Below } from './below';
import { Documents } from './documents';
import { Draw } from './draw';
import { go, openAt } from './go';
import { Lenses, type About } from './lenses';
import { Logs } from './log';
import { LogParts } from './logparts';
import { offer } from './mcp';
import { Notify } from './notify';
import { isNew, text, tidy } from './preview';
import { copy } from './report';
import { Review } from './review';
import { saveAll } from './save';
import { Server } from './server';
import { setting } from './settings';
import { Status } from './status';
import { Calls, callOf } from './views/calls';
import { Proposals, type Node } from './views/proposals';
import { Tools } from './views/tools';

/** What other extensions, and tests, may ask. */
export interface Api {
  /** Hunks that wait, in how many files. */
  pending(): { hunks: number; files: number };
  /** Whether the server runs, and its process. */
  server(): { running: boolean; pid: number | undefined; trouble: string | undefined };
  /** Milliseconds that drawing a file's hunks took the last time. */
  drawMs(): number;
}

export function activate(context: vscode.ExtensionContext): Api {
  const output = vscode.window.createOutputChannel('wherefore', { log: true });
  const review = new Review();
  const notify = new Notify();
  const documents = new Documents();
  const below = new Below(review);
  const lenses = new Lenses(review);
  const draw = new Draw(review, (uri) => isNew(review, uri));
  const calls = new Calls();
  const proposals = new Proposals(review);

  const server: Server = new Server(context, output, {
    called: (notice) => {
      notify.called(notice);
      calls.called(notice);
    },
    finished: (notice) => {
      notify.finished(notice);
      calls.finished(notice);
      logs.refresh();
    },
    proposed: (proposal) => {
      act.take([proposal]);
      calls.proposed(proposal.call_id);
      const waiting = review.proposal(proposal.id).reduce((sum, entry) => sum + entry.hunks.length, 0);
      notify.proposed(proposal, waiting);
    },
    changed: (proposal) => act.take([proposal]),
    save: saveAll,
    state: (running) => {
      if (running) void load();
      else {
        review.forget();
        notify.forget();
        calls.forget();
      }
      tools.refresh();
      status.refresh();
    },
  });
  /** Asks for what waits already: proposals outlive the editor and the server. */
  const load = async (): Promise<void> => {
    const answer = await server.ask('proposals', { all: false }).catch(() => undefined);
    if (answer) act.take(answer.proposals);
  };

  const tools = new Tools(server, documents);
  const logs = new Logs(server, documents);
  const tree = vscode.window.createTreeView('wherefore.proposals', { treeDataProvider: proposals });
  let picked: Node | undefined;
  const act: Act = new Act(server, review, below, notify, () => picked?.about);
  const status: Status = new Status(review, () => server, () => act.entriesHere().length > 0);
  for (const side of ['before', 'after']) documents.add(side, (uri) => text(review, uri));

  const redraw = (keys?: Set<string>): void => {
    draw.refresh(keys);
    below.refresh();
    status.refresh();
  };
  const file = [{ scheme: 'file' }, { scheme: 'wherefore' }];
  context.subscriptions.push(
    output, review, below, draw, logs, status, server, tree,
    new LogParts(logs, review).register(),
    vscode.workspace.registerTextDocumentContentProvider('wherefore', documents),
    vscode.languages.registerCodeLensProvider(file, lenses),
    vscode.languages.registerHoverProvider({ scheme: 'file' }, lenses),
    vscode.window.registerTreeDataProvider('wherefore.calls', calls),
    vscode.window.registerTreeDataProvider('wherefore.tools', tools),
    offer(context),
    tree.onDidChangeSelection(({ selection }) => (picked = selection[0])),
    review.onChange((keys) => {
      redraw(keys);
      lenses.refresh();
      proposals.refresh();
      documents.allChanged('before', 'after');
      void tidy(review);
      const { hunks } = review.count();
      tree.badge = hunks > 0 ? { value: hunks, tooltip: `${hunks} hunks wait` } : undefined;
    }),
    vscode.workspace.onDidChangeTextDocument((event) => review.follow(event)),
    vscode.window.onDidChangeVisibleTextEditors(() => redraw()),
    vscode.window.onDidChangeActiveTextEditor(() => status.refresh()),
    vscode.window.onDidChangeTextEditorVisibleRanges(() => below.refresh()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.start()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => void server.start()),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('wherefore.server') && void server.restart()),
  );

  const commands: Record<string, (argument?: unknown) => unknown> = {
    next: (argument) => {
      const { proposal, path, hunk } = (argument ?? {}) as About & { hunk?: string };
      const entry = hunk === undefined ? undefined : review.proposal(proposal).find((each) => each.file.path === path);
      return entry && hunk ? openAt(review, entry, hunk) : go(review, 1, proposal);
    },
    previous: () => go(review, -1),
    accept: (argument) => act.decide('accept', argument),
    reject: (argument) => act.decide('reject', argument),
    rejectWithReason: (argument) => act.rejectWithReason(argument),
    acceptFile: (argument) => act.decideFile('accept', argument),
    rejectFile: (argument) => act.decideFile('reject', argument),
    acceptAll: () => act.decideAll('accept'),
    rejectAll: () => act.decideAll('reject'),
    showDiff: (argument) => act.diff(argument),
    undo: () => act.undo(),
    undoCall: (argument) => act.undo(callOf(argument)),
    openLog: (argument) => logs.show((argument as { call?: string } | undefined)?.call),
    showTool: (argument) => tools.show(argument),
    refreshTools: () => tools.refresh(),
    restart: () => server.restart(),
    stop: () => server.stop(),
    showOutput: () => output.show(),
    openSettings: () => vscode.commands.executeCommand('workbench.action.openSettings', 'wherefore.'),
    copyDiagnostics: () => copy(context, server, review),
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(`wherefore.${name}`, run));
  }
  stop = () => server.stop();
  if (setting('autostart', true)) void server.start();
  return {
    pending: () => review.count(),
    server: () => ({ running: server.running, pid: server.pid, trouble: server.trouble }),
    drawMs: () => draw.took,
  };
}

let stop: (() => Promise<void>) | undefined;

export function deactivate(): Promise<void> | undefined {
  return stop?.();
}
