// The parts of the extension: made here, each with the parts that it needs, told of each other's changes, and ended here.

import * as vscode from 'vscode';
import { AgentConnector } from './agent/agent_connector';
import { AgentMessages } from './agent/agent_messages';
import { AgentRuns } from './agent/agent_runs';
import { ChatAgent } from './agent/chat';
import { registerMcpProvider } from './agent/mcp_provider';
import { CallActions } from './calls/call_actions';
import { CallUndo } from './calls/call_undo';
import { CallsView } from './calls/calls_view';
import { CommandTerminals } from './calls/command_terminals';
import { Questions } from './calls/questions';
import { LogOutline } from './log/log_outline';
import { SessionLogs } from './log/session_log';
import { Notifications } from './notifications';
import { createOutput } from './output_channel';
import { AppliedReview } from './review/applied_review';
import type { DecisionRow } from './review/decision_target';
import { DeletedFiles } from './review/deleted_files';
import { EDIT_SCHEME, findEntry, readSide, standsForAny } from './review/diff_sides';
import { EditableSide } from './review/editable_side';
import { ExampleChange } from './review/example_change';
import { FocusVisibility } from './review/focus_visibility';
import { HunkActions } from './review/hunk_actions';
import { HunkLenses } from './review/hunk_lenses';
import { HunkMarks } from './review/hunk_marks';
import { InlineHints } from './review/inline_hints';
import { HunkNavigation } from './review/navigation';
import { NearbyHunks } from './review/nearby_hunks';
import { OtherWindowHunks } from './review/other_window_hunks';
import { ProposalStore } from './review/proposal_store';
import { ProposalsView } from './review/proposals_view';
import { ReviewReopener } from './review/review_reopener';
import { ReviewTabs } from './review/review_tabs';
import { SessionReview } from './review/session_review';
import { WhyComment } from './review/why_comment';
import { TabBadges } from './review/tab_badges';
import { CodeSearch } from './search';
import { ServerClient } from './server/client';
import { FocusReporter } from './server/focus_reporter';
import { makeHandlers } from './server/handlers';
import { findProgram } from './server/program';
import { addToPath, installProgram } from './server/program_install';
import { StatusBar } from './status_bar';
import { describeError, formatCount } from './text';
import { ToolsView } from './tools_view';
import { VirtualDocuments } from './virtual_documents';
import { LineWhyProvider } from './why/line_why';
import { WorkingSetActions } from './working_set_actions';
import { WorkingSetView } from './working_set_view';

/** Documents that lenses and hovers of hunks stand in. */
const HUNK_DOCUMENTS = [{ scheme: 'file' }, { scheme: 'wherefore' }, { scheme: EDIT_SCHEME }];

/** The extension in one window. */
export class Context implements vscode.Disposable {
  readonly output = createOutput();
  readonly server: ServerClient;
  readonly documents = new VirtualDocuments();
  readonly store = new ProposalStore();

  // The review.
  private readonly tabs = new ReviewTabs(this.store);
  private readonly focusVisibility = new FocusVisibility();
  private readonly nearby = new NearbyHunks();
  private readonly lenses = new HunkLenses(this.store, this.nearby);
  readonly marks = new HunkMarks(this.store);
  /** VS Code drops the lenses that it was about to ask for where an editor loses the focus. */
  readonly navigation = new HunkNavigation(this.store, this.tabs, this.focusVisibility, () => this.lenses.refresh());
  readonly reopener: ReviewReopener;
  readonly applied: AppliedReview;
  readonly editableSide: EditableSide;
  readonly deletedFiles: DeletedFiles;
  readonly actions: HunkActions;
  readonly sessionReview: SessionReview;
  readonly example = new ExampleChange(this.store, () => this.locateProgram());
  private readonly proposals = new ProposalsView(this.store);
  private readonly proposalTree = vscode.window.createTreeView('wherefore.proposals', { treeDataProvider: this.proposals });
  private pickedRow: DecisionRow | undefined;

