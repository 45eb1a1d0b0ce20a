// An example change: a call of this window's own, with no agent, decided on as any other.

import * as vscode from 'vscode';
import { remark, tell, warn } from './notify';
import type { Review } from './review';
import { run, type Said } from './run';
import { soon } from './show';
import { sentence } from './text';
import type { CallNotice, Proposal } from './wire';

const FILE = 'wherefore-example.md';
const AGENT = 'example';

/** How long a proposal may take to come. */
const COMES_MS = 15_000;

/** How long a person may take to decide. */
const DECIDED_MS = 3_600_000;

const FIRST = `# An example of wherefore

Nothing of this file was on the disk until you accepted it.

- Above each change stands its reason, in the agent's words.
- You decide on each hunk by itself: accept, reject or edit it.
- This line says nothing, and is to go.
- A rejected hunk can carry a word for the agent.

This sentence has a mistke in it.

The agent hears what you decided. \`Wherefore: Undo the Last Call\` takes a whole call back.

You can delete this file.
`;

const SECOND = FIRST.replace('until you accepted it', 'before you accepted it')
  .replace('- This line says nothing, and is to go.\n', '')
  .replace('mistke', 'mistake')
  .replace(/$/, '\nThis line is new. Reject it, edit it or keep it.\n');

const WHYS = ['Show you how a new file of an agent waits for your decision', 'Correct the example, in several hunks that you decide on one by one'];

/** The act. */
export class Example implements vscode.Disposable {
  private over: AbortController | undefined;

  constructor(
    private readonly review: Review,
    private readonly program: () => Promise<string>,
  ) {}

  /** Proposes a new file, then a change of it in several hunks; each opens in the review. */
  async play(): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
    if (!folder) return warn('open a folder first: the example is a file in it');
    if (this.over) return void vscode.commands.executeCommand('wherefore.review');
    const file = vscode.Uri.joinPath(folder.uri, FILE);
    this.over = new AbortController();
    try {
      const isThere = (): Thenable<boolean> => vscode.workspace.fs.stat(file).then(() => true, () => false);
      if (!(await isThere())) await this.propose(folder, FIRST, WHYS[0] ?? '');
      if (!(await isThere())) return remark('the example was rejected: no file was written');
      await this.propose(folder, SECOND, WHYS[1] ?? '');
      await vscode.commands.executeCommand('setContext', 'wherefore.tried', true);
      void offer(file);
    } catch (thrown) {
      warn(`the example: ${sentence(thrown)}`);
    } finally {
      this.over = undefined;
    }
  }

  dispose(): void {
    this.over?.abort();
  }

  /** Makes the call, opens its proposal, and waits until it is decided on. */
  private async propose({ uri }: vscode.WorkspaceFolder, content: string, why: string): Promise<void> {
    const args = ['call', 'fs.write', '--root', uri.fsPath, '--policy', 'ask', '--agent', AGENT, JSON.stringify({ path: FILE, content, why })];
    const before = new Set(this.review.entries().map(({ proposal }) => proposal.id));
    const call = run(await this.program(), args, uri.fsPath, {}, this.over?.signal);
    const came = await Promise.race([this.comes(before), call]);
    if (typeof came === 'string') {
      await vscode.commands.executeCommand('wherefore.review', { proposal: came });
      // The call does not wait for as long as a person may.
      await Promise.all([call, soon(this.review.onChange, () => this.review.proposal(came).length === 0, DECIDED_MS)]);
    } else {
      const { err, out }: Said = await call;
      throw new Error(err.trim() || out.trim());
    }
  }

  /** The id of the example's proposal, once it waits. */
  private comes(before: Set<string>): Promise<string | undefined> {
    return new Promise((done) => {
      const end = (id: string | undefined): void => {
        clearTimeout(timer);
        listener.dispose();
        done(id);
      };
      const timer = setTimeout(() => end(undefined), COMES_MS);
      const listener = this.review.onChange(() => {
        const found = this.review.entries().find(({ proposal, file }) => file.path === FILE && !before.has(proposal.id));
        if (found) end(found.proposal.id);
      });
    });
  }
}

/** Whether an agent makes a call, and not a person at a terminal, or the example. */
export function isAgent({ origin: { agent, door } }: CallNotice): boolean {
  return door !== 'cli' && Boolean(agent) && agent !== AGENT;
}

/** Whether the example made a proposal. */
export function isExample({ origin: { agent } }: Proposal): boolean {
  return agent === AGENT;
}

/** Says that it is over, and what is next. */
async function offer(file: vscode.Uri): Promise<void> {
  const said = 'wherefore: that was the example. A connected agent proposes its changes in the same way.';
  const pressed = await tell('info', said, { title: 'Connect an Agent…' }, { title: 'Delete the Example' });
  if (pressed?.title === 'Delete the Example') await vscode.workspace.fs.delete(file, { useTrash: false });
  else if (pressed) await vscode.commands.executeCommand('wherefore.connect');
}
