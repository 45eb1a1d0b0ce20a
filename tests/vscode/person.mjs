// What a person does in VS Code, by keys and by what is on the screen.

import path from 'node:path';
import { until } from './code.mjs';

/** Does something, and does it again where the editor got in the way: it took the focus, or moved what was aimed at. */
export async function patiently(act) {
  for (let left = 3; ; left--) {
    try {
      return await act();
    } catch (thrown) {
      if (left === 0) throw thrown;
    }
  }
}

/** The hands and eyes of a person at a page. */
export function person(page) {
  const palette = page.locator('.quick-input-widget input[type=text]');
  const toasts = page.locator('.notifications-toasts .notification-list-item-message');
  const listed = page.locator('.notifications-center .notification-list-item-message');
  const me = {
    /** Runs a command of the palette by its whole title. */
    async command(title) {
      await me.pick(title);
      await palette.waitFor({ state: 'hidden' });
    },
    /** The same of a command that asks for more in the palette's place. */
    async pick(title) {
      await patiently(async () => {
        await page.keyboard.press('F1');
        await palette.fill(`>${title}`, { timeout: 5000 });
        await page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: title }).waitFor({ timeout: 5000 });
      });
      await page.keyboard.press('Enter');
    },
    /** Opens a file by its name, or by its whole path where a search would not find it. */
    async edit(file) {
      const name = path.basename(file);
      await patiently(async () => {
        await page.keyboard.press('Control+p');
        await palette.fill(file, { timeout: 5000 });
        await page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: name }).waitFor({ timeout: 5000 });
        await page.keyboard.press('Enter');
        await me.tab(name);
      });
      await page.locator('.editor-group-container.active .monaco-editor .view-line').first().waitFor();
    },
    /** Waits until the active editor has this title. */
    tab: (title) => page.locator('.editor-group-container.active .tab.active', { hasText: title }).waitFor(),
    /** Presses the two keys of one of ours. */
    async keys(second) {
      await page.keyboard.press('Alt+w');
      await page.keyboard.press(second);
    },
    /** Waits for a message: it goes by itself after a while, and with three of them the next waits for its turn; the list keeps it. */
    async toast(text, timeout = 20_000) {
      const isThere = toasts.filter({ hasText: text }).first().waitFor({ timeout: timeout / 2 });
      if (await isThere.then(() => true, () => false)) return;
      await me.command('Notifications: Show Notifications');
      await listed.filter({ hasText: text }).first().waitFor({ timeout: timeout / 2 });
    },
    noToasts: () => me.command('Notifications: Clear All Notifications'),
    status: (text) => page.locator('.statusbar-item', { hasText: text }).first().waitFor(),
    lenses: () => page.locator('.codelens-decoration').count(),
    /** The lines of the active editor that are seen. */
    seen: async () => {
      const rows = await page.locator('.editor-group-container.active .view-line').allInnerTexts();
      return rows.join('\n').replaceAll('\u00a0', ' ');
    },
    /** Waits for text that stands beside the lines. */
    draws: (text) =>
      until(
        () =>
          page.evaluate((wanted) => {
            const beside = [...document.querySelectorAll('.view-line span')].map((span) => getComputedStyle(span, '::after').content);
            return beside.some((content) => content.replaceAll('\u00a0', ' ').includes(wanted));
          }, text),
        `${text} beside a line`,
      ),
    sees: (text) => until(async () => (await me.seen()).includes(text), `${text} on the screen`),
    /** Saves the active editor, and again what is applied in it meanwhile, until the disk holds what it should. */
    saves: (holds, what) =>
      until(async () => {
        if (holds()) return true;
        if ((await page.locator('.editor-group-container.active .tab.active.dirty').count()) > 0) await page.keyboard.press('Control+s');
        return false;
      }, what),
    /** Waits until no hunk waits. */
    nothingWaits: () => until(async () => (await me.lenses()) === 0, 'no lens'),
  };
  return me;
}
