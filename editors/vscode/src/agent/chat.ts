// `@wherefore` in VS Code's chat: a run of the built-in agent for each conversation. Its changes are decided on in the review,
// to which a response leads. Where VS Code has no chat, as some editors built from it, nothing is there.

import * as vscode from 'vscode';
import type { RunEvent } from './agent_events';
import { END_SENTENCES } from './run_text';
import { findCurrentRoot } from '../log/session_log';
import type { ServerClient } from '../server/client';
import { clip, formatCount, escapeMarkup, describeError } from '../text';
import type { AgentEnd } from '../server/wire';

/** The id of the participant, as in package.json. */
export const PARTICIPANT = 'wherefore.agent';

/** Hunks that a response names one by one. */
const MOST_NAMED = 20;

/** The time after which events are asked for, should no word of them come. */
const POLL_MS = 2000;

/** Ends of which no more is said than what the model says. */
const PLAIN_ENDS: AgentEnd[] = ['complete', 'answered', 'asks'];

/** Words that the person may say next, by how the turn ended. */
const FOLLOWUPS: Partial<Record<AgentEnd, vscode.ChatFollowup>> = {
  limit: { prompt: 'Go on.', label: 'Go on' },
  stuck: { prompt: 'Go on, another way.', label: 'Go on another way' },
  cancelled: { prompt: 'Go on from where you were.', label: 'Go on' },
  failed: { prompt: 'Try again.', label: 'Try again' },
};

/** Data that a response leaves for the ones after it. */
interface TurnMetadata {
  run?: string;
  end?: AgentEnd;
  waits?: boolean;
}

/** The participant, and the responses that are under way. */
export class ChatAgent {
  /** Called with each word of a run, by the run. */
  private readonly waiters = new Map<string, () => void>();

  constructor(private readonly server: ServerClient) {}

  /** Takes its place in the chat, where there is one. */
  register(icon: vscode.Uri): vscode.Disposable {
    // Editors built from VS Code may have no such API, whatever its types say.
    const chat = vscode.chat as typeof vscode.chat | undefined;
    if (typeof chat?.createChatParticipant !== 'function') return new vscode.Disposable(() => undefined);
    const participant = chat.createChatParticipant(PARTICIPANT, (request, context, stream, token) => this.answerRequest(request, context, stream, token));
    participant.iconPath = icon;
    participant.followupProvider = { provideFollowups: ({ metadata }) => listFollowups(metadata ?? {}) };
    return participant;
  }

  /** Something happened in a run. */
  wakeResponse({ run }: RunEvent): void {
    this.waiters.get(run)?.();
  }

  /** Answers a request: the run of the conversation goes on, or one begins. */
  async answerRequest(request: vscode.ChatRequest, context: vscode.ChatContext, stream: vscode.ChatResponseStream, token: vscode.CancellationToken): Promise<vscode.ChatResult> {
    const root = findCurrentRoot();
    try {
      const words = [request.prompt, ...request.references.map(({ value }) => describeReference(value)).filter(Boolean)].join('\n');
      const { run, after } = await this.sendWords(words, findLastRun(context), root);
      const cancelling = token.onCancellationRequested(() => void this.server.request('agentCancel', { run, end: false }).catch(() => undefined));
      try {
        if (token.isCancellationRequested) await this.server.request('agentCancel', { run, end: false });
        return await this.followRun(run, after, root, stream);
      } finally {
        cancelling.dispose();
      }
    } catch (thrown) {
      return { errorDetails: { message: describeError(thrown) } };
    }
  }

  /** Says the words to the run of the conversation; where that is over, another goes on with what it was told. */
  private async sendWords(text: string, run: string | undefined, root: string | null): Promise<{ run: string; after: number }> {
    const server = this.server;
    if (run !== undefined) {
      const { events = [] } = await server.request('agentEvents', { run, after: 0, wait_ms: 0 }).catch(() => ({ events: undefined }));
      const going = await server.request('agentSay', { run, text }).then(() => true, () => false);
      if (going) return { run, after: (events as RunEvent[]).at(-1)?.seq ?? 0 };
    }
    const started = await server.request('agentRun', { task: text, root, attended: false, ...(run === undefined ? {} : { resume: run }) });
    return { run: started.run, after: 0 };
  }

  /** Shows what happens until the turn ends. */
  private async followRun(run: string, after: number, root: string | null, stream: vscode.ChatResponseStream): Promise<vscode.ChatResult> {
    const response = new ChatResponse(stream, (proposal) => this.findHunkPlaces(proposal, root));
    let lastSeq = after;
    let wake = (): void => undefined;
    let isNews = false;
    this.waiters.set(run, () => {
      isNews = true;
      wake();
    });
    try {
      for (;;) {
        isNews = false;
        const { events, state } = await this.server.request('agentEvents', { run, after: lastSeq, wait_ms: 0 });
        for (const event of events as RunEvent[]) {
          lastSeq = event.seq;
          const result = await response.showEvent(event);
          if (result) return { ...result, metadata: { ...result.metadata, run } };
        }
        if (state === 'ended') return { errorDetails: { message: 'the run ended; say more, and its conversation goes on' }, metadata: { run } };
        if (isNews) continue;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, POLL_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    } finally {
      this.waiters.delete(run);
    }
  }

  /** The locations of a proposal's hunks. */
  private async findHunkPlaces(proposal: string, root: string | null): Promise<vscode.Location[]> {
    const { proposals } = await this.server.request('proposals', { root }).catch(() => ({ proposals: [] }));
    const files = proposals.find(({ id }) => id === proposal)?.files ?? [];
    return files.flatMap(({ uri, hunks }) => hunks.map(({ start }) => new vscode.Location(vscode.Uri.parse(uri), new vscode.Position(start, 0))));
  }
}

/** A response. */
class ChatResponse {
  /** The end of a text that may be half of what has to be made harmless. */
  private heldText = '';
  /** Calls that have no result yet, by the model's id. */
  private readonly calls = new Map<string, string>();
  private hasButton = false;
  private spokenText = '';

