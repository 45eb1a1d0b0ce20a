// The order of the working set, from one answer of the server to the next.

const assert = require('node:assert/strict');
// Node reads TypeScript where nothing but its types has to go.
const { orderSteadily } = require('../src/working_set_order.ts');

const files = (heats) => Object.entries(heats).map(([path, hotness]) => ({ path, hotness }));
const order = (heats, ...before) => orderSteadily(files(heats), before).map(({ path }) => path).join(' ');

describe('the order of the working set', () => {
  it('is the heat at first', () => assert.equal(order({ c: 0.9, a: 0.6, b: 0.5 }), 'c a b'));
  it('does not change for a little heat', () => assert.equal(order({ b: 0.64, a: 0.63 }, 'a', 'b'), 'a b'));
  it('changes for much', () => assert.equal(order({ b: 0.66, a: 0.63 }, 'a', 'b'), 'b a'));
  it('takes a new file in by its heat, and forgets one that left', () => assert.equal(order({ a: 0.7, n: 0.65, b: 0.64 }, 'gone', 'a', 'b'), 'a n b'));
  it('never leaves one below what is much cooler, by however small steps it rose', () => {
    assert.equal(order({ c: 0.53, b: 0.515, a: 0.5 }, 'a', 'b', 'c'), 'c a b');
  });
});
