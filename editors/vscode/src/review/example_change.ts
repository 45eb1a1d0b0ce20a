// An example change: a call of this window's own, with no agent, decided on as any other.

import * as vscode from 'vscode';
import { showRemark, showMessage, warn } from '../messages';
import type { ProposalStore } from './proposal_store';
import { runProgram, type ProgramOutput } from '../server/run_program';
import { waitFor } from '../show_document';
import { describeError } from '../text';
import type { CallNotice, Proposal } from '../server/wire';

const FILE_NAME = 'wherefore-example.md';
const AGENT_NAME = 'example';

/** The time that a proposal may take to come. */
const ARRIVE_MS = 15_000;

/** The time that a person may take to decide. */
const DECIDED_MS = 3_600_000;

const FIRST_TEXT = `# An example of wherefore

Nothing of this file was on the disk until you accepted it.

- Above each change stands its reason, in the agent's words.
- You decide on each hunk by itself: accept, reject or edit it.
- This line says nothing, and is to go.
- A rejected hunk can carry a word for the agent.

This sentence has a mistke in it.

The agent hears what you decided. \`Wherefore: Undo the Last Call\` takes a whole call back.

You can delete this file.
`;

const SECOND_TEXT = FIRST_TEXT.replace('until you accepted it', 'before you accepted it')
  .replace('- This line says nothing, and is to go.\n', '')
  .replace('mistke', 'mistake')
  .replace(/$/, '\nThis line is new. Reject it, edit it or keep it.\n');

const WHYS = ['Show you how a new file of an agent waits for your decision', 'Correct the example, in several hunks that you decide on one by one'];

/** The act. */
export class ExampleChange implements vscode.Disposable {
  private abort: AbortController | undefined;

  constructor(
    private readonly store: ProposalStore,
    private readonly locateProgram: () => Promise<string>,
  ) {}

  /** Proposes a new file, then a change of it in several hunks; each opens in the review. */
  async runExample(): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
    if (!folder) return warn('open a folder first: the example is a file in it');
    if (this.abort) return void vscode.commands.executeCommand('wherefore.review');
    const file = vscode.Uri.joinPath(folder.uri, FILE_NAME);
    this.abort = new AbortController();
    try {
      const isThere = (): Thenable<boolean> => vscode.workspace.fs.stat(file).then(() => true, () => false);
      if (!(await isThere())) await this.proposeText(folder, FIRST_TEXT, WHYS[0] ?? '');
      if (!(await isThere())) return showRemark('the example was rejected: no file was written');
      await this.proposeText(folder, SECOND_TEXT, WHYS[1] ?? '');
      await vscode.commands.executeCommand('setContext', 'wherefore.tried', true);
      void offerNextSteps(file);
    } catch (thrown) {
      warn(`the example: ${describeError(thrown)}`);
    } finally {
      this.abort = undefined;
    }
  }

  dispose(): void {
    this.abort?.abort();
  }

  /** Makes the call, opens its proposal, and waits until it is decided on. */
  private async proposeText({ uri }: vscode.WorkspaceFolder, content: string, why: string): Promise<void> {
    const args = ['call', 'fs.write', '--root', uri.fsPath, '--policy', 'ask', '--agent', AGENT_NAME, JSON.stringify({ path: FILE_NAME, content, why })];
    const before = new Set(this.store.listEntries().map(({ proposal }) => proposal.id));
    const call = runProgram(await this.locateProgram(), args, uri.fsPath, {}, this.abort?.signal);
    const proposalId = await Promise.race([this.waitForProposal(before), call]);
    if (typeof proposalId === 'string') {
      await vscode.commands.executeCommand('wherefore.review', { proposal: proposalId });
      // The call does not wait for as long as a person may.
      await Promise.all([call, waitFor(this.store.onChange, () => this.store.listOfProposal(proposalId).length === 0, DECIDED_MS)]);
    } else {
      const { err, out }: ProgramOutput = await call;
      throw new Error(err.trim() || out.trim());
    }
  }

  /** The id of the example's proposal, once it waits. */
  private waitForProposal(before: Set<string>): Promise<string | undefined> {
    return new Promise((resolve) => {
      const finish = (id: string | undefined): void => {
        clearTimeout(timer);
        listener.dispose();
        resolve(id);
      };
      const timer = setTimeout(() => finish(undefined), ARRIVE_MS);
      const listener = this.store.onChange(() => {
        const found = this.store.listEntries().find(({ proposal, file }) => file.path === FILE_NAME && !before.has(proposal.id));
        if (found) finish(found.proposal.id);
      });
    });
  }
}

/** True if an agent makes a call, and not a person at a terminal, or the example. */
export function isFromAgent({ origin: { agent, door } }: CallNotice): boolean {
  return door !== 'cli' && Boolean(agent) && agent !== AGENT_NAME;
}

/** True if the example made a proposal. */
export function isFromExample({ origin: { agent } }: Proposal): boolean {
  return agent === AGENT_NAME;
}

/** Says that it is over, and what is next. */
async function offerNextSteps(file: vscode.Uri): Promise<void> {
  const sentence = 'wherefore: that was the example. A connected agent proposes its changes in the same way.';
  const pressed = await showMessage('info', sentence, { title: 'Connect an Agent…' }, { title: 'Delete the Example' });
  if (pressed?.title === 'Delete the Example') await vscode.workspace.fs.delete(file, { useTrash: false });
  else if (pressed) await vscode.commands.executeCommand('wherefore.connect');
}
