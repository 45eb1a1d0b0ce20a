// node tests/pictures/terminal.mjs COLUMNS dark|light [16]: the screens of the command line, as .e2e/terminal-shots/NAME-….png;
// with 16 for a terminal that has no more colours. Needs tmux and code-server of tests/run. Environment: WHEREFORE_BIN.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { project } from './gif.mjs';
import { svg } from './svg.mjs';
import { pause, place, terminal } from './tmux.mjs';

const { chromium } = createRequire(path.join(project, '.e2e/code-server/package.json'))('playwright-core');
const [wide = '100', tone = 'dark', depth = 'all'] = process.argv.slice(2);
const [columns, rows] = [Number(wide), 34];
const shots = path.join(project, '.e2e/terminal-shots');
fs.mkdirSync(shots, { recursive: true });

const BEFORE = `import time


def fetch(url, session):
    """Gets a page, and tries again when it fails."""
    for attempt in range(3):
        answer = session.get(url)
        if answer.ok:
            return answer.text
        time.sleep(1)
    return None
`;
const AFTER = BEFORE.replace('session.get(url)', 'session.get(url, timeout=10)').replace(
  '        time.sleep(1)\n    return None',
  '        time.sleep(2 ** attempt)\n    raise OSError(f"{url} failed three times, the last time with {answer.status_code} {answer.reason}")',
);
const WHY = 'Wait longer after each failure, and tell the caller with the last answer when all three tries have failed';

const colours = depth === '16' ? { TERM: 'xterm-16color' } : { TERM: 'xterm-256color', COLORTERM: 'truecolor' };
const there = place({ PS1: '$ ', COLORFGBG: tone === 'light' ? '0;15' : '15;0', ...colours });
const { at, env } = there;
const pane = terminal(there, { columns, rows, deep: depth !== '16' });
const { keys, shows } = pane;
// Agents that init and doctor find.
for (const name of ['claude', 'codex', 'gemini']) fs.writeFileSync(at(`bin/${name}`), '#!/bin/sh\necho 1.0.0\n', { mode: 0o755 });
fs.writeFileSync(at('pages/pages.py'), BEFORE);
fs.writeFileSync(at('pages/notes.md'), '# Notes\n');
const running = [];
const call = (tool, args, policy = 'ask') => {
  const words = ['call', tool, JSON.stringify(args), '--root', at('pages'), '--policy', policy, '--agent', 'claude-code'];
  return new Promise((over) => running.push(spawn(path.join(at('bin'), 'wherefore'), words, { env, stdio: 'ignore' }).on('exit', over)));
};

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] });
const page = await browser.newPage();
async function shot(name) {
  const picture = svg(pane.captured().join('\n'), { columns, title: name, light: tone === 'light' });
  await page.setContent(`<body style="margin:0;background:#888">${picture}`);
  const file = path.join(shots, `${name}-${tone}-${wide}${depth === '16' ? '-16' : ''}.png`);
  await page.locator('svg').screenshot({ path: file });
  console.log(path.relative(project, file));
}
/** Types a command line on an empty screen, and waits for what it shows. */
async function types(line, wanted) {
  keys('clear', 'Enter');
  await pause(200);
  keys(line, 'Enter');
  await shows(wanted);
}
const prompt = /\n\$\s*$/;

try {
  pane.open();
  await types('wherefore init', /write\? \[y,n/);
  await shot('init');
  keys('q', 'Enter');
  await shows(prompt);
  await types('wherefore doctor', prompt);
  await shot('doctor');
  await types('wherefore --help', prompt);
  await shot('help');
  await call('fs.read', { path: 'pages.py', why: 'Learn how a page is fetched' });
  await call('fs.patch', { path: 'nothing.py', edits: [], why: 'See what a fault looks like' });
  await call('fs.write', { path: 'notes.md', content: '# Notes\n\nPages are tried three times.\n', why: 'Say how often a page is tried' }, 'auto');
  await call('fs.write', { path: 'pages.py', content: AFTER, why: WHY });
  await types('wherefore review', /\? for help|\[y,n/);
  await shot('review');
  keys('n', 'Enter');
  await shows(/2 of 2/);
  await shot('review-second');
  keys('q', 'Enter');
  await shows(prompt);
  await types('wherefore review --full-screen --applied', /1 of|pages\.py/);
  await shot('review-full');
  keys('?');
  await pause(600);
  await shot('review-full-help');
  keys('Escape');
  keys('q');
  await pause(600);
  await types('wherefore review --watch', /of \d|Nothing waits/);
  await shot('watch');
  void call('fs.write', { path: 'AGENTS.md', content: 'Be kind.\n', why: 'Tell every agent to be kind' });
  await shows(/turn the question away/);
  await shot('watch-question');
  keys('Escape');
  await pause(500);
  keys('C-c');
  await shows(prompt);
  for (const [name, line] of [['status', 'status'], ['log', 'log'], ['why', 'why notes.md'], ['working-set', 'working-set'], ['tools', 'tools list'], ['fault', 'call fs.raed \'{"path":"a"}\''], ['rules', 'rules']]) {
    await types(`wherefore ${line} 2>&1 | head -${rows - 2}`.replace(/ 2>&1.*/, ''), prompt);
    await shot(name);
  }
} finally {
  await browser.close();
  for (const child of running) child.kill();
  pane.close();
  there.remove();
}
