// Events of runs of the built-in agent. The wire has the members that all of them share.

import type { AgentEnd, AgentEvent, AgentUsage, Fault, Status } from '../server/wire';

/** An event of a run. */
export type RunEvent = AgentEvent &
  (
    | { kind: 'began'; task: string; model: string; resumes?: string | null }
    | { kind: 'step'; step: number }
    | { kind: 'text' | 'thinking' | 'note'; text: string }
    | { kind: 'call'; call: string; tool: string; why: string; paths: string[] }
    | { kind: 'result'; call: string; call_id: string; tool: string; status: Status; failed?: boolean; summary: string; proposal?: string | null }
    | { kind: 'proposed'; proposal: string; call_id: string }
    | { kind: 'question'; id: string; text: string; answers: string[] }
    | { kind: 'usage'; usage: AgentUsage }
    | { kind: 'ended'; end: AgentEnd; text: string; fault?: Fault | null; pending?: string[] }
  );
