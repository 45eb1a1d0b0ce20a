// A terminal's screen as an SVG: svg(TEXT, { columns, title }) of what `tmux capture-pane -ep` prints.

const ESCAPE = String.fromCharCode(27);
/** A sequence that sets colours, and its codes. */
export const COLOURS = new RegExp(`${ESCAPE}\\[([\\d;:]*)m`, 'g');

const CELL = { width: 8.4, height: 18, size: 14 };
/** The colours of two terminals: of letters, of what is behind them, and the sixteen with names. */
const DARK = {
  ink: '#d4d4d4',
  paper: '#16181d',
  basic: [
    '#2e3436', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#c8ccd4',
    '#7f848e', '#ff7b86', '#b5e890', '#ffd68a', '#82c4ff', '#e39df5', '#7fd6e2', '#ffffff',
  ],
};
const LIGHT = {
  ink: '#24292f',
  paper: '#ffffff',
  basic: [
    '#24292f', '#cf222e', '#116329', '#7d4e00', '#0969da', '#8250df', '#1b7c83', '#d0d7de',
    '#57606a', '#a40e26', '#1a7f37', '#9a6700', '#218bff', '#a475f9', '#3192aa', '#ffffff',
  ],
};
/** The terminal that is drawn now. */
let terminal = DARK;

/** The colour of a number among 256. */
function numbered(at) {
  if (at < 16) return terminal.basic[at];
  const hex = (value) => value.toString(16).padStart(2, '0');
  if (at > 231) return `#${hex(8 + (at - 232) * 10).repeat(3)}`;
  const level = (value) => (value ? 55 + value * 40 : 0);
  const rest = at - 16;
  return `#${[Math.floor(rest / 36), Math.floor(rest / 6) % 6, rest % 6].map((value) => hex(level(value))).join('')}`;
}

/** Reads a colour after 38 or 48, and how many codes it took. */
function colour(codes, at) {
  if (codes[at + 1] === 5) return [numbered(codes[at + 2]), 2];
  const [red, green, blue] = codes.slice(at + 2, at + 5);
  return [`#${[red, green, blue].map((value) => value.toString(16).padStart(2, '0')).join('')}`, 4];
}

const plain = () => ({ ink: terminal.ink, paper: undefined, bold: false, dim: false, italic: false, line: false, swapped: false });

/** The style after a sequence that ends in `m`. */
function styled(style, text) {
  const codes = text.split(/[;:]/).map(Number);
  let now = { ...style };
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at];
    if (code === 0) now = plain();
    else if (code === 1) now.bold = true;
    else if (code === 2) now.dim = true;
    else if (code === 3) now.italic = true;
    else if (code === 4) now.line = true;
    else if (code === 7) now.swapped = true;
    else if (code === 22) now.bold = now.dim = false;
    else if (code === 23) now.italic = false;
    else if (code === 24) now.line = false;
    else if (code === 27) now.swapped = false;
    else if (code === 39) now.ink = terminal.ink;
    else if (code === 49) now.paper = undefined;
    else if (code === 38 || code === 48) {
      const [found, taken] = colour(codes, at);
      now[code === 38 ? 'ink' : 'paper'] = found;
      at += taken;
    } else if (code >= 30 && code <= 37) now.ink = terminal.basic[code - 30];
    else if (code >= 40 && code <= 47) now.paper = terminal.basic[code - 40];
    else if (code >= 90 && code <= 97) now.ink = terminal.basic[code - 82];
    else if (code >= 100 && code <= 107) now.paper = terminal.basic[code - 92];
  }
  return now;
}

/** How many columns a character takes. */
function width(letter) {
  const point = letter.codePointAt(0);
  if (/\p{Mn}|\u200d|\ufe0f/u.test(letter)) return 0;
  return (point >= 0x1100 && point <= 0x115f) || (point >= 0x2e80 && point <= 0xa4cf) || (point >= 0x1f300 && point <= 0x1faff) ? 2 : 1;
}

/** The runs of one style in a line: where each begins, how wide it is, what it says. */
function runs(line, style) {
  const found = [];
  let [at, now] = [0, style];
  for (const [, codes, letters] of line.matchAll(new RegExp(`${COLOURS.source}|([^${ESCAPE}]+)`, 'g'))) {
    if (codes !== undefined) now = styled(now, codes || '0');
    if (letters === undefined) continue;
    const wide = [...letters].reduce((sum, letter) => sum + width(letter), 0);
    found.push({ at, wide, letters, style: now });
    at += wide;
  }
  return [found, now];
}

/** What is drawn for characters that few fonts have. */
const SUBSTITUTES = { '⎿': '└', '⏸': '‖', '✻': '*', '✢': '+', '✽': '*', '⏵': '▸' };
const escaped = (text) => text.replace(/[⎿⏸✻✢✽⏵]/g, (letter) => SUBSTITUTES[letter]).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const number = (value) => String(Math.round(value * 10) / 10);

/** What a run is drawn as. */
function drawn({ at, wide, letters, style }, y) {
  const [ink, paper] = style.swapped ? [style.paper ?? terminal.paper, style.ink] : [style.ink, style.paper];
  const [x, box] = [number(at * CELL.width), number(wide * CELL.width)];
  const back = paper ? `<rect x="${x}" y="${y}" width="${box}" height="${CELL.height}" fill="${paper}"/>` : '';
  const looks = [
    ink === terminal.ink ? '' : ` fill="${ink}"`,
    style.bold ? ' font-weight="bold"' : '',
    style.italic ? ' font-style="italic"' : '',
    style.dim ? ' opacity=".6"' : '',
    style.line ? ' text-decoration="underline"' : '',
  ].join('');
  const cells = (text) => [...text].reduce((sum, letter) => sum + width(letter), 0);
  // Spaces that follow each other are not drawn: viewers make one of them.
  const words = [...letters.matchAll(/\S+(?: \S+)*/g)].map(({ 0: words, index }) => {
    const from = number((at + cells(letters.slice(0, index))) * CELL.width);
    const fitted = cells(words) > 1 ? ` textLength="${number(cells(words) * CELL.width)}"` : '';
    return `<text x="${from}" y="${number(y + CELL.height - 5)}"${fitted}${looks}>${escaped(words)}</text>`;
  });
  return back + words.join('');
}

/** The picture, of a dark terminal or a `light` one. */
export function svg(text, { columns, title, light = false }) {
  terminal = light ? LIGHT : DARK;
  const lines = text.replace(new RegExp(`(?:\\s|${ESCAPE}\\[0?m)+$`), '').split('\n');
  let style = plain();
  const parts = lines.map((line, row) => {
    const [found, after] = runs(line, style);
    style = after;
    return found.map((run) => drawn(run, row * CELL.height)).join('');
  });
  const [wide, high] = [Math.ceil(columns * CELL.width) + 24, lines.length * CELL.height + 24];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" width="${wide}" height="${high}" role="img">
<title>${escaped(title)}</title>
<rect width="${wide}" height="${high}" rx="8" fill="${terminal.paper}"/>
<g transform="translate(12 12)" font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="${CELL.size}" fill="${terminal.ink}">
${parts.filter(Boolean).join('\n')}
</g></svg>
`;
}
