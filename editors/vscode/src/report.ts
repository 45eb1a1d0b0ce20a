// What is good to know when something does not work, on the clipboard.

import * as vscode from 'vscode';
import type { Review } from './review';
import type { Server } from './server';
import { remark } from './notify';
import { sentence, waiting } from './text';

/** Gathers it and copies it. No text of files is in it. */
export async function copy(context: vscode.ExtensionContext, server: Server, review: Review): Promise<void> {
  const { hunks, files } = review.count();
  const folders = vscode.workspace.workspaceFolders ?? [];
  const status = await server.ask('status', null).then((answer) => JSON.stringify(answer, undefined, 2), sentence);
  const rows = [
    `wherefore ${context.extension.packageJSON.version} in ${vscode.env.appName} ${vscode.version}, ${process.platform} ${process.arch}`,
    `server: ${server.running ? `version ${server.version}, process ${server.pid}` : (server.trouble ?? 'does not run')}`,
    `program: ${server.program ? `${server.program.path} (from ${server.program.from})` : 'none'}`,
    `folders: ${folders.map((folder) => folder.uri.toString()).join(', ') || 'none'}${vscode.workspace.isTrusted ? '' : ' (not trusted)'}`,
    `waiting: ${waiting(hunks, files)}`,
    `status: ${status}`,
  ];
  await vscode.env.clipboard.writeText(`${rows.join('\n')}\n`);
  remark('diagnostics copied');
}
