// Where the program stays. The extension carries it compressed, and goes with the folder of its version: the program is
// unpacked into the extension's storage, once, and agents and terminals reach it by a path that outlives the version.

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import type * as vscode from 'vscode';
import { Placed } from './places';
import { NAME, type Packed, type Program } from './program';

/** Bytes that go through at a time. */
const CHUNK = 1024 * 1024;

/** For so long what another window unpacks just now is left alone. */
const UNDER_WAY_MS = 3_600_000;

/** What is unpacked or linked in this window just now, by its path. */
const underWay = new Map<string, Promise<void>>();

/** Has the program at its path; unpacks it where it is not there yet. */
export function unpacked({ path, packed }: Program): Promise<void> {
  return packed ? once(path, () => unpack(packed, path)) : Promise.resolve();
}

/** The path of the program that stays; the program's own where it did not come with the extension. */
export async function settled(program: Program): Promise<string> {
  if (!program.packed) return program.path;
  await unpacked(program);
  const folder = dirname(dirname(program.path));
  const path = join(folder, NAME);
  await once(path, () => linked(program.path, path));
  await tidy(folder, [NAME, basename(dirname(program.path))]);
  await tidy(dirname(program.path), [NAME]);
  return path;
}

function once(path: string, run: () => Promise<void>): Promise<void> {
  const known = underWay.get(path);
  if (known) return known;
  const made = run().finally(() => underWay.delete(path));
  underWay.set(path, made);
  return made;
}

/** Unpacks it under another name first: what has its name is whole. */
async function unpack({ file, sha256, size }: Packed, path: string): Promise<void> {
  if ((await stat(path).catch(() => undefined))?.size === size) return;
  await mkdir(dirname(path), { recursive: true });
  const made = `${path}.${process.pid}`;
  const hash = createHash('sha256');
  const heard = new Transform({
    transform(bytes: Buffer, _, done) {
      hash.update(bytes);
      done(undefined, bytes);
    },
  });
  try {
    const options = { highWaterMark: CHUNK };
    const there = createWriteStream(made, { mode: 0o755, ...options });
    await pipeline(createReadStream(file, options), createBrotliDecompress({ chunkSize: CHUNK }), new Placed(), heard, there);
    if (hash.digest('hex') !== sha256) throw new Error(`${file} is damaged: install the extension again`);
    await rename(made, path);
  } catch (thrown) {
    await rm(made, { force: true });
    throw thrown;
  }
}

/** Gives a program another name. One that runs cannot be written to; the new one takes its name. */
async function linked(program: string, path: string): Promise<void> {
  const [ours, there] = await Promise.all([stat(program), stat(path).catch(() => undefined)]);
  if (there?.ino === ours.ino && there.dev === ours.dev) return;
  const made = `${path}.${process.pid}`;
  await rm(made, { force: true });
  await link(program, made);
  await rename(made, path);
}

/** Removes other versions, and what a window left that ended while it unpacked. A program that runs goes on. */
async function tidy(folder: string, kept: string[]): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (kept.includes(name)) continue;
    const path = join(folder, name);
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? 0);
    if (age > UNDER_WAY_MS) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Puts the program's folder first on the PATH of terminals that are opened from now on, where its name leads elsewhere. */
export function onPath(variables: vscode.EnvironmentVariableCollection, path: string | undefined): void {
  if (path === undefined || basename(path) !== NAME) return;
  const folder = dirname(path);
  if ((process.env.PATH ?? '').split(delimiter)[0] === folder) return;
  // Some shells set the PATH anew when they start.
  variables.prepend('PATH', `${folder}${delimiter}`, { applyAtProcessCreation: true, applyAtShellIntegration: true });
  variables.description = 'The program `wherefore` is on the PATH. An agent in this terminal finds the editor through it.';
}
