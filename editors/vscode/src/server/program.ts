// The place of the server's program: the one set, the one that came with the extension, or the one on the PATH.

import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { homedir } from 'node:os';
import type * as vscode from 'vscode';
import { readSetting } from '../settings';

/** The program's name. */
export const PROGRAM_NAME = process.platform === 'win32' ? 'wherefore.exe' : 'wherefore';

export interface ServerProgram {
  path: string;
  /** Its origin, in words. */
  from: string;
  /** The way it came with the extension, where it did: `path` is there once it is unpacked. */
  packed?: PackedProgram;
}

/** The program as the extension carries it: compressed. */
export interface PackedProgram {
  /** The compressed file. */
  file: string;
  /** Of the program itself. */
  sha256: string;
  size: number;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Reads what the extension carries; nothing where it was not packed. */
function readPacked(context: vscode.ExtensionContext): PackedProgram | undefined {
  try {
    const { sha256, size } = JSON.parse(readFileSync(context.asAbsolutePath(join('server', 'program.json')), 'utf8')) as PackedProgram;
    return { file: context.asAbsolutePath(join('server', `${PROGRAM_NAME}.br`)), sha256, size };
  } catch {
    return undefined;
  }
}

/** The program, or a sentence that says why there is none. */
export function findProgram(context: vscode.ExtensionContext): ServerProgram | string {
  const set = readSetting('server.path', '').trim();
  if (set !== '') {
    const path = set.replace(/^~(?=[/\\])/, homedir());
    if (!isAbsolute(path)) return `wherefore.server.path must be an absolute path; it is ${set}`;
    if (!isProgram(path)) return `wherefore.server.path names ${path}, which is no program`;
    return { path, from: 'the setting wherefore.server.path' };
  }
  const packed = readPacked(context);
  // Each build has a folder of its own, so that windows with two versions of the extension do not disturb each other.
  if (packed) return { path: join(context.globalStorageUri.fsPath, 'bin', packed.sha256.slice(0, 16), PROGRAM_NAME), from: 'the extension', packed };
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(isAbsolute)) {
    const path = join(folder, PROGRAM_NAME);
    if (isProgram(path)) return { path, from: 'the PATH' };
  }
  return 'the program wherefore was not found: set wherefore.server.path, or put it on the PATH';
}
