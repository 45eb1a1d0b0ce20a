// How long things take in a window: when the first hunk is on the screen, and which task kept it from drawing.

import fs from 'node:fs';
import path from 'node:path';

/** Notes when the first decoration of ours and the first header are on the screen, as `seen.drawn` and `seen.lens`. */
export function clock(page) {
  return page.evaluate(() => {
    const seen = {};
    globalThis.seen = seen;
    const look = () => {
      const now = performance.timeOrigin + performance.now();
      if (!seen.drawn && document.querySelector('.view-overlays [class*="ced-"], .view-line [class*="ced-"]')) seen.drawn = now;
      if (!seen.lens && document.querySelector('.codelens-decoration a')) seen.lens = now;
      if (!seen.drawn || !seen.lens) requestAnimationFrame(look);
    };
    look();
  });
}

/** Notes tasks of more than 50 ms from now on. */
export function watchLong(page) {
  return page.evaluate(() => {
    globalThis.long?.observer.disconnect();
    const tasks = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
    observer.observe({ type: 'longtask' });
    globalThis.long = { observer, tasks };
  });
}

/** The longest of them; what is below 50 is not told apart. */
export async function slowest(page) {
  const longest = await page.evaluate(() => Math.round(Math.max(0, ...globalThis.long.tasks)));
  return longest > 0 ? longest : 'below 50';
}

/** When hunks came to the extension, and how long it took to draw them, as its output says. */
export function logged(place, what) {
  const logs = path.join(place.tmp, 'user', 'logs');
  const files = fs.readdirSync(logs, { recursive: true }).filter((name) => path.basename(name).startsWith('wherefore') && name.endsWith('.log'));
  for (const name of files) {
    const line = fs.readFileSync(path.join(logs, name), 'utf8').split('\n').findLast((each) => each.includes(what));
    const found = line && /^(\S+ \S+) .* drawn ([\d.]+) ms/.exec(line);
    if (found) return { came: new Date(found[1]).getTime() - Number(found[2]), took: Number(found[2]) };
  }
  return undefined;
}

/** Notes each key's time from now on, and when the first picture after the last of them holds what `look` finds in the page. */
export async function clockKey(page, look, args = []) {
  const find = await page.evaluateHandle(`(${look})`);
  await page.evaluate(
    ([find, given]) => {
      const clock = {};
      const noteKey = (event) => (clock.pressed = event.timeStamp);
      window.addEventListener('keydown', noteKey, true);
      globalThis.keyClock = clock;
      const watch = () => {
        if (clock.pressed === undefined || !find(...given)) return void requestAnimationFrame(watch);
        clock.found = performance.now();
        window.removeEventListener('keydown', noteKey, true);
      };
      watch();
    },
    [find, args],
  );
}

/** The milliseconds from the last key until that picture. */
export async function sinceKey(page) {
  await page.waitForFunction(() => globalThis.keyClock.found !== undefined, undefined, { timeout: 60_000 });
  return page.evaluate(() => globalThis.keyClock.found - globalThis.keyClock.pressed);
}
