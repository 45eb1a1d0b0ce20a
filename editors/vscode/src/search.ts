// Searches as one types: each found place is shown in the editor while it is selected, and Escape goes back.

import * as vscode from 'vscode';
import { warn } from './notify';
import { Origin } from './origin';
import type { Server } from './server';
import { clip, sentence } from './text';
import type { SearchHit, SearchKind } from './wire';

/** How long typing is waited for. */
const SETTLE_MS = 150;
const LIMIT = 50;

/** A row: a place, or a word about the search. */
interface Row extends vscode.QuickPickItem {
  place?: { uri: vscode.Uri; range: vscode.Range };
}

const WORDS: Record<SearchKind, { title: string; placeholder: string }> = {
  vector: { title: 'Search by meaning', placeholder: 'What the code does, or what it is called' },
  lexical: { title: 'Search text', placeholder: 'Text in the files, as you see them, saved or not' },
};

const TO_REGEX: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('regex'), tooltip: 'Search by a regular expression' };
const TO_TEXT: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('symbol-string'), tooltip: 'Search by text as it stands' };

/** The search. */
export class Search {
  private literal = true;
  private box: vscode.QuickPick<Row> | undefined;

  constructor(
    private readonly server: Server,
    private readonly ended: () => void,
  ) {}

  /** Whether places are passed by now, or the way back is still being gone. */
  get open(): boolean {
    return this.box !== undefined;
  }

  /** Opens the box; the text selected in the editor stands in it. */
  show(kind: SearchKind): void {
    const box = vscode.window.createQuickPick<Row>();
    const origin = new Origin();
    let [timer, asked]: [NodeJS.Timeout | undefined, vscode.CancellationTokenSource | undefined] = [undefined, undefined];
    let leaving: Promise<void> | undefined;
    const look = (): void => {
      clearTimeout(timer);
      asked?.cancel();
      if (box.value.trim() === '') {
        box.items = [];
        box.busy = false;
        return;
      }
      box.busy = true;
      timer = setTimeout(() => {
        const mine = new vscode.CancellationTokenSource();
        asked = mine;
        void this.rows(kind, box.value, mine.token).then((rows) => {
          if (mine.token.isCancellationRequested) return;
          box.items = rows;
          box.busy = false;
        });
      }, SETTLE_MS);
    };
    const buttons = (): void => {
      box.buttons = kind === 'lexical' ? [this.literal ? TO_REGEX : TO_TEXT] : [];
      box.title = kind === 'lexical' && !this.literal ? `${WORDS[kind].title} by a regular expression` : WORDS[kind].title;
    };
    box.placeholder = WORDS[kind].placeholder;
    box.value = selected();
    buttons();
    box.onDidChangeValue(look);
    box.onDidTriggerButton(() => {
      this.literal = !this.literal;
      buttons();
      look();
    });
    box.onDidChangeActive(([row]) => row?.place && origin.preview(row.place.uri, row.place.range));
    box.onDidAccept(() => {
      const place = box.selectedItems[0]?.place;
      if (!place) return;
      leaving = origin.leave(place.uri, place.range);
      box.hide();
    });
    box.onDidHide(() => {
      clearTimeout(timer);
      asked?.cancel();
      box.dispose();
      const ended = (): void => {
        if (this.box !== box) return;
        this.box = undefined;
        this.ended();
      };
      void (leaving ?? origin.restore()).catch((thrown: unknown) => warn(sentence(thrown))).then(ended);
    });
    this.box = box;
    box.show();
    look();
  }

  private async rows(kind: SearchKind, query: string, over: vscode.CancellationToken): Promise<Row[]> {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
    try {
      const found = await Promise.all(folders.map((folder) => this.inFolder(folder, kind, query, over)));
      const places = found.flatMap(({ places }) => places);
      // A score counts within its own answer only: the best of each folder come first.
      if (kind === 'vector') places.sort((one, other) => one.rank - other.rank);
      if (places.length === 0) return [word('nothing found')];
      const rows = places.map(({ folder, result }) => row(folder, result, folders.length > 1));
      return found.some(({ more }) => more) ? [...rows, word('there is more: a longer query narrows it down')] : rows;
    } catch (thrown) {
      // The lines below the first draw where a pattern is wrong, which a row has no room for.
      return [word(sentence(thrown).replace(/:?\n[\s\S]*/, ''), 'warning')];
    }
  }

  private async inFolder(folder: vscode.WorkspaceFolder, kind: SearchKind, query: string, over: vscode.CancellationToken) {
    const params = { root: folder.uri.fsPath, query, kind, case: 'smart', literal: kind === 'lexical' && this.literal, context: 0, limit: LIMIT } as const;
    const { results, cursor } = await this.server.ask('search', params, over);
    return { places: results.map((result, rank) => ({ folder, result, rank })), more: Boolean(cursor) };
  }
}

/**
 * The label is no more than an icon: VS Code sorts rows by how their labels match what is typed, and the server has sorted
 * them already.
 */
function row(folder: vscode.WorkspaceFolder, result: SearchHit, several: boolean): Row {
  const [line, end] = [Math.max(result.line - 1, 0), Math.max(result.end - 1, 0)];
  const shown = `${several ? `${folder.name}/` : ''}${result.path}:${result.line}`;
  const text = result.text.split('\n').slice(result.line - result.start).join('\n');
  return {
    label: '$(file)',
    description: clip(shown, 160),
    detail: clip(text, 200),
    alwaysShow: true,
    place: { uri: vscode.Uri.joinPath(folder.uri, result.path), range: new vscode.Range(line, 0, end, Number.MAX_SAFE_INTEGER) },
  };
}

function word(text: string, icon = 'info'): Row {
  return { label: `$(${icon})`, description: clip(text, 300), alwaysShow: true };
}

/** What is selected on one line of the active editor. */
function selected(): string {
  const editor = vscode.window.activeTextEditor;
  return editor?.selection.isSingleLine ? editor.document.getText(editor.selection) : '';
}