  constructor(
    private readonly stream: vscode.ChatResponseStream,
    private readonly findHunkPlaces: (proposal: string) => Promise<vscode.Location[]>,
  ) {}

  /** Shows what happened; gives the result where that is the end. */
  async showEvent(event: RunEvent): Promise<vscode.ChatResult | undefined> {
    if (event.kind === 'text') {
      this.writeText(event.text);
      return;
    }
    if (event.kind === 'step' || event.kind === 'usage') return;
    if (event.kind === 'thinking') {
      this.stream.progress(clip(event.text, 120) || 'Thinking');
      return;
    }
    this.flushText();
    if (event.kind === 'call') {
      const description = `${quoteCode([clip(event.tool, 80), clip(event.paths[0] ?? '', 120)].filter(Boolean).join(' '))}: ${clip(event.why || 'it did not say why', 300)}`;
      this.calls.set(event.call, description);
      this.spokenText = '';
      this.stream.progress(clip(`${event.tool} ${event.why}`, 160));
    } else if (event.kind === 'result') {
      const description = this.calls.get(event.call) ?? quoteCode(clip(event.tool, 80));
      this.calls.delete(event.call);
      const failed = event.failed === true || event.status === 'error';
      this.stream.markdown(`\n- ${failed ? '✗' : '✓'} ${description}${failed ? ` — ${clip(event.summary, 300)}` : ''}\n`);
    } else if (event.kind === 'proposed') await this.showProposal(event.proposal);
    else if (event.kind === 'note') this.stream.progress(clip(event.text, 200));
    else if (event.kind === 'ended') return this.endTurn(event);
    return;
  }

  /** Writes what the model says, in pieces that are harmless by themselves. */
  private writeText(more: string): void {
    this.spokenText += more;
    const text = this.heldText + more;
    const [, whole = '', rest = ''] = /^(.*?)([\]$!]*)$/s.exec(text) ?? [];
    this.heldText = rest;
    if (whole) this.stream.markdown(escapeMarkup(whole));
  }

  private flushText(): void {
    if (this.heldText) this.stream.markdown(escapeMarkup(this.heldText));
    this.heldText = '';
  }

  private async showProposal(proposal: string): Promise<void> {
    const places = await this.findHunkPlaces(proposal);
    this.stream.markdown(`\n${formatCount(places.length, 'hunk')} ${places.length === 1 ? 'waits' : 'wait'} for your decision: `);
    for (const at of places.slice(0, MOST_NAMED)) {
      this.stream.anchor(at, `${clip(at.uri.path.split('/').at(-1) ?? '', 80)}:${at.range.start.line + 1}`);
      this.stream.markdown(' ');
    }
    this.stream.markdown('\n');
    if (!this.hasButton) this.stream.button({ command: 'wherefore.review', title: 'Review What Waits' });
    this.hasButton = true;
  }

  private endTurn({ end, text, fault, pending }: RunEvent & { kind: 'ended' }): vscode.ChatResult {
    const waits = (pending?.length ?? 0) > 0;
    const metadata: TurnMetadata = { end, waits };
    const isSaid = this.spokenText.trim() === text.trim();
    if (end === 'failed') {
      const way = fault?.suggestion ? ` (${clip(fault.suggestion, 300)})` : '';
      return { errorDetails: { message: `${clip(text, 600)}${way}` }, metadata };
    }
    const sentence = [PLAIN_ENDS.includes(end) ? '' : END_SENTENCES[end], isSaid ? '' : escapeMarkup(text)].filter(Boolean).join(': ');
    if (sentence) this.stream.markdown(`\n${sentence}\n`);
    if (waits && !this.hasButton) this.stream.button({ command: 'wherefore.review', title: 'Review What Waits' });
    return { metadata };
  }
}

/** Lists what may be said after a response. */
export function listFollowups(metadata: TurnMetadata): vscode.ChatFollowup[] {
  const next = metadata.end && FOLLOWUPS[metadata.end];
  return next ? [next] : [];
}

/** The run of the conversation so far, as the latest response of ours has it. */
function findLastRun({ history }: vscode.ChatContext): string | undefined {
  const runs = history.map((turn) => ('result' in turn && turn.participant === PARTICIPANT ? (turn.result.metadata as TurnMetadata | undefined)?.run : undefined));
  return runs.findLast((run) => run !== undefined);
}

/** A file that the person attached, as the agent may name it. */
function describeReference(value: unknown): string {
  if (value instanceof vscode.Uri) return `See ${vscode.workspace.asRelativePath(value)}`;
  if (value instanceof vscode.Location) return `See ${vscode.workspace.asRelativePath(value.uri)}, line ${value.range.start.line + 1}`;
  return typeof value === 'string' ? value : '';
}

/** Words as code. */
const quoteCode = (text: string): string => `\`${text.replaceAll('`', "'")}\``;
