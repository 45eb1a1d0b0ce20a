#!/usr/bin/env node
// Starts the program of this machine, with the same arguments and streams, and ends as it ends.

'use strict';

const { spawn } = require('node:child_process');

/** The program in the package of this machine; npm installs no other one. */
function program() {
  const name = `wherefore-${process.platform}-${process.arch}`;
  try {
    return require.resolve(`${name}/wherefore`);
  } catch {
    console.error(`wherefore has no program here: the package ${name} is not installed.`);
    console.error(
      process.platform === 'linux'
        ? 'Install again without --omit=optional and --no-optional.'
        : 'It runs on Linux alone so far: use it within WSL 2 or in a container.',
    );
    process.exit(1);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: 'inherit' });
// A terminal sends Ctrl+C to both: the child decides what it means. Others send these to this process alone.
process.on('SIGINT', () => undefined);
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (thrown) => {
  console.error(`wherefore cannot be started: ${thrown.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
