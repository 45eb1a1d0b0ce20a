// Searches as one types: each found place is shown in the editor while it is selected, and Escape goes back.

import * as vscode from 'vscode';
import { warn } from './messages';
import { SearchOrigin } from './search_origin';
import type { ServerClient } from './server/client';
import { clip, describeError } from './text';
import type { SearchHit, SearchKind } from './server/wire';

/** The time that typing is waited for. */
const SETTLE_MS = 150;
const LIMIT = 50;

/** A row: a place, or a word about the search. */
interface SearchRow extends vscode.QuickPickItem {
  place?: { uri: vscode.Uri; range: vscode.Range };
}

const LABELS: Record<SearchKind, { title: string; placeholder: string }> = {
  vector: { title: 'Search by meaning', placeholder: 'What the code does, or what it is called' },
  lexical: { title: 'Search text', placeholder: 'Text in the files, as you see them, saved or not' },
};

const TO_REGEX: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('regex'), tooltip: 'Search by a regular expression' };
const TO_TEXT: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('symbol-string'), tooltip: 'Search by text as it stands' };

/** The search. */
export class CodeSearch {
  private isLiteral = true;
  private box: vscode.QuickPick<SearchRow> | undefined;

  constructor(
    private readonly server: ServerClient,
    private readonly onEnd: () => void,
  ) {}

  /** True if places are passed by now, or the way back is still being gone. */
  get isOpen(): boolean {
    return this.box !== undefined;
  }

  /** Opens the box; the text selected in the editor stands in it. */
  openBox(kind: SearchKind): void {
    const box = vscode.window.createQuickPick<SearchRow>();
    const origin = new SearchOrigin();
    let [timer, request]: [NodeJS.Timeout | undefined, vscode.CancellationTokenSource | undefined] = [undefined, undefined];
    let leaving: Promise<void> | undefined;
    const searchSoon = (): void => {
      clearTimeout(timer);
      request?.cancel();
      if (box.value.trim() === '') {
        box.items = [];
        box.busy = false;
        return;
      }
      box.busy = true;
      timer = setTimeout(() => {
        const mine = new vscode.CancellationTokenSource();
        request = mine;
        void this.findRows(kind, box.value, mine.token).then((rows) => {
          if (mine.token.isCancellationRequested) return;
          box.items = rows;
          box.busy = false;
        });
      }, SETTLE_MS);
    };
    const drawButtons = (): void => {
      box.buttons = kind === 'lexical' ? [this.isLiteral ? TO_REGEX : TO_TEXT] : [];
      box.title = kind === 'lexical' && !this.isLiteral ? `${LABELS[kind].title} by a regular expression` : LABELS[kind].title;
    };
    box.placeholder = LABELS[kind].placeholder;
    box.value = readSelectedText();
    drawButtons();
    box.onDidChangeValue(searchSoon);
    box.onDidTriggerButton(() => {
      this.isLiteral = !this.isLiteral;
      drawButtons();
      searchSoon();
    });
    box.onDidChangeActive(([row]) => row?.place && origin.previewPlace(row.place.uri, row.place.range));
    box.onDidAccept(() => {
      const place = box.selectedItems[0]?.place;
      if (!place) return;
      leaving = origin.goToPlace(place.uri, place.range);
      box.hide();
    });
    box.onDidHide(() => {
      clearTimeout(timer);
      request?.cancel();
      box.dispose();
      const closeSearch = (): void => {
        if (this.box !== box) return;
        this.box = undefined;
        this.onEnd();
      };
      void (leaving ?? origin.goBack()).catch((thrown: unknown) => warn(describeError(thrown))).then(closeSearch);
    });
    this.box = box;
    box.show();
    searchSoon();
  }

  private async findRows(kind: SearchKind, query: string, token: vscode.CancellationToken): Promise<SearchRow[]> {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
    try {
      const found = await Promise.all(folders.map((folder) => this.searchFolder(folder, kind, query, token)));
      const places = found.flatMap(({ places }) => places);
      // A score counts within its own answer only: the best of each folder come first.
      if (kind === 'vector') places.sort((one, other) => one.rank - other.rank);
      if (places.length === 0) return [makeNote('nothing found')];
      const rows = places.map(({ folder, result }) => makeRow(folder, result, folders.length > 1));
      return found.some(({ more }) => more) ? [...rows, makeNote('there is more: a longer query narrows it down')] : rows;
    } catch (thrown) {
      // The lines below the first draw where a pattern is wrong, which a row has no room for.
      return [makeNote(describeError(thrown).replace(/:?\n[\s\S]*/, ''), 'warning')];
    }
  }

  private async searchFolder(folder: vscode.WorkspaceFolder, kind: SearchKind, query: string, token: vscode.CancellationToken) {
    const params = { root: folder.uri.fsPath, query, kind, case: 'smart', literal: kind === 'lexical' && this.isLiteral, context: 0, limit: LIMIT } as const;
    const { results, cursor } = await this.server.request('search', params, token);
    return { places: results.map((result, rank) => ({ folder, result, rank })), more: Boolean(cursor) };
  }
}

/**
 * The label is no more than an icon: VS Code sorts rows by how their labels match what is typed, and the server has sorted
 * them already.
 */
function makeRow(folder: vscode.WorkspaceFolder, result: SearchHit, several: boolean): SearchRow {
  const [line, end] = [Math.max(result.line - 1, 0), Math.max(result.end - 1, 0)];
  const place = `${several ? `${folder.name}/` : ''}${result.path}:${result.line}`;
  const text = result.text.split('\n').slice(result.line - result.start).join('\n');
  return {
    label: '$(file)',
    description: clip(place, 160),
    detail: clip(text, 200),
    alwaysShow: true,
    place: { uri: vscode.Uri.joinPath(folder.uri, result.path), range: new vscode.Range(line, 0, end, Number.MAX_SAFE_INTEGER) },
  };
}

function makeNote(text: string, icon = 'info'): SearchRow {
  return { label: `$(${icon})`, description: clip(text, 300), alwaysShow: true };
}

/** Reads what is selected on one line of the active editor. */
function readSelectedText(): string {
  const editor = vscode.window.activeTextEditor;
  return editor?.selection.isSingleLine ? editor.document.getText(editor.selection) : '';
}
