// Real VS Code for a test: code-server on the loopback, a folder of its own, and a page of Chromium that shows it.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

export const project = path.resolve(import.meta.dirname, '..', '..');
export const extension = path.join(project, 'editors', 'vscode');
const dest = path.join(project, '.e2e', 'code-server');
const { chromium } = createRequire(path.join(dest, 'package.json'))('playwright-core');

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'files.autoSave': 'off',
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'git.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'workbench.reduceMotion': 'on',
  'editor.minimap.enabled': false,
  'editor.wordBasedSuggestions': 'off',
};

/** A scratch folder with a project in it, an own configuration and an own place for sockets. */
export function scratch(files) {
  const tmp = fs.mkdtempSync(path.join(os.tmpdir(), 'wherefore-code-'));
  const root = path.join(tmp, 'project');
  fs.mkdirSync(path.join(tmp, 'run'), { mode: 0o700 });
  fs.mkdirSync(path.join(root, '.git'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), text);
  }
  // The tests write files as no editor and no agent does: that would be offered for review.
  fs.mkdirSync(path.join(tmp, 'config', 'wherefore'), { recursive: true });
  fs.writeFileSync(path.join(tmp, 'config', 'wherefore', 'config.toml'), '[native]\noutside = false\n');
  const env = {
    ...process.env,
    EXTENSIONS_GALLERY: '{}',
    XDG_CONFIG_HOME: path.join(tmp, 'config'),
    XDG_STATE_HOME: path.join(tmp, 'state'),
    XDG_DATA_HOME: path.join(tmp, 'data'),
    XDG_RUNTIME_DIR: path.join(tmp, 'run'),
  };
  return {
    tmp,
    root,
    env,
    file: (name) => fs.readFileSync(path.join(root, name), 'utf8'),
    remove: () => fs.rmSync(tmp, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** How to stop each code-server that runs: none outlives the tests, however they end. */
const running = new Set();
process.on('exit', () => running.forEach((stop) => void stop()));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/**
 * Starts code-server. `vsix` is installed first; `driver` lets the page run tests in the extension host; with `trust` folders
 * are not trusted until the person says so.
 */
async function serve(place, { vsix, settings = {}, driver = false, trust = false }) {
  const user = path.join(place.tmp, 'user');
  fs.mkdirSync(path.join(user, 'User'), { recursive: true });
  fs.writeFileSync(path.join(user, 'User', 'settings.json'), JSON.stringify({ ...SETTINGS, ...settings }));
  const dirs = ['--user-data-dir', user, '--extensions-dir', path.join(place.tmp, 'extensions')];
  const program = path.join(dest, 'code-server');
  if (vsix) execFileSync(program, [...dirs, '--install-extension', vsix, '--force'], { env: place.env, stdio: 'pipe' });
  const options = ['--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check'];
  options.push('--disable-getting-started-override');
  if (!trust) options.push('--disable-workspace-trust');
  if (driver) options.push('--vscode-option', 'enable-smoke-test-driver');
  const server = spawn(program, [...dirs, ...options], { env: place.env, detached: true });
  const stop = () => {
    if (running.delete(stop)) process.kill(-server.pid);
  };
  running.add(stop);
  const url = await new Promise((done, failed) => {
    let said = '';
    const hear = (bytes) => {
      said += bytes;
      const found = /listening on (http:\S+)/.exec(said);
      if (found) done(found[1]);
    };
    server.stdout.on('data', hear);
    server.stderr.on('data', hear);
    setTimeout(() => failed(new Error(`code-server did not start: ${said}`)), 30_000).unref();
  });
  return { url, stop };
}

/** Opens the project of `place` in VS Code. */
export async function open(place, options) {
  const server = await serve(place, options);
  const browser = await chromium.launchPersistentContext(path.join(place.tmp, 'browser'), {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    viewport: { width: 1280, height: 800 },
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  await browser.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = browser.pages()[0];
  page.setDefaultTimeout(20_000);
  // A window begins slowly where the machine has much else to do.
  page.setDefaultNavigationTimeout(90_000);
  if (!options.driver) await page.goto(`${server.url}?folder=${place.root}`);
  return {
    page,
    browser,
    url: server.url,
    close: async () => {
      await browser.close().catch(() => undefined);
      server.stop();
    },
  };
}

/** Waits until something is so. */
export async function until(is, what, ms = 20_000) {
  const end = Date.now() + ms;
  for (;;) {
    const found = await is();
    if (found) return found;
    if (Date.now() > end) assert.fail(`in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
