// Connects an agent: the program's own `init` says what it would write and writes it, once the person has seen it and agreed.

import * as vscode from 'vscode';
import { isInUse, type KnownAgent } from './agent_detection';
import type { VirtualDocuments } from '../virtual_documents';
import { AGENTS } from './known_agents';
import { showRemark, showMessage, warn } from '../messages';
import { runProgram } from '../server/run_program';
import { escapeHidden, describeError } from '../text';

/** The key under which a workspace remembers its connected agent. */
const CONNECTED = 'agent.connected';

const TITLE = 'Connect an Agent';

/** The document that shows what is to be written. */
const PLAN_URI = vscode.Uri.from({ scheme: 'wherefore', authority: 'connect', path: '/What connecting writes.diff' });

/** The choices of the person. */
interface AgentSetup {
  folder: vscode.WorkspaceFolder;
  agents: KnownAgent[];
  /** True if the agents' own edits, commands and reads come through hooks. */
  hooks: boolean;
}

/** The act, and whether it was done. */
export class AgentConnector {
  private text = '';

  /** `program` gives the path by which agents are to start the program. */
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly documents: VirtualDocuments,
    private readonly locateProgram: () => Promise<string>,
  ) {
    documents.addKind('connect', async () => this.text);
    this.setContextKey();
  }

  /** An agent called a tool here, or was set up to. */
  noteConnected(): void {
    if (this.context.workspaceState.get(CONNECTED, false)) return;
    void this.context.workspaceState.update(CONNECTED, true).then(() => this.setContextKey());
  }

  /** Asks which agents and how, shows what is written, asks, and writes. */
  async connectAgents(): Promise<void> {
    if (!vscode.workspace.isTrusted) return warn('trust this folder first: agents are set up in its files');
    try {
      const chosen = await chooseSetup();
      if (chosen) await this.writeSetup(chosen, await this.locateProgram());
    } catch (thrown) {
      warn(`no agent was connected: ${describeError(thrown)}`);
    }
  }

  private async writeSetup(chosen: AgentSetup, program: string): Promise<void> {
    let plan = await makePlan(chosen, program);
    for (;;) {
      if (!plan.isWork) {
        this.noteConnected();
        return showRemark(`${joinNames(chosen.agents)}: set up already`);
      }
      if (!(await this.confirmPlan(plan.text))) return showRemark('nothing is written');
      // What is written is what was seen.
      const now = await makePlan(chosen, program);
      if (now.text === plan.text) break;
      plan = now;
    }
    const report = (await runInit(chosen, program, ['--yes'])).join('\n');
    await closePlan();
    this.noteConnected();
    const next = [...report.matchAll(/^Written: .*\n((?: {2}.*\n)*)/gm)].flatMap(([, rows = '']) => rows.split('\n').map((row) => row.trim()).filter(Boolean));
    const message = [`wherefore: ${joinNames(chosen.agents)}: set up.`, ...new Set(next), 'Start the agent in this folder and ask it for a change.'];
    const pressed = await showMessage('info', message.join(' '), { title: 'Open Terminal' });
    if (pressed) vscode.window.createTerminal({ cwd: chosen.folder.uri }).show();
  }

  /** True if the person wants what the document shows to be written. */
  private async confirmPlan(text: string): Promise<boolean> {
    this.text = text;
    this.documents.noteChange(PLAN_URI);
    await vscode.window.showTextDocument(PLAN_URI, { preview: true, preserveFocus: true });
    const files = [...new Set([...text.matchAll(/^\+\+\+ (?:b\/)?(.+)$/gm)].map(([, file]) => file))];
    const items = [
      { label: '$(check) Write It', description: files.join(', '), answer: 'yes' },
      { label: '$(eye) Read It First', description: 'A message asks again', answer: 'read' },
      { label: '$(close) Cancel', answer: 'no' },
    ];
    const picked = await vscode.window.showQuickPick(items, { title: `${TITLE}: write what the editor shows?`, ignoreFocusOut: true });
    if (picked?.answer !== 'read') return picked?.answer === 'yes';
    await vscode.window.showTextDocument(PLAN_URI, { preview: true });
    return (await showMessage('warning', 'wherefore: write what the editor shows?', { title: 'Write It' }, { title: 'Cancel' }))?.title === 'Write It';
  }

  private setContextKey(): void {
    void vscode.commands.executeCommand('setContext', 'wherefore.connected', this.context.workspaceState.get(CONNECTED, false));
  }
}

