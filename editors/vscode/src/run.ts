// Runs the server's program for one answer, beside the server.

import { execFile } from 'node:child_process';
import { setting } from './settings';

/** Bytes of an answer: whole diffs and logs. */
const MOST = 64 * 1024 * 1024;

/** What a run said. */
export interface Said {
  /** Whether it ended well. */
  ok: boolean;
  out: string;
  /** What it said of its troubles. */
  err: string;
}

/** Runs it to its end; never throws. `over` ends it before. */
export function run(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}, over?: AbortSignal): Promise<Said> {
  const options = { cwd, env: { ...process.env, ...setting<Record<string, string>>('server.env', {}), ...env }, maxBuffer: MOST, windowsHide: true, signal: over };
  return new Promise((done) => {
    const child = execFile(program, args, options, (error, out, err) => {
      done({ ok: error === null, out, err: err || (error && out === '' ? error.message : '') });
    });
    // With an input that stays open it could wait for an answer.
    child.stdin?.end();
  });
}
