// The server: its process, the language client that speaks with it, and what is said when it fails.

import { spawn, type ChildProcess } from 'node:child_process';
import * as vscode from 'vscode';
import { CloseAction, ErrorAction, LanguageClient, type LanguageClientOptions } from 'vscode-languageclient/node';
import { showRemark, showMessage, type MessageLevel } from '../messages';
import { unpackProgram } from './program_install';
import { findProgram, type ServerProgram } from './program';
import type { RunEvent } from '../agent/agent_events';
import { readSetting } from '../settings';
import { escapeMarkup, describeError } from '../text';
import { methods, type AskAnswer, type AskParams, type CallNotice, type CommandNotice, type DiagnosticsAnswer, type DiagnosticsParams, type FinishNotice, type Notifications, type Proposal, type Requests, type SaveAnswer, type SaveParams } from './wire';

/** Receives what the server says by itself. */
export interface ServerListener {
  onCall(notice: CallNotice): void;
  onFinish(notice: FinishNotice): void;
  /** A command started, wrote something or ended. */
  onCommand(notice: CommandNotice): void;
  /** Something happened in a run of the built-in agent. */
  onAgentEvent(event: RunEvent): void;
  onProposal(proposal: Proposal): void;
  onProposalChange(proposal: Proposal): void;
  onWorkingSetChange(): void;
  onHeldElsewhereChange(): void;
  saveDocuments(params: SaveParams): Promise<SaveAnswer>;
  listDiagnostics(params: DiagnosticsParams): DiagnosticsAnswer;
  /** Puts a question to the person; `over` says that its answer is not waited for any more. */
  askPerson(params: AskParams, token: vscode.CancellationToken): Promise<AskAnswer>;
  /** It is ready, or gone. */
  onStateChange(running: boolean): void;
}

/** JSON-RPC: there is no such method. */
const METHOD_NOT_FOUND = -32601;

/** Requests that languages' clients make and ours must not: our commands have the server's names, and we draw by ourselves. */
const NOT_OURS = new Set(['workspace/executeCommand', 'workspace/textDocumentContent', 'textDocument/codeLens', 'textDocument/codeAction']);

class EditorClient extends LanguageClient {
  override registerFeature(feature: Parameters<LanguageClient['registerFeature']>[0]): void {
    const method = 'registrationType' in feature ? feature.registrationType.method : '';
    if (!NOT_OURS.has(method)) super.registerFeature(feature);
  }
}

/** The level of a message of the language server protocol. */
const toLevel = (type: number): MessageLevel => (type === 1 ? 'error' : type === 2 ? 'warning' : 'info');

/** A server that ends again within so long is not started by itself once more. */
const AGAIN_MS = 3 * 60_000;

/** The time that the status bar says that it was started again. */
const REMARK_MS = 12_000;

const isAlive = (child: ChildProcess | undefined): child is ChildProcess =>
  child?.pid !== undefined && child.exitCode === null && child.signalCode === null;

/** True if a process that no longer answers is there after a moment. */
async function isAliveLater(child: ChildProcess | undefined): Promise<boolean> {
  if (!isAlive(child)) return false;
  await new Promise((resolve) => {
    child.once('exit', resolve);
    setTimeout(resolve, 500);
  });
  return isAlive(child);
}

