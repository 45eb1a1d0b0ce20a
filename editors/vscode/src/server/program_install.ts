// The folder in which the program stays. The extension carries it compressed, and goes with the folder of its version: the
// program is unpacked into the extension's storage, once, and agents and terminals reach it by a path that outlives the version.

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import type * as vscode from 'vscode';
import { AddressDecoder } from './branch_filter';
import { PROGRAM_NAME, type PackedProgram, type ServerProgram } from './program';

/** Bytes that go through at a time. */
const CHUNK = 1024 * 1024;

/** For so long what another window unpacks just now is left alone. */
const UNDER_WAY_MS = 3_600_000;

/** The programs that are unpacked or linked in this window just now, by their paths. */
const underWay = new Map<string, Promise<void>>();

/** Puts the program at its path, unless it is there. */
export function unpackProgram({ path, packed }: ServerProgram): Promise<void> {
  return packed ? runOnce(path, () => unpackFile(packed, path)) : Promise.resolve();
}

/** The path of the program that stays; the program's own where it did not come with the extension. */
export async function installProgram(program: ServerProgram): Promise<string> {
  if (!program.packed) return program.path;
  await unpackProgram(program);
  const folder = dirname(dirname(program.path));
  const path = join(folder, PROGRAM_NAME);
  await runOnce(path, () => linkProgram(program.path, path));
  await removeOthers(folder, [PROGRAM_NAME, basename(dirname(program.path))]);
  await removeOthers(dirname(program.path), [PROGRAM_NAME]);
  return path;
}

function runOnce(path: string, run: () => Promise<void>): Promise<void> {
  const running = underWay.get(path);
  if (running) return running;
  const temporary = run().finally(() => underWay.delete(path));
  underWay.set(path, temporary);
  return temporary;
}

/** Unpacks it under another name first: what has its name is whole. */
async function unpackFile({ file, sha256, size }: PackedProgram, path: string): Promise<void> {
  if ((await stat(path).catch(() => undefined))?.size === size) return;
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  const hash = createHash('sha256');
  const hasher = new Transform({
    transform(bytes: Buffer, _, callback) {
      hash.update(bytes);
      callback(undefined, bytes);
    },
  });
  try {
    const options = { highWaterMark: CHUNK };
    const there = createWriteStream(temporary, { mode: 0o755, ...options });
    await pipeline(createReadStream(file, options), createBrotliDecompress({ chunkSize: CHUNK }), new AddressDecoder(), hasher, there);
    if (hash.digest('hex') !== sha256) throw new Error(`${file} is damaged: install the extension again`);
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

/** Gives a program another name. One that runs cannot be written to; the new one takes its name. */
async function linkProgram(program: string, path: string): Promise<void> {
  const [ours, there] = await Promise.all([stat(program), stat(path).catch(() => undefined)]);
  if (there?.ino === ours.ino && there.dev === ours.dev) return;
  const temporary = `${path}.${process.pid}`;
  await rm(temporary, { force: true });
  await link(program, temporary);
  await rename(temporary, path);
}

/** Removes other versions, and what a window left that ended while it unpacked. A program that runs goes on. */
async function removeOthers(folder: string, keptNames: string[]): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (keptNames.includes(name)) continue;
    const path = join(folder, name);
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? 0);
    if (age > UNDER_WAY_MS) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Puts the program's folder first on the PATH of terminals that are opened from now on, where its name leads elsewhere. */
export function addToPath(variables: vscode.EnvironmentVariableCollection, path: string | undefined): void {
  if (path === undefined || basename(path) !== PROGRAM_NAME) return;
  const folder = dirname(path);
  if ((process.env.PATH ?? '').split(delimiter)[0] === folder) return;
  // Some shells set the PATH anew when they start.
  variables.prepend('PATH', `${folder}${delimiter}`, { applyAtProcessCreation: true, applyAtShellIntegration: true });
  variables.description = 'The program `wherefore` is on the PATH. An agent in this terminal finds the editor through it.';
}
