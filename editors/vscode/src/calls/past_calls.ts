// Calls of before, as the session log tells of them: what they were about, how they ended and what became of their changes.

import { pathToFileURL } from 'node:url';
import { runProgram } from '../server/run_program';
import type { CallNotice, Fault, FinishNotice, HunkState, Origin, Proposal } from '../server/wire';

/** Sessions that are read, and the last events of each. */
const MOST_SESSIONS = 3;
const MOST_EVENTS = 600;

/** The outcome of a call's change. */
export type ChangeOutcome = 'accepted' | 'accepted in part' | 'rejected' | 'set aside' | 'applied' | 'undone';

/** A call of before. */
export interface CallRecord {
  notice: CallNotice;
  end?: FinishNotice;
  outcome?: ChangeOutcome | undefined;
  /** The id that takes its undo back, where it is undone. */
  undoId?: string | undefined;
  /** The end of the command that it left in the background, where that failed. */
  failure?: string;
}

/** An event of the log, as far as it is read here. */
interface LogEvent {
  type: string;
  time: string;
  session?: string;
  call_id?: string;
  undo_id?: string;
  /** The end of a command in the background. */
  outcome?: string;
  origin?: Origin;
  tool?: string;
  args?: { why?: unknown; path?: unknown; src?: unknown };
  status?: FinishNotice['status'];
  activity?: string;
  error?: Fault;
  result?: unknown;
  exit_code?: number;
  duration_ms?: number;
  by?: string;
  files?: Record<string, string>;
  hunks?: { id: string; state: HunkState }[];
}

/** Summarizes what hunks came to, once none waits. */
export function summarizeStates(states: HunkState[], byPolicy: boolean): ChangeOutcome | undefined {
  if (states.length === 0 || states.includes('pending')) return undefined;
  const accepted = states.filter((state) => state === 'accepted').length;
  if (accepted === states.length) return byPolicy ? 'applied' : 'accepted';
  if (accepted > 0) return 'accepted in part';
  return states.includes('rejected') ? 'rejected' : 'set aside';
}

/** Summarizes what a proposal came to. */
export function summarizeProposal({ files }: Proposal): ChangeOutcome | undefined {
  const hunks = files.flatMap((file) => file.hunks);
  return summarizeStates(hunks.map((hunk) => hunk.state ?? 'pending'), hunks.every((hunk) => hunk.reviewed !== true));
}

/** The calls of the last sessions of a folder, oldest first. */
export async function readPastCalls(program: string, root: string): Promise<CallRecord[]> {
  const listed = await runProgram(program, ['log', '--root', root, '--list'], root);
  const sessions = listed.out.split('\n').map((row) => row.split(/\s/)[0] ?? '').filter(Boolean).slice(0, MOST_SESSIONS);
  const texts = await Promise.all(sessions.map((session) => runProgram(program, ['log', '--root', root, '--format', 'json', '--last', String(MOST_EVENTS), session], root)));
  return sessions.flatMap((session, index) => parseCalls(texts[index]?.out ?? '', session, root)).sort((a, b) => a.notice.time.localeCompare(b.notice.time));
}

/** The calls of one session's events, each a line of JSON. */
export function parseCalls(text: string, session: string, folder: string): CallRecord[] {
  const root = pathToFileURL(folder).href;
  const calls = new Map<string, CallRecord>();
  /** The states of each call's hunks, and who decided. */
  const hunks = new Map<string, Map<string, HunkState>>();
  /** The undos: the call of each, and whether it is undone by it or made again. */
  const undos = new Map<string, { call: string; isUndone: boolean }>();
  for (const event of text.split('\n').flatMap(parseEvent)) {
    const id = event.call_id ?? '';
    if (event.type === 'tool_call') calls.set(id, { notice: makeNotice(event, session, root) });
    const undo = undos.get(id);
    const call = calls.get(undo?.call ?? id);
    if (!call) continue;
    if (event.type === 'tool_result' || event.type === 'tool_error') call.end = makeEnd(call.notice, event);
    if (event.type === 'command_end' && event.exit_code !== 0) call.failure = typeof event.outcome === 'string' ? event.outcome : 'ended';
    if (event.type === 'proposal') noteProposal(call.notice, event);
    if (event.type === 'proposal' || event.type === 'decision') {
      const states = hunks.get(id) ?? new Map<string, HunkState>();
      for (const hunk of event.hunks ?? []) states.set(hunk.id, hunk.state);
      hunks.set(id, states);
      call.outcome = summarizeStates([...states.values()], event.by === 'policy');
    }
    if (event.type === 'undo') {
      // An undo of an undo brings the change back.
      const isUndone = !undo?.isUndone;
      call.outcome = isUndone ? 'undone' : 'accepted';
      call.undoId = isUndone ? event.undo_id : undefined;
      if (event.undo_id) undos.set(event.undo_id, { call: undo?.call ?? id, isUndone });
    }
  }
  return [...calls.values()];
}

function parseEvent(row: string): LogEvent[] {
  try {
    return row === '' ? [] : [JSON.parse(row) as LogEvent];
  } catch {
    return [];
  }
}

function makeNotice({ call_id = '', origin = {}, tool = '', args = {}, time }: LogEvent, session: string, root: string): CallNotice {
  const paths = [args.path, args.src].filter((path) => typeof path === 'string');
  return { root, session, call_id, tool, why: typeof args.why === 'string' ? args.why : '', origin, paths, writes: false, time };
}

function noteProposal(notice: CallNotice, { files = {} }: LogEvent): void {
  notice.writes = true;
  if (notice.paths.length === 0) notice.paths = Object.keys(files);
}

function makeEnd({ root, session, call_id, tool }: CallNotice, event: LogEvent): FinishNotice {
  const { status, activity, error, result, duration_ms = 0 } = event;
  const latent = activity === 'latent';
  const failure = latent ? null : (describeFailure(result) ?? null);
  return { root, session, call_id, tool, status: status ?? 'error', latent, error: error ?? null, failure, duration_ms };
}

/** Describes how what a call ran ended, where that failed: as the server tells it of calls that end now. */
export function describeFailure(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const { sandbox, running, stdout, limit, signal, exit_code, status } = result as Record<string, unknown>;
  const isCommand = typeof sandbox === 'string' || typeof running === 'boolean';
  if (isCommand && typeof limit === 'string') return `ended by its limit of ${limit}`;
  if (isCommand && typeof signal === 'string') return `ended by ${signal}`;
  if ((isCommand || stdout !== undefined) && typeof exit_code === 'number') return exit_code === 0 ? undefined : `exit code ${exit_code}`;
  return typeof status === 'number' && status >= 400 ? `status ${status}` : undefined;
}
