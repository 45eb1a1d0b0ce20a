// The right side of the review: what the file becomes. It is read-only until the person edits it. Typing changes the
// hunks' lines, saving accepts them as they stand, and what is outside of the hunks stays as it is.

import * as vscode from 'vscode';
import { remark, warn } from './notify';
import { entryAt, fileOf, places, RIGHT, text } from './preview';
import { restore, rows, type Region } from './regions';
import type { Entry, Review } from './review';
import type { Server } from './server';
import { lines, sentence } from './text';
import type { DecideParams, Proposal } from './wire';

/** For so long the same sentence is not said again: each key that is pressed would say it. */
const ONCE_MS = 5000;

/** How long VS Code may take to read a document anew, and to take over what it read. */
const [READ_MS, TAKE_MS] = [1500, 3000];

/** How often it is asked whether a document can be written now. */
const ASK_MS = 30;

const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

const lost = (what: string): vscode.FileSystemError => vscode.FileSystemError.Unavailable(what);

/** A document as it may be. */
interface Held {
  /** What was given to VS Code. */
  given: string;
  /** The same with what was given shortly before: reads overlap. */
  recent: string[];
  /** The last text with no change outside of the hunks. */
  allowed: string;
  isRestored: boolean;
}

/** The documents. */
export class Right implements vscode.FileSystemProvider {
  private readonly held = new Map<string, Held>();
  private readonly edited = new Set<string>();
  /** The document that the person has just ceased to edit: for a moment VS Code takes it for one that can be written. */
  private ending: string | undefined;
  /** Documents that the person saves just now. */
  private readonly meant = new Set<string>();
  /** How many saves of ours a document is in: a second one may begin before the first ends. */
  private readonly ours = new Map<string, number>();
  /** What takes text out again, until it is out. */
  private readonly refusing = new Map<string, Promise<void>>();
  /** What waits for a document to be read anew. */
  private readonly readers = new Map<string, () => void>();
  private readonly change = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private version = Date.now();
  private said = 0;
  readonly onDidChangeFile = this.change.event;

