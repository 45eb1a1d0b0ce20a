// The extension: what there is, and what tells what.

import * as vscode from 'vscode';
import { Act } from './act';
import { Applied } from './applied';
import { Asks } from './asks';
import { Below } from './below';
import { CallActs } from './callacts';
import { callKey } from './callkey';
import { Documents } from './documents';
import { Draw } from './draw';
import { Edit } from './edit';
import { Elsewhere } from './elsewhere';
import { Focus } from './focus';
import { Gone } from './gone';
import { go, openAt } from './go';
import { Lenses, type About } from './lenses';
import { Logs } from './log';
import { LogParts } from './logparts';
import { offer } from './mcp';
import { Near } from './near';
import { Notify, warn } from './notify';
import { makeOutput } from './output';
import { isNew, text, tidy } from './preview';
import { copy } from './report';
import { Review } from './review';
import { saveAll } from './save';
import { Search } from './search';
import { Server } from './server';
import { setting } from './settings';
import { Status } from './status';
import { Terminals } from './terminals';
import { count, sentence } from './text';
import { Calls, callOf, isCall } from './views/calls';
import { Proposals, type Node } from './views/proposals';
import { Tools } from './views/tools';
import { WorkingSet } from './views/workingset';
import { WorkingActs } from './workingacts';

/** How often what waits is asked for before it is given up. */
const LOADS = 4;

/** What other extensions, and tests, may ask. */
export interface Api {
  /** Hunks that wait, in how many files. */
  pending(): { hunks: number; files: number };
  /** Applied hunks that are shown, in how many files, and how many there are that nobody has looked at. */
  applied(): { hunks: number; files: number; unseen: number };
  /** Whether the server runs, and its process. */
  server(): { running: boolean; pid: number | undefined; trouble: string | undefined };
  /** Milliseconds that drawing a file's hunks took the last time. */
  drawMs(): number;
}

