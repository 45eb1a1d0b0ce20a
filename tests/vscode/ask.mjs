// Cases: the built-in agent with a scripted model, as a person asks it. What it writes comes as a stream, its change is decided
// on, and it goes on, is cancelled, and is resumed.

import assert from 'node:assert/strict';
import { diff } from './agent.mjs';
import { until } from './code.mjs';
import { serve } from './model.mjs';

const WHY = 'Take the limit in, which was off by one';
let release;
const held = new Promise((done) => (release = done));
/** What the model answers, by the person's last words and what came since. */
function answer({ messages }) {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const words = JSON.stringify(messages[last].content);
  const since = messages.slice(last + 1).filter(({ role }) => role === 'tool').length;
  if (words.includes('go on from there')) return { say: ['I know the limit ', 'from before.'] };
  if (words.includes('read the secret')) return since === 0 ? { calls: [['fs.read', { path: 'db/1', why: 'See how the rows are kept' }]] } : { say: ['The row says one.'] };
  if (words.includes('never end')) return { say: ['It takes ', 'long'], hold: new Promise(() => {}) };
  if (words.includes('thanks')) return { say: ['You are **very** ', 'welcome: [x](command:y) \u202e$(check).'] };
  if (since === 0) return { say: ['I look ', 'at the file ', 'first.'], hold: held, calls: [['fs.read', { path: 'limit.txt', why: 'See what the limit is' }]] };
  if (since === 1) return { calls: [['fs.patch', { path: 'limit.txt', diff: diff('limit.txt', 12, { 3: 'limit 3' }), why: WHY }]] };
  return { calls: [['task_complete', { summary: 'The limit is right now.', why: 'Tell that it is done' }]] };
}
export const model = await serve(answer);

/** The cases, for a folder with `limit.txt` and `db/1`, which only a person lets agents read. */
export function asking({ page, place, me, shot }) {
  const box = page.locator('.quick-input-widget input[type=text]');
  const lens = (text) => page.locator('.codelens-decoration a', { hasText: text }).first();
  /** What is asked for in the palette's place. */
  const says = async (command, words) => {
    await me.pick(command);
    await page.locator('.quick-input-widget .quick-input-title', { hasText: 'agent' }).waitFor();
    await box.fill(words);
    await page.keyboard.press('Enter');
  };

  return {
    'what it writes comes as a stream, each call has its why, and its change is decided on in the review': async () => {
      await says('Wherefore: Ask the Agent…', 'Correct the limit');
      await me.tab('The agent');
      await me.sees('You: Correct the limit');
      await me.sees('I look at the file first.');
      await me.sees('working');
      assert.equal(model.asked.length, 1, 'the text is there before the model has answered');
      release();
      await me.sees('fs.read limit.txt: See what the limit is');
      await me.sees('waits for your decision');
      await shot('ask-working');
      await me.status('1 hunk in 1 file');
      assert.ok(place.file('limit.txt').includes('line 3'));
      await me.command('Wherefore: Accept Everything That Waits');
      await me.sees('The task is complete: The limit is right now.');
      await me.sees('waiting');
      await me.sees('30 written');
      await until(() => place.file('limit.txt').includes('limit 3'), 'the change on the disk');
      await shot('ask-complete');
    },

    'it goes on with more words; what it says acts on nothing; its questions are answered as those of every agent': async () => {
      await lens('Say More…').click();
      await box.fill('thanks');
      await page.keyboard.press('Enter');
      await page.locator('.view-line .mtkb', { hasText: 'very' }).first().waitFor();
      await shot('ask-markdown');
      await me.sees('You are **very** welcome: [x] (command:y) \\u{202e}$ (check).');
      await says('Wherefore: Say More to the Agent…', 'read the secret');
      await lens('Answer…').click();
      await page.locator('.quick-input-list .monaco-list-row').first().waitFor();
      await page.keyboard.press('Enter');
      await me.sees('The row says one.');
    },

    'a turn is cancelled, a run ended, and resumed with its conversation': async () => {
      await says('Wherefore: Say More to the Agent…', 'never end');
      await me.sees('It takes long');
      await lens('Cancel').click();
      await me.sees('You cancelled it');
      await lens('End').click();
      await me.sees('You ended it');
      await me.command('View: Close All Editors');
      await me.command('Wherefore: Restart Server');
      // The command is there once the server is; just before it ends, it may still be there and fail.
      const command = page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'Wherefore: Ask the Agent…' });
      const earlier = page.locator('.quick-input-list .monaco-list-row', { hasText: 'Correct the limit' }).first();
      const comes = (what, timeout) => what.waitFor({ timeout }).then(() => true, () => false);
      await until(async () => {
        await page.keyboard.press('Escape');
        await page.keyboard.press('F1');
        await box.fill('>Wherefore: Ask the Agent…');
        if (!(await comes(command, 1000))) return false;
        await page.keyboard.press('Enter');
        return comes(earlier, 4000);
      }, 'the run in the list', 40_000);
      await shot('ask-list');
      await earlier.click();
      await page.locator('.quick-input-widget .quick-input-title', { hasText: 'Resume the agent' }).waitFor();
      await box.fill('go on from there');
      await page.keyboard.press('Enter');
      await me.sees('I know the limit from before.');
      await me.sees('waiting');
      // The conversation so far stands above it.
      await page.keyboard.press('Control+Home');
      await me.sees('You: Correct the limit');
      await me.sees('fs.patch limit.txt: Take the limit in');
      await shot('ask-resumed');
      const { messages } = model.asked.at(-1);
      assert.ok(JSON.stringify(messages).includes('Correct the limit'), 'the conversation goes on');
      await me.command('View: Close All Editors');
    },
  };
}
