// Hunks of this folder that another server holds, as that of a second window on it does: this window cannot show them, so it
// says where they are.

import * as vscode from 'vscode';
import { showMessage } from '../messages';
import type { ServerClient } from '../server/client';
import type { HeldProposal } from '../server/wire';
import { clip, describeError, formatCount } from '../text';

/** The button that takes over what the server of another window held. */
const TAKE_OVER = 'Take Over Here';

/** The hunks that wait in another window. */
export class OtherWindowHunks {
  /** The proposals that a message named. */
  private announced = new Set<string>();
  /** The number of hunks that wait there. */
  hunks = 0;

  constructor(
    private readonly server: ServerClient,
    private readonly onChange: () => void,
    private readonly output: vscode.LogOutputChannel,
  ) {}

  /** Asks the server for them: when it begins, when it ends, and when it says that they changed. */
  async refresh(): Promise<void> {
    const held = await this.listHeld();
    for (const proposal of held.filter(({ id }) => !this.announced.has(id))) announceHunks(proposal);
    this.announced = new Set(held.map(({ id }) => id));
    const hunks = held.reduce((sum, proposal) => sum + proposal.hunks, 0);
    if (hunks === this.hunks) return;
    this.hunks = hunks;
    this.onChange();
  }

  private async listHeld(): Promise<HeldProposal[]> {
    if (!this.server.isRunning) return [];
    try {
      return (await this.server.request('heldElsewhere', {})).proposals;
    } catch (thrown) {
      this.output.warn(`what waits in other windows could not be read: ${describeError(thrown)}`);
      return [];
    }
  }
}

function announceHunks({ hunks, path, why }: HeldProposal): void {
  const sentence = `${formatCount(hunks, 'hunk')} ${hunks === 1 ? 'waits' : 'wait'} in another window on this folder`;
  const where = `${sentence}: decide there, or take them over where that window is gone (${path}: ${clip(why, 80)})`;
  void showMessage('info', `wherefore: ${where}`, { title: TAKE_OVER }).then((pressed) => pressed && vscode.commands.executeCommand('wherefore.takeOver'));
}
