// A language client with nothing of ours: what any editor makes of the server.

import { workspace } from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';

export async function activate(): Promise<void> {
  const run = { command: process.env.WHEREFORE_BIN ?? 'wherefore', args: ['lsp'], options: { cwd: workspace.workspaceFolders?.[0]?.uri.fsPath } };
  await new LanguageClient('bare', run, { documentSelector: [{ scheme: 'file' }] }).start();
}
