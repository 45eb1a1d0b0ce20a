// Connects an agent: the program's own `init` says what it would write and writes it, once the person has seen it and agreed.

import * as vscode from 'vscode';
import { AGENTS, isFound, type Agent } from './agents';
import type { Documents } from './documents';
import { remark, tell, warn } from './notify';
import { run } from './run';
import { plain, sentence } from './text';

/** Where it is kept that an agent is connected to this workspace. */
const CONNECTED = 'agent.connected';

const TITLE = 'Connect an Agent';

/** What is shown before it is written. */
const SHOWN = vscode.Uri.from({ scheme: 'wherefore', authority: 'connect', path: '/What connecting writes.diff' });

/** What the person chose. */
interface Chosen {
  folder: vscode.WorkspaceFolder;
  agents: Agent[];
  /** Whether the agents' own edits, commands and reads come through hooks. */
  hooks: boolean;
}

/** The act, and whether it was done. */
export class Connect {
  private text = '';

  /** `program` gives the path by which agents are to start the program. */
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly documents: Documents,
    private readonly program: () => Promise<string>,
  ) {
    documents.add('connect', async () => this.text);
    this.tellContext();
  }

  /** An agent called a tool here, or was set up to. */
  connected(): void {
    if (this.context.workspaceState.get(CONNECTED, false)) return;
    void this.context.workspaceState.update(CONNECTED, true).then(() => this.tellContext());
  }

  /** Asks which agents and how, shows what is written, asks, and writes. */
  async connect(): Promise<void> {
    if (!vscode.workspace.isTrusted) return warn('trust this folder first: agents are set up in its files');
    try {
      const chosen = await choose();
      if (chosen) await this.carryOut(chosen, await this.program());
    } catch (thrown) {
      warn(`no agent was connected: ${sentence(thrown)}`);
    }
  }

  private async carryOut(chosen: Chosen, program: string): Promise<void> {
    let plan = await planned(chosen, program);
    for (;;) {
      if (!plan.isWork) {
        this.connected();
        return remark(`${names(chosen.agents)}: set up already`);
      }
      if (!(await this.agreed(plan.text))) return remark('nothing is written');
      // What is written is what was seen.
      const now = await planned(chosen, program);
      if (now.text === plan.text) break;
      plan = now;
    }
    const said = (await init(chosen, program, ['--yes'])).join('\n');
    await closeShown();
    this.connected();
    const next = [...said.matchAll(/^Written: .*\n((?: {2}.*\n)*)/gm)].flatMap(([, rows = '']) => rows.split('\n').map((row) => row.trim()).filter(Boolean));
    const message = [`wherefore: ${names(chosen.agents)}: set up.`, ...new Set(next), 'Start the agent in this folder and ask it for a change.'];
    const pressed = await tell('info', message.join(' '), { title: 'Open Terminal' });
    if (pressed) vscode.window.createTerminal({ cwd: chosen.folder.uri }).show();
  }

  /** Whether the person wants what the document shows to be written. */
  private async agreed(text: string): Promise<boolean> {
    this.text = text;
    this.documents.changed(SHOWN);
    await vscode.window.showTextDocument(SHOWN, { preview: true, preserveFocus: true });
    const files = [...new Set([...text.matchAll(/^\+\+\+ (?:b\/)?(.+)$/gm)].map(([, file]) => file))];
    const items = [
      { label: '$(check) Write It', description: files.join(', '), answer: 'yes' },
      { label: '$(eye) Read It First', description: 'A message asks again', answer: 'read' },
      { label: '$(close) Cancel', answer: 'no' },
    ];
    const picked = await vscode.window.showQuickPick(items, { title: `${TITLE}: write what the editor shows?`, ignoreFocusOut: true });
    if (picked?.answer !== 'read') return picked?.answer === 'yes';
    await vscode.window.showTextDocument(SHOWN, { preview: true });
    return (await tell('warning', 'wherefore: write what the editor shows?', { title: 'Write It' }, { title: 'Cancel' }))?.title === 'Write It';
  }

  private tellContext(): void {
    void vscode.commands.executeCommand('setContext', 'wherefore.connected', this.context.workspaceState.get(CONNECTED, false));
  }
}

