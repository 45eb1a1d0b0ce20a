// Where one was before places were passed by, and the way back there.

import * as vscode from 'vscode';
import { warn } from './notify';
import { sentence } from './text';

/** The editor that one was in, and the tabs that were there. */
export class Origin {
  private readonly editor = vscode.window.activeTextEditor;
  private readonly selections = this.editor?.selections;
  private readonly seen = this.editor?.visibleRanges[0];
  private readonly group = vscode.window.tabGroups.activeTabGroup;
  private readonly wasPreview = this.group.activeTab?.isPreview ?? false;
  private readonly there = new Set(this.group.tabs.map(uriOf));
  private turn: Promise<unknown> = Promise.resolve();
  private newest: symbol | undefined;
  private passed = false;

  /** Shows a place without going there; of several in a row that come at once the last. */
  preview(uri: vscode.Uri, range: vscode.Range): void {
    const mine = Symbol('a preview');
    this.newest = mine;
    this.passed = true;
    this.turn = this.turn.then(async () => {
      if (this.newest !== mine) return;
      await show(uri, { viewColumn: this.group.viewColumn, selection: range, preview: true, preserveFocus: true });
    });
  }

  /** Goes to a place and stays there. */
  async leave(uri: vscode.Uri, range: vscode.Range): Promise<void> {
    this.newest = undefined;
    await this.turn;
    const start = new vscode.Range(range.start, range.start);
    await show(uri, { viewColumn: this.group.viewColumn, selection: start, preview: false });
  }

  /** Goes back, and closes what was only passed by. */
  async restore(): Promise<void> {
    this.newest = undefined;
    await this.turn;
    if (!this.passed) return;
    const { editor, selections, seen } = this;
    if (editor && selections) {
      // A preview's own tab may be gone: others took its place.
      const back = await vscode.window.showTextDocument(editor.document, { viewColumn: this.group.viewColumn, preview: this.wasPreview });
      back.selections = selections;
      if (seen) back.revealRange(seen, vscode.TextEditorRevealType.AtTop);
    }
    const passed = this.tabs().filter((tab) => tab.isPreview && !this.there.has(uriOf(tab)));
    await vscode.window.tabGroups.close(passed);
  }

  /** The tabs of the group as it is now. */
  private tabs(): readonly vscode.Tab[] {
    return vscode.window.tabGroups.all.find((group) => group.viewColumn === this.group.viewColumn)?.tabs ?? [];
  }
}

/**
 * Shows a place in the middle of its editor. By the command: what the API opens stays open for minutes after its tab is
 * closed, and what is open matters to the working set.
 */
async function show(uri: vscode.Uri, options: vscode.TextDocumentShowOptions): Promise<void> {
  try {
    await vscode.commands.executeCommand('vscode.open', uri, options);
  } catch (thrown) {
    warn(sentence(thrown));
  }
}

function uriOf(tab: vscode.Tab): string {
  return tab.input instanceof vscode.TabInputText ? tab.input.uri.toString() : tab.label;
}
