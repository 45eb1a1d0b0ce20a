// A hunk's new lines as a document of their own, to be changed before they are accepted: saving it accepts the hunk.

import { posix } from 'node:path';
import * as vscode from 'vscode';
import { lens } from './lens';
import { remark, warn } from './notify';
import { number, type Review, type Waiting } from './review';
import type { Server } from './server';
import { closeTab } from './show';
import { chomp, clip, sentence } from './text';
import type { DecideParams, Proposal } from './wire';

/** The scheme of these documents: `wherefore-edit:/PROPOSAL/HUNK/NAME`. */
export const SCHEME = 'wherefore-edit';

/** Why a hunk cannot be changed, and what to do instead. */
export function fixed(hunk: Waiting): string | undefined {
  const { kind } = hunk.entry.file;
  if (hunk.applied) return 'this hunk stands in the text already; change it there';
  return kind === 'edit' || kind === 'create' ? undefined : `this hunk (${kind}) adds no text; accept or reject it`;
}

/** The lines as they were proposed, each with an end. */
const proposed = (hunk: Waiting): string => hunk.new.map((line) => `${chomp(line)}\n`).join('');

const lost = (what: string): vscode.FileSystemError => vscode.FileSystemError.Unavailable(what);

function uriOf({ input }: vscode.Tab): vscode.Uri | undefined {
  return input instanceof vscode.TabInputText && input.uri.scheme === SCHEME ? input.uri : undefined;
}

/** The documents. */
export class Edit implements vscode.FileSystemProvider, vscode.CodeLensProvider {
  /** What a person made of the lines, where their editor saves by itself: that is not their word yet. */
  private readonly drafts = new Map<string, string>();
  /** What was accepted, while its document is open. */
  private readonly accepted = new Map<string, string>();
  /** Documents that the person saves just now. */
  private readonly meant = new Set<string>();
  private readonly change = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.change.event;

  constructor(
    private readonly review: Review,
    private readonly server: () => Server,
    private readonly take: (list: Proposal[]) => void,
  ) {}

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this.change,
      vscode.workspace.registerFileSystemProvider(SCHEME, this, { isCaseSensitive: true }),
      vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, this),
      vscode.workspace.onWillSaveTextDocument(({ document, reason }) => {
        const key = document.uri.toString();
        if (document.uri.scheme !== SCHEME) return;
        if (reason === vscode.TextDocumentSaveReason.Manual) this.meant.add(key);
        else this.meant.delete(key);
      }),
      // A document that was saved is no longer dirty only after that.
      vscode.window.tabGroups.onDidChangeTabs(({ changed }) => changed.some((tab) => uriOf(tab) !== undefined) && void this.tidy()),
    );
  }

  /** Opens what a hunk adds. */
  async open(hunk: Waiting): Promise<void> {
    const why = fixed(hunk);
    if (why) return warn(why);
    const { proposal, file } = hunk.entry;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${proposal.id}/${hunk.id}/${posix.basename(file.path)}` });
    await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: false });
    remark('save to accept the hunk with this text; close to leave it as it was');
  }

  /** The document of a hunk that is shown now. */
  shown(): vscode.TextDocument | undefined {
    const document = vscode.window.activeTextEditor?.document;
    return document?.uri.scheme === SCHEME ? document : undefined;
  }

  /** The hunk that a document holds the lines of. */
  hunk(uri: vscode.Uri): Waiting | undefined {
    const [, proposal = '', id] = uri.path.split('/');
    const hunks = this.review.proposal(proposal).flatMap((entry) => entry.hunks);
    return uri.scheme === SCHEME ? hunks.find((hunk) => hunk.id === id && !hunk.applied) : undefined;
  }

  /** Accepts the hunk of the document that is shown, with its text. */
  async accept(document: vscode.TextDocument): Promise<void> {
    if (vscode.window.activeTextEditor?.document !== document) await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.save');
  }

  /** Closes the documents of hunks that were decided, but for those that hold text of the person's that nobody has. */
  async tidy(): Promise<void> {
    for (const tab of vscode.window.tabGroups.all.flatMap((group) => group.tabs)) {
      const uri = uriOf(tab);
      const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri?.toString());
      // A tab hears later than its document that text is unsaved.
      const isKept = tab.isDirty || document?.isDirty || this.drafts.has(uri?.toString() ?? '');
      if (!uri || isKept || this.hunk(uri) || !this.server().running) continue;
      await closeTab(tab);
      this.accepted.delete(uri.toString());
    }
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const hunk = this.hunk(document.uri);
    if (!hunk) return [lens(0, 'warning', 'this hunk waits no more: copy what you need')];
    return [
      lens(0, 'check', 'Accept with this text', 'accept', 'Save: the agent is told the text'),
      lens(0, 'close', 'Reject', 'reject', 'Reject this hunk'),
      lens(0, '', `${number(hunk)} of ${hunk.entry.file.path}: ${clip(hunk.entry.proposal.why, 60)}`),
    ];
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: this.text(uri).length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return Buffer.from(this.text(uri));
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const text = Buffer.from(content).toString();
    const key = uri.toString();
    if (!this.meant.delete(key)) return void this.drafts.set(key, text);
    const hunk = this.hunk(uri);
    if (!this.server().running) throw lost('the server does not run: restart it, then save again');
    if (!hunk) throw lost('the hunk waits no more, your text is kept here: copy what you need');
    const texts = text === proposed(hunk) ? {} : { [hunk.id]: text };
    const { root, proposal } = hunk.entry;
    const params: DecideParams = { proposal: proposal.id, hunks: [hunk.id], act: 'accept', texts, root };
    const answer = await this.server().ask('decide', params).catch((thrown: unknown) => {
      throw lost(`the hunk was not accepted, your text is kept here: ${sentence(thrown)}`);
    });
    this.take(answer.proposals);
    const said = (answer.problems ?? []).join('; ');
    const now = answer.proposals.flatMap(({ files }) => files.flatMap(({ hunks }) => hunks)).find(({ id }) => id === hunk.id);
    if (now?.state !== 'accepted') throw lost(`the hunk was not accepted, your text is kept here: ${said || `it is ${now?.state ?? 'gone'}`}`);
    this.accepted.set(key, text);
    this.drafts.delete(key);
    if (said) warn(said);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): never {
    throw vscode.FileSystemError.NoPermissions('there are only hunks here');
  }

  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions('there are only hunks here');
  }

  delete(): never {
    throw vscode.FileSystemError.NoPermissions('reject the hunk instead');
  }

  rename(): never {
    throw vscode.FileSystemError.NoPermissions('a hunk has no other name');
  }

  private text(uri: vscode.Uri): string {
    const hunk = this.hunk(uri);
    const draft = this.drafts.get(uri.toString()) ?? this.accepted.get(uri.toString());
    if (draft === undefined && !hunk) throw vscode.FileSystemError.FileNotFound('the hunk waits no more');
    return draft ?? (hunk ? proposed(hunk) : '');
  }
}
