// Packs wherefore.vsix with the server inside: $WHEREFORE_BIN, else the one that `cargo build --profile dist` made. With
// --quick it is compressed less.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { buildSync } from 'esbuild';

const here = import.meta.dirname;
const root = join(here, '..', '..');
const name = process.platform === 'win32' ? 'wherefore.exe' : 'wherefore';
const program = process.env.WHEREFORE_BIN ?? join(root, 'target', 'dist', name);
if (!existsSync(program)) {
  console.error(`${program} is missing: build it with cargo build --profile dist, or name another in WHEREFORE_BIN`);
  process.exit(1);
}
rmSync(join(here, 'server'), { recursive: true, force: true });
mkdirSync(join(here, 'server'));
// The extension unpacks it when it is first activated (src/server/program_install.ts). The zip of a .vsix would make it a third larger.
const bytes = readFileSync(program);
const made = buildSync({ entryPoints: [join(here, 'src', 'server', 'branch_filter.ts')], bundle: true, platform: 'node', format: 'esm', write: false });
const { convertAddresses } = await import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].contents).toString('base64')}`);
const packed = Buffer.from(bytes);
convertAddresses(packed, 0, 1);
const params = {
  [constants.BROTLI_PARAM_QUALITY]: process.argv.includes('--quick') ? 4 : constants.BROTLI_MAX_QUALITY,
  [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
};
writeFileSync(join(here, 'server', `${name}.br`), brotliCompressSync(packed, { params }));
const sha256 = createHash('sha256').update(bytes).digest('hex');
writeFileSync(join(here, 'server', 'program.json'), `${JSON.stringify({ sha256, size: bytes.length })}\n`);
const licenses = ['LICENSE-MIT', 'LICENSE-APACHE'].map((name) => readFileSync(join(root, name), 'utf8'));
copyFileSync(join(root, 'CHANGELOG.md'), join(here, 'CHANGELOG.md'));
writeFileSync(join(here, 'LICENSE.txt'), ['MIT or Apache-2.0, as you like.\n', ...licenses].join('\n'));

const target = `${process.platform}-${process.arch}`;
const vsce = join(here, 'node_modules', '@vscode', 'vsce', 'vsce');
const args = ['package', '--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', '--target', target, '-o', 'wherefore.vsix'];
execFileSync(process.execPath, [vsce, ...args], { cwd: here, stdio: 'inherit' });
