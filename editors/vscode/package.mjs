// Packs wherefore.vsix with the server inside: $WHEREFORE_BIN, else the one that `cargo build --profile dist` made.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
copyFileSync(program, join(here, 'server', name));
chmodSync(join(here, 'server', name), 0o755);
const licenses = ['LICENSE-MIT', 'LICENSE-APACHE'].map((name) => readFileSync(join(root, name), 'utf8'));
copyFileSync(join(root, 'CHANGELOG.md'), join(here, 'CHANGELOG.md'));
writeFileSync(join(here, 'LICENSE.txt'), ['MIT or Apache-2.0, as you like.\n', ...licenses].join('\n'));

const target = `${process.platform}-${process.arch}`;
const vsce = join(here, 'node_modules', '@vscode', 'vsce', 'vsce');
const args = ['package', '--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', '--target', target, '-o', 'wherefore.vsix'];
execFileSync(process.execPath, [vsce, ...args], { cwd: here, stdio: 'inherit' });
