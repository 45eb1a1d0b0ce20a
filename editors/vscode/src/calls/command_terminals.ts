// Commands that calls run: each in a terminal of the panel, with its output as it comes.

import * as vscode from 'vscode';
import { makeCallKey, toFolderPath } from './call_key';
import { showRemark, warn } from '../messages';
import type { ServerClient } from '../server/client';
import { readSetting } from '../settings';
import { clip, escapeHidden, describeError } from '../text';
import type { CallNotice, CommandNotice } from '../server/wire';

/** The time that a command runs before its terminal opens, in milliseconds. */
const PATIENCE_MS = 1000;

/** Characters of output that are kept for a terminal that opens later. */
const KEPT_CHARACTERS = 512 * 1024;

/** Commands that are remembered, and terminals of ended ones that stay open. */
const MOST_COMMANDS = 50;
const MOST_ENDED = 4;

/** A command, and where it shows. */
class CommandTerminal implements vscode.Pseudoterminal {
  private readonly writer = new vscode.EventEmitter<string>();
  private readonly closer = new vscode.EventEmitter<void>();
  private backlog: string;
  private isOpen = false;
  terminal: vscode.Terminal | undefined;
  timer: NodeJS.Timeout | undefined;
  readonly onDidWrite = this.writer.event;
  readonly onDidClose = this.closer.event;

  constructor(
    public notice: CommandNotice,
    private readonly cancel: (command: CommandTerminal) => void,
  ) {
    this.backlog = `\x1b[1m$ ${toTerminalLines(escapeHidden(notice.command))}\x1b[0m\r\n\x1b[2m${toTerminalLines(clip(`${notice.tier}: ${notice.why}`, 300))}\x1b[0m\r\n`;
  }

  get isRunning(): boolean {
    return this.notice.state !== 'ended';
  }

  /** Takes its newest output and state. */
  takeNotice(notice: CommandNotice): void {
    this.notice = notice;
    if (notice.text) this.write(notice.text);
    if (notice.left_out) this.write(`\x1b[0m\n… ${notice.left_out} bytes left out …\n`);
    if (this.isRunning) return;
    const seconds = typeof notice.duration_ms === 'number' ? `, ${(notice.duration_ms / 1000).toFixed(1)} s` : '';
    this.write(`\x1b[0m\n[${escapeHidden(notice.outcome ?? 'ended')}${seconds}; any key closes this terminal]\n`);
  }

  open(): void {
    this.isOpen = true;
    this.writer.fire(this.backlog);
  }

  close(): void {
    this.isOpen = false;
  }

  /** The terminal was closed. Where the person did it nobody looks any more, and the command ends. */
  handleClose(reason: vscode.TerminalExitReason | undefined): void {
    this.isOpen = false;
    this.terminal = undefined;
    if (this.isRunning && reason !== vscode.TerminalExitReason.Shutdown) this.cancel(this);
  }

  handleInput(keys: string): void {
    if (!this.isRunning) this.closer.fire();
    else if (keys === '\x03') this.cancel(this);
  }

  private write(text: string): void {
    const piece = toTerminalLines(text);
    this.backlog = (this.backlog + piece).slice(-KEPT_CHARACTERS);
    if (this.isOpen) this.writer.fire(piece);
  }
}

/** The commands of this window. */
export class CommandTerminals implements vscode.Disposable {
  private readonly commands = new Map<string, CommandTerminal>();
  private readonly changes = new vscode.EventEmitter<void>();
  /** A command started or ended. */
  readonly onChange = this.changes.event;

  private readonly closeListener = vscode.window.onDidCloseTerminal((terminal) => {
    const command = [...this.commands.values()].find((each) => each.terminal === terminal);
    command?.handleClose(terminal.exitStatus?.reason);
  });

  constructor(private readonly server: ServerClient) {}

  /** A command started, wrote something or ended. */
  takeNotice(notice: CommandNotice): void {
    const key = makeCallKey(notice);
    const existing = this.commands.get(key);
    const command = existing ?? this.addCommand(key, notice);
    command.takeNotice(notice);
    if (!command.isRunning) this.closeOldTerminals(command);
    if (!existing || !command.isRunning) this.changes.fire();
  }

  /** A server ended, and with it what it ran. */
  endAll(): void {
    for (const { notice, isRunning: runs } of this.commands.values()) {
      if (runs) this.takeNotice({ ...notice, state: 'ended', outcome: 'the server ended', text: '', left_out: 0 });
    }
  }

  /** True if a call runs a command or ran one. */
  hasCommand(call: CallNotice): boolean {
    return this.commands.has(makeCallKey(call));
  }

  /** The tier of the command that a call runs now, or left in the background. */
  findRunningTier(call: CallNotice): string | undefined {
    const command = this.commands.get(makeCallKey(call));
    return command?.isRunning ? command.notice.tier.replace(/ \(.*/, '') : undefined;
  }

  /** Finds how the command ended that a call left in the background, where that failed. */
  findFailure(call: CallNotice): string | undefined {
    const command = this.commands.get(makeCallKey(call));
    return command && !command.isRunning && command.notice.background && command.notice.exit_code !== 0 ? (command.notice.outcome ?? 'ended') : undefined;
  }

  /** Shows the output of a call's command; of the last command where none is named. */
  showOutput(call: CallNotice | undefined): void {
    const command = call ? this.commands.get(makeCallKey(call)) : [...this.commands.values()].at(-1);
    if (command) this.openTerminal(command).show(false);
    else showRemark('no command ran');
  }

  dispose(): void {
    this.closeListener.dispose();
    for (const { timer, terminal } of this.commands.values()) {
      clearTimeout(timer);
      terminal?.dispose();
    }
    this.changes.dispose();
  }

  private addCommand(key: string, notice: CommandNotice): CommandTerminal {
    const command = new CommandTerminal(notice, (each) => void this.cancelCommand(each));
    if (this.commands.size >= MOST_COMMANDS) this.forgetOne();
    this.commands.set(key, command);
    command.timer = setTimeout(() => this.revealTerminal(command), notice.background ? 0 : PATIENCE_MS);
    return command;
  }

  /** Opens the terminal of a command that still runs. The person goes on with what they do. */
  private revealTerminal(command: CommandTerminal): void {
    if (!command.isRunning) return;
    const terminal = this.openTerminal(command);
    if (readSetting('showCommands', true)) terminal.show(true);
  }

  private openTerminal(command: CommandTerminal): vscode.Terminal {
    const { notice } = command;
    const iconPath = new vscode.ThemeIcon('terminal');
    command.terminal ??= vscode.window.createTerminal({ name: clip(notice.why || notice.command, 60), pty: command, iconPath, isTransient: true });
    return command.terminal;
  }

  private async cancelCommand({ notice: { call_id, root } }: CommandTerminal): Promise<void> {
    try {
      await this.server.request('cancel', { call_id, root: toFolderPath(root) });
      showRemark(`the command of ${call_id} was told to stop`);
    } catch (thrown) {
      warn(describeError(thrown));
    }
  }

  /** A command ended: the terminals of those that ended long before it close. */
  private closeOldTerminals(command: CommandTerminal): void {
    clearTimeout(command.timer);
    const endedTerminals = [...this.commands.values()].filter((each) => !each.isRunning && each.terminal);
    for (const each of endedTerminals.slice(0, -MOST_ENDED)) each.terminal?.dispose();
  }

  private forgetOne(): void {
    for (const [key, command] of this.commands) {
      if (command.isRunning) continue;
      command.terminal?.dispose();
      this.commands.delete(key);
      return;
    }
  }
}

/** Lines with the ends that a terminal wants. */
function toTerminalLines(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}
