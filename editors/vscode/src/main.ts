// The extension: what there is, and what tells what.

import * as vscode from 'vscode';
import { Act } from './act';
import { AgentRuns } from './agentruns';
import { Chat, followups } from './chat';
import { Applied } from './applied';
import { Asks } from './asks';
import { Behind } from './behind';
import { CallActs } from './callacts';
import { callKey } from './callkey';
import { Connect } from './connect';
import { Documents } from './documents';
import { Draw } from './draw';
import { Elsewhere } from './elsewhere';
import { Example, isAgent, isExample } from './example';
import { Focus } from './focus';
import { Gone } from './gone';
import { Go } from './go';
import { read as history } from './history';
import { onPath, settled } from './home';
import { Lenses, type About } from './lenses';
import { Logs } from './log';
import { LogParts } from './logparts';
import { offer } from './mcp';
import { Near } from './near';
import { Notify, remark, warn } from './notify';
import { isOnScreen } from './aim';
import { OnScreen } from './onscreen';
import { makeOutput } from './output';
import { find } from './program';
import { RIGHT, text } from './preview';
import { copy } from './report';
import { Review, type Waiting } from './review';
import { Right } from './right';
import { saveAll } from './save';
import * as slot from './slot';
import { Search } from './search';
import { Send } from './send';
import { Server } from './server';
import { Session, showFile } from './session';
import { setting } from './settings';
import { Status } from './status';
import { isInReview, Tabs } from './tabs';
import { Terminals } from './terminals';
import { count, sentence } from './text';
import { Calls, callOf, isCall } from './views/calls';
import { Proposals, type Node } from './views/proposals';
import { Tools } from './views/tools';
import { WorkingSet } from './views/workingset';
import { isLocated, Why } from './why';
import { WorkingActs } from './workingacts';
import type { SlotNotice } from './wire';

/** How often what waits is asked for before it is given up. */
const LOADS = 4;

/** For so long after a reload, or after the server ended, what was open is opened anew. */
const REOPEN_MS = 20_000;

/** Where it is kept whether a review is open. */
const OPEN = 'review.open';

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
  /** Answers a request of the chat. */
  chat: Chat['answer'];
  /** What may be said after a response of the chat. */
  chatFollowups: typeof followups;
}

