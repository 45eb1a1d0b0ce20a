// From a new window to a connected agent, with the extension alone: the example, Connect an Agent, the terminals' PATH.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { program } from './agent.mjs';
import { play } from './cases.mjs';
import { extension, open, project, scratch, until } from './code.mjs';
import { person } from './person.mjs';

assert.ok(program, 'WHEREFORE_BIN names the program');
const shots = path.join(project, '.e2e', 'vscode-shots');
fs.mkdirSync(shots, { recursive: true });

const place = scratch({ 'a.txt': 'one\n' });
// A person who uses Claude Code, and has no wherefore on the PATH.
place.env.HOME = path.join(place.tmp, 'home');
fs.mkdirSync(path.join(place.env.HOME, '.claude'), { recursive: true });
const code = await open(place, { vsix: path.join(extension, 'wherefore.vsix'), settings: { 'terminal.integrated.defaultProfile.linux': 'bash' } });
const { page } = code;
const me = person(page);
const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

const side = page.locator('.part.sidebar');
const input = page.locator('.quick-input-widget');
const option = (text) => input.locator('.monaco-list-row', { hasText: text }).first();
const button = (text) => side.locator('.monaco-button', { hasText: text }).first();
const there = (name) => fs.existsSync(path.join(place.root, name));
const toast = (text) => page.locator('.notifications-toasts .notification-list-item', { hasText: text }).first();
const stays = () => {
  const found = execFileSync('find', [place.tmp, '-path', '*globalStorage*/bin/wherefore'], { encoding: 'utf8' }).trim();
  return found.split('\n')[0];
};

const cases = {
  'the walkthrough and the empty view begin with the example and with an agent': async () => {
    await me.command('Focus on Proposals View');
    await button('Connect an Agent').waitFor();
    await button('Try It with an Example Change').waitFor();
    await shot('connect-empty');
    await me.pick('Welcome: Open Walkthrough...');
    await option('wherefore: decide on what agents change').click();
    const steps = page.locator('.gettingStartedContainer .step-title');
    await steps.filter({ hasText: 'Try it with an example change' }).waitFor();
    await steps.filter({ hasText: 'Connect an agent' }).waitFor();
    assert.equal(await page.locator('.gettingStartedContainer .codicon-getting-started-step-checked.complete').count(), 0);
    await page.waitForTimeout(1000);
    await shot('connect-walkthrough');
    await me.command('View: Close All Editors');
  },

  'the example proposes a file, then hunks in it': async () => {
    await me.command('Focus on Proposals View');
    await button('Try It with an Example Change').click();
    await page.locator('.tab.active', { hasText: 'wherefore-example.md' }).waitFor();
    await me.lens('1/1');
    await me.arrives();
    await shot('connect-example-1');
    assert.equal(there('wherefore-example.md'), false, 'nothing is on the disk before a decision');
    await page.keyboard.press('a');
    await until(() => there('wherefore-example.md'), 'the accepted file');
    await me.status('4 hunks in 1 file');
    await me.lens('1/4');
    await me.arrives();
    await shot('connect-example-2');
    await me.command('Wherefore: Accept Every Hunk of the File');
    await toast('that was the example').waitFor();
    assert.match(place.file('wherefore-example.md'), /a mistake in it[\s\S]*This line is new/);
    await toast('that was the example').locator('.monaco-button', { hasText: 'Delete the Example' }).click();
    await until(() => !there('wherefore-example.md'), 'no example');
    await me.command('View: Close All Editors');
  },

  'an agent is connected after its diff was seen, and not before a yes': async () => {
    await me.command('Focus on Proposals View');
    await button('Connect an Agent').click();
    await option('Claude Code').waitFor();
    assert.match(await option('Claude Code').innerText(), /found here/);
    await shot('connect-agents');
    await page.keyboard.press('Enter');
    await option("Review the agent's own edits").waitFor();
    await shot('connect-how');
    await page.keyboard.press('Enter');
    await option('Write It').waitFor();
    await me.tab('What connecting writes.diff');
    await page.waitForTimeout(500);
    await shot('connect-diff');
    assert.match(await option('Write It').innerText(), /config\.toml.*\.mcp\.json.*\.claude\/settings\.local\.json.*\.claude\/settings\.json/);
    await option('Read It First').click();
    await toast('write what the editor shows?').waitFor();
    await page.keyboard.press('Control+End');
    await me.sees('/bin/wherefore hook claude');
    await toast('write what the editor shows?').locator('.monaco-button', { hasText: 'Cancel' }).click();
    await me.status('nothing is written');
    await me.pick('Wherefore: Connect an Agent…');
    await option('Claude Code').waitFor();
    await page.keyboard.press('Enter');
    await option("Review the agent's own edits").click();
    await option('Cancel').click();
    await me.status('nothing is written');
    assert.equal(there('.mcp.json') || there('.claude') || there('.wherefore/config.toml'), false, 'nothing is written without a yes');
    await me.pick('Wherefore: Connect an Agent…');
    await option('Claude Code').waitFor();
    await page.keyboard.press('Enter');
    await option("Review the agent's own edits").waitFor();
    await page.keyboard.press('Enter');
    await option('Write It').waitFor();
    await page.keyboard.press('Enter');
    await toast('Claude Code uses it from its next start').waitFor();
    assert.doesNotMatch(await toast('Claude Code: set up').innerText(), /settings of this project/);
    await shot('connect-done');
    const { command } = JSON.parse(place.file('.mcp.json')).mcpServers.wherefore;
    assert.equal(command, stays());
    assert.ok(place.file('.claude/settings.json').includes(`${command} hook claude`));
    assert.match(execFileSync(command, ['--version'], { encoding: 'utf8' }), /^wherefore /);
    await side.locator('.monaco-button', { hasText: 'Review What Was Applied' }).waitFor();
    await me.pick('Wherefore: Connect an Agent…');
    await option('Claude Code').waitFor();
    await page.keyboard.press('Enter');
    await option('Only add').click();
    await me.status('set up already');
  },

  'terminals find the program, also a copy that outlives the version of the extension': async () => {
    await me.noToasts();
    await me.command('Terminal: Create New Terminal');
    await page.locator('.part.panel .terminal-wrapper').first().waitFor();
    await page.locator('.part.panel .xterm-helper-textarea').first().waitFor({ state: 'attached' });
    await until(async () => {
      await page.keyboard.type('command -v wherefore >found\n');
      await page.waitForTimeout(1000);
      return there('found') && place.file('found') !== '';
    }, 'the program in a terminal');
    assert.equal(place.file('found').trim(), stays());
    assert.ok(!stays().includes('/extensions/'), stays());
    await me.command('View: Toggle Panel Visibility');
  },

  'the steps of the walkthrough are done': async () => {
    await me.pick('Welcome: Open Walkthrough...');
    await option('wherefore: decide on what agents change').click();
    const done = page.locator('.gettingStartedContainer .codicon-getting-started-step-checked.complete');
    await until(async () => (await done.count()) >= 3, 'three steps that are done');
    await shot('connect-walkthrough-done');
  },
};

await play('connect', cases, { code, place, me, shot });
