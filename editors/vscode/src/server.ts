// The server: its process, the language client that speaks with it, and what is said when it fails.

import { spawn, type ChildProcess } from 'node:child_process';
import * as vscode from 'vscode';
import { CloseAction, ErrorAction, LanguageClient, type LanguageClientOptions } from 'vscode-languageclient/node';
import { remark, tell, type Level } from './notify';
import { unpacked } from './home';
import { find, type Program } from './program';
import type { Happening } from './agentevents';
import { setting } from './settings';
import { inert, sentence } from './text';
import { methods, type AskAnswer, type AskParams, type CallNotice, type CommandNotice, type FinishNotice, type Notifications, type LookAnswer, type LookParams, type Proposal, type Requests, type SaveAnswer, type SaveParams, type SlotNotice } from './wire';

/** What the server says by itself. */
export interface Listener {
  called(notice: CallNotice): void;
  finished(notice: FinishNotice): void;
  /** A command started, wrote something or ended. */
  command(notice: CommandNotice): void;
  /** Something happened in a run of the built-in agent. */
  agent(event: Happening): void;
  proposed(proposal: Proposal): void;
  changed(proposal: Proposal): void;
  workingSet(): void;
  save(params: SaveParams): Promise<SaveAnswer>;
  look(params: LookParams): LookAnswer;
  /** Terminals are to have these variables. */
  slot(notice: SlotNotice): void;
  /** Puts a question to the person; `over` says that its answer is not waited for any more. */
  ask(params: AskParams, over: vscode.CancellationToken): Promise<AskAnswer>;
  /** It is ready, or gone. */
  state(running: boolean): void;
}

/** JSON-RPC: there is no such method. */
const METHOD_NOT_FOUND = -32601;

/** Requests that languages' clients make and ours must not: our commands have the server's names, and we draw by ourselves. */
const NOT_OURS = new Set(['workspace/executeCommand', 'workspace/textDocumentContent', 'textDocument/codeLens', 'textDocument/codeAction']);

class Client extends LanguageClient {
  override registerFeature(feature: Parameters<LanguageClient['registerFeature']>[0]): void {
    const method = 'registrationType' in feature ? feature.registrationType.method : '';
    if (!NOT_OURS.has(method)) super.registerFeature(feature);
  }
}

/** The level of a message of the language server protocol. */
const levelOf = (type: number): Level => (type === 1 ? 'error' : type === 2 ? 'warning' : 'info');

/** A server that ends again within so long is not started by itself once more. */
const AGAIN_MS = 3 * 60_000;

/** How long the status bar says that it was started again. */
const SAID_MS = 12_000;

const isAlive = (child: ChildProcess | undefined): child is ChildProcess =>
  child?.pid !== undefined && child.exitCode === null && child.signalCode === null;

/** Whether a process that no longer answers is there after a moment. */
async function stays(child: ChildProcess | undefined): Promise<boolean> {
  if (!isAlive(child)) return false;
  await new Promise((done) => {
    child.once('exit', done);
    setTimeout(done, 500);
  });
  return isAlive(child);
}