export function activate(context: vscode.ExtensionContext): Api {
  const output = makeOutput();
  const review = new Review();
  const documents = new Documents();
  const tabs = new Tabs(review);
  const onScreen = new OnScreen();
  const waits = (id: string): Waiting[] => review.proposal(id).flatMap((entry) => entry.hunks.filter((hunk) => !hunk.applied));
  const notify = new Notify(
    (id) => ({ hunks: waits(id).length, files: waits(id).map(({ entry }) => entry.key) }),
    (id) => waits(id).every((hunk) => isOnScreen(review, hunk)),
  );
  // VS Code drops the lenses that it was about to ask for where an editor loses the focus.
  const go: Go = new Go(review, tabs, onScreen, () => lenses.refresh());
  const near = new Near();
  const lenses: Lenses = new Lenses(review, near, () => go.isInText);
  const draw = new Draw(review);
  const asks = new Asks(documents);
  const focus = new Focus(() => server, () => search.open);
  const terminals = new Terminals(() => server);
  const calls = new Calls(review, asks, terminals);
  const gone = new Gone(() => server);
  const proposals = new Proposals(review);
  /** The path by which terminals and agents start the program. */
  let home: string | undefined;
  const program = async (): Promise<string> => {
    const found = find(context);
    if (typeof found === 'string') throw new Error(found);
    home = await settled(found);
    return home;
  };
  const variables = context.environmentVariableCollection;
  const slotChanged = (notice: SlotNotice): void => {
    slot.changed(variables, notice);
    onPath(variables, home);
  };
  const connect = new Connect(context, documents, program);
  const example = new Example(review, program);

  const server: Server = new Server(context, output, {
    called: (notice) => {
      if (isAgent(notice)) connect.connected();
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
    agent: (event) => {
      agentRuns.heard(event);
      chat.heard(event);
    },
    proposed: (proposal) => {
      const came = performance.now();
      act.take([proposal]);
      session.heard();
      // The example opens by itself.
      if (!isExample(proposal)) notify.proposed(proposal);
      output.info(`${proposal.id}: ${waits(proposal.id).length} hunks, drawn ${(performance.now() - came).toFixed(1)} ms after they came`);
    },
    changed: (proposal) => {
      act.take([proposal]);
      session.heard();
    },
    workingSet: () => workingSet.refresh(),
    save: saveAll,
    look: slot.look,
    slot: slotChanged,
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
        void recall();
        gone.began();
        focus.look();
      } else {
        const isIn = isInReview() && review.count().hunks > 0;
        applied.forget();
        review.forget();
        if (isIn) willReopen();
        notify.forget();
        asks.forget();
        calls.forget();
        terminals.forget();
        agentRuns.forget();
        slotChanged({ env: {} });
      }
      tools.refresh();
      workingSet.refresh();
      status.refresh();
    },
  });
  /** Opens the review anew that was open before a reload or the server's end, once there is something to show; the old server may hold it for a while. */
  let openAnew = false;
  let tidied = Promise.resolve();
  const tidy = (): void => {
    tidied = tidied.then(() => tabs.tidy()).catch((thrown: unknown) => output.error(sentence(thrown)));
  };
  const reopen = (): void => {
    if (!openAnew || review.count().hunks === 0) return;
    openAnew = false;
    // What is closed just now would be gone again.
    void tidied.then(() => go.open());
  };
  const willReopen = (): void => {
    openAnew = true;
    reopen();
    setTimeout(() => (openAnew = false), REOPEN_MS);
  };
  const wasOpen = context.workspaceState.get(OPEN, false);
  void tabs.sweep().then((found) => {
    if (found || wasOpen) willReopen();
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

  /** Fills the view of calls from the logs: calls of before, and what became of those that it lists. */
  const recall = async (): Promise<void> => {
    const roots = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
    for (const root of roots) if (server.program) calls.fill(await history(server.program.path, root));
  };

  const tools = new Tools(server, documents);
  const workingSet = new WorkingSet(server, review);
  const workingActs = new WorkingActs(server);
  const search = new Search(server, () => focus.look());
  const logs = new Logs(server, documents);
  const agentRuns = new AgentRuns(() => server, documents, () => asks.all().length > 0);
  const chat = new Chat(() => server);
  const tree = vscode.window.createTreeView('wherefore.proposals', { treeDataProvider: proposals });
  let picked: Node | undefined;
  const callTree = vscode.window.createTreeView('wherefore.calls', { treeDataProvider: calls });
  const callActs = new CallActs(server, calls, asks);
  const applied: Applied = new Applied(() => server, review, () => status.refresh());
  const right: Right = new Right(review, () => server, (list) => act.take(list), () => { lenses.refresh(); status.refresh(); });
  const elsewhere: Elsewhere = new Elsewhere(review, () => server.running, () => status.refresh());
  const session: Session = new Session(() => server);
  const why: Why = new Why(() => server);
  const act: Act = new Act(server, review, go, onScreen, notify, applied, right, gone, () => picked?.about);
  const send = new Send(server, review, (argument) => act.what(argument));
  const status: Status = new Status(review, () => server, applied, elsewhere, () => act.entriesHere().length > 0, () => right);
  act.undone = () => void recall();
  documents.add('before', (uri) => text(review, uri));

  const redraw = (keys?: Set<string>): void => {
    draw.refresh(keys);
    status.refresh();
  };
  const file = [{ scheme: 'file' }, { scheme: 'wherefore' }, { scheme: RIGHT }];
  context.subscriptions.push(
    output, review, notify, example, onScreen, draw, gone, logs, applied, elsewhere, status, server, tree, asks, terminals, callTree, workingSet, focus,
    new Behind(review).register(),
    right.register(),
    session.register(),
    why.register(),
    agentRuns.register(),
    chat.register(vscode.Uri.joinPath(context.extensionUri, 'media', 'icon.png')),
    new LogParts(logs, review).register(),
    vscode.workspace.registerTextDocumentContentProvider('wherefore', documents),
    vscode.languages.registerCodeLensProvider(file, lenses),
    vscode.languages.registerHoverProvider(file, lenses),
    vscode.window.registerTreeDataProvider('wherefore.tools', tools),
    offer(context, program),
    tree.onDidChangeSelection(({ selection }) => (picked = selection[0])),
    review.onChange((keys) => {
      why.refresh();
      redraw(keys);
      lenses.refresh();
      proposals.refresh();
      calls.refresh();
      documents.allChanged('before');
      right.refresh();
      applied.settle();
      tidy();
      reopen();
      tree.badge = badge(review.count().hunks, 'hunk');
    }),
    review.onTold((list) => calls.told(list)),
    terminals.onChange(() => calls.refresh()),
    asks.onChange(() => {
      calls.refresh();
      agentRuns.refresh();
      status.asking(asks.all().length);
      callTree.badge = badge(asks.all().length, 'question');
    }),
    vscode.workspace.onDidChangeTextDocument((event) => review.follow(event)),
    vscode.workspace.onDidSaveTextDocument(tidy),
    vscode.window.onDidChangeVisibleTextEditors(() => redraw()),
    vscode.window.onDidChangeActiveTextEditor(() => status.refresh()),
    vscode.window.tabGroups.onDidChangeTabs(() => {
      status.refresh();
      // VS Code does not bring back every tab of several files.
      if (tabs.isOpen !== context.workspaceState.get(OPEN, false)) void context.workspaceState.update(OPEN, tabs.isOpen);
    }),
    vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
      if (near.moved(textEditor)) lenses.refresh();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.start()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => void server.start()),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('wherefore.server') && void server.restart()),
  );

  const commands: Record<string, (argument?: unknown) => unknown> = {
    review: (argument) => go.open((argument as About | undefined)?.proposal),
    next: (argument) => {
      if (session.isHere) return session.step(1);
      const { proposal, path, hunk } = (argument ?? {}) as Partial<About> & { hunk?: string };
      if (proposal === undefined) return go.step(1);
      const entry = review.proposal(proposal).find(({ file }) => file.path === path);
      if (entry?.hunks[0] && hunk === undefined) return go.to(entry.hunks[0], true);
      const found = entry?.hunks.find(({ id }) => id === hunk);
      return found ? go.to(found) : go.open(proposal);
    },
    previous: () => (session.isHere ? session.step(-1) : go.step(-1)),
    accept: (argument) => (session.isAbout(argument) ? session.decide('accept', argument) : act.decide('accept', argument)),
    reject: (argument) => (session.isAbout(argument) ? session.decide('reject', argument) : act.decide('reject', argument)),
    rejectWithReason: (argument) => (session.isAbout(argument) ? session.decide('reject', argument, true) : act.rejectWithReason(argument)),
    acceptFile: (argument) => act.decideFile('accept', argument),
    rejectFile: (argument) => act.decideFile('reject', argument),
    acceptAll: (argument) => act.decideAll('accept', argument),
    rejectAll: () => act.decideAll('reject'),
    comment: (argument) => send.comment(argument),
    send: () => send.words(),
    editHunk: (argument) => act.editHunk(argument),
    endEdit: () => right.end(),
    reviewApplied: async (argument) => {
      const begun = await applied.begin((argument as { since?: string } | undefined)?.since);
      if (begun) await go.open();
    },
    endReviewApplied: () => applied.end(),
    reviewSession: () => session.open(),
    showFile,
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
      const of = callOf(argument) ?? (isLocated(argument) ? argument : undefined);
      return logs.show(of?.call ?? (argument as { call?: string } | undefined)?.call, of);
    },
    askAgent: () => agentRuns.ask(),
    agentSay: () => agentRuns.say(),
    agentCancel: () => agentRuns.cancel(false),
    agentEnd: () => agentRuns.cancel(true),
    whyLine: () => why.show(),
    showChange: async (argument) => {
      if (!isLocated(argument)) return;
      try {
        if (await session.showCall(argument.call, argument.session)) return;
        remark('that change is not kept any more; the log has it');
        await logs.show(argument.call, argument);
      } catch (thrown) {
        warn(sentence(thrown));
      }
    },
    pin: (argument) => workingActs.hint(argument, 'pin'),
    unpin: (argument) => workingActs.hint(argument, 'unpin'),
    markHot: (argument) => workingActs.hint(argument, 'hot'),
    markCold: (argument) => workingActs.hint(argument, 'cold'),
    clearMark: (argument) => workingActs.hint(argument, 'clear'),
    collect: () => workingActs.collect(),
    connect: () => connect.connect(),
    tryExample: () => example.play(),
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
  void program().then(() => onPath(variables, home), (thrown) => output.warn(`terminals do not get the program: ${sentence(thrown)}`));
  stop = () => server.stop();
  if (setting('autostart', true)) void server.start();
  return {
    pending: () => review.count(),
    applied: () => ({ ...review.applied(), unseen: applied.unseen }),
    chat: (...request) => chat.answer(...request),
    chatFollowups: followups,
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
