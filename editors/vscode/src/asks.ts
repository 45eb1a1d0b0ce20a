// Questions that only a person can answer: a message, and a state of their call in the view. Whichever is answered
// first counts.

import * as vscode from 'vscode';
import { callKey } from './callkey';
import type { Documents } from './documents';
import { remark, tell } from './notify';
import { clip, plain } from './text';
import type { AskAnswer, AskParams } from './wire';

/** Signs of a question that a message holds; the whole of a longer one is shown on demand. */
const LONGEST = 600;

/** A question that waits. */
export interface Asked {
  params: AskParams;
  /** Ends it; with no answer it is turned away. Says whether it still waited. */
  end(answer?: string): boolean;
  /** Says when it ended. */
  ended: vscode.CancellationToken;
}

/** What is asked, without the first line: the tool and the why that stand at its call, hidden characters written out. */
export function question({ text, tool, why }: AskParams): string {
  const end = text.indexOf('\n');
  return why !== '' && end >= 0 && text.startsWith(`${tool}: `) ? text.slice(end + 1) : text;
}

/** Who asks: the agent's name; nothing where no agent does, as where a server wants to start. */
export const asker = ({ agent }: AskParams): string => (agent ? `${clip(agent, 40)} asks` : '');

/** Lines of a width that can be read. */
function wrapped(text: string): string {
  return `${plain(text).replace(/(.{1,100})[ ](?=\S)/g, '$1\n')}\n`;
}

/** The questions that wait, oldest first. */
export class Asks implements vscode.Disposable {
  private readonly open = new Map<number, Asked>();
  private readonly change = new vscode.EventEmitter<void>();
  private last = 0;
  readonly onChange = this.change.event;

  constructor(documents: Documents) {
    documents.add('ask', async (uri) => wrapped(this.open.get(Number(uri.query))?.params.text ?? 'This question is over.'));
  }

  /** Puts a question; `over` says that its answer is not waited for any more. */
  ask(params: AskParams, over: vscode.CancellationToken): Promise<AskAnswer> {
    return new Promise((done) => {
      const id = ++this.last;
      const ended = new vscode.CancellationTokenSource();
      const asked: Asked = {
        params,
        ended: ended.token,
        end: (answer) => {
          if (!this.open.delete(id)) return false;
          done(answer === undefined ? {} : { answer });
          ended.cancel();
          this.change.fire();
          return true;
        },
      };
      this.open.set(id, asked);
      over.onCancellationRequested(() => asked.end());
      this.change.fire();
      void this.show(id, asked);
    });
  }

  all(): Asked[] {
    return [...this.open.values()];
  }

  /** The oldest question of a call. */
  of(key: string): Asked | undefined {
    return this.all().find(({ params }) => params.call_id !== '' && callKey(params) === key);
  }

  /** A call ended, and so did its questions. */
  finished(key: string): void {
    for (const asked of this.all()) if (callKey(asked.params) === key) asked.end();
  }

  /** The server ended. */
  forget(): void {
    for (const asked of this.all()) asked.end();
  }

  dispose(): void {
    this.forget();
    this.change.dispose();
  }

  /** The message. It cannot be taken away when the question is answered elsewhere: pressed later, it does nothing. */
  private async show(id: number, asked: Asked): Promise<void> {
    const { text, answers, call_id } = asked.params;
    const message = clip([asker(asked.params), text.replace(/\n+/, ' — ')].filter(Boolean).join(' · '), LONGEST);
    const buttons: (vscode.MessageItem & { answer?: string })[] = answers.map((answer) => ({ title: clip(answer, 80), answer }));
    if (message.endsWith('…')) buttons.push({ title: 'Read the Whole' });
    const pressed = await tell('warning', message, ...buttons);
    if (pressed?.answer !== undefined) {
      if (!asked.end(pressed.answer)) remark('that question was over already');
    } else if (pressed) {
      const uri = vscode.Uri.from({ scheme: 'wherefore', authority: 'ask', path: `/${clip(asked.params.tool, 80)}: a question`, query: String(id) });
      await vscode.window.showTextDocument(uri, { preview: true });
      if (this.open.has(id)) await this.show(id, asked);
    } else if (call_id === '') {
      // Closed. Where a call waits for the answer, the view still has the question.
      asked.end();
    }
  }
}