export function activate(context: vscode.ExtensionContext): Api {
  const output = makeOutput();
  const review = new Review();
  const notify = new Notify();
  const documents = new Documents();
  const below = new Below(review);
  const near = new Near();
  const lenses = new Lenses(review, near);
  const draw = new Draw(review, near, (uri) => isNew(review, uri));
  const asks = new Asks(documents);
  const focus = new Focus(() => server, () => search.open);
  const terminals = new Terminals(() => server);
  const calls = new Calls(review, asks, terminals);
  const gone = new Gone(() => server);
  const proposals = new Proposals(review);

  const server: Server = new Server(context, output, {
    called: (notice) => {
      notify.called(notice);
      calls.called(notice);
    },
    finished: (notice) => {
      notify.finished(notice);
      asks.finished(callKey(notice));
      calls.finished(notice);
      logs.refresh();
    },
    command: (notice) => terminals.heard(notice),
    proposed: (proposal) => {
      const came = performance.now();
      act.take([proposal]);
      const waiting = review.proposal(proposal.id).reduce((sum, entry) => sum + entry.hunks.length, 0);
      notify.proposed(proposal, waiting);
      output.info(`${proposal.id}: ${waiting} hunks, drawn ${(performance.now() - came).toFixed(1)} ms after they came`);
    },
    changed: (proposal) => act.take([proposal]),
    workingSet: () => workingSet.refresh(),
    save: saveAll,
    ask: async (params, over) => {
      notify.asked(params);
      calls.asked(params);
      const said = await asks.ask(params, over);
      if (said.answer) notify.answered(params);
      return said;
    },
    state: (running) => {
      if (running) {
        void load();
        gone.began();
        focus.look();
      } else {
        applied.forget();
        review.forget();
        notify.forget();
        asks.forget();
        calls.forget();
        terminals.forget();
      }
      tools.refresh();
      workingSet.refresh();
      status.refresh();
    },
  });
  /** Asks for what waits already: proposals outlive the editor and the server. */
  const load = async (): Promise<void> => {
    for (let left = LOADS - 1; server.running; left--) {
      try {
        act.take((await server.ask('proposals', { all: false })).proposals);
        break;
      } catch (thrown) {
        if (left === 0) return output.error(`what waits for a decision could not be read: ${sentence(thrown)}`);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
    applied.heard();
  };

  const tools = new Tools(server, documents);
  const workingSet = new WorkingSet(server, review);
  const workingActs = new WorkingActs(server);
  const search = new Search(server, () => focus.look());
  const logs = new Logs(server, documents);
  const tree = vscode.window.createTreeView('wherefore.proposals', { treeDataProvider: proposals });
  let picked: Node | undefined;
  const callTree = vscode.window.createTreeView('wherefore.calls', { treeDataProvider: calls });
  const callActs = new CallActs(server, calls, asks);
  const applied: Applied = new Applied(() => server, review, () => status.refresh());
  const edit: Edit = new Edit(review, () => server, (list) => act.take(list));
  const elsewhere: Elsewhere = new Elsewhere(review, () => server.running, () => status.refresh());
  const act: Act = new Act(server, review, below, notify, applied, edit, gone, () => picked?.about);
  const status: Status = new Status(review, () => server, applied, elsewhere, () => act.entriesHere().length > 0 || edit.shown() !== undefined);
  for (const side of ['before', 'after']) documents.add(side, (uri) => text(review, uri));

  const redraw = (keys?: Set<string>): void => {
    draw.refresh(keys);
    below.refresh();
    status.refresh();
  };
  const file = [{ scheme: 'file' }, { scheme: 'wherefore' }];
  context.subscriptions.push(
    output, review, below, draw, gone, logs, applied, elsewhere, status, server, tree, asks, terminals, callTree, workingSet, focus,
    edit.register(),
    new LogParts(logs, review).register(),
    vscode.workspace.registerTextDocumentContentProvider('wherefore', documents),
    vscode.languages.registerCodeLensProvider(file, lenses),
    vscode.languages.registerHoverProvider({ scheme: 'file' }, lenses),
    vscode.window.registerTreeDataProvider('wherefore.tools', tools),
    offer(context),
    tree.onDidChangeSelection(({ selection }) => (picked = selection[0])),
    review.onChange((keys) => {
      redraw(keys);
      lenses.refresh();
      proposals.refresh();
      calls.refresh();
      documents.allChanged('before', 'after');
      applied.settle();
      void tidy(review);
      void edit.tidy();
      tree.badge = badge(review.count().hunks, 'hunk');
    }),
    terminals.onChange(() => calls.refresh()),
    asks.onChange(() => {
      calls.refresh();
      status.asking(asks.all().length);
      callTree.badge = badge(asks.all().length, 'question');
    }),
    vscode.workspace.onDidChangeTextDocument((event) => review.follow(event)),
    vscode.window.onDidChangeVisibleTextEditors(() => redraw()),
    vscode.window.onDidChangeActiveTextEditor(() => status.refresh()),
    vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
      below.refresh();
      if (!near.moved(textEditor)) return;
      draw.refresh();
      lenses.refresh();
    }),
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
    editHunk: (argument) => act.editHunk(argument),
    reviewApplied: async (argument) => {
      const begun = await applied.begin((argument as { since?: string } | undefined)?.since);
      if (begun && !act.isAtApplied()) await go(review, 1);
    },
    endReviewApplied: () => applied.end(),
    showDiff: (argument) => act.diff(argument),
    undo: () => act.undo(),
    undoCall: (argument) => {
      const of = callOf(argument);
      return act.undo(of && { call: `${of.session}/${of.call}`, root: of.root });
    },
    cancelCall: (argument) => callActs.cancel(argument),
    showCommand: (argument) => terminals.show(isCall(argument) ? argument.notice : undefined),
    approve: (argument) => callActs.approve(argument),
    deny: (argument) => callActs.deny(argument),
    answer: (argument) => callActs.answer(argument),
    openLog: (argument) => {
      const of = callOf(argument);
      return logs.show(of?.call ?? (argument as { call?: string } | undefined)?.call, of);
    },
    pin: (argument) => workingActs.hint(argument, 'pin'),
    unpin: (argument) => workingActs.hint(argument, 'unpin'),
    markHot: (argument) => workingActs.hint(argument, 'hot'),
    markCold: (argument) => workingActs.hint(argument, 'cold'),
    clearMark: (argument) => workingActs.hint(argument, 'clear'),
    collect: () => workingActs.collect(),
    search: () => search.show('vector'),
    searchText: () => search.show('lexical'),
    showTool: (argument) => tools.show(argument),
    refreshTools: () => tools.refresh(),
    restart: () => (vscode.workspace.isTrusted ? server.restart() : warn('the server starts once you trust this folder')),
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
    applied: () => ({ ...review.applied(), unseen: applied.unseen }),
    server: () => ({ running: server.running, pid: server.pid, trouble: server.trouble }),
    drawMs: () => draw.took,
  };
}

/** How many wait, at a view's icon. */
function badge(value: number, what: string): vscode.ViewBadge | undefined {
  return value > 0 ? { value, tooltip: `${count(value, what)} ${value === 1 ? 'waits' : 'wait'}` } : undefined;
}

let stop: (() => Promise<void>) | undefined;

export function deactivate(): Promise<void> | undefined {
  return stop?.();
}
