// Plays the cases of one person's test one after the other in one window, and tells how they went.

/** Plays those whose names hold a word of the command line, or all; ends the process. The last line is the sum. */
export async function play(title, cases, { code, place, me, shot }) {
  const { page } = code;
  await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
  await page.locator('.statusbar-item[id*=wherefore]').first().waitFor({ timeout: 60_000 });
  let [passed, failed] = [0, 0];
  const wanted = process.argv.slice(2);
  for (const [name, run] of Object.entries(cases)) {
    if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
    try {
      await run();
      passed += 1;
      console.log(`ok ${name}`);
    } catch (thrown) {
      failed += 1;
      console.log(`FAILED ${name}\n${thrown.stack}`);
      await shot(`failed-${title}-${failed}`).catch(() => undefined);
      await page.keyboard.press('Escape').catch(() => undefined);
      await me.command('Wherefore: Reject Everything That Waits').catch(() => undefined);
      await me.command('File: Save All Files').catch(() => undefined);
      await me.command('View: Close All Editor Groups').catch(() => undefined);
    }
  }
  await code.close();
  place.remove();
  console.log(`${title}: ${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
