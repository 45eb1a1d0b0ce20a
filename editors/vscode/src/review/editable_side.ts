// The right side of the review: what the file becomes. It is read-only until the person edits it. Typing changes the
// hunks' lines, saving accepts those that the person typed in and no other, and what is outside of the hunks stays as it is.

import * as vscode from 'vscode';
import { showRemark, warn } from '../messages';
import { findEntry, findFile, listHunkRows, EDIT_SCHEME, readSide } from './diff_sides';
import { isAtSelection, restoreText, moveRegions, type TextChange, type HunkRegion } from './hunk_regions';
import type { ProposalStore, ReviewHunk } from './proposal_store';
import type { ServerClient } from '../server/client';
import { waitFor } from '../show_document';
import { isInMultiDiff } from './review_tabs';
import { formatCount, splitLines, describeError } from '../text';

/** For so long the same sentence is not said again: each key that is pressed would say it. */
const ONCE_MS = 5000;

/** The time that VS Code may take to read a document anew, and to take over what it read. */
const [READ_MS, TAKE_MS] = [1500, 3000];

/** For so long before VS Code tells of a save it may have cleaned the text up. */
const CLEAN_MS = 1000;

/** For so long after a change VS Code may tell where the cursor was that made it. */
const LATE_MS = 1000;

/** The time that VS Code may take to tell of a save that it made. */
const SAVED_MS = 500;

/** The time between two attempts to write to a document. */
const ASK_MS = 30;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const makeUnavailable = (problem: string): vscode.FileSystemError => vscode.FileSystemError.Unavailable(problem);

/** The origin of a save: the person in the document, the person from elsewhere, or VS Code by itself. */
type DocumentSaver = 'here' | 'elsewhere' | 'itself';

/** The result of an acceptance: problems in words, and what leads on to the next hunk. */
export interface AcceptResult {
  problems: string;
  goOn: () => void;
}

/** A document as it may be. */
interface HeldDocument {
  /** The text that was given to VS Code. */
  givenText: string;
  /** The same with what was given shortly before: reads overlap. */
  recent: string[];
  /** The last text with no change outside of the hunks. */
  allowed: string;
  isRestored: boolean;
}

/** The documents. */
export class EditableSide implements vscode.FileSystemProvider {
  private readonly documents = new Map<string, HeldDocument>();
  private readonly edited = new Set<string>();
  /** The document that the person has just ceased to edit: for a moment VS Code takes it for one that can be written. */
  private endingDocument: string | undefined;
  /** The documents that are saved just now, and by whom. */
  private readonly savers = new Map<string, DocumentSaver>();
  /** When VS Code told of a save of a document that it may clean up, until that is done. */
  private readonly cleanUps = new Map<string, number>();
  /** The last changes of hunks that were not where the cursor was known to be. */
  private unplaced: { uri: string; change: TextChange; hunk: string; time: number }[] = [];
  /** Acts that follow once a document is saved. */
  private readonly afterSave = new Map<string, () => void>();
  /** The number of our saves that a document is in: a second one may begin before the first ends. */
  private readonly ownSaves = new Map<string, number>();
  /** Refusals under way, which take text out again. */
  private readonly refusing = new Map<string, Promise<void>>();
  /** Acts that wait for a document to be read anew. */
  private readonly readers = new Map<string, () => void>();
  /** The reads under way: VS Code asks for a text and for its size at once. */
  private readonly reading = new Map<string, Promise<string>>();
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private version = Date.now();
  private warnedAt = 0;
  readonly onDidChangeFile = this.changes.event;

