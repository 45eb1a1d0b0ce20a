// Hunks of this folder that another server holds, as that of a second window on it does: this window cannot show them, so it
// says where they are. What waits is kept in the person's state of the folder, whoever holds it.

import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { showMessage } from '../messages';
import { isPending, type ProposalStore } from './proposal_store';
import type { ServerClient } from '../server/client';
import { readSetting } from '../settings';
import { clip, formatCount } from '../text';
import type { Proposal } from '../server/wire';

/** The time between two looks into the folder of proposals: watchers of VS Code do not reach every folder. */
const EVERY_MS = 2000;

/** The button that takes over what the server of another window held. */
const TAKE_OVER = 'Take Over Here';

interface HeldProposal {
  writtenAt: number;
  hunks: number;
  /** The number of looks that found it: our server may tell of a new one a moment later. */
  rounds: number;
}

/** The hunks that wait in another window. */
export class OtherWindowHunks implements vscode.Disposable {
  private proposals = new Map<string, HeldProposal>();
  /** The state of each folder, once there is one. */
  private readonly states = new Map<string, string>();
  private readonly timer = setInterval(() => void this.refresh(), EVERY_MS);
  /** The number of hunks that wait there. */
  hunks = 0;

  constructor(
    private readonly store: ProposalStore,
    private readonly server: ServerClient,
    private readonly onChange: () => void,
  ) {}

  dispose(): void {
    clearInterval(this.timer);
  }

  private async refresh(): Promise<void> {
    const now = new Map<string, HeldProposal>();
    const folders = this.server.isRunning ? (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file') : [];
    for (const { uri } of folders) {
      const state = this.states.get(uri.fsPath) ?? (await findStateFolder(uri.fsPath));
      if (state === undefined) continue;
      this.states.set(uri.fsPath, state);
      const proposals = join(state, 'proposals');
      const names = await readdir(proposals).catch(() => []);
      for (const name of names.filter((each) => each.endsWith('.json') && !this.store.findProposal(each.slice(0, -'.json'.length)))) {
        const path = join(proposals, name);
        const proposal = await this.readHeld(path, this.proposals.get(path));
        if (proposal) now.set(path, proposal);
      }
    }
    this.proposals = now;
    const hunks = [...now.values()].reduce((sum, each) => sum + (each.rounds > 1 ? each.hunks : 0), 0);
    if (hunks === this.hunks) return;
    this.hunks = hunks;
    this.onChange();
  }

  /** A proposal as it stands in a file, said once; nothing where the file is just written, or gone. */
  private async readHeld(path: string, existing: HeldProposal | undefined): Promise<HeldProposal | undefined> {
    const writtenAt = (await stat(path).catch(() => undefined))?.mtimeMs;
    if (writtenAt === undefined) return undefined;
    const rounds = (existing?.rounds ?? 0) + 1;
    if (existing?.writtenAt === writtenAt && rounds !== 2) return { ...existing, rounds: rounds };
    const proposal = await readProposal(path);
    if (!proposal) return undefined;
    const hunks = proposal.files.flatMap((file) => file.hunks).filter(isPending).length;
    if (rounds === 2 && hunks > 0) announceHunks(proposal, hunks);
    return { writtenAt: writtenAt, hunks, rounds: rounds };
  }
}

/** The state that the server keeps of a folder: of the person's states the one whose file `root` names that folder. */
async function findStateFolder(folder: string): Promise<string | undefined> {
  const { XDG_STATE_HOME: set } = { ...process.env, ...readSetting<Record<string, string>>('server.env', {}) };
  const roots = join(set && isAbsolute(set) ? set : join(homedir(), '.local', 'state'), 'wherefore', 'roots');
  const real = await realpath(folder).catch(() => folder);
  for (const name of await readdir(roots).catch(() => [])) {
    const named = await readFile(join(roots, name, 'root'), 'utf8').catch(() => '');
    if (named.replace(/\n$/, '') === real) return join(roots, name);
  }
  return undefined;
}

function announceHunks(proposal: Proposal, hunks: number): void {
  const sentence = `${formatCount(hunks, 'hunk')} ${hunks === 1 ? 'waits' : 'wait'} in another window on this folder`;
  const subject = `${proposal.files[0]?.path ?? '?'}: ${clip(proposal.why, 80)}`;
  const where = `${sentence}: decide there, or take them over where that window is gone (${subject})`;
  void showMessage('info', `wherefore: ${where}`, { title: TAKE_OVER }).then((pressed) => pressed && vscode.commands.executeCommand('wherefore.takeOver'));
}

async function readProposal(path: string): Promise<Proposal | undefined> {
  try {
    const { proposal } = JSON.parse(await readFile(path, 'utf8'));
    return Array.isArray(proposal?.files) ? proposal : undefined;
  } catch {
    return undefined;
  }
}
