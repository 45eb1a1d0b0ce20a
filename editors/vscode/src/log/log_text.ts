// A session log as `wherefore log` tells it to people, told anew as its file grows.

import { watch, type FSWatcher } from 'node:fs';
import { runProgram } from '../server/run_program';

/** Calls that are told at first; all of them where one is looked for that is not among these. */
const CALLS = 200;

/** The time that changes are gathered before the log is told anew; more where telling it takes long. */
const GATHER_MS = 150;

/** The text of one log. */
export class LogText {
  text = '';
  private calls: number | undefined = CALLS;
  private watcher: FSWatcher | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readMs = 0;
  private turn: Promise<boolean> = Promise.resolve(false);

  constructor(
    private readonly program: string,
    private readonly root: string,
    private readonly session: string,
    private readonly file: string,
    private readonly onChange: () => void,
  ) {}

  /** Tells it from now on. */
  async begin(): Promise<void> {
    try {
      this.watcher = watch(this.file, () => this.noteGrowth());
      this.watcher.on('error', () => this.watcher?.close());
    } catch {
      // It is told anew when a call ends, too.
    }
    await this.read();
  }

  /** Tells all of it. */
  async readAll(): Promise<void> {
    this.calls = undefined;
    await this.read();
  }

  /** The file may have grown. */
  noteGrowth(): void {
    this.timer ??= setTimeout(() => {
      delete this.timer;
      void this.read().then((isOther) => isOther && this.onChange());
    }, Math.max(GATHER_MS, 3 * this.readMs));
  }

  close(): void {
    clearTimeout(this.timer);
    this.watcher?.close();
  }

  private read(): Promise<boolean> {
    this.turn = this.turn.then(() => this.readOnce());
    return this.turn;
  }

  /** Says whether it tells something else now. */
  private async readOnce(): Promise<boolean> {
    const began = performance.now();
    const last = this.calls === undefined ? [] : ['--last', String(this.calls)];
    const { ok, out, err } = await runProgram(this.program, ['log', '--root', this.root, '--full', ...last, this.session], this.root);
    this.readMs = performance.now() - began;
    const before = this.text;
    const heads = out.match(/^\d/gm)?.length ?? 0;
    const cut = this.calls !== undefined && heads >= this.calls ? `(the last ${this.calls} calls; ${this.file} has all)\n` : '';
    this.text = ok ? cut + out : this.text || `The log could not be read: ${err}\n`;
    return this.text !== before;
  }
}