/** The server of this window. */
export class Server implements vscode.Disposable {
  private client: Client | undefined;
  private child: ChildProcess | undefined;
  private expected = false;
  /** When it last ended by itself and was started again; nothing once a person restarted it. */
  private ended: number | undefined;
  private turn: Promise<void> = Promise.resolve();
  /** The program that was started last. */
  program: Program | undefined;
  /** The version that it said it has. */
  version: string | undefined;
  /** Why it does not run, in a sentence. */
  trouble: string | undefined;
  running = false;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly output: vscode.LogOutputChannel,
    private readonly listener: Listener,
  ) {}

  /** Starts it where a trusted folder is open. */
  start(): Promise<void> {
    return this.inTurn(() => this.launch());
  }

  /** Ends it; it starts again only when asked. */
  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  restart(): Promise<void> {
    this.ended = undefined;
    return this.inTurn(() => this.anew());
  }

  /** Sends a request; `over` says that its answer is not waited for any more. What goes wrong is thrown as a sentence. */
  async ask<K extends keyof Requests>(name: K, params: Requests[K]['params'], over?: vscode.CancellationToken): Promise<Requests[K]['result']> {
    if (!this.client || !this.running) throw new Error(this.trouble ?? 'the server does not run');
    // Nothing in the token's place would be sent as one more param.
    const rest: [object, vscode.CancellationToken?] = over ? [params ?? {}, over] : [params ?? {}];
    try {
      return await this.client.sendRequest<Requests[K]['result']>(methods[name], ...rest);
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code !== METHOD_NOT_FOUND) throw thrown;
      throw new Error(`the server is too old for ${methods[name]}; build it anew, then Wherefore: Restart Server`);
    }
  }

  /** Tells something that has no answer; where no server runs nobody hears it. */
  async tell<K extends keyof Notifications>(name: K, params: Notifications[K]): Promise<void> {
    if (!this.client || !this.running) return;
    await this.client.sendNotification(methods[name], params).catch((thrown: unknown) => this.output.error(sentence(thrown)));
  }

  /** Tells that a document is closed or open to the server, where that is another thing than to VS Code. */
  async tellOf(document: vscode.TextDocument, state: 'closed' | 'open'): Promise<void> {
    if (!this.client || !this.running) return;
    const feature = state === 'open' ? this.client.getFeature('textDocument/didOpen') : this.client.getFeature('textDocument/didClose');
    await feature.getProvider(document)?.send(document);
  }

  /** The server's process, where it runs. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  dispose(): void {
    this.expected = true;
    this.child?.kill();
  }

  private inTurn(run: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(run, run);
    return this.turn;
  }

  private async anew(): Promise<void> {
    await this.end();
    await this.launch();
  }

  private async launch(): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.find((each) => each.uri.scheme === 'file');
    if (this.running || !folder || !vscode.workspace.isTrusted) return;
    const program = find(this.context);
    if (typeof program === 'string') return this.fail(program, 'Open Settings');
    try {
      await unpacked(program);
    } catch (thrown) {
      return this.fail(`the program could not be unpacked: ${sentence(thrown)}`, 'Restart');
    }
    this.program = program;
    this.child = undefined;
    this.expected = false;
    this.trouble = undefined;
    this.output.info(`starting ${program.path} lsp (from ${program.from})`);
    const client = new Client('wherefore', 'wherefore', () => this.spawn(program, folder.uri.fsPath), this.options());
    this.client = client;
    this.listen(client);
    try {
      await client.start();
    } catch (thrown) {
      // Where the process ended, that is told already, and better.
      if (!this.child || (await stays(this.child))) this.fail(`the server did not start: ${sentence(thrown)}`, 'Restart');
      await this.end();
      return;
    }
    this.version = client.initializeResult?.serverInfo?.version;
    this.setRunning(true);
    this.compare();
  }

  private spawn(program: Program, cwd: string): Promise<ChildProcess> {
    return new Promise((started, failed) => {
      const env = { ...process.env, ...setting<Record<string, string>>('server.env', {}) };
      const child = spawn(program.path, ['lsp'], { cwd, env, windowsHide: true });
      this.child = child;
      child.once('spawn', () => started(child));
      child.once('error', (error) => {
        this.fail(`${program.path} could not be started: ${error.message}`, 'Open Settings');
        failed(error);
      });
      child.once('exit', (code, signal) => this.exited(child, signal ? `signal ${signal}` : `exit code ${code}`));
    });
  }

  private options(): LanguageClientOptions {
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
          for (const each of diagnostics) each.message = inert(each.message);
          next(uri, diagnostics);
        },
        // A folder's settings must not loosen what the person set for the server in their own config.toml.
        workspace: { configuration: (params) => params.items.map(() => null) },
      },
    };
  }

  private listen(client: Client): void {
    client.registerFeature({
      fillClientCapabilities: (capabilities) => {
        capabilities.experimental = { wherefore: { hunks: true, save: true, asks: true, focus: true, commands: true, looks: true, agent: true } };
      },
      initialize: () => undefined,
      getState: () => ({ kind: 'static' }),
      clear: () => undefined,
    });
    const guarded = <T>(run: (message: T) => void) => (message: T) => {
      try {
        run(message);
      } catch (thrown) {
        this.output.error(`a message of the server was dropped: ${sentence(thrown)}`);
      }
    };
    // In the place of the language client's own, which would show the words as they came.
    client.onNotification('window/showMessage', ({ type, message }: { type: number; message: string }) => void tell(levelOf(type), message));
    client.onRequest('window/showMessageRequest', async (params: { type: number; message: string; actions?: vscode.MessageItem[] }) => {
      return (await tell(levelOf(params.type), params.message, ...(params.actions ?? []))) ?? null;
    });
    client.onNotification(methods.didCall, guarded<CallNotice>((notice) => this.listener.called(notice)));
    client.onNotification(methods.didFinish, guarded<FinishNotice>((notice) => this.listener.finished(notice)));
    client.onNotification(methods.command, guarded<CommandNotice>((notice) => this.listener.command(notice)));
    client.onNotification(methods.agentEvent, guarded<Happening>((event) => this.listener.agent(event)));
    client.onNotification(methods.proposal, guarded<Proposal>((proposal) => this.listener.proposed(proposal)));
    client.onNotification(methods.proposalChanged, guarded<Proposal>((proposal) => this.listener.changed(proposal)));
    client.onNotification(methods.workingSetChanged, () => this.listener.workingSet());
    client.onNotification(methods.slot, guarded<SlotNotice>((notice) => this.listener.slot(notice)));
    client.onRequest(methods.look, (params: LookParams) => this.listener.look(params));
    client.onRequest(methods.ask, (params: AskParams, over: vscode.CancellationToken) => this.listener.ask(params, over));
    client.onRequest(methods.save, (params: SaveParams) => this.listener.save(params));
  }

  private exited(child: ChildProcess, how: string): void {
    if (child !== this.child) return;
    const started = this.running;
    this.setRunning(false);
    if (this.expected) return;
    if (started && !this.endedLately) {
      this.ended = performance.now();
      void this.inTurn(() => this.comeBack(how));
    } else this.fail(started ? `the server ended again (${how}); nothing is lost` : `${this.program?.path} ended at its start (${how})`, 'Restart');
  }

  private get endedLately(): boolean {
    return this.ended !== undefined && performance.now() - this.ended < AGAIN_MS;
  }

  /** Starts a server that ended by itself once more. */
  private async comeBack(how: string): Promise<void> {
    await this.anew();
    if (!this.running) return;
    const said = `the server ended (${how}) and was started again; nothing is lost`;
    this.output.warn(said);
    remark(said, SAID_MS);
  }

  private async end(): Promise<void> {
    const { client, child } = this;
    this.expected = true;
    this.client = undefined;
    this.setRunning(false);
    await client?.stop(2000).catch(() => undefined);
    if (isAlive(child)) child.kill('SIGKILL');
  }

  private setRunning(running: boolean): void {
    if (this.running === running) return;
    this.running = running;
    this.listener.state(running);
  }

  private compare(): void {
    const ours: string = this.context.extension.packageJSON.version;
    const minor = (version: string): string => version.split('.').slice(0, 2).join('.');
    if (this.version === undefined || minor(this.version) === minor(ours)) return;
    const said = `the server is version ${this.version}, the extension ${ours}: some things may not work (${this.program?.path})`;
    this.output.warn(said);
    void this.offer(tell('warning', `wherefore: ${said}`, { title: 'Open Settings' }, { title: 'Show Output' }));
  }

  private fail(said: string, help: 'Restart' | 'Open Settings'): void {
    this.trouble = said;
    this.output.error(said);
    this.listener.state(false);
    void this.offer(tell('error', `wherefore: ${said}`, { title: help }, { title: 'Show Output' }));
  }

  private async offer(shown: Thenable<vscode.MessageItem | undefined>): Promise<void> {
    const commands: Record<string, string> = {
      Restart: 'wherefore.restart',
      'Open Settings': 'wherefore.openSettings',
      'Show Output': 'wherefore.showOutput',
    };
    const command = commands[(await shown)?.title ?? ''];
    if (command) await vscode.commands.executeCommand(command);
  }
}
