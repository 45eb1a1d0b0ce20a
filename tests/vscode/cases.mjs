// Plays the cases of one person's test one after the other in one window, and tells how they went.

/** Plays those whose names hold a word of the command line, or all; ends the process. The last line is the sum. */
export async function play(title, cases, { code, place, me, shot }) {
  const { page } = code;
  await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
  await page.locator('.statusbar-item[id*=wherefore]').first().waitFor({ timeout: 30_000 });
  let [passed, failed] = [0, 0];
  const wanted = process.argv.slice(2);
  for (const [name, run] of Object.entries(cases)) {
    if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
    let thrown = await attempt(run);
    if (thrown) {
      // A browser on a busy machine loses a key or a click now and then: what fails twice has failed.
      console.log(`again: ${title}: ${name} did not pass at once\n${thrown.stack}`);
      await tidy(me, page);
      thrown = await attempt(run);
    }
    if (!thrown) {
      passed += 1;
      console.log(`ok ${name}`);
      continue;
    }
    failed += 1;
    console.log(`FAILED ${name}\n${thrown.stack}`);
    await shot(`failed-${title}-${failed}`).catch(() => undefined);
    await tidy(me, page);
  }
  await code.close();
  place.remove();
  console.log(`${title}: ${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

/** Plays a case; what it throws. */
async function attempt(run) {
  try {
    await run();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

/** Leaves nothing of a case that failed to the next one. */
async function tidy(me, page) {
  await page.keyboard.press('Escape').catch(() => undefined);
  for (const command of ['Wherefore: Reject Everything That Waits', 'File: Save All Files', 'View: Close All Editor Groups']) {
    await me.command(command).catch(() => undefined);
  }
}
