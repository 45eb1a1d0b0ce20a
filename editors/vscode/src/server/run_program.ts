// Runs the server's program for one answer, beside the server.

import { execFile } from 'node:child_process';
import { readSetting } from '../settings';

/** Bytes of an answer: whole diffs and logs. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The output of a run. */
export interface ProgramOutput {
  /** True if it ended well. */
  ok: boolean;
  out: string;
  /** Its words on its troubles. */
  err: string;
}

/** Runs it to its end; never throws. `over` ends it before. */
export function runProgram(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}, signal?: AbortSignal): Promise<ProgramOutput> {
  const options = { cwd, env: { ...process.env, ...readSetting<Record<string, string>>('server.env', {}), ...env }, maxBuffer: MOST_BYTES, windowsHide: true, signal: signal };
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, out, err) => {
      resolve({ ok: error === null, out, err: err || (error && out === '' ? error.message : '') });
    });
    // With an input that stays open it could wait for an answer.
    child.stdin?.end();
  });
}
