// A terminal for pictures: a project in a folder of its own, and tmux, whose screen is typed into and read.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { project } from './gif.mjs';
import { COLOURS } from './svg.mjs';

/** The program that is shown. */
const program = path.resolve(process.env.WHEREFORE_BIN ?? path.join(project, 'target/debug/wherefore'));

export const pause = (ms) => new Promise((over) => setTimeout(over, ms));

/** A home, a project `pages` and a path with the program. The names are short, since they are seen. */
export function place(variables) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wf-'));
  const at = (name) => path.join(folder, name);
  for (const name of ['home', 'run', 'pages/.git', 'bin']) fs.mkdirSync(at(name), { recursive: true, mode: 0o700 });
  fs.symlinkSync(program, at('bin/wherefore'));
  const env = { PATH: `${at('bin')}:/usr/local/bin:/usr/bin:/bin`, HOME: at('home'), XDG_RUNTIME_DIR: at('run'), LANG: 'C.UTF-8', SHELL: '/bin/bash', ...variables };
  return { at, env, remove: () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 }) };
}

/** A terminal in the project of a place, with so many columns and rows; `deep` is one that has all colours. */
export function terminal({ at, env }, { columns, rows, deep = true }) {
  const tmux = (...args) => execFileSync('tmux', ['-S', at('tmux'), '-f', '/dev/null', ...args], { cwd: at('pages'), env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const screen = () => tmux('capture-pane', '-p', '-t', 'pane');
  return {
    /** Opens it, with a shell inside. */
    open() {
      tmux('new-session', '-d', '-s', 'pane', '-x', String(columns), '-y', String(rows), 'bash', '--norc');
      tmux('set-option', '-g', 'default-terminal', deep ? 'tmux-256color' : 'screen');
      tmux('set-option', '-g', 'status', 'off');
      if (deep) tmux('set-option', '-ga', 'terminal-overrides', ',*:RGB');
    },
    keys: (...typed) => tmux('send-keys', '-t', 'pane', ...typed),
    /** Waits until something is on the screen, or is gone from it. */
    async shows(wanted, isGone = false) {
      for (let tries = 0; tries < 200; tries += 1) {
        if (wanted.test(screen()) !== isGone) return pause(400);
        await pause(100);
      }
      throw new Error(`${wanted} ${isGone ? 'is still' : 'is not'} to be seen:\n${screen()}`);
    },
    /** The lines of the screen with all their colours: tmux goes on with those of the line before. */
    captured() {
      let held = '';
      return tmux('capture-pane', '-eNp', '-t', 'pane').split('\n').slice(0, rows).map((line) => {
        const whole = `\x1b[0m${held}${line}`;
        for (const [sequence, codes] of line.matchAll(COLOURS)) held = /^0*(;|$)/.test(codes) ? sequence : held + sequence;
        return whole;
      });
    },
    close() {
      try {
        tmux('kill-server');
      } catch {
        // It has ended.
      }
    },
  };
}
