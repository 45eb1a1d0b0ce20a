// Where the server's program is: the one set, the one that came with the extension, or the one on the PATH.

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { homedir } from 'node:os';
import type * as vscode from 'vscode';
import { setting } from './settings';

/** The program's name. */
export const NAME = process.platform === 'win32' ? 'wherefore.exe' : 'wherefore';

export interface Program {
  path: string;
  /** Where it is from, in words. */
  from: string;
  /** Whether it came with the extension. */
  isOurs: boolean;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The program, or a sentence that says why there is none. */
export function find(context: vscode.ExtensionContext): Program | string {
  const set = setting('server.path', '').trim();
  if (set !== '') {
    const path = set.replace(/^~(?=[/\\])/, homedir());
    if (!isAbsolute(path)) return `wherefore.server.path must be an absolute path; it is ${set}`;
    if (!isProgram(path)) return `wherefore.server.path names ${path}, which is no program`;
    return { path, from: 'the setting wherefore.server.path', isOurs: false };
  }
  const ours = context.asAbsolutePath(join('server', NAME));
  if (isProgram(ours)) return { path: ours, from: 'the extension', isOurs: true };
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(isAbsolute)) {
    const path = join(folder, NAME);
    if (isProgram(path)) return { path, from: 'the PATH', isOurs: false };
  }
  return 'the program wherefore was not found: set wherefore.server.path, or put it on the PATH';
}
