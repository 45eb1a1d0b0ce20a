// What a person does with a file of the working set, and with the set: each word of theirs, and what became of it.

import * as vscode from 'vscode';
import { remark, warn } from './notify';
import type { Server } from './server';
import { clip, count, sentence } from './text';
import { isPlaced } from './views/workingset';
import type { HintAct } from './wire';

/** What asks for a why: what an agent will wonder about. A pin speaks for itself. */
const WONDERED: Partial<Record<HintAct, string>> = {
  hot: 'Why does it matter? Agents read this; it may stay empty.',
  cold: 'Why does it not matter? Agents read this; it may stay empty.',
};

/** The acts. */
export class WorkingActs {
  constructor(private readonly server: Server) {}

  /** Says something of a file: of the one whose row was pressed, else of the one in the active editor. */
  async hint(argument: unknown, advice: HintAct): Promise<void> {
    const of = fileOf(argument);
    if (!of) return remark('open a file of the workspace, or press a row of the working set');
    const why = await asked(of.path, advice);
    if (why === undefined) return;
    try {
      const { path, outcome, reason } = await this.server.ask('hint', { ...of, advice, why: why === '' ? null : why });
      const said = `${path}: ${outcome}: ${reason}`;
      if (outcome === 'deferred' || outcome === 'overridden') warn(clip(said, 400));
      else remark(clip(said, 200));
    } catch (thrown) {
      warn(sentence(thrown));
    }
  }

  /** Lets what cooled leave the set, in every folder. */
  async collect(): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
    try {
      const answers = await Promise.all(folders.map((folder) => this.server.ask('collect', { root: folder.uri.fsPath })));
      const dropped = answers.flatMap((answer) => answer.dropped);
      const names = dropped.map(({ path }) => path).join(', ');
      remark(dropped.length === 0 ? 'nothing leaves the working set: what is open, marked, pinned or under review stays' : clip(`${count(dropped.length, 'file')} left the working set: ${names}`, 200));
    } catch (thrown) {
      warn(sentence(thrown));
    }
  }
}

/** The why; empty where there is none, nothing where the person thought better of it. */
async function asked(path: string, advice: HintAct): Promise<string | undefined> {
  const placeHolder = WONDERED[advice];
  if (placeHolder === undefined) return '';
  const said = await vscode.window.showInputBox({ title: `Mark ${clip(path, 80)} as ${advice}`, placeHolder });
  return said?.trim();
}

function fileOf(argument: unknown): { path: string; root: string } | undefined {
  if (isPlaced(argument)) return { path: argument.file.path, root: argument.root.fsPath };
  const uri = vscode.window.activeTextEditor?.document.uri;
  const folder = uri?.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(uri) : undefined;
  return uri && folder && { path: uri.fsPath, root: folder.uri.fsPath };
}
