// Descriptions of the origin of a line. Nothing is asked or drawn here.

import { clip } from '../text.ts';
import type { LineBy, LineCall, LineCommit } from '../server/wire';

/** The origin of a line. */
export interface LineWhy {
  by: LineBy;
  call: LineCall | undefined;
  commit: (LineCommit & { hash: string }) | undefined;
  /** The state of the log that holds the call, where it was altered or cut. */
  altered: string | undefined;
  /** Doubts about it. */
  warnings: readonly string[];
}

/** The line in words, ready to be shown. */
export interface LineWords {
  /** Its author, call and time. */
  head: string;
  /** The call's why. */
  reason: string;
  /** The decision, the commit, and what is not certain of it. */
  rest: string[];
  /** All of it for the end of the line. */
  annotation: string;
}

const WRITERS: Record<LineBy, string> = {
  agent: 'an agent wrote this line',
  human: 'a person wrote this line',
  mixed: 'an agent and a person wrote this line',
  git: 'this line is older than what wherefore recorded',
  unknown: 'this line is not in git, and no agent changed it as far as is recorded',
};

const DECIDERS = new Map([
  ['person', 'a person'],
  ['policy', 'the policy, with nobody looking'],
  ['client', "the agent's client"],
  ['editor', 'the editor'],
  ['recovery', 'the recovery after a crash'],
]);

/** True if an agent had a part in it. */
export const isOfAgent = ({ by }: LineWhy): boolean => by === 'agent' || by === 'mixed';

/** A time as the person counts it; nothing where it is none. */
function formatTime(time: string | number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}

/** The words. */
export function describeLine({ by, call, commit, altered, warnings }: LineWhy): LineWords {
  const agent = clip(call?.agent ?? '', 40);
  const reason = clip(call?.why ?? '', 400);
  const time = call?.time ? formatTime(call.time) : '';
  const head = [WRITERS[by], agent, call && clip([call.call, call.tool].filter(Boolean).join(' '), 80), time].filter(Boolean).join(' · ');
  const rest: string[] = [];
  const decision = clip(call?.decision ?? '', 40);
  if (decision) {
    const decider = call?.decided_by ? ` by ${DECIDERS.get(call.decided_by) ?? clip(call.decided_by, 40)}` : '';
    const word = call?.reason ? `: ${clip(call.reason, 400)}` : '';
    rest.push(`${decision}${decider}${word}`);
  }
  if (commit) rest.push([`commit ${clip(commit.hash, 12)}`, clip(commit.summary, 120), clip(commit.author, 60), formatTime(commit.time * 1000)].filter(Boolean).join(' · '));
  if (altered) rest.push(clip(`The session log of this call is ${altered}. Nothing here is taken from it.`, 300));
  for (const warning of warnings) rest.push(`not certain: ${clip(warning, 300)}`);
  const annotation = clip([by === 'mixed' ? `${agent || 'an agent'}, and a person` : agent, altered && 'log altered', reason, time].filter(Boolean).join(' · '), 120);
  return { head, reason, rest, annotation };
}
