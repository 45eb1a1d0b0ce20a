// Questions that only a person can answer: a message, and a state of their call in the view. Whichever is answered
// first counts.

import * as vscode from 'vscode';
import { makeCallKey } from './call_key';
import type { VirtualDocuments } from '../virtual_documents';
import { showRemark, showMessage } from '../messages';
import { clip, escapeHidden } from '../text';
import type { AskAnswer, AskParams } from '../server/wire';

/** Signs of a question that a message holds; the whole of a longer one is shown on demand. */
const LONGEST = 600;

/** The beginning of each line of a script, which stands below a question. */
const SCRIPT = '    ';

/** A question that waits. */
export interface OpenQuestion {
  params: AskParams;
  /** Ends it; with no answer it is turned away. Says whether it still waited. */
  end(answer?: string): boolean;
  /** Says when it ended. */
  ended: vscode.CancellationToken;
}

/** Formats a question without its first line: the tool and the why that stand at its call, hidden characters written out. */
export function formatQuestion({ text, tool, why }: AskParams): string {
  const end = text.indexOf('\n');
  return why !== '' && end >= 0 && text.startsWith(`${tool}: `) ? text.slice(end + 1) : text;
}

/** The agent that asks; nothing where none does, as where a server wants to start. */
export const describeAsker = ({ agent }: AskParams): string => (agent ? `${clip(agent, 40)} asks` : '');

/** Lines of a width that can be read; those of a script stay as they are. */
function wrapQuestion(text: string): string {
  const wrap = (line: string): string => (line.startsWith(SCRIPT) ? line : line.replace(/(.{1,100})[ ](?=\S)/g, '$1\n'));
  return `${escapeHidden(text).split('\n').map(wrap).join('\n')}\n`;
}

/** The questions that wait, oldest first. */
export class Questions implements vscode.Disposable {
  private readonly open = new Map<number, OpenQuestion>();
  private readonly changes = new vscode.EventEmitter<void>();
  private lastId = 0;
  readonly onChange = this.changes.event;

  constructor(documents: VirtualDocuments) {
    documents.addKind('ask', async (uri) => wrapQuestion(this.open.get(Number(uri.query))?.params.text ?? 'This question is over.'));
  }

  /** Puts a question; `over` says that its answer is not waited for any more. */
  askPerson(params: AskParams, token: vscode.CancellationToken): Promise<AskAnswer> {
    return new Promise((resolve) => {
      const id = ++this.lastId;
      const ended = new vscode.CancellationTokenSource();
      const question: OpenQuestion = {
        params,
        ended: ended.token,
        end: (answer) => {
          if (!this.open.delete(id)) return false;
          resolve(answer === undefined ? {} : { answer });
          ended.cancel();
          this.changes.fire();
          return true;
        },
      };
      this.open.set(id, question);
      token.onCancellationRequested(() => question.end());
      this.changes.fire();
      void this.showQuestion(id, question);
    });
  }

  listOpen(): OpenQuestion[] {
    return [...this.open.values()];
  }

  /** The oldest question of a call. */
  findByCall(key: string): OpenQuestion | undefined {
    return this.listOpen().find(({ params }) => params.call_id !== '' && makeCallKey(params) === key);
  }

  /** A call ended, and so did its questions. */
  endOfCall(key: string): void {
    for (const question of this.listOpen()) if (makeCallKey(question.params) === key) question.end();
  }

  /** The server ended. */
  endAll(): void {
    for (const question of this.listOpen()) question.end();
  }

  dispose(): void {
    this.endAll();
    this.changes.dispose();
  }

  /** The message. It cannot be taken away when the question is answered elsewhere: pressed later, it does nothing. */
  private async showQuestion(id: number, question: OpenQuestion): Promise<void> {
    const { text, answers, call_id } = question.params;
    // A message shows no line ends: a script is shown in a document.
    const [asks = '', ...script] = text.split(`\n${SCRIPT}`);
    const message = clip([describeAsker(question.params), asks.replace(/\n+/, ' — ')].filter(Boolean).join(' · '), LONGEST);
    const buttons: (vscode.MessageItem & { answer?: string })[] = answers.map((answer) => ({ title: clip(answer, 80), answer }));
    if (script.length > 0) buttons.push({ title: 'Read the Script' });
    else if (message.endsWith('…')) buttons.push({ title: 'Read the Whole' });
    const pressed = await showMessage('warning', message, ...buttons);
    if (pressed?.answer !== undefined) {
      if (!question.end(pressed.answer)) showRemark('that question was over already');
    } else if (pressed) {
      const uri = vscode.Uri.from({ scheme: 'wherefore', authority: 'ask', path: `/${clip(question.params.tool, 80)}: a question`, query: String(id) });
      await vscode.window.showTextDocument(uri, { preview: true });
      if (this.open.has(id)) await this.showQuestion(id, question);
    } else if (call_id === '') {
      // Closed. Where a call waits for the answer, the view still has the question.
      question.end();
    }
  }
}
