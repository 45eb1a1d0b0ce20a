// A run of the built-in agent as a text that grows: the person's words, the model's, and each call with its why and its
// outcome. Nothing is asked or drawn here.

import type { RunEvent } from './agent_events';
import { clip, formatCount, escapeMarkup } from '../text.ts';
import type { AgentEnd, AgentState, AgentUsage } from '../server/wire';

/** Signs of a run that are kept; what is older goes. */
const LONGEST = 400_000;

/** Beginnings of sentences on how a turn ended. */
export const END_SENTENCES: Record<AgentEnd, string> = {
  complete: 'The task is complete',
  answered: 'It answered',
  asks: 'It asks you',
  limit: 'A limit was reached',
  stuck: 'It went round in circles',
  cancelled: 'You cancelled it',
  failed: 'It failed',
};

/** A piece of the text: a call's is written anew when it ends. */
interface TextPiece {
  kind: 'said' | 'text' | 'thinking' | 'call' | 'note' | 'ended';
  text: string;
}

/** The text of a run. */
export class RunText {
  private pieces: TextPiece[] = [];
  private readonly calls = new Map<string, TextPiece>();
  /** The changes that wait, by the call that made each. */
  private readonly waitingByCall = new Map<string, TextPiece>();
  private usage: AgentUsage | undefined;
  private model = '';
  private lastSeq = 0;
  private spokenText = '';
  state: AgentState = 'working';

  /** Takes an event; one that was heard already does nothing. */
  takeEvent(event: RunEvent): void {
    if (event.seq <= this.lastSeq) return;
    this.lastSeq = event.seq;
    if (event.kind === 'began') {
      this.state = 'working';
      this.model = event.model;
      this.calls.clear();
      this.waitingByCall.clear();
      if (event.resumes && this.pieces.length === 0) this.addPiece('note', `It goes on with the conversation of ${clip(event.resumes, 60)}.`);
      if (event.task) this.addPiece('said', `You: ${trimParagraphs(event.task)}`);
    } else if (event.kind === 'text') this.growPiece('text', event.text);
    else if (event.kind === 'thinking') this.growPiece('thinking', event.text);
    else if (event.kind === 'note') this.addPiece('note', `Note: ${clip(event.text, 600)}`);
    else if (event.kind === 'call') this.calls.set(event.call, this.addPiece('call', describeCall(event)));
    else if (event.kind === 'result') this.settleCall(event);
    else if (event.kind === 'proposed') this.waitingByCall.set(event.call_id, this.addPiece('note', `Its change waits for your decision (${clip(event.call_id, 20)}).`));
    else if (event.kind === 'usage') this.usage = event.usage;
    else if (event.kind === 'ended') this.endTurn(event);
  }

  /** Takes the conversation that it goes on with, as the log has it. */
  takeEarlier(events: RunEvent[], run: string): void {
    for (const event of events) this.takeEvent(event);
    this.addPiece('note', `So far the conversation of ${clip(run, 60)}, as the log has it.`);
    this.lastSeq = 0;
    this.state = 'working';
  }

  /** The server that it ran in is gone. */
  markLost(): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.addPiece('ended', 'The server ended. Its conversation can be resumed.');
  }

  /** The person ended it. */
  markEnded(): void {
    this.state = 'ended';
    this.addPiece('ended', 'You ended it. Its conversation can be resumed.');
  }

  /** The whole; the last row says how it stands. */
  get text(): string {
    const body = this.pieces.map(({ kind, text }) => (kind === 'thinking' ? `Thinking: ${trimParagraphs(text)}` : kind === 'text' ? trimParagraphs(text) : text));
    return [...body, this.status].filter(Boolean).join('\n\n');
  }

  /** The state of the run, on one row. */
  get status(): string {
    const { steps = 0, input_tokens = 0, output_tokens = 0, cost } = this.usage ?? {};
    const took = this.usage ? [formatCount(steps, 'step'), `${input_tokens} tokens read`, `${output_tokens} written`, typeof cost === 'number' ? `$${cost.toFixed(4)}` : ''] : [];
    return [`— ${this.state}`, clip(this.model, 80), ...took].filter(Boolean).join(' · ');
  }

  private addPiece(kind: TextPiece['kind'], text: string): TextPiece {
    const piece = { kind, text };
    this.pieces.push(piece);
    this.spokenText = '';
    let size = this.pieces.reduce((sum, each) => sum + each.text.length, 0);
    while (size > LONGEST && this.pieces.length > 1) size -= this.pieces.shift()?.text.length ?? 0;
    return piece;
  }

  private growPiece(kind: 'text' | 'thinking', more: string): void {
    const last = this.pieces.at(-1);
    if (last?.kind !== kind) this.addPiece(kind, more);
    else if (last.text.length < LONGEST) last.text += more;
    this.spokenText = kind === 'text' ? (this.pieces.at(-1)?.text ?? '') : '';
  }

  private settleCall({ call, tool, status, failed, summary, call_id }: RunEvent & { kind: 'result' }): void {
    const how = `  ${failed ? 'failed' : status}${call_id ? ` (${clip(call_id, 20)})` : ''}: ${clip(summary, 300)}`;
    const waited = this.waitingByCall.get(call_id);
    if (waited) this.pieces = this.pieces.filter((each) => each !== waited);
    this.waitingByCall.delete(call_id);
    const piece = this.calls.get(call);
    if (piece) piece.text += `\n${how}`;
    else this.addPiece('call', `▸ ${clip(tool, 80)}\n${how}`);
    this.calls.delete(call);
  }

  private endTurn({ end, text, fault, pending }: RunEvent & { kind: 'ended' }): void {
    this.state = 'waiting';
    const isSaid = (end === 'answered' || end === 'asks') && this.spokenText.trim() === text.trim();
    const sentence = isSaid || !text ? '' : `: ${trimParagraphs(text)}`;
    const way = fault?.suggestion ? ` (${clip(fault.suggestion, 300)})` : '';
    const waits = pending?.length ? `\n${formatCount(pending.length, 'change')} of its own ${pending.length === 1 ? 'waits' : 'wait'} for your decision.` : '';
    this.addPiece('ended', `${END_SENTENCES[end]}${sentence}${way}${waits}`);
  }
}

function describeCall({ tool, why, paths }: RunEvent & { kind: 'call' }): string {
  return `▸ ${[clip(tool, 80), clip(paths[0] ?? '', 120)].filter(Boolean).join(' ')}: ${clip(why || 'it did not say why', 300)}`;
}

/** Words of others over several rows. */
const trimParagraphs = (text: string): string => escapeMarkup(text).trim();
