// What a person does in VS Code, by keys and by what is on the screen.

import { until } from './code.mjs';

/** The hands and eyes of a person at a page. */
export function person(page) {
  const palette = page.locator('.quick-input-widget input[type=text]');
  const toasts = page.locator('.notifications-toasts .notification-list-item-message');
  const me = {
    /** Runs a command of the palette by its whole title; a palette that an editor closed by taking the focus is asked for again. */
    async command(title) {
      await me.pick(title);
      await palette.waitFor({ state: 'hidden' });
    },
    /** The same of a command that asks for more in the palette's place. */
    async pick(title) {
      const find = async () => {
        await page.keyboard.press('F1');
        await palette.fill(`>${title}`, { timeout: 5000 });
        await page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: title }).waitFor({ timeout: 5000 });
      };
      await find().catch(find);
      await page.keyboard.press('Enter');
    },
    /** Opens a file by its name; a list that an editor closed by taking the focus is asked for again. */
    async edit(name) {
      const pick = async () => {
        await page.keyboard.press('Control+p');
        await palette.fill(name, { timeout: 5000 });
        await page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: name }).waitFor({ timeout: 5000 });
        await page.keyboard.press('Enter');
        await me.tab(name);
      };
      await pick().catch(pick);
      await page.locator('.editor-group-container.active .monaco-editor .view-line').first().waitFor();
    },
    /** Waits until the active editor has this title. */
    tab: (title) => page.locator('.editor-group-container.active .tab.active', { hasText: title }).waitFor(),
    /** Presses the two keys of one of ours. */
    async keys(second) {
      await page.keyboard.press('Alt+w');
      await page.keyboard.press(second);
    },
    /** Waits for a message. */
    toast: (text, timeout) => toasts.filter({ hasText: text }).first().waitFor({ timeout }),
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
    /** Waits until no hunk waits. */
    nothingWaits: () => until(async () => (await me.lenses()) === 0, 'no lens'),
  };
  return me;
}
