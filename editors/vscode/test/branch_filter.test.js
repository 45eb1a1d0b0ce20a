// How the program is packed: what comes out is what went in, however it is cut.

const assert = require('node:assert/strict');
const { Readable } = require('node:stream');
const { buffer } = require('node:stream/consumers');
const { AddressDecoder, convertAddresses } = require('../src/server/branch_filter.ts');

/** Two calls of one place, an address that is loaded, a jump that stays, and an instruction that the end cuts. */
const CODE = Buffer.from('90e81000000090e80a000000488d0d00010000e900000000ff15e8', 'hex');

/** Bytes without order, so that each case comes up: cut by an end, one in another, past both ends of the numbers. */
function noise(length) {
  let seed = 7;
  return Buffer.from({ length }, () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const drawn = seed >>> 16;
    return drawn % 3 === 0 ? [0xe8, 0x8d, 0x8b, 0xff, 0x05, 0x15][(drawn >>> 4) % 6] : drawn & 0xff;
  });
}

async function through(packed, size) {
  const chunks = [];
  for (let at = 0; at < packed.length; at += size) chunks.push(packed.subarray(at, at + size));
  return buffer(Readable.from(chunks).pipe(new AddressDecoder()));
}

describe('a packed program', () => {
  it('names one place alike wherever it is called from', () => {
    const packed = Buffer.from(CODE);
    convertAddresses(packed, 0, 1);
    assert.equal(packed.readInt32LE(2), packed.readInt32LE(8));
    assert.equal(packed.readInt32LE(15), 0x100 + 15);
    assert.deepEqual(packed.subarray(19), CODE.subarray(19));
  });

  it('comes out as it went in, in pieces of any size', async () => {
    for (const program of [CODE, noise(5000), Buffer.from([0xe8, 1, 2, 3, 4]), Buffer.alloc(0)]) {
      const packed = Buffer.from(program);
      convertAddresses(packed, 0, 1);
      for (const size of [1, 2, 5, 6, 7, 64, 4096, 1_000_000]) assert.deepEqual(await through(packed, size), program, `${program.length} bytes, ${size} at a time`);
    }
  });
});
