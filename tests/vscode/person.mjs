// What a person does in VS Code, by keys and by what is on the screen.

import path from 'node:path';
import { until } from './code.mjs';

/** Does something, and does it again where the editor got in the way: it took the focus, or moved what was aimed at. */
export async function patiently(act) {
  for (let tried = 0; ; tried++) {
    try {
      return await act(tried);
    } catch (thrown) {
      if (tried === 3) throw thrown;
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
      await patiently(async (tried) => {
        // What had the focus may have kept the key: then the other one.
        await page.keyboard.press(tried % 2 === 0 ? 'F1' : 'Control+Shift+P');
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
    /** Begins to edit the hunk at the cursor. What the status said of an edit before is gone first: it stays for seconds. */
    async edits() {
      const told = page.locator('.statusbar-item', { hasText: 'type, then save' });
      await until(async () => (await told.count()) === 0, 'nothing is said of an edit before');
      await page.keyboard.press('e');
      await told.first().waitFor();
    },
    /** How many rows of hunks there are; on the left of a diff stands the why once more. */
    lenses: async () => (await page.locator('.codelens-decoration').count()) - (await page.locator('.editor.original .codelens-decoration').count()),
    /** The lines of the active editor that are seen. */
    seen: async () => {
      const rows = await page.locator('.editor-group-container.active .view-line').allInnerTexts();
      return rows.join('\n').replaceAll('\u00a0', ' ');
    },
    /** Waits for a hunk's row of buttons. */
    lens: (text) => page.locator('.codelens-decoration', { hasText: text }).first().waitFor(),
    /** Waits until a way to another hunk is at its end: the focus is in an editor again. */
    arrives: async () => {
      await page.waitForTimeout(400);
      await page.locator('.editor-group-container.active .monaco-editor.focused').first().waitFor();
    },
    /** Presses a button of a hunk's row: one that is drawn anew under the mouse takes no click. */
    presses: (row, button) =>
      patiently(() => page.locator('.codelens-decoration', { hasText: row }).first().getByText(button, { exact: true }).first().click({ timeout: 5000 })),
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
