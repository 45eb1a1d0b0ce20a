// Hunks of this folder that another server holds, as that of a second window on it does: this window cannot show them, so it
// says where they are. What waits is kept in the folder's own files, whoever holds it.

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { isPending, type Review } from './review';
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
      const proposals = join(uri.fsPath, '.wherefore', 'proposals');
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

function say(proposal: Proposal, hunks: number): void {
  const what = `${count(hunks, 'hunk')} ${hunks === 1 ? 'waits' : 'wait'} in another window on this folder`;
  const which = `${proposal.files[0]?.path ?? '?'}: ${clip(proposal.why, 80)}`;
  void vscode.window.showInformationMessage(`wherefore: ${what}: decide there, or by \`wherefore review\` in a terminal (${which})`);
}

async function read(path: string): Promise<Proposal | undefined> {
  try {
    const { proposal } = JSON.parse(await readFile(path, 'utf8'));
    return Array.isArray(proposal?.files) ? proposal : undefined;
  } catch {
    return undefined;
  }
}
