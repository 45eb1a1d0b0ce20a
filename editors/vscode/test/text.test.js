// Words of others made harmless: nothing in them is hidden, makes an icon or makes a link.

const assert = require('node:assert/strict');
// Node reads TypeScript where nothing but its types has to go.
const { clip, escapeHidden, escapeMarkup, expandTabs } = require('../src/text.ts');

/** A terminal's escape, C1, turns of the reading direction, zero width, a tag, a private sign, an Arabic mark, a filler. */
const HOSTILE = ['\u001b', '\u0000', '\u009b', '\u202e', '\u2066', '\u200b', '\ufeff', '\u{e0041}', '\ue000', '\u061c', '\u3164', '\u2028'];

describe('words of others', () => {
  it('show what is hidden in them', () => {
    for (const sign of HOSTILE) {
      const shown = `a\\u{${sign.codePointAt(0).toString(16)}}b`;
      for (const [name, text] of Object.entries({ escapeHidden: escapeHidden(`a${sign}b`), escapeMarkup: escapeMarkup(`a${sign}b`), clip: clip(`a${sign}b`, 40), expandTabs: expandTabs(`a${sign}b`, 4) })) {
        assert.equal(text, shown, name);
      }
    }
  });

  it('are as they were where nothing is hidden', () => {
    const text = 'naïve 漢字 😀 привет العربية\n\ttab';
    assert.equal(escapeHidden(text), text);
    assert.equal(escapeHidden('a\r\nb\rc'), 'a\nb\\u{d}c');
    assert.equal(expandTabs('\ta\tb', 4), '    a   b');
  });

  it('make neither an icon nor a link', () => {
    for (const text of ['$(check) Accept', '[Accept](command:wherefore.acceptAll)', '[a](https://x.invalid)', '$\u200b(x)', ']\n(command:x)', '\\$(check)', '$$(x)((']) {
      for (const made of [escapeMarkup(text), clip(text, 80)]) {
        assert.doesNotMatch(made, /\$\([\w-]+/, made);
        assert.doesNotMatch(made, /\]\(/, made);
      }
    }
  });

  it('are one row, and no longer than there is room', () => {
    assert.equal(clip('one\r\n\ttwo', 40), 'one two');
    assert.equal([...clip('😀'.repeat(50), 10)].length, 10);
    assert.equal(clip('abc', 3), 'abc');
  });
});

/** What shows words without more ado is called in one place each, where they are made harmless. */
describe('the sources', () => {
  const { readdirSync, readFileSync } = require('node:fs');
  const { join } = require('node:path');
  const source = join(__dirname, '..', 'src');
  const files = readdirSync(source, { recursive: true }).filter((name) => name.endsWith('.ts'));
  const users = (pattern) => files.filter((name) => pattern.test(readFileSync(join(source, name), 'utf8'))).sort();

  it('show messages in one place, and likewise remarks, lenses, rows of trees and output', () => {
    assert.deepEqual(users(/show(?:Information|Warning|Error)Message/), ['messages.ts']);
    assert.deepEqual(users(/setStatusBarMessage/), ['messages.ts']);
    assert.deepEqual(users(/new vscode\.CodeLens\b/), ['code_lens.ts']);
    assert.deepEqual(users(/getTreeItem/), ['tree_view.ts']);
    assert.deepEqual(users(/createOutputChannel/), ['output_channel.ts']);
  });

  it('use no API that is only proposed', () => {
    const manifest = JSON.parse(readFileSync(join(source, '..', 'package.json'), 'utf8'));
    assert.equal(manifest.enabledApiProposals, undefined);
    const { registerTimelineProvider } = require('vscode').workspace;
    assert.throws(() => registerTimelineProvider?.('file', {}) ?? assert.fail('the tests run where proposed APIs are granted'), /CANNOT use API proposal/);
  });
});
