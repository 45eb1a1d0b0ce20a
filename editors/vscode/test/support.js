// What the tests inside VS Code share: the extension, its server, files of the project.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

const root = vscode.workspace.workspaceFolders[0].uri.fsPath;
const uri = (name) => vscode.Uri.file(path.join(root, name));

/** Waits until something is so. */
async function until(is, what, ms = 15_000) {
  const end = Date.now() + ms;
  for (;;) {
    const found = await is();
    if (found) return found;
    if (Date.now() > end) assert.fail(`in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

/** The extension's own answers, once its server runs. */
async function started() {
  const api = await vscode.extensions.getExtension('wherefore.wherefore').activate();
  await until(() => api.server().running, 'the server runs');
  return api;
}

/** Writes a file of the project and shows it. */
async function show(name, text) {
  fs.writeFileSync(path.join(root, name), text);
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  const editor = await vscode.window.showTextDocument(uri(name), { preview: false });
  await until(() => editor.document.getText() === text, `${name} as it is on the disk`);
  return editor;
}

/** Sets the server's program, as the settings do; nothing is the one of the tests. */
const setProgram = (program) => vscode.workspace.getConfiguration('wherefore').update('server.path', program, vscode.ConfigurationTarget.Global);

module.exports = {
  root,
  uri,
  until,
  started,
  show,
  setProgram,
  place: { root, env: process.env },
  disk: (name) => fs.readFileSync(path.join(root, name), 'utf8'),
  lenses: (name) => vscode.commands.executeCommand('vscode.executeCodeLensProvider', uri(name)),
  run: (name, ...rest) => vscode.commands.executeCommand(`wherefore.${name}`, ...rest),
  agent: import(process.env.WHEREFORE_AGENT),
};
