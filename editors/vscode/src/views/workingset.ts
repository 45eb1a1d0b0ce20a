// The view of the working set: the files that matter now, as the server ranks them, and why each does.

import * as vscode from 'vscode';
import type { Review } from '../review';
import type { Server } from '../server';
import { clip, sentence } from '../text';
import type { WorkingFile } from '../wire';
import { Tree } from './tree';

interface Placed {
  root: vscode.Uri;
  file: WorkingFile;
}

type Node = { folder: vscode.WorkspaceFolder } | Placed | { reason: string } | { trouble: string };

/** The view. */
export class WorkingSet extends Tree<Node> implements vscode.Disposable {
  private readonly dirty = new Set<vscode.TextDocument>();
  private readonly listeners: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly review: Review,
  ) {
    super();
    // The server tells which files come and go; that text is unsaved is one of its reasons, too.
    const look = (document: vscode.TextDocument): void => {
      if (document.isDirty === this.dirty.has(document)) return;
      if (document.isDirty) this.dirty.add(document);
      else this.dirty.delete(document);
      this.refresh();
    };
    this.listeners = vscode.Disposable.from(
      review.onChange(() => this.refresh()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => look(document)),
      vscode.workspace.onDidSaveTextDocument(look),
      vscode.workspace.onDidCloseTextDocument((document) => this.dirty.delete(document)),
    );
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (!this.server.running) return [];
    if (node && 'file' in node) return node.file.reasons.map((reason) => ({ reason }));
    if (node) return 'folder' in node ? this.files(node.folder) : [];
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
    const [only] = folders;
    return folders.length === 1 && only ? this.files(only) : folders.map((folder) => ({ folder }));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if ('file' in node) return this.ofFile(node);
    const [text, icon] = 'folder' in node ? [node.folder.name, 'root-folder'] : 'reason' in node ? [node.reason, 'info'] : [node.trouble, 'warning'];
    const item = new vscode.TreeItem(text, vscode.TreeItemCollapsibleState['folder' in node ? 'Expanded' : 'None']);
    item.iconPath = new vscode.ThemeIcon(icon);
    item.tooltip = text;
    return item;
  }

  dispose(): void {
    this.listeners.dispose();
  }

  private async files(folder: vscode.WorkspaceFolder): Promise<Node[]> {
    try {
      const { files } = await this.server.ask('workingSet', { root: folder.uri.fsPath });
      return files.map((file) => ({ root: folder.uri, file }));
    } catch (thrown) {
      return [{ trouble: sentence(thrown) }];
    }
  }

  private ofFile({ root, file }: Placed): vscode.TreeItem {
    const uri = vscode.Uri.joinPath(root, file.path);
    const item = new vscode.TreeItem(uri, vscode.TreeItemCollapsibleState.Collapsed);
    const reasons = file.reasons.join('; ');
    item.label = file.path;
    item.id = uri.toString();
    item.description = clip(reasons, 120);
    item.tooltip = [file.path, ...file.reasons].join('\n');
    item.iconPath = vscode.ThemeIcon.File;
    item.accessibilityInformation = { label: `${file.path}: ${reasons}` };
    // One that is only proposed is no file yet, and one with hunks is best opened at the first.
    const [entry] = this.review.of(uri);
    const [hunk] = entry?.hunks ?? [];
    item.command =
      entry && hunk
        ? { title: 'Go to the hunk', command: 'wherefore.next', arguments: [{ proposal: entry.proposal.id, path: entry.file.path, hunk: hunk.id }] }
        : { title: 'Open', command: 'vscode.open', arguments: [uri] };
    return item;
  }
}
