// The place where one was before places were passed by, and the way back there.

import * as vscode from 'vscode';
import { warn } from './messages';
import { describeError } from './text';

/** The editor that one was in, and the tabs that were there. */
export class SearchOrigin {
  private readonly editor = vscode.window.activeTextEditor;
  private readonly selections = this.editor?.selections;
  private readonly visibleRange = this.editor?.visibleRanges[0];
  private readonly group = vscode.window.tabGroups.activeTabGroup;
  private readonly wasPreview = this.group.activeTab?.isPreview ?? false;
  private readonly openTabs = new Set(this.group.tabs.map(nameTab));
  private turn: Promise<unknown> = Promise.resolve();
  private newestPreview: symbol | undefined;
  private hasPreviewed = false;

  /** Shows a place without going there; of several in a row that come at once the last. */
  previewPlace(uri: vscode.Uri, range: vscode.Range): void {
    const mine = Symbol('a preview');
    this.newestPreview = mine;
    this.hasPreviewed = true;
    this.turn = this.turn.then(async () => {
      if (this.newestPreview !== mine) return;
      await showPlace(uri, { viewColumn: this.group.viewColumn, selection: range, preview: true, preserveFocus: true });
    });
  }

  /** Goes to a place and stays there. */
  async goToPlace(uri: vscode.Uri, range: vscode.Range): Promise<void> {
    this.newestPreview = undefined;
    await this.turn;
    const start = new vscode.Range(range.start, range.start);
    await showPlace(uri, { viewColumn: this.group.viewColumn, selection: start, preview: false });
  }

  /** Goes back, and closes what was only passed by. */
  async goBack(): Promise<void> {
    this.newestPreview = undefined;
    await this.turn;
    if (!this.hasPreviewed) return;
    const { editor, selections, visibleRange } = this;
    if (editor && selections) {
      // A preview's own tab may be gone: others took its place.
      const back = await vscode.window.showTextDocument(editor.document, { viewColumn: this.group.viewColumn, preview: this.wasPreview });
      back.selections = selections;
      if (visibleRange) back.revealRange(visibleRange, vscode.TextEditorRevealType.AtTop);
    }
    const passed = this.listTabs().filter((tab) => tab.isPreview && !this.openTabs.has(nameTab(tab)));
    await vscode.window.tabGroups.close(passed);
  }

  /** The tabs of the group as it is now. */
  private listTabs(): readonly vscode.Tab[] {
    return vscode.window.tabGroups.all.find((group) => group.viewColumn === this.group.viewColumn)?.tabs ?? [];
  }
}

/**
 * Shows a place in the middle of its editor. By the command: what the API opens stays open for minutes after its tab is
 * closed, and what is open matters to the working set.
 */
async function showPlace(uri: vscode.Uri, options: vscode.TextDocumentShowOptions): Promise<void> {
  try {
    await vscode.commands.executeCommand('vscode.open', uri, options);
  } catch (thrown) {
    warn(describeError(thrown));
  }
}

function nameTab(tab: vscode.Tab): string {
  return tab.input instanceof vscode.TabInputText ? tab.input.uri.toString() : tab.label;
}
