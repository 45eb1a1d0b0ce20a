// A person's acts on a file of the working set, and on the set: each word of theirs, and what became of it.

import * as vscode from 'vscode';
import { showRemark, warn } from './messages';
import type { ServerClient } from './server/client';
import { clip, formatCount, describeError } from './text';
import { isWorkingSetRow } from './working_set_view';
import type { HintAct } from './server/wire';

/** The acts that ask for a why: what an agent will wonder about. A pin speaks for itself. */
const WHY_PROMPTS: Partial<Record<HintAct, string>> = {
  hot: 'Why does it matter? Agents read this; it may stay empty.',
  cold: 'Why does it not matter? Agents read this; it may stay empty.',
};

/** The acts. */
export class WorkingSetActions {
  constructor(private readonly server: ServerClient) {}

  /** Says something of a file: of the one whose row was pressed, else of the one in the active editor. */
  async giveHint(argument: unknown, advice: HintAct): Promise<void> {
    const file = findFile(argument);
    if (!file) return showRemark('open a file of the workspace, or press a row of the working set');
    const why = await askWhy(file.path, advice);
    if (why === undefined) return;
    try {
      const { path, outcome, reason } = await this.server.request('hint', { ...file, advice, why: why === '' ? null : why });
      const sentence = `${path}: ${outcome}: ${reason}`;
      if (outcome === 'deferred' || outcome === 'overridden') warn(clip(sentence, 400));
      else showRemark(clip(sentence, 200));
    } catch (thrown) {
      warn(describeError(thrown));
    }
  }

  /** Lets what cooled leave the set, in every folder. */
  async collectCooled(): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
    try {
      const answers = await Promise.all(folders.map((folder) => this.server.request('collect', { root: folder.uri.fsPath })));
      const dropped = answers.flatMap((answer) => answer.dropped);
      const names = dropped.map(({ path }) => path).join(', ');
      showRemark(dropped.length === 0 ? 'nothing leaves the working set: what is open, marked, pinned or under review stays' : clip(`${formatCount(dropped.length, 'file')} left the working set: ${names}`, 200));
    } catch (thrown) {
      warn(describeError(thrown));
    }
  }
}

/** The why; empty where there is none, nothing where the person thought better of it. */
async function askWhy(path: string, advice: HintAct): Promise<string | undefined> {
  const placeHolder = WHY_PROMPTS[advice];
  if (placeHolder === undefined) return '';
  const answer = await vscode.window.showInputBox({ title: `Mark ${clip(path, 80)} as ${advice}`, placeHolder });
  return answer?.trim();
}

function findFile(argument: unknown): { path: string; root: string } | undefined {
  if (isWorkingSetRow(argument)) return { path: argument.file.path, root: argument.root.fsPath };
  const uri = vscode.window.activeTextEditor?.document.uri;
  const folder = uri?.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(uri) : undefined;
  return uri && folder && { path: uri.fsPath, root: folder.uri.fsPath };
}
