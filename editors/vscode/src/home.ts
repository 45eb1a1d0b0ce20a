// Where the program stays: the one that came with the extension goes with the folder of the extension's version, so agents
// and terminals get a copy that outlives it.

import { copyFile, link, mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import type * as vscode from 'vscode';
import { NAME, type Program } from './program';

/** The path of the program that stays; the program's own where it did not come with the extension. */
export async function settled(context: vscode.ExtensionContext, program: Program): Promise<string> {
  if (!program.isOurs) return program.path;
  const folder = join(context.globalStorageUri.fsPath, 'bin');
  const path = join(folder, NAME);
  const [ours, there] = await Promise.all([stat(program.path), stat(path).catch(() => undefined)]);
  if (there && there.size === ours.size && Math.abs(there.mtimeMs - ours.mtimeMs) < 1000) return path;
  await mkdir(folder, { recursive: true });
  // One that runs cannot be written to; another one takes its name.
  const made = `${path}.${process.pid}`;
  await link(program.path, made).catch(async () => {
    await copyFile(program.path, made);
    await utimes(made, ours.atime, ours.mtime);
  });
  await rename(made, path).catch(async (thrown: unknown) => {
    await rm(made, { force: true });
    throw thrown;
  });
  return path;
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