  // Calls and agents.
  readonly notifications = new Notifications(this.store);
  readonly questions = new Questions(this.documents);
  readonly terminals: CommandTerminals;
  readonly calls: CallsView;
  private readonly callTree: vscode.TreeView<unknown>;
  readonly callActions: CallActions;
  readonly undo: CallUndo;
  readonly logs: SessionLogs;
  readonly agentRuns: AgentRuns;
  readonly chat: ChatAgent;
  readonly connector: AgentConnector;
  readonly agentMessages: AgentMessages;

  // The windows and views beside them.
  readonly lineWhy: LineWhyProvider;
  readonly tools: ToolsView;
  readonly workingSet: WorkingSetView;
  readonly workingSetActions: WorkingSetActions;
  readonly search: CodeSearch;
  readonly focus: FocusReporter;
  readonly otherWindows: OtherWindowHunks;
  readonly status: StatusBar;
  private readonly parts: vscode.Disposable;

  constructor(readonly extension: vscode.ExtensionContext) {
    const { output, store, documents } = this;
    const server = new ServerClient(extension, output);
    this.server = server;
    this.reopener = new ReviewReopener(store, this.tabs, this.navigation, extension.workspaceState, output);
    this.applied = new AppliedReview(server, store, () => this.status.refresh());
    this.editableSide = new EditableSide(store, server, (hunks) => this.actions.acceptEdited(hunks), () => this.refreshEdit());
    this.deletedFiles = new DeletedFiles(server);
    this.sessionReview = new SessionReview(server);
    this.terminals = new CommandTerminals(server);
    this.calls = new CallsView(store, this.questions, this.terminals);
    this.callTree = vscode.window.createTreeView('wherefore.calls', { treeDataProvider: this.calls });
    this.callActions = new CallActions(server, this.calls, this.questions);
    this.undo = new CallUndo(server, this.deletedFiles, () => void this.calls.recall(server));
    this.actions = new HunkActions(server, store, this.navigation, this.focusVisibility, this.notifications, this.applied, this.editableSide, this.deletedFiles, this.undo, () => this.pickedRow);
    this.logs = new SessionLogs(server, documents);
    this.agentRuns = new AgentRuns(server, documents, () => this.questions.listOpen().length > 0);
    this.chat = new ChatAgent(server);
    this.connector = new AgentConnector(extension, documents, () => this.locateProgram());
    this.agentMessages = new AgentMessages(server, (argument) => this.actions.findTarget(argument));
    this.lineWhy = new LineWhyProvider(server);
    this.tools = new ToolsView(server, documents);
    this.workingSet = new WorkingSetView(server, store);
    this.workingSetActions = new WorkingSetActions(server);
    this.search = new CodeSearch(server, () => this.focus.reportSoon());
    this.focus = new FocusReporter(server, () => this.search.isOpen);
    this.otherWindows = new OtherWindowHunks(server, () => this.status.refresh(), output);
    this.status = new StatusBar(store, server, this.applied, this.otherWindows, this.editableSide, () => this.actions.listEntriesHere().length > 0);
    documents.addKind('before', (uri) => readSide(store, uri));
    server.passTo(makeHandlers(this));
    this.parts = vscode.Disposable.from(...this.listDisposables(), ...this.register(), ...this.followParts(), ...this.followEditor());
    this.reopener.restore();
  }

  /** Finds the program, and has it where terminals and agents start it. */
  async locateProgram(): Promise<string> {
    const program = findProgram(this.extension);
    if (typeof program === 'string') throw new Error(program);
    return installProgram(program);
  }

  /** Puts the program on the PATH of terminals that are opened from now on. */
  async addProgramToPath(): Promise<void> {
    const variables = this.extension.environmentVariableCollection;
    variables.persistent = false;
    try {
      addToPath(variables, await this.locateProgram());
    } catch (thrown) {
      this.output.warn(`terminals do not get the program: ${describeError(thrown)}`);
    }
  }

  dispose(): void {
    this.parts.dispose();
  }

  private listDisposables(): vscode.Disposable[] {
    const review = [this.store, this.notifications, this.example, this.focusVisibility, this.marks, this.deletedFiles, this.logs, this.applied];
    return [this.output, ...review, this.status, this.server, this.proposalTree, this.questions, this.terminals, this.callTree, this.workingSet, this.focus];
  }

