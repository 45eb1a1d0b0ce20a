// The code of a program names what it calls and reads by how far away that is, so one place is written otherwise each time.
// Packed are the places themselves, which repeat: the code of a program for x86-64 gets a tenth smaller. To any other it does
// next to nothing.

import { Transform, type TransformCallback } from 'node:stream';

/** Of an instruction that names a place: its code, what it does it with, and how far away that is, in four bytes. */
const LONGEST = 6;

const CALL = 0xe8;
/** These name a place where the byte after them says so: the two that load an address or a value, and a call by a table. */
const LEA = 0x8d;
const MOV = 0x8b;
const BY_TABLE = 0xff;

/**
 * Turns distances into places, or with -1 places into distances. `at` is where in the program the bytes are. Answers how many
 * bytes are done: the few that are left need those after them.
 */
export function convertAddresses(bytes: Buffer, at: number, way: 1 | -1): number {
  let i = 0;
  while (i + LONGEST <= bytes.length) {
    const code = bytes[i];
    let named = 0;
    if (code === CALL) named = i + 1;
    else if ((code === LEA || code === MOV || code === BY_TABLE) && ((bytes[i + 1] ?? 0) & 0xc7) === 5) named = i + 2;
    if (named === 0) {
      i += 1;
      continue;
    }
    bytes.writeInt32LE((bytes.readInt32LE(named) + way * (at + named)) | 0, named);
    i = named + 4;
  }
  return i;
}

/** Makes a program of one that was packed by its places. */
export class AddressDecoder extends Transform {
  /** Bytes that went through. */
  private at = 0;
  private rest = Buffer.alloc(0);

  override _transform(bytes: Buffer, _: string, callback: TransformCallback): void {
    const all = Buffer.concat([this.rest, bytes]);
    const count = convertAddresses(all, this.at, -1);
    this.at += count;
    this.rest = all.subarray(count);
    callback(undefined, all.subarray(0, count));
  }

  override _flush(callback: TransformCallback): void {
    callback(undefined, this.rest);
  }
}