  constructor(
    private readonly review: Review,
    private readonly server: () => Server,
    private readonly take: (list: Proposal[]) => void,
    private readonly changed: () => void,
  ) {}

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this.change,
      vscode.workspace.registerFileSystemProvider(RIGHT, this, { isCaseSensitive: true }),
      vscode.workspace.onDidChangeTextDocument((event) => event.document.uri.scheme === RIGHT && this.follow(event)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.forget(uri)),
      vscode.workspace.onWillSaveTextDocument(({ document: { uri }, reason }) => {
        const key = uri.toString();
        if (uri.scheme !== RIGHT) return;
        if (reason === vscode.TextDocumentSaveReason.Manual && !this.ours.has(key)) this.meant.add(key);
        else this.meant.delete(key);
      }),
    );
  }

  /** Whether the person edits the document that has the focus. */
  get isEdited(): boolean {
    const uri = vscode.window.activeTextEditor?.document.uri;
    return uri !== undefined && this.edited.has(uri.toString());
  }

  /** Whether the person has just ceased to edit the document that has the focus. */
  get isEnding(): boolean {
    return this.ending !== undefined && this.ending === vscode.window.activeTextEditor?.document.uri.toString();
  }

  /** Lets the person type in a document; VS Code lets them once it read that it is no longer read-only. */
  async begin(uri: vscode.Uri): Promise<void> {
    if (this.edited.has(uri.toString())) return;
    this.edited.add(uri.toString());
    await this.readAnew(uri);
    await this.untilWritable(uri);
    remark('type, then save to accept the file as it stands; Escape goes back to the keys of the review');
  }

  /** Ends that. What was typed stays, and goes with the hunks where they are accepted. */
  async end(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.uri.scheme !== RIGHT) return;
    await this.settled(document);
    const key = document.uri.toString();
    this.edited.delete(key);
    this.ending = key;
    setTimeout(() => this.ended(key), TAKE_MS);
    await this.readAnew(document.uri);
    remark('a accepts the hunk, r rejects it, n goes to the next one');
  }

  private ended(key: string): void {
    if (this.ending !== key) return;
    this.ending = undefined;
    this.changed();
  }

  /** Keeps what was typed in every document, so that each shows what the next decision makes of it. */
  async keepAll(): Promise<void> {
    for (const document of open()) await this.settled(document);
  }

  /** Every open document has another text now. */
  refresh(): void {
    this.tell(open().map(({ uri }) => uri));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const size = Buffer.byteLength(await this.text(uri));
    const permissions = this.edited.has(uri.toString()) ? undefined : { permissions: vscode.FilePermission.Readonly };
    return { type: vscode.FileType.File, ctime: 0, mtime: this.version, size, ...permissions };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const given = await this.text(uri);
    const recent = [given, ...(this.held.get(uri.toString())?.recent ?? [])].slice(0, 4);
    this.held.set(uri.toString(), { given, recent, allowed: given, isRestored: false });
    this.readers.get(uri.toString())?.();
    this.readers.delete(uri.toString());
    return Buffer.from(given);
  }

  /** A save: the person's accepts the file, one by VS Code alone keeps what was typed. */
  async writeFile(uri: vscode.Uri): Promise<void> {
    const key = uri.toString();
    if (!this.meant.delete(key)) return;
    const entry = entryAt(this.review, uri);
    if (!this.server().running) throw lost('the server does not run: restart it, then save again');
    if (!entry) throw lost('no hunk waits here any more, your text is kept here: copy what you need');
    const problems = await this.accept(entry).catch((thrown: unknown) => {
      throw lost(`nothing was accepted, your text is kept here: ${sentence(thrown)}`);
    });
    if (entryAt(this.review, uri)) throw lost(`not all hunks were accepted, your text is kept here: ${problems || 'some still wait'}`);
    if (problems) warn(problems);
    this.edited.delete(key);
    this.changed();
    this.tell([uri]);
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

  /** Accepts every hunk of a file that waits, with the lines that the person made of them. Gives what could not be done. */
  private async accept({ root, proposal, hunks }: Entry): Promise<string> {
    const texts = Object.fromEntries(hunks.flatMap(({ id, draft }) => (draft ? [[id, draft.join('')]] : [])));
    const params: DecideParams = { proposal: proposal.id, hunks: hunks.map(({ id }) => id), act: 'accept', texts, root };
    const answer = await this.server().ask('decide', params);
    this.take(answer.proposals);
    return (answer.problems ?? []).join('; ');
  }

  private async text(uri: vscode.Uri): Promise<string> {
    if (!entryAt(this.review, uri) && !fileOf(uri)) throw vscode.FileSystemError.FileNotFound('no hunk waits here any more');
    return text(this.review, uri);
  }

  private tell(uris: vscode.Uri[]): void {
    this.version += 1;
    this.change.fire(uris.map((uri) => ({ type: vscode.FileChangeType.Changed, uri })));
    this.changed();
  }

  /** Has VS Code read a document anew, and whether it is read-only. */
  private async readAnew(uri: vscode.Uri): Promise<void> {
    const isRead = new Promise<void>((done) => this.readers.set(uri.toString(), done));
    this.tell([uri]);
    await Promise.race([isRead, wait(READ_MS)]);
  }

  /** Waits until the person can type in a document. VS Code tells no extension; an edit that changes nothing finds out. */
  private async untilWritable(uri: vscode.Uri): Promise<void> {
    const until = performance.now() + TAKE_MS;
    while (performance.now() < until) {
      const editor = vscode.window.activeTextEditor;
      if (editor?.document.uri.toString() !== uri.toString()) return;
      if (await isWritable(editor)) return this.keep(editor.document);
      await wait(ASK_MS);
    }
  }

  private forget(uri: vscode.Uri): void {
    this.held.delete(uri.toString());
    this.edited.delete(uri.toString());
    this.refusing.delete(uri.toString());
  }

  /** Keeps what was typed, once what was typed elsewhere is out: VS Code reads no document anew that it is changing. */
  private async settled(document: vscode.TextDocument): Promise<void> {
    await this.refusing.get(document.uri.toString());
    await this.keep(document);
  }

  /** Saves a document that is typed in, which accepts nothing. */
  private async keep(document: vscode.TextDocument): Promise<void> {
    if (!document.isDirty || !entryAt(this.review, document.uri)) return;
    const key = document.uri.toString();
    this.ours.set(key, (this.ours.get(key) ?? 0) + 1);
    try {
      await document.save();
    } finally {
      const left = (this.ours.get(key) ?? 1) - 1;
      if (left > 0) this.ours.set(key, left);
      else this.ours.delete(key);
    }
  }

  /** Takes what is typed in a hunk as its lines; what is typed elsewhere is taken out again. */
  private follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const held = this.held.get(document.uri.toString());
    const entry = entryAt(this.review, document.uri);
    const now = document.getText();
    // The text is out: what follows is typed after that, also where the edit that took it out has not come to its end.
    if (held && now === held.allowed) held.isRestored = false;
    if (!held || held.isRestored || contentChanges.length === 0 || now === held.allowed) return;
    // VS Code read it anew, perhaps what was given before the last text.
    if (held.recent.includes(now) && !document.isDirty) {
      held.allowed = now;
      return;
    }
    if (!entry) return;
    const before: Region[] = places(entry, document.uri).map(({ hunk, row, rows }) => ({ id: hunk.id, first: row, rows }));
    const after = entry.file.kind === 'create' ? before.map((region) => ({ ...region, rows: lines(now).length })) : rows(before, contentChanges, held.allowed.split('\n'));
    if (!after) return void this.refusing.set(document.uri.toString(), this.refuse(document, held));
    held.allowed = now;
    const all = lines(now);
    for (const { id, first, rows } of after) {
      const hunk = entry.hunks.find((each) => each.id === id);
      if (hunk) this.review.draft(hunk, all.slice(first, first + rows));
    }
  }

  private async refuse(document: vscode.TextDocument, held: Held): Promise<void> {
    held.isRestored = true;
    if (performance.now() - this.said > ONCE_MS || this.said === 0) warn('only the lines of a hunk can be edited here; open the file to edit the rest');
    this.said = performance.now();
    await restore(document, () => (held.isRestored ? held.allowed : undefined));
    held.isRestored = false;
    if (held.allowed === held.given) await this.keep(document);
  }
}

/** Whether an editor takes an edit: that puts a character far from the cursor in its own place. */
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
const open = (): vscode.TextDocument[] => vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === RIGHT);
