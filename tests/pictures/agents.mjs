// node tests/pictures/agents.mjs: the pictures of docs/agents.md, taken of the real programs in a terminal.
// Needs tmux, the agents of tests/agents/install.sh and Neovim of tests/run. Environment: WHEREFORE_BIN, the program
// [target/debug/wherefore].
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { start } from './model.mjs';
import { COLOURS, svg } from './svg.mjs';

const project = path.resolve(import.meta.dirname, '../..');
const program = path.resolve(process.env.WHEREFORE_BIN ?? path.join(project, 'target/debug/wherefore'));
const agents = path.join(project, '.e2e/agents/bin');
const pictures = path.join(project, 'docs/pictures');
const [columns, rows] = [156, 33];

const BEFORE = `// Calls a service again when it fails, a little later each time.
export async function retry(call, times = 5) {
  let wait = 100;
  for (let i = 0; i < times; i++) {
    try {
      return await call();
    } catch (error) {
      console.log(error);
      await sleep(wait);
      wait = wait * 2;
    }
  }
}
`;
const AFTER = BEFORE.replace('let wait = 100;', 'let wait = 100;\n  let last;')
  .replace('wait = wait * 2;', 'wait = Math.min(wait * 2, 10_000);')
  .replace('    }\n  }\n}', '    }\n  }\n  throw last;\n}');

// Short names: paths are seen in the pictures.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wf-'));
const at = (name) => path.join(folder, name);
const work = at('retry');
for (const name of ['home/.claude', 'home/.cache', 'run', 'retry', 'bin']) fs.mkdirSync(at(name), { recursive: true, mode: 0o700 });
fs.symlinkSync(program, at('bin/wherefore'));
fs.writeFileSync(path.join(work, 'retry.js'), BEFORE);
const model = await start([
  { say: 'I read the function first.', tool: 'Read', input: { file_path: path.join(work, 'retry.js') } },
  {
    say: 'A caller should see the last error instead of undefined.',
    tool: 'Edit',
    input: { file_path: path.join(work, 'retry.js'), old_string: BEFORE, new_string: AFTER },
  },
  { say: 'The wait stays unbounded, as you want it; the rest is in place.' },
]);
const env = {
  PATH: `${at('bin')}:${agents}:/usr/local/bin:/usr/bin:/bin`,
  HOME: at('home'),
  XDG_RUNTIME_DIR: at('run'),
  TMPDIR: at('run'),
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  COLORTERM: 'truecolor',
  SHELL: '/bin/bash',
  PS1: '$ ',
  HISTFILE: '/dev/null',
  ANTHROPIC_BASE_URL: model.url,
  ANTHROPIC_API_KEY: 'fake',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
};
const run = (name, ...args) => execFileSync(name, args, { cwd: work, env, encoding: 'utf8' });
const tmux = (...args) => run('tmux', '-S', at('tmux'), '-f', '/dev/null', ...args);
const pause = (ms) => new Promise((over) => setTimeout(over, ms));

/** Waits until a pane shows something. */
async function shows(pane, wanted) {
  for (let tries = 0; tries < 300; tries += 1) {
    const screen = tmux('capture-pane', '-p', '-t', pane);
    if (wanted.test(screen)) return screen;
    await pause(100);
  }
  throw new Error(`${wanted} is not to be seen:\n${tmux('capture-pane', '-p', '-t', pane)}`);
}

/** The lines of a pane, each with all of its colours: tmux goes on with those of the line before. */
function captured(pane) {
  let held = '';
  return tmux('capture-pane', '-ep', '-t', pane)
    .split('\n')
    .map((line) => {
      const whole = `\x1b[0m${held}${line}`;
      for (const [sequence, codes] of line.matchAll(COLOURS)) {
        held = /^0*(;|$)/.test(codes) ? sequence : held + sequence;
      }
      return whole;
    });
}

/** Two panes beside each other. */
function beside(left, right, width) {
  const bare = stripVTControlCharacters;
  const plain = (line) => `${line}\x1b[0m${' '.repeat(Math.max(0, width - [...bare(line)].length))}`;
  return left.map((line, row) => `${plain(line)}\x1b[90m│\x1b[0m ${right[row] ?? ''}`).join('\n');
}

function keep(name, text, wide, title) {
  const picture = svg(text, { columns: wide, title });
  fs.mkdirSync(pictures, { recursive: true });
  fs.writeFileSync(path.join(pictures, `${name}.svg`), picture);
  console.log(`${name}.svg ${Math.ceil(picture.length / 1024)} kB`);
}

