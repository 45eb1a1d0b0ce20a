// Gives code-server back the check for proposed APIs: it grants each of them to every extension, so a test in it would pass
// where the VS Code of a person refuses. Run again, it changes nothing.

import fs from 'node:fs';
import path from 'node:path';

/** The files that may hold the check: the window, and the hosts of extensions. The last may be without. */
const FILES = [
  ['vs/code/browser/workbench/workbench.js', true],
  ['vs/workbench/api/node/extensionHostProcess.js', true],
  ['vs/workbench/api/worker/extensionHostWorkerMain.js', false],
];

/** The check that always agrees, known by the function after it, which throws where it does not. */
const OPEN = /function ([\w$]+)\(([\w$]+),([\w$]+)\)\{return!0\}(?=function [\w$]+\(([\w$]+),([\w$]+)\)\{if\(!\1\(\4,\5\)\)throw new Error\(`Extension '[^`]*CANNOT use API proposal)/g;
const CLOSED = /return!!\([\w$]+\.isBuiltin\|\|\([\w$]+\.enabledApiProposals\|\|\[\]\)\.some\(/;

const out = process.argv[2];
for (const [name, needed] of FILES) {
  const file = path.join(out, name);
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  let closed = 0;
  const strict = text.replace(OPEN, (_, check, extension, proposal) => {
    closed += 1;
    const names = `(${extension}.enabledApiProposals||[]).some(p=>p.split('@')[0]===${proposal})`;
    return `function ${check}(${extension},${proposal}){return!!(${extension}.isBuiltin||${names})}`;
  });
  if (closed > 0) {
    // Whoever reads it just now reads the old one or the new one, whole.
    fs.writeFileSync(`${file}.new`, strict);
    fs.renameSync(`${file}.new`, file);
    console.log(`${name}: proposed APIs are refused now`);
  } else if (CLOSED.test(text)) {
    console.log(`${name}: proposed APIs are refused`);
  } else if (needed) {
    console.error(`${name}: the check for proposed APIs was not found: this code-server hides it otherwise than 4.139`);
    process.exit(1);
  }
}
