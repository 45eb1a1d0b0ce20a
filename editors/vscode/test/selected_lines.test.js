// Which lines of a hunk are changed, and what it adds where only some of them are taken.

const assert = require('node:assert/strict');
// Node reads TypeScript where nothing but its types has to go.
const { findPieces, takeLines } = require('../src/review/selected_lines.ts');

const lines = (words) => words.split(' ').filter(Boolean).map((word) => `${word}\n`);
const taken = (old, now, side, ...selected) => takeLines(lines(old), lines(now), side, (line) => selected.includes(line)).join('').trim().split('\n').join(' ');

describe('the lines of a hunk', () => {
  it('are changed in pieces, where lines among them stay', () => {
    assert.deepEqual(findPieces(lines('a b c d e'), lines('a X c d Y Z')), [
      { old: 1, olds: 1, new: 1, news: 1 },
      { old: 4, olds: 1, new: 4, news: 2 },
    ]);
    assert.deepEqual(findPieces(lines('a'), lines('a')), []);
    assert.deepEqual(findPieces([], lines('a b')), [{ old: 0, olds: 0, new: 0, news: 2 }]);
    assert.deepEqual(findPieces(lines('a b c'), lines('c')), [{ old: 0, olds: 2, new: 0, news: 0 }]);
  });

  it('are taken one by one where as many come as go', () => {
    assert.equal(taken('a b c d', 'A B C D', 'new', 1, 2), 'a B C d');
    assert.equal(taken('a b c d', 'A B C D', 'old', 0), 'A b c d');
    assert.equal(taken('a b c d', 'A B C D', 'new'), 'a b c d');
    assert.equal(taken('a b c d', 'A B C D', 'new', 0, 1, 2, 3), 'A B C D');
  });

  it('are taken from additions, removals, and pieces of another length', () => {
    assert.equal(taken('a d', 'a b c d', 'new', 2), 'a c d');
    assert.equal(taken('a b c d', 'a d', 'old', 1), 'a c d');
    assert.equal(taken('x', 'A B C', 'new', 0, 2), 'A C');
    assert.equal(taken('x y', 'A B C', 'old', 1), 'A B C');
  });
});