/** What a command prints, as a person sees it in a terminal. */
async function printed(name, line, title, wide, high) {
  tmux('new-session', '-d', '-s', name, '-x', String(wide), '-y', String(high), 'bash', '--norc');
  await shows(name, /\$/);
  tmux('send-keys', '-t', name, `clear; ${line}; echo; tput civis; echo end-of-it`, 'Enter');
  await shows(name, /^end-of-it/m);
  const text = captured(name).join('\n').replace(/\n[^\n]*end-of-it[\s\S]*/, '');
  keep(name, `\x1b[90m$\x1b[0m \x1b[1m${line}\x1b[0m\n${text.replace(/\s+$/, '')}`, wide, title);
}

/** Waits until so many hunks wait for a decision. */
async function waiting(count) {
  for (let tries = 0; tries < 100; tries += 1) {
    const proposals = JSON.parse(run('wherefore', 'review', '--list', '--json') || '[]');
    const hunks = proposals.flatMap(({ files }) => files.flatMap((file) => file.hunks));
    if (hunks.filter(({ state }) => state === 'pending').length === count) return;
    await pause(200);
  }
  throw new Error(`${count} hunks do not wait:\n${tmux('capture-pane', '-p', '-t', 'review.1')}`);
}

async function review() {
  const half = Math.floor(columns / 2);
  tmux('new-session', '-d', '-s', 'review', '-x', String(columns), '-y', String(rows), 'bash', '--norc');
  tmux('set-option', '-g', 'default-terminal', 'tmux-256color');
  tmux('set-option', '-ga', 'terminal-overrides', ',*:RGB');
  tmux('set-option', '-g', 'status', 'off');
  const nvim = path.join(project, '.e2e/nvim-0.12/nvim');
  const plugin = `set rtp+=${project}/editors/nvim termguicolors background=dark`;
  const setup = ['--clean', '--cmd', plugin, '-c', "lua require('wherefore').setup({})", 'retry.js'];
  tmux('split-window', '-h', '-l', String(columns - half - 1), '-t', 'review', nvim, ...setup);
  await shows('review.1', /retry\(call/);
  tmux('send-keys', '-t', 'review.0', 'claude --model sonnet --permission-mode default', 'Enter');
  await shows('review.0', /❯/);
  await pause(1500);
  tmux('send-keys', '-t', 'review.0', '-l', 'Let a caller of retry see the last error.');
  await pause(500);
  tmux('send-keys', '-t', 'review.0', 'Enter');
  await shows('review.1', /accept/);
  await waiting(3);
  await pause(500);
  tmux('send-keys', '-t', 'review.1', 'gg', ']v');
  await pause(1000);
  const pair = () => beside(captured('review.0'), captured('review.1'), half);
  keep('claude-held', pair(), columns, 'Claude Code waits, and Neovim shows the hunks of its edit');
  tmux('send-keys', '-t', 'review.1', 'gwy');
  await waiting(2);
  await pause(500);
  tmux('send-keys', '-t', 'review.1', 'gg', ']v', 'gwR');
  await shows('review.1', /Why reject/);
  tmux('send-keys', '-t', 'review.1', '-l', 'no bound: callers wait as long as they like');
  tmux('send-keys', '-t', 'review.1', 'Enter');
  await waiting(1);
  await pause(500);
  tmux('send-keys', '-t', 'review.1', 'gg', ']v', 'gwy');
  await shows('review.0', /unbounded/);
  tmux('send-keys', '-t', 'review.1', ':', 'Escape');
  await pause(1000);
  keep('claude-told', pair(), columns, 'Claude Code has read what was accepted and rejected, and why');
}

try {
  run('git', 'init', '-q');
  fs.writeFileSync(
    at('home/.claude.json'),
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: ['fake'], rejected: [] },
      projects: { [work]: { hasTrustDialogAccepted: true, allowedTools: [] } },
    }),
  );
  run('wherefore', 'init', '--guard', '--user', '--yes', '--agents', 'claude,codex,gemini,qwen,copilot,opencode');
  await review();
  await printed('log-native', 'wherefore log --native', 'What agents did with tools of their own', 110, 40);
  await printed('doctor', "wherefore doctor | grep -A1 'come through'", 'What comes through of each agent', 162, 40);
} finally {
  try {
    tmux('kill-server');
  } catch {
    // It has ended.
  }
  model.stop();
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
}
