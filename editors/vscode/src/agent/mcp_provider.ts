// Offers the server to VS Code's own agent, one for each folder.

import * as vscode from 'vscode';
import { findProgram } from '../server/program';

/** Registers it where this editor knows of such servers; `home` gives the path of the program that stays. */
export function registerMcpProvider(context: vscode.ExtensionContext, home: () => Promise<string>): vscode.Disposable {
  if (typeof vscode.lm?.registerMcpServerDefinitionProvider !== 'function') return new vscode.Disposable(() => undefined);
  const change = new vscode.EventEmitter<void>();
  const version: string = context.extension.packageJSON.version;
  const provider = vscode.lm.registerMcpServerDefinitionProvider('wherefore', {
    onDidChangeMcpServerDefinitions: change.event,
    provideMcpServerDefinitions: async () => {
      if (typeof findProgram(context) === 'string' || !vscode.workspace.isTrusted) return [];
      const program = await home();
      const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
      return folders.map((folder) => {
        const label = folders.length > 1 ? `wherefore: ${folder.name}` : 'wherefore';
        return new vscode.McpStdioServerDefinition(label, program, ['mcp', '--root', folder.uri.fsPath], {}, version);
      });
    },
  });
  return vscode.Disposable.from(
    provider,
    change,
    vscode.workspace.onDidChangeWorkspaceFolders(() => change.fire()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => change.fire()),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('wherefore.server') && change.fire()),
  );
}