/** Asks for the folder, the agents and the way; undefined where the person turns away. */
async function chooseSetup(): Promise<AgentSetup | undefined> {
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

async function chooseAgents(root: string): Promise<KnownAgent[] | undefined> {
  const all = AGENTS.map((agent) => ({ agent, found: isInUse(agent, root) }));
  const sorted = all.toSorted((one, other) => Number(other.found) - Number(one.found));
  const items = sorted.map(({ agent, found }) => ({ label: agent.name, description: found ? 'found here' : '', picked: found, agent }));
  const placeHolder = "Which agents? VS Code's own is offered wherefore already";
  const picked = await vscode.window.showQuickPick(items, { title: TITLE, placeHolder, canPickMany: true, ignoreFocusOut: true });
  return picked?.map(({ agent }) => agent);
}

/** True if hooks are wanted. */
async function chooseHooks(agents: KnownAgent[]): Promise<boolean | undefined> {
  const without = agents.filter((agent) => !agent.hooks);
  const but = without.length > 0 ? `; ${joinNames(without)} has no hooks` : '';
  const items = [
    { label: "Review the agent's own edits, too", detail: `Hooks send its own edits, commands and reads through wherefore${but}`, hooks: true },
    { label: "Only add wherefore's tools", detail: 'What the agent does with its own tools goes past wherefore', hooks: false },
  ];
  return (await vscode.window.showQuickPick(items, { title: TITLE, placeHolder: 'How?', ignoreFocusOut: true }))?.hooks;
}

/** Asks `init` what it would write, and whether that is anything. */
async function makePlan(chosen: AgentSetup, program: string): Promise<{ text: string; isWork: boolean }> {
  const root = chosen.folder.uri.fsPath;
  const report = (await runInit(chosen, program, ['--diff'])).join('\n');
  const visibleText = report.replace(/^Nothing is written\..*\n?/gm, '');
  const head = ['# What connecting writes', '#', `# Agents: ${joinNames(chosen.agents)}`, `# Folder: ${root}`, `# Program that they start: ${program}`];
  const text = [...head, '', visibleText].join('\n').replace(/\n{3,}/g, '\n\n');
  return { text: escapeHidden(text), isWork: /^Nothing is written\./m.test(report) };
}

/** Runs `init`, and `init --guard` where hooks are wanted; gives what each said. */
async function runInit({ folder, agents, hooks }: AgentSetup, program: string, how: string[]): Promise<string[]> {
  const root = folder.uri.fsPath;
  const joinIds = (list: KnownAgent[]): string => list.map(({ id }) => id).join(',');
  const runs = [['--agents', joinIds(agents)], ...(hooks ? [['--guard', '--agents', joinIds(agents.filter((agent) => agent.hooks))]] : [])];
  const reports: string[] = [];
  for (const args of runs) {
    // With the agents' programs on the PATH it would go on to write what Codex trusts, which nobody has seen.
    const { ok, out, err } = await runProgram(program, ['init', '--absolute', ...args, ...how, root], root, { PATH: '' });
    if (!ok) throw new Error(err.trim() || out.trim());
    reports.push(out);
  }
  return reports;
}

/** Closes what was shown. */
async function closePlan(): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const planTabs = tabs.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === PLAN_URI.toString());
  await vscode.window.tabGroups.close(planTabs, true);
}

function joinNames(agents: KnownAgent[]): string {
  return agents.map(({ name }) => name).join(', ');
}
