// Undo and redo of calls. An undo of the last call that follows another one asks before it goes on to the call before.

import * as vscode from 'vscode';
import type { DeletedFiles } from '../review/deleted_files';
import { showRemark, showMessage, warn } from '../messages';
import { isPending } from '../review/proposal_store';
import type { ServerClient } from '../server/client';
import { clip, formatCount, describeError } from '../text';
import type { Proposal, UndoAnswer } from '../server/wire';

/** A call or an undo that is named, in its folder. */
interface NamedCall {
  call: string;
  root: string | null;
}

/** An undo that was made here. */
interface PastUndo {
  answer: UndoAnswer;
  root: string | null;
  /** The time at which it was asked for. */
  time: number;
}

/** The acts to choose from where the last call was undone just before. */
interface UndoChoice extends vscode.QuickPickItem {
  act: 'redo' | 'undo';
}

/** The acts. */
export class CallUndo {
  /** The undos that were made here and are not made again, the oldest first. */
  private undos: PastUndo[] = [];
  /** True if the last undo is the last thing that changed a file, as far as it is known here. */
  private isLast = false;
  /** The act that was begun last. */
  private turn: Promise<unknown> = Promise.resolve();

  /** `changed` is called once a call is undone or made again. */
  constructor(
    private readonly server: ServerClient,
    private readonly deletedFiles: DeletedFiles,
    private readonly onChange: () => void,
  ) {}

  /** Takes proposals as the server holds them now: one that was applied since the last undo is the last call. */
  takeProposals(list: Proposal[]): void {
    const since = this.undos.at(-1)?.time ?? 0;
    const isApplied = ({ files }: Proposal): boolean => files.some(({ hunks }) => hunks.some((hunk) => !isPending(hunk)));
    if (list.some((proposal) => Date.parse(proposal.created) > since && isApplied(proposal))) this.isLast = false;
  }

  /** Takes back the call that is named, or the last one that changed a file. */
  async undoCall(named?: NamedCall): Promise<void> {
    const undone = await this.runInTurn(() => this.undoNow(named));
    if (!undone) return;
    const { answer, root } = undone;
    const pressed = await showMessage('info', `wherefore: ${answer.call} undone: ${answer.paths.join(', ')}`, { title: 'Redo' });
    if (pressed) await this.redoCall({ call: answer.undo_id, root });
  }

  /** Makes a call again that was undone: by the undo that is named, or the last one that was made here. */
  redoCall(named?: NamedCall): Promise<void> {
    return this.runInTurn(() => this.redoNow(named));
  }

  /** Runs an act after the one before has ended: a key that is pressed twice finds what its first press did. */
  private runInTurn<T>(act: () => Promise<T>): Promise<T> {
    const run = this.turn.then(act);
    this.turn = run.catch(() => undefined);
    return run;
  }

  private async undoNow(named?: NamedCall): Promise<PastUndo | undefined> {
    const last = this.undos.at(-1);
    if (!named && last && this.isLast) {
      const act = await this.askWhichUndo(last);
      if (act === 'redo') await this.redoNow();
      if (act !== 'undo') return undefined;
    }
    const root = named ? named.root : findRootOfEditor();
    // A change may be proposed, and accepted, while the answer is on its way.
    const time = Date.now();
    const answer = await this.requestUndo({ call: named?.call ?? null, root });
    if (!answer) return undefined;
    if ((answer.withdrawn ?? 0) > 0) showRemark(`${formatCount(answer.withdrawn ?? 0, 'hunk')} of ${answer.call} that waited ${answer.withdrawn === 1 ? 'is' : 'are'} rejected`);
    if (answer.paths.length === 0) return undefined;
    const undone = { answer, root, time };
    this.undos.push(undone);
    this.isLast = true;
    return undone;
  }

  private async redoNow(named?: NamedCall): Promise<void> {
    const last = this.undos.at(-1);
    const undo = named ?? (last && { call: last.answer.undo_id, root: last.root });
    if (!undo) return showRemark('nothing was undone in this window');
    this.isLast = false;
    const answer = await this.requestUndo(undo);
    if (!answer) return;
    const id = undo.call.split('/').at(-1);
    const found = this.undos.find((each) => each.answer.undo_id === id);
    this.undos = this.undos.filter((each) => each !== found);
    showRemark(`${found?.answer.call ?? answer.call} is made again: ${clip(answer.paths.join(', '), 200)}`);
  }

  /** Asks what an undo means that follows another one. */
  private async askWhichUndo({ answer }: PastUndo): Promise<UndoChoice['act'] | undefined> {
    const items: UndoChoice[] = [
      { label: `$(redo) Redo ${answer.call}`, detail: clip(answer.paths.join(', '), 200), act: 'redo' },
      { label: '$(discard) Undo the call before it as well', act: 'undo' },
    ];
    return (await vscode.window.showQuickPick(items, { title: `${answer.call} is undone already` }))?.act;
  }

  private async requestUndo({ call, root }: { call: string | null; root: string | null }): Promise<UndoAnswer | undefined> {
    try {
      const answer = await this.server.request('undo', { call, root });
      this.onChange();
      const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => root === null || folder.uri.fsPath === root);
      void this.deletedFiles.closeTabs(folders.flatMap((folder) => answer.paths.map((path) => vscode.Uri.joinPath(folder.uri, path))));
      return answer;
    } catch (thrown) {
      warn(describeError(thrown));
      return undefined;
    }
  }
}

/** The folder of the file that the person is in. */
function findRootOfEditor(): string | null {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return (uri && vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath) ?? null;
}
