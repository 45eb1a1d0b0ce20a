// The agents that `wherefore init` sets up: the table of server/agents.rs, generated. Do not edit;
// `WHEREFORE_BLESS=1 cargo test --lib generated` writes it anew.

import type { KnownAgent } from './agent_detection';

/** VS Code's own agent is not among them: it is offered the server with no file written. */
export const AGENTS: KnownAgent[] = [
  { id: 'claude', name: 'Claude Code', program: 'claude', traces: ['~/.claude', '~/.claude.json', '.claude', 'CLAUDE.md'], hooks: true },
  { id: 'codex', name: 'Codex', program: 'codex', traces: ['~/.codex', '.codex'], hooks: true },
  { id: 'gemini', name: 'Gemini CLI', program: 'gemini', traces: ['~/.gemini', '.gemini', 'GEMINI.md'], hooks: true },
  { id: 'qwen', name: 'Qwen Code', program: 'qwen', traces: ['~/.qwen', '.qwen', 'QWEN.md'], hooks: true },
  { id: 'copilot', name: 'Copilot CLI', program: 'copilot', traces: ['~/.copilot'], hooks: true },
  { id: 'opencode', name: 'OpenCode', program: 'opencode', traces: ['~/.config/opencode', '.opencode', 'opencode.json', 'opencode.jsonc'], hooks: true },
  { id: 'zed', name: 'Zed', program: 'zed', traces: ['~/.config/zed', '.zed'], hooks: false },
];
