// Hunks of this folder that another server holds, as that of a second window on it does: this window cannot show them, so it
// says where they are. What waits is kept in the person's state of the folder, whoever holds it.

import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { tell } from './notify';
import { isPending, type Review } from './review';
import { setting } from './settings';
import { clip, count } from './text';
import type { Proposal } from './wire';

/** How often the folder of proposals is looked into. Watchers of VS Code do not reach every folder; this costs nothing. */
const EVERY_MS = 2000;

interface Held {
  written: number;
  hunks: number;
  /** How often it was found: our server may tell of a new one a moment later. */
  found: number;
}

/** What waits in another window. */
export class Elsewhere implements vscode.Disposable {
  private held = new Map<string, Held>();
  /** The state of each folder, once there is one. */
  private readonly states = new Map<string, string>();
  private readonly timer = setInterval(() => void this.look(), EVERY_MS);
  /** How many hunks wait there. */
  hunks = 0;

  constructor(
    private readonly review: Review,
    private readonly isRunning: () => boolean,
    private readonly changed: () => void,
  ) {}

  dispose(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    const now = new Map<string, Held>();
    const folders = this.isRunning() ? (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file') : [];
    for (const { uri } of folders) {
      const state = this.states.get(uri.fsPath) ?? (await stateOf(uri.fsPath));
      if (state === undefined) continue;
      this.states.set(uri.fsPath, state);
      const proposals = join(state, 'proposals');
      const names = await readdir(proposals).catch(() => []);
      for (const name of names.filter((each) => each.endsWith('.json') && !this.review.get(each.slice(0, -'.json'.length)))) {
        const path = join(proposals, name);
        const held = await this.find(path, this.held.get(path));
        if (held) now.set(path, held);
      }
    }
    this.held = now;
    const hunks = [...now.values()].reduce((sum, each) => sum + (each.found > 1 ? each.hunks : 0), 0);
    if (hunks === this.hunks) return;
    this.hunks = hunks;
    this.changed();
  }

  /** A proposal as it stands in a file, said once; nothing where the file is just written, or gone. */
  private async find(path: string, known: Held | undefined): Promise<Held | undefined> {
    const written = (await stat(path).catch(() => undefined))?.mtimeMs;
    if (written === undefined) return undefined;
    const found = (known?.found ?? 0) + 1;
    if (known?.written === written && found !== 2) return { ...known, found };
    const proposal = await read(path);
    if (!proposal) return undefined;
    const hunks = proposal.files.flatMap((file) => file.hunks).filter(isPending).length;
    if (found === 2 && hunks > 0) say(proposal, hunks);
    return { written, hunks, found };
  }
}

/** The state that the server keeps of a folder: of the person's states the one whose file `root` names that folder. */
async function stateOf(folder: string): Promise<string | undefined> {
  const { XDG_STATE_HOME: set } = { ...process.env, ...setting<Record<string, string>>('server.env', {}) };
  const roots = join(set && isAbsolute(set) ? set : join(homedir(), '.local', 'state'), 'wherefore', 'roots');
  const real = await realpath(folder).catch(() => folder);
  for (const name of await readdir(roots).catch(() => [])) {
    const named = await readFile(join(roots, name, 'root'), 'utf8').catch(() => '');
    if (named.replace(/\n$/, '') === real) return join(roots, name);
  }
  return undefined;
}

function say(proposal: Proposal, hunks: number): void {
  const what = `${count(hunks, 'hunk')} ${hunks === 1 ? 'waits' : 'wait'} in another window on this folder`;
  const which = `${proposal.files[0]?.path ?? '?'}: ${clip(proposal.why, 80)}`;
  void tell('info', `wherefore: ${what}: decide there, or by \`wherefore review\` in a terminal (${which})`);
}

async function read(path: string): Promise<Proposal | undefined> {
  try {
    const { proposal } = JSON.parse(await readFile(path, 'utf8'));
    return Array.isArray(proposal?.files) ? proposal : undefined;
  } catch {
    return undefined;
  }
}
