// `@wherefore` in VS Code's chat: a run of the built-in agent for each conversation. Its changes are decided on in the review,
// to which a response leads. Where VS Code has no chat, as some editors built from it, nothing is there.

import * as vscode from 'vscode';
import type { Happening } from './agentevents';
import { ENDS } from './agenttext';
import { rootHere } from './log';
import type { Server } from './server';
import { clip, count, inert, sentence } from './text';
import type { AgentEnd } from './wire';

/** The id of the participant, as in package.json. */
export const PARTICIPANT = 'wherefore.agent';

/** Hunks that a response names one by one. */
const NAMED = 20;

/** How often what happened is asked for, should no word of it come. */
const AGAIN_MS = 2000;

/** Ends of which no more is said than what the model says. */
const USUAL: AgentEnd[] = ['complete', 'answered', 'asks'];

/** What may be said next, by how the turn ended. */
const NEXT: Partial<Record<AgentEnd, vscode.ChatFollowup>> = {
  limit: { prompt: 'Go on.', label: 'Go on' },
  stuck: { prompt: 'Go on, another way.', label: 'Go on another way' },
  cancelled: { prompt: 'Go on from where you were.', label: 'Go on' },
  failed: { prompt: 'Try again.', label: 'Try again' },
};

/** What a response leaves for the ones after it. */
interface Kept {
  run?: string;
  end?: AgentEnd;
  waits?: boolean;
}

/** The participant, and the responses that are under way. */
export class Chat {
  /** Called with each word of a run, by the run. */
  private readonly following = new Map<string, () => void>();

  constructor(private readonly server: () => Server) {}

  /** Takes its place in the chat, where there is one. */
  register(icon: vscode.Uri): vscode.Disposable {
    // Editors built from VS Code may have no such API, whatever its types say.
    const chat = vscode.chat as typeof vscode.chat | undefined;
    if (typeof chat?.createChatParticipant !== 'function') return new vscode.Disposable(() => undefined);
    const participant = chat.createChatParticipant(PARTICIPANT, (request, context, stream, token) => this.answer(request, context, stream, token));
    participant.iconPath = icon;
    participant.followupProvider = { provideFollowups: ({ metadata }) => followups(metadata ?? {}) };
    return participant;
  }

  /** Something happened in a run. */
  heard({ run }: Happening): void {
    this.following.get(run)?.();
  }

  /** Answers a request: the run of the conversation goes on, or one begins. */
  async answer(request: vscode.ChatRequest, context: vscode.ChatContext, stream: vscode.ChatResponseStream, token: vscode.CancellationToken): Promise<vscode.ChatResult> {
    const root = rootHere();
    try {
      const words = [request.prompt, ...request.references.map(({ value }) => place(value)).filter(Boolean)].join('\n');
      const { run, after } = await this.said(words, last(context), root);
      const cancelling = token.onCancellationRequested(() => void this.server().ask('agentCancel', { run, end: false }).catch(() => undefined));
      try {
        if (token.isCancellationRequested) await this.server().ask('agentCancel', { run, end: false });
        return await this.follow(run, after, root, stream);
      } finally {
        cancelling.dispose();
      }
    } catch (thrown) {
      return { errorDetails: { message: sentence(thrown) } };
    }
  }

  /** Says the words to the run of the conversation; where that is over, another goes on with what it was told. */
  private async said(text: string, run: string | undefined, root: string | null): Promise<{ run: string; after: number }> {
    const server = this.server();
    if (run !== undefined) {
      const { events = [] } = await server.ask('agentEvents', { run, after: 0, wait_ms: 0 }).catch(() => ({ events: undefined }));
      const going = await server.ask('agentSay', { run, text }).then(() => true, () => false);
      if (going) return { run, after: (events as Happening[]).at(-1)?.seq ?? 0 };
    }
    const begun = await server.ask('agentRun', { task: text, root, attended: false, ...(run === undefined ? {} : { resume: run }) });
    return { run: begun.run, after: 0 };
  }

  /** Shows what happens until the turn ends. */
  private async follow(run: string, after: number, root: string | null, stream: vscode.ChatResponseStream): Promise<vscode.ChatResult> {
    const shown = new Response(stream, (proposal) => this.places(proposal, root));
    let seen = after;
    let wake = (): void => undefined;
    let isNews = false;
    this.following.set(run, () => {
      isNews = true;
      wake();
    });
    try {
      for (;;) {
        isNews = false;
        const { events, state } = await this.server().ask('agentEvents', { run, after: seen, wait_ms: 0 });
        for (const event of events as Happening[]) {
          seen = event.seq;
          const result = await shown.take(event);
          if (result) return { ...result, metadata: { ...result.metadata, run } };
        }
        if (state === 'ended') return { errorDetails: { message: 'the run ended; say more, and its conversation goes on' }, metadata: { run } };
        if (isNews) continue;
        await new Promise<void>((done) => {
          const timer = setTimeout(done, AGAIN_MS);
          wake = () => {
            clearTimeout(timer);
            done();
          };
        });
      }
    } finally {
      this.following.delete(run);
    }
  }

