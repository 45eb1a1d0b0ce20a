// The end of a growing file as text, read on as it grows.

import { watch, type FSWatcher } from 'node:fs';
import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';

/** Bytes of a long file that are read at first; twice as many are kept. */
const FIRST = 1024 * 1024;

/** The tail of one file. */
export class Tail {
  text = '';
  private offset = 0;
  private inode = 0;
  private decoder = new StringDecoder('utf8');
  private watcher: FSWatcher | undefined;
  private turn: Promise<boolean> = Promise.resolve(false);

  constructor(readonly path: string) {}

  /** Calls `grown` whenever the file may have grown. */
  watch(grown: () => void): void {
    try {
      this.watcher = watch(this.path, grown);
      this.watcher.on('error', () => this.close());
    } catch {
      // It is read on when a call ends, too.
    }
  }

  /** Reads on; says whether there was more. */
  read(): Promise<boolean> {
    this.turn = this.turn.then(() => this.more());
    return this.turn;
  }

  close(): void {
    this.watcher?.close();
    this.watcher = undefined;
  }

  private async more(): Promise<boolean> {
    const file = await open(this.path, 'r').catch(() => undefined);
    if (!file) return false;
    try {
      const { size, ino } = await file.stat();
      // Another file under the name, as where the log went on in a new part.
      if (size < this.offset || (this.inode !== 0 && ino !== this.inode)) this.begin(0);
      const first = this.inode === 0 && size > FIRST;
      if (first) this.begin(size - FIRST);
      this.inode = ino;
      if (size <= this.offset) return false;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - this.offset), 0, size - this.offset, this.offset);
      this.offset += bytesRead;
      let text = this.decoder.write(buffer.subarray(0, bytesRead));
      if (first) text = this.cut(text);
      this.text += text;
      if (this.text.length > 2 * FIRST) this.text = this.cut(this.text.slice(-FIRST));
      return true;
    } finally {
      await file.close();
    }
  }

  private begin(offset: number): void {
    this.offset = offset;
    this.text = '';
    this.decoder = new StringDecoder('utf8');
  }

  /** A part of a log from its first event on. */
  private cut(text: string): string {
    const at = text.indexOf('\n## ');
    return `(the part before stands in ${this.path})\n${text.slice(Math.max(at, 0))}`;
  }
}
