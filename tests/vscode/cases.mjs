// Runs cases one after the other: all of them, or those that an argument names a part of.

import path from 'node:path';

/** Runs them and prints how each ended, then the sum; `mend` brings the editor back after one that failed. */
export async function run(what, cases, { page, shots, mend }) {
  let [passed, failed] = [0, 0];
  const wanted = process.argv.slice(2);
  for (const [name, act] of Object.entries(cases)) {
    if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
    try {
      await act();
      passed += 1;
      console.log(`ok ${name}`);
    } catch (thrown) {
      failed += 1;
      console.log(`FAILED ${name}\n${thrown.stack}`);
      await page.screenshot({ path: path.join(shots, `${what}-failed-${failed}.png`) }).catch(() => undefined);
      await mend().catch(() => undefined);
    }
  }
  console.log(`${what}: ${passed} passed, ${failed} failed`);
  return failed;
}
