// node tests/pictures/neovim.mjs: the moving picture of README.md, docs/pictures/review.gif: two agents' hunks in one buffer of
// Neovim, and one of them undone. node tests/pictures/neovim.mjs COLUMNS SCHEME…: the review in color schemes, with so many
// columns, as .e2e/nvim-shots/SCHEME-COLUMNS.png. Needs tmux, code-server and Neovim of tests/run. Environment: WHEREFORE_BIN.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gif, project } from './gif.mjs';
import { svg } from './svg.mjs';
import { pause, place, terminal } from './tmux.mjs';

const { chromium } = createRequire(path.join(project, '.e2e/code-server/package.json'))('playwright-core');
const [wide = '88', ...schemes] = process.argv.slice(2);
const [columns, rows] = [Number(wide), 30];

const BEFORE = `import time


def fetch(url, session):
    """Gets a page, and tries again when it fails."""
    for attempt in range(3):
        answer = session.get(url)
        if answer.ok:
            return answer.text
        time.sleep(1)
    return None


def titles(urls, session):
    found = []
    for url in urls:
        found.append(title(fetch(url, session)))
    return found
`;
const CALMER = BEFORE.replace('        time.sleep(1)\n    return None', '        time.sleep(2 ** attempt)\n    raise OSError(f"{url} failed three times")')
  .replace('session.get(url)', 'session.get(url, timeout=10)');
const SHORTER = BEFORE.replace('    found = []\n    for url in urls:\n        found.append(title(fetch(url, session)))\n    return found\n', '    return [title(fetch(url, session)) for url in urls]\n');

const there = place({ TERM: 'xterm-256color', COLORTERM: 'truecolor' });
const { at, env } = there;
const pane = terminal(there, { columns, rows });
const { keys, shows } = pane;

/** A call of an agent's, which waits for the decisions. */
function write(agent, content, why) {
  const args = ['call', 'fs.write', JSON.stringify({ path: 'pages.py', content, why }), '--root', at('pages'), '--policy', 'ask', '--agent', agent];
  spawn(path.join(at('bin'), 'wherefore'), args, { env, stdio: 'ignore' });
}

async function begin(scheme) {
  fs.writeFileSync(at('pages/pages.py'), BEFORE);
  pane.open();
  const [name, background = 'dark'] = scheme.split(':');
  const look = `set rtp+=${project}/editors/nvim termguicolors background=${background} number noruler laststatus=2 shortmess+=F`;
  const words = [path.join(project, '.e2e/nvim-0.12/nvim'), '--clean', '--cmd', `"${look}"`, '-c', `"colorscheme ${name}"`, '-c', `"lua require('wherefore').setup({})"`, 'pages.py'];
  keys(`exec ${words.join(' ')}`, 'Enter');
  await shows(/titles\(urls/);
}

/** Both agents' hunks: one's text is made of what the file holds, and so is the other's. */
async function propose() {
  write('claude-code', CALMER, 'Wait longer after each failure, and tell the caller when all three fail');
  await shows(/2 \*\* attempt/);
}

const frames = [];
const title = 'Two agents propose changes in one buffer of Neovim; hunks are accepted, and one is undone';
const keep = (ms, said) => {
  const shown = pane.captured().join('\n');
  const line = `\x1b[0m\n\x1b[1;38;2;130;196;255m ${said}\x1b[0m`;
  frames.push({ bytes: svg(`${shown}${line}`, { columns, title }), type: 'image/svg+xml', ms });
};

async function film() {
  await begin('default');
  keep(1500, 'A file in Neovim.');
  await propose();
  keep(3000, 'Claude Code proposes two hunks. Nothing is on the disk yet.');
  write('codex', SHORTER, 'Say the same in one line');
  await shows(/return \[title/);
  keep(3000, 'Codex proposes one in the same file.');
  keys('gg', ']v');
  await pause(700);
  keep(1500, ']v  goes to the next hunk');
  keys('gwy');
  await shows(/2 accepted|1\/2|gwy/);
  await pause(900);
  keep(1800, 'gwy  accepts it');
  keys('gwy');
  await pause(1300);
  keep(1800, 'gwy  accepts the next');
  keys('gwy');
  await shows(/gwy accept/, true);
  await pause(1000);
  keep(2500, 'gwy  accepts that of Codex: all is saved');
  keys(':Wherefore undo', 'Enter');
  await shows(/found.append/);
  await pause(800);
  keep(4000, ':Wherefore undo  takes back what Codex did; the rest stays');
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] });
try {
  const page = await browser.newPage();
  if (schemes.length === 0) {
    await film();
    const file = path.join(project, 'docs/pictures/review.gif');
    console.log(`docs/pictures/review.gif ${Math.ceil((await gif(page, frames, file)) / 1024)} kB`);
  }
  for (const scheme of schemes) {
    await begin(scheme);
    await propose();
    write('codex', SHORTER, 'Say the same in one line');
    await shows(/codex/);
    keys('gg', ']v');
    await pause(1000);
    if (columns < 80) keys(']v', ']v');
    await pause(1000);
    const picture = svg(pane.captured().join('\n'), { columns, title: scheme });
    await page.setContent(`<body style="margin:0">${picture}</body>`);
    fs.mkdirSync(path.join(project, '.e2e/nvim-shots'), { recursive: true });
    await page.locator('svg').screenshot({ path: path.join(project, '.e2e/nvim-shots', `${scheme.replace(':', '-')}-${columns}.png`) });
    keys('Escape', ':Wherefore reject-all', 'Enter');
    await shows(/gwy accept/, true);
    pane.close();
    await pause(500);
  }
} finally {
  await browser.close();
  pane.close();
  there.remove();
}
