// An agent that `wherefore init` sets up, and whether it is in use here. `known_agents.ts` lists them.

import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** An agent. */
export interface KnownAgent {
  /** Its name for `--agents`. */
  id: string;
  name: string;
  program: string;
  /** Files that it leaves behind, below the home folder (`~/`) or the project. */
  traces: string[];
  /** True if its own tools can be sent through hooks. */
  hooks: boolean;
}

/** True if the agent is in use: its program is on the PATH, or something that it leaves behind is there. */
export function isInUse({ program, traces }: KnownAgent, project: string): boolean {
  // A daemon of the system is called `zed`, too.
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '' && !/[/\\]sbin$/.test(folder));
  const findTrace = (trace: string): string => (trace.startsWith('~/') ? join(homedir(), trace.slice(2)) : join(project, trace));
  return folders.some((folder) => isExecutable(join(folder, program))) || traces.some((trace) => existsSync(findTrace(trace)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
