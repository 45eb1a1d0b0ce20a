// Bundles the extension into out/main.js; with --release made small, with no source map.
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
