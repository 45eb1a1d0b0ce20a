// Calls of before, as the session log tells of them: what they were about, how they ended and what became of their changes.

import { pathToFileURL } from 'node:url';
import { run } from './run';
import type { CallNotice, Fault, FinishNotice, HunkState, Origin, Proposal } from './wire';

/** Sessions that are read, and the last events of each. */
const SESSIONS = 3;
const EVENTS = 600;

/** What became of a call's change. */
export type Outcome = 'accepted' | 'accepted in part' | 'rejected' | 'set aside' | 'applied' | 'undone';

/** A call of before. */
export interface Past {
  notice: CallNotice;
  end?: FinishNotice;
  outcome?: Outcome | undefined;
}

/** An event of the log, as far as it is read here. */
interface LogEvent {
  type: string;
  time: string;
  session?: string;
  call_id?: string;
  undo_id?: string;
  origin?: Origin;
  tool?: string;
  args?: { why?: unknown; path?: unknown; src?: unknown };
  status?: FinishNotice['status'];
  error?: Fault;
  duration_ms?: number;
  by?: string;
  files?: Record<string, string>;
  hunks?: { id: string; state: HunkState }[];
}

/** What hunks came to, once none waits. */
export function outcomeOf(states: HunkState[], byPolicy: boolean): Outcome | undefined {
  if (states.length === 0 || states.includes('pending')) return undefined;
  const accepted = states.filter((state) => state === 'accepted').length;
  if (accepted === states.length) return byPolicy ? 'applied' : 'accepted';
  if (accepted > 0) return 'accepted in part';
  return states.includes('rejected') ? 'rejected' : 'set aside';
}

/** What a proposal came to. */
export function outcomeOfProposal({ files }: Proposal): Outcome | undefined {
  const hunks = files.flatMap((file) => file.hunks);
  return outcomeOf(hunks.map((hunk) => hunk.state ?? 'pending'), hunks.every((hunk) => hunk.reviewed !== true));
}

/** The calls of the last sessions of a folder, oldest first. */
export async function read(program: string, root: string): Promise<Past[]> {
  const listed = await run(program, ['log', '--root', root, '--list'], root);
  const sessions = listed.out.split('\n').map((row) => row.split(/\s/)[0] ?? '').filter(Boolean).slice(0, SESSIONS);
  const texts = await Promise.all(sessions.map((session) => run(program, ['log', '--root', root, '--format', 'json', '--last', String(EVENTS), session], root)));
  return sessions.flatMap((session, index) => callsOf(texts[index]?.out ?? '', session, root)).sort((a, b) => a.notice.time.localeCompare(b.notice.time));
}

/** The calls of one session's events, each a line of JSON. */
export function callsOf(text: string, session: string, folder: string): Past[] {
  const root = pathToFileURL(folder).href;
  const calls = new Map<string, Past>();
  /** The states of each call's hunks, and who decided. */
  const hunks = new Map<string, Map<string, HunkState>>();
  const undone = new Map<string, string>();
  for (const event of text.split('\n').flatMap(parsed)) {
    const id = event.call_id ?? '';
    if (event.type === 'tool_call') calls.set(id, { notice: noticeOf(event, session, root) });
    const call = calls.get(undone.get(id) ?? id);
    if (!call) continue;
    if (event.type === 'tool_result' || event.type === 'tool_error') call.end = endOf(call.notice, event);
    if (event.type === 'proposal') proposed(call.notice, event);
    if (event.type === 'proposal' || event.type === 'decision') {
      const states = hunks.get(id) ?? new Map<string, HunkState>();
      for (const hunk of event.hunks ?? []) states.set(hunk.id, hunk.state);
      hunks.set(id, states);
      call.outcome = outcomeOf([...states.values()], event.by === 'policy');
    }
    if (event.type === 'undo') {
      // An undo of an undo brings the change back.
      call.outcome = undone.has(id) ? 'accepted' : 'undone';
      if (event.undo_id && !undone.has(id)) undone.set(event.undo_id, id);
    }
  }
  return [...calls.values()];
}

function parsed(row: string): LogEvent[] {
  try {
    return row === '' ? [] : [JSON.parse(row) as LogEvent];
  } catch {
    return [];
  }
}

function noticeOf({ call_id = '', origin = {}, tool = '', args = {}, time }: LogEvent, session: string, root: string): CallNotice {
  const paths = [args.path, args.src].filter((path) => typeof path === 'string');
  return { root, session, call_id, tool, why: typeof args.why === 'string' ? args.why : '', origin, paths, writes: false, time };
}

function proposed(notice: CallNotice, { files = {} }: LogEvent): void {
  notice.writes = true;
  if (notice.paths.length === 0) notice.paths = Object.keys(files);
}

function endOf({ root, session, call_id, tool }: CallNotice, { status, error, duration_ms = 0 }: LogEvent): FinishNotice {
  return { root, session, call_id, tool, status: status ?? 'error', error: error ?? null, duration_ms };
}
