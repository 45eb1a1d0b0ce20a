// The agents that `wherefore init` sets up, and which of them are in use here.

import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** An agent. */
export interface Agent {
  /** Its name for `--agents`. */
  id: string;
  name: string;
  program: string;
  /** What it leaves behind, below the home folder (`~/`) or the project. */
  traces: string[];
  /** Whether its own tools can be sent through hooks. */
  hooks: boolean;
}

/** VS Code's own agent is not among them: it is offered the server with no file written. */
export const AGENTS: Agent[] = [
  { id: 'claude', name: 'Claude Code', program: 'claude', traces: ['~/.claude', '~/.claude.json', '.claude', 'CLAUDE.md'], hooks: true },
  { id: 'codex', name: 'Codex', program: 'codex', traces: ['~/.codex', '.codex'], hooks: true },
  { id: 'gemini', name: 'Gemini CLI', program: 'gemini', traces: ['~/.gemini', '.gemini', 'GEMINI.md'], hooks: true },
  { id: 'qwen', name: 'Qwen Code', program: 'qwen', traces: ['~/.qwen', '.qwen', 'QWEN.md'], hooks: true },
  { id: 'copilot', name: 'Copilot CLI', program: 'copilot', traces: ['~/.copilot'], hooks: true },
  { id: 'opencode', name: 'OpenCode', program: 'opencode', traces: ['~/.config/opencode', '.opencode', 'opencode.json'], hooks: true },
  { id: 'zed', name: 'Zed', program: 'zed', traces: ['~/.config/zed', '.zed'], hooks: false },
];

/** Whether the agent is in use: its program is on the PATH, or something that it leaves behind is there. */
export function isFound({ program, traces }: Agent, project: string): boolean {
  // A daemon of the system is called `zed`, too.
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '' && !/[/\\]sbin$/.test(folder));
  const place = (trace: string): string => (trace.startsWith('~/') ? join(homedir(), trace.slice(2)) : join(project, trace));
  return folders.some((folder) => isProgram(join(folder, program))) || traces.some((trace) => existsSync(place(trace)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
