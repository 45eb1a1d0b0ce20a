// Bundles the extension into out/main.js, and puts the schema of definitions beside it; with --release made small, with
// no source map.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const release = process.argv.includes('--release');

await build({
  entryPoints: ['src/main.ts'],
  outfile: 'out/main.js',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  external: ['vscode'],
  minify: release,
  sourcemap: !release,
  logLevel: 'warning',
});

copyFileSync(join(import.meta.dirname, '..', '..', 'schemas', 'definition.json'), join(import.meta.dirname, 'out', 'definition.json'));