/** The server of this window. */
export class ServerClient implements vscode.Disposable {
  private client: EditorClient | undefined;
  private child: ChildProcess | undefined;
  private isEndExpected = false;
  /** When it last ended by itself and was started again; nothing once a person restarted it. */
  private endedAt: number | undefined;
  private turn: Promise<void> = Promise.resolve();
  private listener!: ServerListener;
  /** The program that was started last. */
  program: ServerProgram | undefined;
  /** The version that it said it has. */
  version: string | undefined;
  /** Why it does not run, in a sentence. */
  trouble: string | undefined;
  isRunning = false;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly output: vscode.LogOutputChannel,
  ) {}

  /** Passes what the server says by itself on to a listener, which has to be known before the server starts. */
  passTo(listener: ServerListener): void {
    this.listener = listener;
  }

  /** Starts it where a trusted folder is open. */
  start(): Promise<void> {
    return this.runInTurn(() => this.launchProgram());
  }

  /** Ends it; it starts again only when asked. */
  stop(): Promise<void> {
    return this.runInTurn(() => this.endProcess());
  }

  restart(): Promise<void> {
    this.endedAt = undefined;
    return this.runInTurn(() => this.startAgain());
  }

  /** Sends a request; `over` says that its answer is not waited for any more. What goes wrong is thrown as a sentence. */
  async request<K extends keyof Requests>(name: K, params: Requests[K]['params'], token?: vscode.CancellationToken): Promise<Requests[K]['result']> {
    if (!this.client || !this.isRunning) throw new Error(this.trouble ?? 'the server does not run');
    // Nothing in the token's place would be sent as one more param.
    const rest: [object, vscode.CancellationToken?] = token ? [params ?? {}, token] : [params ?? {}];
    try {
      return await this.client.sendRequest<Requests[K]['result']>(methods[name], ...rest);
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code !== METHOD_NOT_FOUND) throw thrown;
      throw new Error(`the server is too old for ${methods[name]}; build it anew, then Wherefore: Restart Server`);
    }
  }

  /** Tells something that has no answer; where no server runs nobody hears it. */
  async notify<K extends keyof Notifications>(name: K, params: Notifications[K]): Promise<void> {
    if (!this.client || !this.isRunning) return;
    await this.client.sendNotification(methods[name], params).catch((thrown: unknown) => this.output.error(describeError(thrown)));
  }

  /** Tells that a document is closed or open to the server, where that is another thing than to VS Code. */
  async reportDocument(document: vscode.TextDocument, state: 'closed' | 'open'): Promise<void> {
    if (!this.client || !this.isRunning) return;
    const feature = state === 'open' ? this.client.getFeature('textDocument/didOpen') : this.client.getFeature('textDocument/didClose');
    await feature.getProvider(document)?.send(document);
  }

  /** The server's process, where it runs. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  dispose(): void {
    this.isEndExpected = true;
    this.child?.kill();
  }

  private runInTurn(run: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(run, run);
    return this.turn;
  }

  private async startAgain(): Promise<void> {
    await this.endProcess();
    await this.launchProgram();
  }

  private async launchProgram(): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.find((each) => each.uri.scheme === 'file');
    if (this.isRunning || !folder || !vscode.workspace.isTrusted) return;
    const program = findProgram(this.context);
    if (typeof program === 'string') return this.reportTrouble(program, 'Open Settings');
    try {
      await unpackProgram(program);
    } catch (thrown) {
      return this.reportTrouble(`the program could not be unpacked: ${describeError(thrown)}`, 'Restart');
    }
    this.program = program;
    this.child = undefined;
    this.isEndExpected = false;
    this.trouble = undefined;
    this.output.info(`starting ${program.path} lsp (from ${program.from})`);
    const client = new EditorClient('wherefore', 'wherefore', () => this.spawnProgram(program, folder.uri.fsPath), this.makeOptions());
    this.client = client;
    this.registerHandlers(client);
    try {
      await client.start();
    } catch (thrown) {
      // The end of a process has a better message of its own.
      if (!this.child || (await isAliveLater(this.child))) this.reportTrouble(`the server did not start: ${describeError(thrown)}`, 'Restart');
      await this.endProcess();
      return;
    }
    this.version = client.initializeResult?.serverInfo?.version;
    this.setRunning(true);
    this.compareVersions();
  }

  private spawnProgram(program: ServerProgram, cwd: string): Promise<ChildProcess> {
    return new Promise((started, failed) => {
      const env = { ...process.env, ...readSetting<Record<string, string>>('server.env', {}) };
      const child = spawn(program.path, ['lsp'], { cwd, env, windowsHide: true });
      this.child = child;
      child.once('spawn', () => started(child));
      child.once('error', (error) => {
        this.reportTrouble(`${program.path} could not be started: ${error.message}`, 'Open Settings');
        failed(error);
      });
      child.once('exit', (code, signal) => this.handleExit(child, signal ? `signal ${signal}` : `exit code ${code}`));
    });
  }

  private makeOptions(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: 'file' }],
      outputChannel: this.output,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
      initializationFailedHandler: () => false,
      middleware: {
        handleDiagnostics: (uri, diagnostics, next) => {
          for (const each of diagnostics) each.message = escapeMarkup(each.message);
          next(uri, diagnostics);
        },
        // A folder's settings must not loosen what the person set for the server in their own config.toml.
        workspace: { configuration: (params) => params.items.map(() => null) },
      },
    };
  }

  private registerHandlers(client: EditorClient): void {
    client.registerFeature({
      fillClientCapabilities: (capabilities) => {
        capabilities.experimental = { wherefore: { hunks: true, save: true, asks: true, focus: true, commands: true, diagnostics: true, agent: true } };
      },
      initialize: () => undefined,
      getState: () => ({ kind: 'static' }),
      clear: () => undefined,
    });
    const guard = <T>(run: (message: T) => void) => (message: T) => {
      try {
        run(message);
      } catch (thrown) {
        this.output.error(`a message of the server was dropped: ${describeError(thrown)}`);
      }
    };
    // In the place of the language client's own, which would show the words as they came.
    client.onNotification('window/showMessage', ({ type, message }: { type: number; message: string }) => void showMessage(toLevel(type), message));
    client.onRequest('window/showMessageRequest', async (params: { type: number; message: string; actions?: vscode.MessageItem[] }) => {
      return (await showMessage(toLevel(params.type), params.message, ...(params.actions ?? []))) ?? null;
    });
    client.onNotification(methods.didCall, guard<CallNotice>((notice) => this.listener.onCall(notice)));
    client.onNotification(methods.didFinish, guard<FinishNotice>((notice) => this.listener.onFinish(notice)));
    client.onNotification(methods.command, guard<CommandNotice>((notice) => this.listener.onCommand(notice)));
    client.onNotification(methods.agentEvent, guard<RunEvent>((event) => this.listener.onAgentEvent(event)));
    client.onNotification(methods.proposal, guard<Proposal>((proposal) => this.listener.onProposal(proposal)));
    client.onNotification(methods.proposalChanged, guard<Proposal>((proposal) => this.listener.onProposalChange(proposal)));
    client.onNotification(methods.heldElsewhereChanged, () => this.listener.onHeldElsewhereChange());
    client.onNotification(methods.workingSetChanged, () => this.listener.onWorkingSetChange());
    client.onRequest(methods.diagnostics, (params: DiagnosticsParams) => this.listener.listDiagnostics(params));
    client.onRequest(methods.ask, (params: AskParams, token: vscode.CancellationToken) => this.listener.askPerson(params, token));
    client.onRequest(methods.save, (params: SaveParams) => this.listener.saveDocuments(params));
  }

  private handleExit(child: ChildProcess, how: string): void {
    if (child !== this.child) return;
    const started = this.isRunning;
    this.setRunning(false);
    if (this.isEndExpected) return;
    if (started && !this.hasEndedLately) {
      this.endedAt = performance.now();
      void this.runInTurn(() => this.recover(how));
    } else this.reportTrouble(started ? `the server ended again (${how}); nothing is lost` : `${this.program?.path} ended at its start (${how})`, 'Restart');
  }

  private get hasEndedLately(): boolean {
    return this.endedAt !== undefined && performance.now() - this.endedAt < AGAIN_MS;
  }

  /** Starts a server that ended by itself once more. */
  private async recover(how: string): Promise<void> {
    await this.startAgain();
    if (!this.isRunning) return;
    const sentence = `the server ended (${how}) and was started again; nothing is lost`;
    this.output.warn(sentence);
    showRemark(sentence, REMARK_MS);
  }

  private async endProcess(): Promise<void> {
    const { client, child } = this;
    this.isEndExpected = true;
    this.client = undefined;
    this.setRunning(false);
    await client?.stop(2000).catch(() => undefined);
    if (isAlive(child)) child.kill('SIGKILL');
  }

  private setRunning(running: boolean): void {
    if (this.isRunning === running) return;
    this.isRunning = running;
    this.listener.onStateChange(running);
  }

  private compareVersions(): void {
    const ours: string = this.context.extension.packageJSON.version;
    const readMinor = (version: string): string => version.split('.').slice(0, 2).join('.');
    if (this.version === undefined || readMinor(this.version) === readMinor(ours)) return;
    const sentence = `the server is version ${this.version}, the extension ${ours}: some things may not work (${this.program?.path})`;
    this.output.warn(sentence);
    void this.offerCommands(showMessage('warning', `wherefore: ${sentence}`, { title: 'Open Settings' }, { title: 'Show Output' }));
  }

  private reportTrouble(sentence: string, help: 'Restart' | 'Open Settings'): void {
    this.trouble = sentence;
    this.output.error(sentence);
    this.listener.onStateChange(false);
    void this.offerCommands(showMessage('error', `wherefore: ${sentence}`, { title: help }, { title: 'Show Output' }));
  }

  private async offerCommands(message: Thenable<vscode.MessageItem | undefined>): Promise<void> {
    const commands: Record<string, string> = {
      Restart: 'wherefore.restart',
      'Open Settings': 'wherefore.openSettings',
      'Show Output': 'wherefore.showOutput',
    };
    const command = commands[(await message)?.title ?? ''];
    if (command) await vscode.commands.executeCommand(command);
  }
}