  constructor(
    private readonly store: ProposalStore,
    private readonly server: ServerClient,
    /** Accepts hunks of one file with their drafts. */
    private readonly accept: (hunks: ReviewHunk[]) => Promise<AcceptResult>,
    private readonly onChange: () => void,
  ) {}

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this.changes,
      vscode.workspace.registerFileSystemProvider(EDIT_SCHEME, this, { isCaseSensitive: true }),
      vscode.workspace.onDidChangeTextDocument((event) => event.document.uri.scheme === EDIT_SCHEME && this.followTyping(event)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.forgetDocument(uri)),
      vscode.workspace.onWillSaveTextDocument(({ document: { uri }, reason }) => {
        if (uri.scheme !== EDIT_SCHEME) return;
        this.savers.set(uri.toString(), this.findSaver(uri, reason));
        this.cleanUps.set(uri.toString(), performance.now());
      }),
      vscode.workspace.onDidSaveTextDocument((document) => document.uri.scheme === EDIT_SCHEME && this.handleSave(document)),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor: { document }, selections }) => {
        if (document.uri.scheme === EDIT_SCHEME) this.claimLateChanges(document.uri, selections);
      }),
    );
  }

  /** True if the person edits the document that has the focus. */
  get isEdited(): boolean {
    const uri = vscode.window.activeTextEditor?.document.uri;
    return uri !== undefined && this.edited.has(uri.toString());
  }

  /** True if the person has just ceased to edit the document that has the focus. */
  get isEnding(): boolean {
    return this.endingDocument !== undefined && this.endingDocument === vscode.window.activeTextEditor?.document.uri.toString();
  }

  /** Lets the person type in a document; VS Code lets them once it read that it is no longer read-only. Says so where it does not. */
  async beginEdit(uri: vscode.Uri): Promise<void> {
    if (this.edited.has(uri.toString())) return;
    this.edited.add(uri.toString());
    await this.reread(uri);
    if (await this.waitUntilWritable(uri)) return showRemark('type, then save to accept what you edited; Escape goes back to the keys of the review');
    this.edited.delete(uri.toString());
    await this.reread(uri);
    const isHere = vscode.window.activeTextEditor?.document.uri.toString() === uri.toString();
    if (isHere) warn('VS Code keeps these lines read-only: accept the hunk and change its lines in the file, or reject it with a word for the agent');
  }

  /** Ends that. What was typed stays, and goes with the hunks where they are accepted. */
  async endEdit(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.uri.scheme !== EDIT_SCHEME) return;
    await this.settleTyping(document);
    const key = document.uri.toString();
    this.edited.delete(key);
    this.endingDocument = key;
    setTimeout(() => this.finishEnding(key), TAKE_MS);
    await this.reread(document.uri);
    showRemark('a accepts the hunk, r rejects it, n goes to the next one');
  }

  private finishEnding(key: string): void {
    if (this.endingDocument !== key) return;
    this.endingDocument = undefined;
    this.onChange();
  }

  /** Keeps what was typed in every document, so that each shows what the next decision makes of it. */
  async saveAll(): Promise<void> {
    for (const document of listOpen()) await this.settleTyping(document);
  }

  /** Open documents have another text now: those that a part says have. */
  refresh(isChanged: (uri: vscode.Uri) => boolean): void {
    this.fireChange(listOpen().flatMap(({ uri }) => (isChanged(uri) ? [uri] : [])));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const size = Buffer.byteLength(await this.readText(uri));
    const permissions = this.edited.has(uri.toString()) ? undefined : { permissions: vscode.FilePermission.Readonly };
    return { type: vscode.FileType.File, ctime: 0, mtime: this.version, size, ...permissions };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const givenText = await this.readText(uri);
    const recent = [givenText, ...(this.documents.get(uri.toString())?.recent ?? [])].slice(0, 4);
    this.documents.set(uri.toString(), { givenText: givenText, recent, allowed: givenText, isRestored: false });
    this.readers.get(uri.toString())?.();
    this.readers.delete(uri.toString());
    return Buffer.from(givenText);
  }

  /** A save: the person's in the document accepts the hunks that they typed in; any other keeps what was typed. */
  async writeFile(uri: vscode.Uri): Promise<void> {
    const key = uri.toString();
    const saver = this.savers.get(key) ?? (this.ownSaves.has(key) ? 'itself' : 'elsewhere');
    this.savers.delete(key);
    // A document that is saved closes, and what was typed in it goes with it.
    if (!this.server.isRunning) throw makeUnavailable('the server does not run: restart it, then save again');
    const entry = findEntry(this.store, uri);
    if (!entry) throw makeUnavailable('no hunk waits here any more, your text is kept here: copy what you need');
    if (saver === 'itself') return;
    const typed = entry.hunks.filter((hunk) => !hunk.applied && hunk.draft && hunk.byHand);
    if (saver === 'elsewhere') {
      if (typed.length > 0) showRemark('what you typed in the review is kept and not accepted: save it there, or press a at the hunk');
      return;
    }
    if (typed.length === 0) return showRemark('you typed in no hunk, so nothing is accepted; Escape, then a accepts a hunk as it stands');
    const { problems, goOn } = await this.accept(typed).catch((thrown: unknown) => {
      throw makeUnavailable(`nothing was accepted, your text is kept here: ${describeError(thrown)}`);
    });
    const rest = findEntry(this.store, uri)?.hunks ?? [];
    const isLeft = rest.some(({ id }) => typed.some((hunk) => hunk.id === id));
    if (isLeft) throw makeUnavailable(`not all that you edited was accepted, your text is kept here: ${problems || 'some of it still waits'}`);
    if (problems) warn(problems);
    if (rest.length > 0) showRemark(`${formatCount(typed.length, 'hunk')} accepted as edited; ${formatCount(rest.length, 'hunk')} of the file ${rest.length === 1 ? 'waits' : 'wait'}`);
    this.edited.delete(key);
    this.onChange();
    this.afterSave.set(key, goOn);
    this.fireChange([uri]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): never {
    throw vscode.FileSystemError.NoPermissions('there are only files that wait here');
  }

  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions('there are only files that wait here');
  }

  delete(): never {
    throw vscode.FileSystemError.NoPermissions('reject the hunks instead');
  }

  rename(): never {
    throw vscode.FileSystemError.NoPermissions('what waits has no other name');
  }

  /** A document is saved: what was cleaned up in hunks that the person is not in, and did not type in, is as it was again. */
  private handleSave(document: vscode.TextDocument): void {
    const { uri } = document;
    const key = uri.toString();
    const entry = findEntry(this.store, uri);
    const startedAt = this.cleanUps.get(key);
    this.cleanUps.delete(key);
    if (entry && startedAt !== undefined) {
      const cursors = listSelections(document).map(({ active }) => active.line);
      const others = listHunkRows(entry, uri).filter(({ row, rows }) => !cursors.some((line) => line >= row && line < row + rows));
      if (this.store.dropUntyped(others.map(({ hunk }) => hunk), startedAt - CLEAN_MS)) this.fireChange([uri]);
    }
    this.afterSave.get(key)?.();
    this.afterSave.delete(key);
  }

  /** VS Code tells where the cursor is: changes that it made there just before are the person's. */
  private claimLateChanges(uri: vscode.Uri, selections: readonly vscode.Selection[]): void {
    const since = performance.now() - LATE_MS;
    this.unplaced = this.unplaced.filter(({ time }) => time >= since);
    const found = this.unplaced.filter((each) => each.uri === uri.toString() && isAtSelection(each.change, selections));
    for (const hunk of findEntry(this.store, uri)?.hunks ?? []) {
      if (hunk.draft && found.some((each) => each.hunk === hunk.id)) this.store.setDraft(hunk, hunk.draft, true);
    }
  }

  /** Returns the origin of a save. A person who is in another document does not see what the save would accept. */
  private findSaver(uri: vscode.Uri, reason: vscode.TextDocumentSaveReason): DocumentSaver {
    const key = uri.toString();
    if (reason !== vscode.TextDocumentSaveReason.Manual || this.ownSaves.has(key)) return 'itself';
    const isHere = vscode.window.activeTextEditor?.document.uri.toString() === key;
    return isHere && this.edited.has(key) ? 'here' : 'elsewhere';
  }

  private async readText(uri: vscode.Uri): Promise<string> {
    if (!findEntry(this.store, uri) && !findFile(uri)) throw vscode.FileSystemError.FileNotFound('no hunk waits here any more');
    const key = uri.toString();
    const reading = this.reading.get(key) ?? readSide(this.store, uri).finally(() => this.reading.get(key) === reading && this.reading.delete(key));
    this.reading.set(key, reading);
    return reading;
  }

  private fireChange(uris: vscode.Uri[]): void {
    this.version += 1;
    for (const uri of uris) this.reading.delete(uri.toString());
    this.changes.fire(uris.map((uri) => ({ type: vscode.FileChangeType.Changed, uri })));
    this.onChange();
  }

  /** Makes VS Code read a document again, and whether it is read-only. */
  private async reread(uri: vscode.Uri): Promise<void> {
    const isRead = new Promise<void>((resolve) => this.readers.set(uri.toString(), resolve));
    this.fireChange([uri]);
    await Promise.race([isRead, sleep(READ_MS)]);
  }

  /** Waits until the person can type in a document; gives whether they can. VS Code tells no extension; an edit that changes nothing finds out. */
  private async waitUntilWritable(uri: vscode.Uri): Promise<boolean> {
    const until = performance.now() + TAKE_MS;
    while (performance.now() < until) {
      const editor = vscode.window.activeTextEditor;
      if (editor?.document.uri.toString() !== uri.toString()) return false;
      if (await isWritable(editor)) {
        await this.saveTyped(editor.document);
        return true;
      }
      await sleep(ASK_MS);
    }
    return false;
  }

  private forgetDocument(uri: vscode.Uri): void {
    this.documents.delete(uri.toString());
    this.edited.delete(uri.toString());
    this.refusing.delete(uri.toString());
    this.savers.delete(uri.toString());
    this.afterSave.delete(uri.toString());
    this.cleanUps.delete(uri.toString());
  }

  /** Keeps what was typed, once what was typed elsewhere is out: VS Code reads no document anew that it is changing. */
  private async settleTyping(document: vscode.TextDocument): Promise<void> {
    await this.refusing.get(document.uri.toString());
    await this.saveTyped(document);
  }

  /** Saves a document that is typed in, which accepts nothing, and cleans nothing up where it has the focus. */
  private async saveTyped(document: vscode.TextDocument): Promise<void> {
    if (!document.isDirty || !findEntry(this.store, document.uri)) return;
    const key = document.uri.toString();
    this.ownSaves.set(key, (this.ownSaves.get(key) ?? 0) + 1);
    try {
      if (vscode.window.activeTextEditor?.document === document && !isInMultiDiff()) {
        await vscode.commands.executeCommand('workbench.action.files.saveWithoutFormatting');
        await waitFor(vscode.workspace.onDidSaveTextDocument, () => !document.isDirty, SAVED_MS);
      }
      if (document.isDirty) await document.save();
    } finally {
      const rest = (this.ownSaves.get(key) ?? 1) - 1;
      if (rest > 0) this.ownSaves.set(key, rest);
      else this.ownSaves.delete(key);
    }
  }

  /** Takes what is typed in a hunk as its lines; what is typed elsewhere is taken out again. */
  private followTyping({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    const state = this.documents.get(document.uri.toString());
    const entry = findEntry(this.store, document.uri);
    const now = document.getText();
    // The text is out: what follows is typed after that, also where the edit that took it out has not come to its end.
    if (state && now === state.allowed) state.isRestored = false;
    if (!state || state.isRestored || contentChanges.length === 0 || now === state.allowed) return;
    // VS Code read it anew, perhaps what was given before the last text.
    if (state.recent.includes(now) && !document.isDirty) {
      state.allowed = now;
      return;
    }
    if (!entry) return;
    const before: HunkRegion[] = listHunkRows(entry, document.uri).flatMap(({ hunk, row, rows }) => (hunk.applied ? [] : [{ id: hunk.id, first: row, rows }]));
    const selections = listSelections(document);
    const isByHand = (change: TextChange): boolean => reason !== undefined || isAtSelection(change, selections);
    const after =
      entry.file.kind === 'create'
        ? before.map((region) => ({ ...region, rows: splitLines(now).length, changes: [...contentChanges] }))
        : moveRegions(before, contentChanges, state.allowed.split('\n'));
    if (!after) return void this.refusing.set(document.uri.toString(), this.refuseTyping(document, state));
    state.allowed = now;
    const all = splitLines(now);
    const time = performance.now();
    for (const { id, first, rows, changes = [] } of after) {
      const hunk = entry.hunks.find((each) => each.id === id);
      if (!hunk) continue;
      this.store.setDraft(hunk, all.slice(first, first + rows), changes.some(isByHand));
      if (hunk.draft && !hunk.byHand) this.unplaced.push(...changes.map((change) => ({ uri: document.uri.toString(), change, hunk: id, time })));
    }
  }

  private async refuseTyping(document: vscode.TextDocument, state: HeldDocument): Promise<void> {
    state.isRestored = true;
    if (performance.now() - this.warnedAt > ONCE_MS || this.warnedAt === 0) warn('only the lines of a hunk can be edited here; open the file to edit the rest');
    this.warnedAt = performance.now();
    await restoreText(document, () => (state.isRestored ? state.allowed : undefined));
    state.isRestored = false;
    if (state.allowed === state.givenText) await this.saveTyped(document);
  }
}

/** Lists what is selected in the editors of a document. */
const listSelections = (document: vscode.TextDocument): vscode.Selection[] =>
  vscode.window.visibleTextEditors.filter((editor) => editor.document === document).flatMap((editor) => editor.selections);

/** True if an editor takes an edit: that puts a character far from the cursor in its own place. */
async function isWritable(editor: vscode.TextEditor): Promise<boolean> {
  const { document, selection } = editor;
  const [length, before] = [document.getText().length, document.version];
  const offset = selection.active.line === 0 ? Math.max(length - 1, 0) : 0;
  const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + 1));
  const same = document.getText(range);
  await editor.edit((builder) => builder.replace(range, same), { undoStopBefore: false, undoStopAfter: false });
  return length === 0 || document.version !== before;
}

/** The documents that are open. */
const listOpen = (): vscode.TextDocument[] => vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === EDIT_SCHEME);