/** Asks for the folder, the agents and the way; undefined where the person turns away. */
async function choose(): Promise<Chosen | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick({ placeHolder: 'The folder that the agent works in' }) : folders[0];
  if (!folder) {
    if (folders.length === 0) warn('open the folder that the agent works in first');
    return undefined;
  }
  const agents = await chooseAgents(folder.uri.fsPath);
  if (!agents || agents.length === 0) return undefined;
  const hooks = agents.some((agent) => agent.hooks) ? await chooseHooks(agents) : false;
  return hooks === undefined ? undefined : { folder, agents, hooks };
}

async function chooseAgents(root: string): Promise<Agent[] | undefined> {
  const all = AGENTS.map((agent) => ({ agent, found: isFound(agent, root) }));
  const sorted = all.toSorted((one, other) => Number(other.found) - Number(one.found));
  const items = sorted.map(({ agent, found }) => ({ label: agent.name, description: found ? 'found here' : '', picked: found, agent }));
  const placeHolder = "Which agents? VS Code's own is offered wherefore already";
  const picked = await vscode.window.showQuickPick(items, { title: TITLE, placeHolder, canPickMany: true, ignoreFocusOut: true });
  return picked?.map(({ agent }) => agent);
}

/** Whether hooks are wanted. */
async function chooseHooks(agents: Agent[]): Promise<boolean | undefined> {
  const without = agents.filter((agent) => !agent.hooks);
  const but = without.length > 0 ? `; ${names(without)} has no hooks` : '';
  const items = [
    { label: "Review the agent's own edits, too", detail: `Hooks send its own edits, commands and reads through wherefore${but}`, hooks: true },
    { label: "Only add wherefore's tools", detail: 'What the agent does with its own tools goes past wherefore', hooks: false },
  ];
  return (await vscode.window.showQuickPick(items, { title: TITLE, placeHolder: 'How?', ignoreFocusOut: true }))?.hooks;
}

/** What `init` would write, and whether that is anything. */
async function planned(chosen: Chosen, program: string): Promise<{ text: string; isWork: boolean }> {
  const root = chosen.folder.uri.fsPath;
  const said = (await init(chosen, program, ['--diff'])).join('\n');
  const shown = said.replace(/^Nothing is written\..*\n?/gm, '');
  const head = ['# What connecting writes', '#', `# Agents: ${names(chosen.agents)}`, `# Folder: ${root}`, `# Program that they start: ${program}`];
  const text = [...head, '', shown].join('\n').replace(/\n{3,}/g, '\n\n');
  return { text: plain(text), isWork: /^Nothing is written\./m.test(said) };
}

/** Runs `init`, and `init --guard` where hooks are wanted; gives what each said. */
async function init({ folder, agents, hooks }: Chosen, program: string, how: string[]): Promise<string[]> {
  const root = folder.uri.fsPath;
  const of = (list: Agent[]): string => list.map(({ id }) => id).join(',');
  const runs = [['--agents', of(agents)], ...(hooks ? [['--guard', '--agents', of(agents.filter((agent) => agent.hooks))]] : [])];
  const said: string[] = [];
  for (const args of runs) {
    // With the agents' programs on the PATH it would go on to write what Codex trusts, which nobody has seen.
    const { ok, out, err } = await run(program, ['init', '--absolute', ...args, ...how, root], root, { PATH: '' });
    if (!ok) throw new Error(err.trim() || out.trim());
    said.push(out);
  }
  return said;
}

/** Closes what was shown. */
async function closeShown(): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const shown = tabs.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === SHOWN.toString());
  await vscode.window.tabGroups.close(shown, true);
}

function names(agents: Agent[]): string {
  return agents.map(({ name }) => name).join(', ');
}
