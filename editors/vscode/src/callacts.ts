// What a person does with a call: stop it, and answer what it asks.

import * as vscode from 'vscode';
import { asker, question, type Asked, type Asks } from './asks';
import { pathOf } from './callkey';
import { remark, warn } from './notify';
import type { Server } from './server';
import { clip, sentence } from './text';
import { clock, isCall, keyOf, title, type Call, type Calls } from './views/calls';

/** The acts. */
export class CallActs {
  constructor(
    private readonly server: Server,
    private readonly calls: Calls,
    private readonly asks: Asks,
  ) {}

  /** Stops a call that runs: the one named, the only one, or the one picked of them. */
  async cancel(argument: unknown): Promise<void> {
    const call = isCall(argument) ? argument : await pick(this.calls.stoppable(), 'Cancel', ofCall);
    if (call === 'none') return remark('no call runs');
    if (!call) return;
    const { call_id, root } = call.notice;
    try {
      await this.server.ask('cancel', { call_id, root: pathOf(root) });
      remark(`${call_id} was told to stop`);
    } catch (thrown) {
      warn(sentence(thrown));
    }
  }

  /** Gives the answer that allows. */
  approve(argument: unknown): Promise<void> {
    return this.answer(argument, 'Approve', (answers) => answers[0]);
  }

  /** Gives the answer that denies. */
  deny(argument: unknown): Promise<void> {
    return this.answer(argument, 'Deny', (answers) => answers.at(-1));
  }

  /**
   * Answers the question of a call; of those that wait the only one, or the one picked: a key pressed in the view means no row
   * of it, since VS Code does not tell which one has the focus. Where no answer is chosen it is picked, too.
   */
  async answer(argument: unknown, what = 'Answer', choose?: (answers: string[]) => string | undefined): Promise<void> {
    const asked = isCall(argument) ? (this.asks.of(keyOf(argument)) ?? 'none') : await pick(this.asks.all(), what, ofAsked);
    if (asked === 'none') return remark('nothing is asked');
    if (!asked) return;
    const { params, ended } = asked;
    const answers = params.answers.map((answer) => ({ label: clip(answer, 80), answer }));
    const options = { title: head(asked), placeHolder: clip(question(params), 200), ignoreFocusOut: true };
    const answer = choose ? choose(params.answers) : (await vscode.window.showQuickPick(answers, options, ended))?.answer;
    if (answer !== undefined && !asked.end(answer)) remark('that question was over already');
  }
}

/** The only one of several, or the one that the person picks. */
async function pick<T>(list: T[], what: string, item: (each: T) => vscode.QuickPickItem): Promise<T | 'none' | undefined> {
  if (list.length < 2) return list[0] ?? 'none';
  const items = list.map((each) => ({ ...item(each), each }));
  return (await vscode.window.showQuickPick(items, { title: what, matchOnDetail: true }))?.each;
}

function ofCall({ notice }: Call): vscode.QuickPickItem {
  return { label: clip(title(notice), 120), description: `${clip(notice.call_id, 40)}, ${clock(notice.time)}`, detail: clip(notice.why, 120) };
}

function head({ params }: Asked): string {
  return clip([asker(params), params.why ? `${params.tool}: ${params.why}` : params.tool].filter(Boolean).join(' · '), 160);
}

function ofAsked(asked: Asked): vscode.QuickPickItem {
  return { label: head(asked), detail: clip(question(asked.params), 120) };
}