  /** Takes the places in VS Code's interface. */
  private register(): vscode.Disposable[] {
    return [
      new TabBadges(this.store).register(),
      new InlineHints(this.store).register(),
      new WhyComment(this.store, this.focusVisibility).register(),
      this.tabs.register(),
      this.editableSide.register(),
      this.sessionReview.register(),
      this.lineWhy.register(),
      this.agentRuns.register(),
      this.chat.register(vscode.Uri.joinPath(this.extension.extensionUri, 'media', 'icon.png')),
      new LogOutline(this.logs, this.store).register(),
      vscode.workspace.registerTextDocumentContentProvider('wherefore', this.documents),
      vscode.languages.registerCodeLensProvider(HUNK_DOCUMENTS, this.lenses),
      vscode.languages.registerHoverProvider(HUNK_DOCUMENTS, this.lenses),
      vscode.window.registerTreeDataProvider('wherefore.tools', this.tools),
      registerMcpProvider(this.extension, () => this.locateProgram()),
    ];
  }

  /** Tells parts of the changes of others. */
  private followParts(): vscode.Disposable[] {
    return [
      this.proposalTree.onDidChangeSelection(({ selection }) => {
        this.pickedRow = selection[0];
      }),
      this.store.onChange((keys) => this.refreshReview(keys)),
      this.store.onTake((list) => this.calls.takeProposals(list)),
      this.terminals.onChange(() => this.calls.refresh()),
      this.questions.onChange(() => this.refreshQuestions()),
    ];
  }

  /** Tells parts of what happens in the editor. */
  private followEditor(): vscode.Disposable[] {
    return [
      vscode.workspace.onDidChangeTextDocument((event) => this.store.followTyping(event)),
      vscode.workspace.onDidSaveTextDocument(() => void this.reopener.closeDecided()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.refreshMarks()),
      vscode.window.onDidChangeActiveTextEditor(() => this.status.refresh()),
      vscode.window.tabGroups.onDidChangeTabs(() => {
        this.status.refresh();
        this.reopener.remember();
      }),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
        if (this.nearby.followScroll(textEditor)) this.lenses.refresh();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.server.start()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.server.start()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('wherefore.server') && void this.server.restart()),
    ];
  }

  /** Shows the hunks of files as the store has them now. */
  private refreshReview(keys: Set<string>): void {
    this.lineWhy.refresh();
    this.refreshMarks(keys);
    this.lenses.refresh();
    this.proposals.refresh();
    this.calls.refresh();
    const isOfFiles = (uri: vscode.Uri): boolean => standsForAny(uri, keys);
    const isDecided = (uri: vscode.Uri): boolean => isOfFiles(uri) && findEntry(this.store, uri) === undefined;
    this.rereadSides((uri) => isOfFiles(uri) && !isDecided(uri));
    this.applied.leaveIfDone();
    // Most of what is decided closes: what is still open then is read once more.
    void this.reopener.closeDecided().then(() => this.rereadSides(isDecided));
    this.reopener.reopen();
    this.proposalTree.badge = makeBadge(this.store.countWaiting().hunks, 'hunk');
  }

  /** Has VS Code read sides of the review anew: their texts are others now. */
  private rereadSides(isChanged: (uri: vscode.Uri) => boolean): void {
    this.documents.noteChangeOf(isChanged);
    this.editableSide.refresh(isChanged);
  }

  private refreshMarks(keys?: Set<string>): void {
    this.marks.refresh(keys);
    this.status.refresh();
  }

  private refreshEdit(): void {
    this.lenses.refresh();
    this.status.refresh();
  }

  private refreshQuestions(): void {
    const count = this.questions.listOpen().length;
    this.calls.refresh();
    this.agentRuns.refresh();
    this.status.setQuestions(count);
    this.callTree.badge = makeBadge(count, 'question');
  }
}

/** Makes the number at a view's icon. */
function makeBadge(value: number, noun: string): vscode.ViewBadge | undefined {
  return value > 0 ? { value, tooltip: `${formatCount(value, noun)} ${value === 1 ? 'waits' : 'wait'}` } : undefined;
}
