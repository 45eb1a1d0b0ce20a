// Commands that calls run: each in a terminal of the panel, with its output as it comes.

import * as vscode from 'vscode';
import { callKey, pathOf } from './callkey';
import { remark, warn } from './notify';
import type { Server } from './server';
import { setting } from './settings';
import { clip, plain, sentence } from './text';
import type { CallNotice, CommandNotice } from './wire';

/** How long a command runs before its terminal opens, in milliseconds. */
const PATIENCE_MS = 1000;

/** Characters of output that are kept for a terminal that opens later. */
const KEPT = 512 * 1024;

/** Commands that are remembered, and terminals of ended ones that stay open. */
const MOST = 50;
const MOST_ENDED = 4;

/** A command, and where it shows. */
class Command implements vscode.Pseudoterminal {
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
    private readonly cancel: (command: Command) => void,
  ) {
    this.backlog = `\x1b[1m$ ${ended(plain(notice.command))}\x1b[0m\r\n\x1b[2m${ended(clip(`${notice.tier}: ${notice.why}`, 300))}\x1b[0m\r\n`;
  }

  get runs(): boolean {
    return this.notice.state !== 'ended';
  }

  /** What it says from now on, and how it stands. */
  heard(notice: CommandNotice): void {
    this.notice = notice;
    if (notice.text) this.write(notice.text);
    if (notice.left_out) this.write(`\x1b[0m\n… ${notice.left_out} bytes left out …\n`);
    if (this.runs) return;
    const seconds = typeof notice.duration_ms === 'number' ? `, ${(notice.duration_ms / 1000).toFixed(1)} s` : '';
    this.write(`\x1b[0m\n[${plain(notice.outcome ?? 'ended')}${seconds}; any key closes this terminal]\n`);
  }

  open(): void {
    this.isOpen = true;
    this.writer.fire(this.backlog);
  }

  close(): void {
    this.isOpen = false;
  }

  /** The terminal was closed. Where the person did it nobody looks any more, and the command ends. */
  closed(reason: vscode.TerminalExitReason | undefined): void {
    this.isOpen = false;
    this.terminal = undefined;
    if (this.runs && reason !== vscode.TerminalExitReason.Shutdown) this.cancel(this);
  }

  handleInput(keys: string): void {
    if (!this.runs) this.closer.fire();
    else if (keys === '\x03') this.cancel(this);
  }

  private write(text: string): void {
    const piece = ended(text);
    this.backlog = (this.backlog + piece).slice(-KEPT);
    if (this.isOpen) this.writer.fire(piece);
  }
}

/** The commands of this window. */
export class Terminals implements vscode.Disposable {
  private readonly commands = new Map<string, Command>();
  private readonly changed = new vscode.EventEmitter<void>();
  /** A command started or ended. */
  readonly onChange = this.changed.event;

  private readonly closing = vscode.window.onDidCloseTerminal((terminal) => {
    const command = [...this.commands.values()].find((each) => each.terminal === terminal);
    command?.closed(terminal.exitStatus?.reason);
  });

  constructor(private readonly server: () => Server) {}

  /** A command started, wrote something or ended. */
  heard(notice: CommandNotice): void {
    const key = callKey(notice);
    const known = this.commands.get(key);
    const command = known ?? this.begin(key, notice);
    command.heard(notice);
    if (!command.runs) this.tidy(command);
    if (!known || !command.runs) this.changed.fire();
  }

  /** A server ended, and with it what it ran. */
  forget(): void {
    for (const { notice, runs } of this.commands.values()) {
      if (runs) this.heard({ ...notice, state: 'ended', outcome: 'the server ended', text: '', left_out: 0 });
    }
  }

  /** Whether a call runs a command or ran one. */
  has(call: CallNotice): boolean {
    return this.commands.has(callKey(call));
  }

  /** The tier of the command that a call runs now, or left in the background. */
  running(call: CallNotice): string | undefined {
    const command = this.commands.get(callKey(call));
    return command?.runs ? command.notice.tier.replace(/ \(.*/, '') : undefined;
  }

  /** Shows the output of a call's command; of the last command where none is named. */
  show(call: CallNotice | undefined): void {
    const command = call ? this.commands.get(callKey(call)) : [...this.commands.values()].at(-1);
    if (command) this.terminal(command).show(false);
    else remark('no command ran');
  }

  dispose(): void {
    this.closing.dispose();
    for (const { timer, terminal } of this.commands.values()) {
      clearTimeout(timer);
      terminal?.dispose();
    }
    this.changed.dispose();
  }

  private begin(key: string, notice: CommandNotice): Command {
    const command = new Command(notice, (each) => void this.cancel(each));
    if (this.commands.size >= MOST) this.dropOne();
    this.commands.set(key, command);
    command.timer = setTimeout(() => this.reveal(command), notice.background ? 0 : PATIENCE_MS);
    return command;
  }

  /** Opens the terminal of a command that still runs. The person goes on with what they do. */
  private reveal(command: Command): void {
    if (!command.runs) return;
    const terminal = this.terminal(command);
    if (setting('showCommands', true)) terminal.show(true);
  }

  private terminal(command: Command): vscode.Terminal {
    const { notice } = command;
    const iconPath = new vscode.ThemeIcon('terminal');
    command.terminal ??= vscode.window.createTerminal({ name: clip(notice.why || notice.command, 60), pty: command, iconPath, isTransient: true });
    return command.terminal;
  }

  private async cancel({ notice: { call_id, root } }: Command): Promise<void> {
    try {
      await this.server().ask('cancel', { call_id, root: pathOf(root) });
      remark(`the command of ${call_id} was told to stop`);
    } catch (thrown) {
      warn(sentence(thrown));
    }
  }

  /** A command ended: the terminals of those that ended long before it close. */
  private tidy(command: Command): void {
    clearTimeout(command.timer);
    const over = [...this.commands.values()].filter((each) => !each.runs && each.terminal);
    for (const each of over.slice(0, -MOST_ENDED)) each.terminal?.dispose();
  }

  private dropOne(): void {
    for (const [key, command] of this.commands) {
      if (command.runs) continue;
      command.terminal?.dispose();
      this.commands.delete(key);
      return;
    }
  }
}

/** Lines with the ends that a terminal wants. */
function ended(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}
