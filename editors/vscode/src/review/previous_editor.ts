// The text that a person came from into the review, and the way back there once its last hunk is decided. The focus itself is
// passed on by the tab that closes: VS Code knows whether it is there, or in a list that the person has opened since.

import * as vscode from 'vscode';
import { waitFor } from '../show_document';

/** For so long after a decision of the person's the review may close because of it. */
const DECIDED_MS = 10_000;

/** For so long VS Code may take to say which editor is there once a tab has closed. */
const SETTLED_MS = 300;

/** An editor that was left, with its selection, which moves with the text. */
interface LeftEditor {
  document: vscode.TextDocument;
  column: vscode.ViewColumn | undefined;
  selection: vscode.Selection;
}

/** The way back. */
export class PreviousEditor {
  private editor: LeftEditor | undefined;
  private decidedAt = Number.NEGATIVE_INFINITY;

  register(): vscode.Disposable {
    return vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (this.editor?.document !== document) return;
      for (const change of contentChanges) this.editor.selection = moveSelection(change, this.editor.selection);
    });
  }

  /** Remembers the editor that has the focus, or that none has it. */
  remember(): void {
    const editor = vscode.window.activeTextEditor;
    this.editor = editor && { document: editor.document, column: editor.viewColumn, selection: editor.selection };
  }

  /** Notes that the person decided just now. */
  noteDecision(): void {
    this.decidedAt = performance.now();
  }

  /** True if the person decided just now: then the review may close because of it. */
  get isDecided(): boolean {
    return performance.now() - this.decidedAt <= DECIDED_MS;
  }

  /**
   * Goes to the place that was left, in the text that VS Code shows where the review was; shows that text where another one is
   * there, or it is in another group of editors. What is closed stays closed.
   */
  async goBack(): Promise<void> {
    const { editor: origin } = this;
    this.editor = undefined;
    this.decidedAt = Number.NEGATIVE_INFINITY;
    if (!origin) return;
    const isShown = (): boolean => vscode.window.activeTextEditor?.document === origin.document;
    await waitFor(vscode.window.onDidChangeActiveTextEditor, isShown, SETTLED_MS);
    const editor = vscode.window.activeTextEditor;
    if (isShown() && editor) {
      if (!editor.selection.isEqual(origin.selection)) editor.selection = origin.selection;
      return;
    }
    const isOpen = ({ input }: vscode.Tab): boolean => input instanceof vscode.TabInputText && input.uri.toString() === origin.document.uri.toString();
    const isThere = vscode.window.tabGroups.all.some((group) => group.viewColumn === origin.column && group.tabs.some(isOpen));
    const preserveFocus = vscode.window.tabGroups.activeTabGroup.viewColumn === origin.column;
    if (isThere) await vscode.window.showTextDocument(origin.document, { viewColumn: origin.column, selection: origin.selection, preview: false, preserveFocus });
  }
}

/** A selection after a change of the text above it. */
function moveSelection({ range, text }: vscode.TextDocumentContentChangeEvent, selection: vscode.Selection): vscode.Selection {
  const grown = text.split('\n').length - 1 - (range.end.line - range.start.line);
  const movePosition = (place: vscode.Position): vscode.Position => (range.end.line < place.line ? place.translate(Math.max(grown, -place.line)) : place);
  return new vscode.Selection(movePosition(selection.anchor), movePosition(selection.active));
}
