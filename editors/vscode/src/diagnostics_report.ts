// Facts for the case that something does not work, on the clipboard.

import * as vscode from 'vscode';
import type { ProposalStore } from './review/proposal_store';
import type { ServerClient } from './server/client';
import { showRemark } from './messages';
import { describeError, formatHunkCount } from './text';

/** Gathers it and copies it. No text of files is in it. */
export async function copyDiagnostics(context: vscode.ExtensionContext, server: ServerClient, store: ProposalStore): Promise<void> {
  const { hunks, files } = store.countWaiting();
  const folders = vscode.workspace.workspaceFolders ?? [];
  const status = await server.request('status', null).then((answer) => JSON.stringify(answer, undefined, 2), describeError);
  const rows = [
    `wherefore ${context.extension.packageJSON.version} in ${vscode.env.appName} ${vscode.version}, ${process.platform} ${process.arch}`,
    `server: ${server.isRunning ? `version ${server.version}, process ${server.pid}` : (server.trouble ?? 'does not run')}`,
    `program: ${server.program ? `${server.program.path} (from ${server.program.from})` : 'none'}`,
    `folders: ${folders.map((folder) => folder.uri.toString()).join(', ') || 'none'}${vscode.workspace.isTrusted ? '' : ' (not trusted)'}`,
    `waiting: ${formatHunkCount(hunks, files)}`,
    `status: ${status}`,
  ];
  await vscode.env.clipboard.writeText(`${rows.join('\n')}\n`);
  showRemark('diagnostics copied');
}