  /** Where the hunks of a proposal stand. */
  private async places(proposal: string, root: string | null): Promise<vscode.Location[]> {
    const { proposals } = await this.server().ask('proposals', { root }).catch(() => ({ proposals: [] }));
    const files = proposals.find(({ id }) => id === proposal)?.files ?? [];
    return files.flatMap(({ uri, hunks }) => hunks.map(({ start }) => new vscode.Location(vscode.Uri.parse(uri), new vscode.Position(start, 0))));
  }
}

/** One response. */
class Response {
  /** The end of a text that may be half of what has to be made harmless. */
  private held = '';
  /** Calls that have no result yet, by the model's id. */
  private readonly calls = new Map<string, string>();
  private waited = false;
  private words = '';

  constructor(
    private readonly stream: vscode.ChatResponseStream,
    private readonly places: (proposal: string) => Promise<vscode.Location[]>,
  ) {}

  /** Shows what happened; gives the result where that is the end. */
  async take(event: Happening): Promise<vscode.ChatResult | undefined> {
    if (event.kind === 'text') {
      this.text(event.text);
      return;
    }
    if (event.kind === 'step' || event.kind === 'usage') return;
    if (event.kind === 'thinking') {
      this.stream.progress(clip(event.text, 120) || 'Thinking');
      return;
    }
    this.endText();
    if (event.kind === 'call') {
      const what = `${code([clip(event.tool, 80), clip(event.paths[0] ?? '', 120)].filter(Boolean).join(' '))}: ${clip(event.why || 'it did not say why', 300)}`;
      this.calls.set(event.call, what);
      this.words = '';
      this.stream.progress(clip(`${event.tool} ${event.why}`, 160));
    } else if (event.kind === 'result') {
      const what = this.calls.get(event.call) ?? code(clip(event.tool, 80));
      this.calls.delete(event.call);
      const failed = event.status === 'error';
      this.stream.markdown(`\n- ${failed ? '✗' : '✓'} ${what}${failed ? ` — ${clip(event.summary, 300)}` : ''}\n`);
    } else if (event.kind === 'proposed') await this.proposed(event.proposal);
    else if (event.kind === 'note') this.stream.progress(clip(event.text, 200));
    else if (event.kind === 'ended') return this.end(event);
    return;
  }

  /** Writes what the model says, in pieces that are harmless by themselves. */
  private text(more: string): void {
    this.words += more;
    const text = this.held + more;
    const [, whole = '', rest = ''] = /^(.*?)([\]$!]*)$/s.exec(text) ?? [];
    this.held = rest;
    if (whole) this.stream.markdown(inert(whole));
  }

  private endText(): void {
    if (this.held) this.stream.markdown(inert(this.held));
    this.held = '';
  }

  private async proposed(proposal: string): Promise<void> {
    const places = await this.places(proposal);
    this.stream.markdown(`\n${count(places.length, 'hunk')} ${places.length === 1 ? 'waits' : 'wait'} for your decision: `);
    for (const at of places.slice(0, NAMED)) {
      this.stream.anchor(at, `${clip(at.uri.path.split('/').at(-1) ?? '', 80)}:${at.range.start.line + 1}`);
      this.stream.markdown(' ');
    }
    this.stream.markdown('\n');
    if (!this.waited) this.stream.button({ command: 'wherefore.review', title: 'Review What Waits' });
    this.waited = true;
  }

  private end({ end, text, fault, pending }: Happening & { kind: 'ended' }): vscode.ChatResult {
    const waits = (pending?.length ?? 0) > 0;
    const metadata: Kept = { end, waits };
    const isSaid = this.words.trim() === text.trim();
    if (end === 'failed') {
      const way = fault?.suggestion ? ` (${clip(fault.suggestion, 300)})` : '';
      return { errorDetails: { message: `${clip(text, 600)}${way}` }, metadata };
    }
    const said = [USUAL.includes(end) ? '' : ENDS[end], isSaid ? '' : inert(text)].filter(Boolean).join(': ');
    if (said) this.stream.markdown(`\n${said}\n`);
    if (waits && !this.waited) this.stream.button({ command: 'wherefore.review', title: 'Review What Waits' });
    return { metadata };
  }
}

/** What may be said after a response. */
export function followups(kept: Kept): vscode.ChatFollowup[] {
  const next = kept.end && NEXT[kept.end];
  return next ? [next] : [];
}

/** The run of the conversation so far, as the latest response of ours has it. */
function last({ history }: vscode.ChatContext): string | undefined {
  const runs = history.map((turn) => ('result' in turn && turn.participant === PARTICIPANT ? (turn.result.metadata as Kept | undefined)?.run : undefined));
  return runs.findLast((run) => run !== undefined);
}

/** A file that the person attached, as the agent may name it. */
function place(value: unknown): string {
  if (value instanceof vscode.Uri) return `See ${vscode.workspace.asRelativePath(value)}`;
  if (value instanceof vscode.Location) return `See ${vscode.workspace.asRelativePath(value.uri)}, line ${value.range.start.line + 1}`;
  return typeof value === 'string' ? value : '';
}

/** Words as code. */
const code = (text: string): string => `\`${text.replaceAll('`', "'")}\``;
