// A run of the built-in agent as a text that grows: the person's words, the model's, and each call with its why and its
// outcome. Nothing is asked or drawn here.

import type { Happening } from './agentevents';
import { clip, count, inert } from './text.ts';
import type { AgentEnd, AgentState, AgentUsage } from './wire';

/** Signs of a run that are kept; what is older goes. */
const LONGEST = 400_000;

/** How a turn ended, as a sentence begins. */
export const ENDS: Record<AgentEnd, string> = {
  complete: 'The task is complete',
  answered: 'It answered',
  asks: 'It asks you',
  limit: 'A limit was reached',
  stuck: 'It went round in circles',
  cancelled: 'You cancelled it',
  failed: 'It failed',
};

/** A piece of the text: a call's is written anew when it ends. */
interface Piece {
  kind: 'said' | 'text' | 'thinking' | 'call' | 'note' | 'ended';
  text: string;
}

/** The text of a run. */
export class AgentText {
  private pieces: Piece[] = [];
  private readonly calls = new Map<string, Piece>();
  /** The changes that wait, by the call that made each. */
  private readonly waits = new Map<string, Piece>();
  private usage: AgentUsage | undefined;
  private model = '';
  private last = 0;
  private words = '';
  state: AgentState = 'working';

  /** Takes an event; one that was heard already does nothing. */
  take(event: Happening): void {
    if (event.seq <= this.last) return;
    this.last = event.seq;
    if (event.kind === 'began') {
      this.state = 'working';
      this.model = event.model;
      this.calls.clear();
      this.waits.clear();
      if (event.resumes && this.pieces.length === 0) this.put('note', `It goes on with the conversation of ${clip(event.resumes, 60)}.`);
      if (event.task) this.put('said', `You: ${paragraphs(event.task)}`);
    } else if (event.kind === 'text') this.grow('text', event.text);
    else if (event.kind === 'thinking') this.grow('thinking', event.text);
    else if (event.kind === 'note') this.put('note', `Note: ${clip(event.text, 600)}`);
    else if (event.kind === 'call') this.calls.set(event.call, this.put('call', begun(event)));
    else if (event.kind === 'result') this.settle(event);
    else if (event.kind === 'proposed') this.waits.set(event.call_id, this.put('note', `Its change waits for your decision (${clip(event.call_id, 20)}).`));
    else if (event.kind === 'usage') this.usage = event.usage;
    else if (event.kind === 'ended') this.end(event);
  }

  /** Takes the conversation that it goes on with, as the log has it. */
  earlier(events: Happening[], run: string): void {
    for (const event of events) this.take(event);
    this.put('note', `So far the conversation of ${clip(run, 60)}, as the log has it.`);
    this.last = 0;
    this.state = 'working';
  }

  /** The server that it ran in is gone. */
  lost(): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.put('ended', 'The server ended. Its conversation can be resumed.');
  }

  /** The person ended it. */
  close(): void {
    this.state = 'ended';
    this.put('ended', 'You ended it. Its conversation can be resumed.');
  }

  /** The whole; the last row says how it stands. */
  get text(): string {
    const body = this.pieces.map(({ kind, text }) => (kind === 'thinking' ? `Thinking: ${paragraphs(text)}` : kind === 'text' ? paragraphs(text) : text));
    return [...body, this.status].filter(Boolean).join('\n\n');
  }

  /** How it stands, on one row. */
  get status(): string {
    const { steps = 0, input_tokens = 0, output_tokens = 0, cost } = this.usage ?? {};
    const took = this.usage ? [count(steps, 'step'), `${input_tokens} tokens read`, `${output_tokens} written`, typeof cost === 'number' ? `$${cost.toFixed(4)}` : ''] : [];
    return [`— ${this.state}`, clip(this.model, 80), ...took].filter(Boolean).join(' · ');
  }

  private put(kind: Piece['kind'], text: string): Piece {
    const piece = { kind, text };
    this.pieces.push(piece);
    this.words = '';
    let size = this.pieces.reduce((sum, each) => sum + each.text.length, 0);
    while (size > LONGEST && this.pieces.length > 1) size -= this.pieces.shift()?.text.length ?? 0;
    return piece;
  }

  private grow(kind: 'text' | 'thinking', more: string): void {
    const last = this.pieces.at(-1);
    if (last?.kind !== kind) this.put(kind, more);
    else if (last.text.length < LONGEST) last.text += more;
    this.words = kind === 'text' ? (this.pieces.at(-1)?.text ?? '') : '';
  }

  private settle({ call, tool, status, summary, call_id }: Happening & { kind: 'result' }): void {
    const how = `  ${status}${call_id ? ` (${clip(call_id, 20)})` : ''}: ${clip(summary, 300)}`;
    const waited = this.waits.get(call_id);
    if (waited) this.pieces = this.pieces.filter((each) => each !== waited);
    this.waits.delete(call_id);
    const piece = this.calls.get(call);
    if (piece) piece.text += `\n${how}`;
    else this.put('call', `▸ ${clip(tool, 80)}\n${how}`);
    this.calls.delete(call);
  }

  private end({ end, text, fault, pending }: Happening & { kind: 'ended' }): void {
    this.state = 'waiting';
    const isSaid = (end === 'answered' || end === 'asks') && this.words.trim() === text.trim();
    const said = isSaid || !text ? '' : `: ${paragraphs(text)}`;
    const way = fault?.suggestion ? ` (${clip(fault.suggestion, 300)})` : '';
    const waits = pending?.length ? `\n${count(pending.length, 'change')} of its own ${pending.length === 1 ? 'waits' : 'wait'} for your decision.` : '';
    this.put('ended', `${ENDS[end]}${said}${way}${waits}`);
  }
}

function begun({ tool, why, paths }: Happening & { kind: 'call' }): string {
  return `▸ ${[clip(tool, 80), clip(paths[0] ?? '', 120)].filter(Boolean).join(' ')}: ${clip(why || 'it did not say why', 300)}`;
}

/** Words of others over several rows. */
const paragraphs = (text: string): string => inert(text).trim();
