// A person's acts on a call: stop it, and answer what it asks.

import * as vscode from 'vscode';
import { describeAsker, formatQuestion, type OpenQuestion, type Questions } from './questions';
import { toFolderPath } from './call_key';
import { showRemark, warn } from '../messages';
import type { ServerClient } from '../server/client';
import { clip, describeError } from '../text';
import { formatClock, isCall, makeKey, describeTool, type Call, type CallsView } from './calls_view';

/** The acts. */
export class CallActions {
  constructor(
    private readonly server: ServerClient,
    private readonly calls: CallsView,
    private readonly questions: Questions,
  ) {}

  /** Stops a call that runs: the one named, the only one, or the one picked of them. */
  async cancelCall(argument: unknown): Promise<void> {
    const call = isCall(argument) ? argument : await pickOne(this.calls.listStoppable(), 'Cancel', makeCallItem);
    if (call === 'none') return showRemark('no call runs');
    if (!call) return;
    const { call_id, root } = call.notice;
    try {
      await this.server.request('cancel', { call_id, root: toFolderPath(root) });
      showRemark(`${call_id} was told to stop`);
    } catch (thrown) {
      warn(describeError(thrown));
    }
  }

  /** Gives the answer that allows. */
  approve(argument: unknown): Promise<void> {
    return this.answerQuestion(argument, 'Approve', (answers) => answers[0]);
  }

  /** Gives the answer that denies. */
  deny(argument: unknown): Promise<void> {
    return this.answerQuestion(argument, 'Deny', (answers) => answers.at(-1));
  }

  /**
   * Answers the question of a call; of those that wait the only one, or the one picked: a key pressed in the view means no row
   * of it, since VS Code does not tell which one has the focus. Where no answer is chosen it is picked, too.
   */
  async answerQuestion(argument: unknown, title = 'Answer', choose?: (answers: string[]) => string | undefined): Promise<void> {
    const question = isCall(argument) ? (this.questions.findByCall(makeKey(argument)) ?? 'none') : await pickOne(this.questions.listOpen(), title, makeQuestionItem);
    if (question === 'none') return showRemark('nothing is asked');
    if (!question) return;
    const { params, ended } = question;
    const answers = params.answers.map((answer) => ({ label: clip(answer, 80), answer }));
    const options = { title: describeQuestion(question), placeHolder: clip(formatQuestion(params), 200), ignoreFocusOut: true };
    const answer = choose ? choose(params.answers) : (await vscode.window.showQuickPick(answers, options, ended))?.answer;
    if (answer !== undefined && !question.end(answer)) showRemark('that question was over already');
  }
}

/** The only one of several, or the one that the person picks. */
async function pickOne<T>(list: T[], title: string, item: (each: T) => vscode.QuickPickItem): Promise<T | 'none' | undefined> {
  if (list.length < 2) return list[0] ?? 'none';
  const items = list.map((each) => ({ ...item(each), each }));
  return (await vscode.window.showQuickPick(items, { title: title, matchOnDetail: true }))?.each;
}

function makeCallItem({ notice }: Call): vscode.QuickPickItem {
  return { label: clip(describeTool(notice), 120), description: `${clip(notice.call_id, 40)}, ${formatClock(notice.time)}`, detail: clip(notice.why, 120) };
}

function describeQuestion({ params }: OpenQuestion): string {
  return clip([describeAsker(params), params.why ? `${params.tool}: ${params.why}` : params.tool].filter(Boolean).join(' · '), 160);
}

function makeQuestionItem(question: OpenQuestion): vscode.QuickPickItem {
  return { label: describeQuestion(question), detail: clip(formatQuestion(question.params), 120) };
}
