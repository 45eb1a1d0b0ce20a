// The review's tabs: VS Code's own diff of all files that wait, or of one. None opens by itself.

import * as vscode from 'vscode';
import { warn } from './notify';
import { after, before, entryAt, fileOf, isSide, isThere } from './preview';
import type { Entry, Review } from './review';
import { closeTab, showDocument, soon } from './show';
import { clip, count, sentence } from './text';

/** What the tabs of several files are called begin so: VS Code does not tell extensions which tab is one. */
const TITLE = 'wherefore: ';

/** A tab of several files. Its list is fixed once it is open. */
interface Several {
  source: vscode.Uri;
  label: string;
  resources: { originalUri: vscode.Uri; modifiedUri: vscode.Uri }[];
}

/** What the right side of an entry is: what was applied stands in its file. */
export function right(entry: Entry): vscode.Uri {
  return entry.hunks.every((hunk) => hunk.applied) && isThere(entry) ? entry.uri : after(entry);
}

/** The files of a tab of ours: both sides of a diff. */
function sidesOf({ input }: vscode.Tab): vscode.Uri[] {
  const uris = input instanceof vscode.TabInputTextDiff ? [input.original, input.modified] : input instanceof vscode.TabInputText ? [input.uri] : [];
  return uris.some(isSide) ? uris : [];
}

function isSeveral({ input, label }: vscode.Tab): boolean {
  return label.startsWith(TITLE) && !(input instanceof vscode.TabInputText || input instanceof vscode.TabInputTextDiff);
}

const allTabs = (): vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs);

/** Whether closing a document of the review would lose text, or ask whether to save it: no tab of its own shows it too. */
function isUnsaved(uri: vscode.Uri): boolean {
  const is = (other: vscode.Uri): boolean => other.toString() === uri.toString();
  const isDirty = vscode.workspace.textDocuments.some((document) => document.isDirty && is(document.uri));
  return isDirty && (isSide(uri) || !allTabs().some(({ input }) => input instanceof vscode.TabInputText && is(input.uri)));
}

/** Whether the tab that the person is in shows several files. */
export function isInSeveral(): boolean {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab !== undefined && isSeveral(tab);
}

/** Whether the tab that the person is in is one of the review. */
export function isInReview(): boolean {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab !== undefined && (isSeveral(tab) || sidesOf(tab).length > 0);
}

/** The tabs. */
export class Tabs {
  private several: Several | undefined;
  private opened = 0;

  constructor(private readonly review: Review) {}

  /** Whether a review is open. */
  get isOpen(): boolean {
    return allTabs().some((tab) => isSeveral(tab) || sidesOf(tab).length > 0);
  }

  /** Shows an entry in a diff of its own. */
  async one(entry: Entry): Promise<vscode.TextEditor | undefined> {
    const own = ownEditor();
    const title = clip(`${entry.file.path}: ${entry.proposal.why}`, 200);
    await vscode.commands.executeCommand('vscode.diff', before(entry), right(entry), title, { preview: false });
    return editorOf(right(entry), own);
  }

  /** Shows an entry in the diff of all of them: the one that is open, where the entry is in it. */
  async among(entry: Entry, entries: Entry[]): Promise<vscode.TextEditor | undefined> {
    const uri = right(entry);
    const own = ownEditor();
    const seen = vscode.window.activeTextEditor;
    if (isInReview() && seen?.document.uri.toString() === uri.toString()) {
      // The focus may be in a view.
      await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
      return seen;
    }
    const isListed = (list: Several): boolean => list.resources.some(({ modifiedUri }) => modifiedUri.toString() === uri.toString());
    const known = this.several;
    if (known && isListed(known) && this.shows(known)) await show(known, uri);
    else if (entries.length < 2) return this.one(entry);
    else await this.open(entries, entry);
    return editorOf(uri, own);
  }

  /** Scrolls the tab of several files that is open to an entry. */
  async back(entry: Entry): Promise<void> {
    if (this.several) await show(this.several, right(entry));
  }

  /** Shows entries in one tab, at one of them. A tab of others that was open closes. */
  private async open(entries: Entry[], at: Entry): Promise<void> {
    const old = allTabs().filter(isSeveral);
    const hunks = entries.reduce((sum, entry) => sum + entry.hunks.length, 0);
    const several = {
      source: vscode.Uri.from({ scheme: 'wherefore', authority: 'review', path: `/${++this.opened}` }),
      // VS Code adds how many files these are.
      label: `${TITLE}${count(hunks, 'hunk')}`,
      resources: entries.map((entry) => ({ originalUri: before(entry), modifiedUri: right(entry) })),
    };
    this.several = several;
    await show(several, right(at));
    await vscode.commands.executeCommand('workbench.action.keepEditor');
    for (const tab of old) await closeTab(tab);
  }

  /** Closes the tabs whose hunks are all decided. A new file that was shown alone is opened instead, where it is there now. */
  async tidy(): Promise<void> {
    const { several } = this;
    if (several?.resources.every(({ modifiedUri }) => !this.waits(modifiedUri) && !isUnsaved(modifiedUri))) {
      this.several = undefined;
      for (const tab of allTabs().filter(isSeveral)) await closeTab(tab);
    }
    for (const tab of allTabs()) {
      const sides = sidesOf(tab);
      if (sides.length === 0 || sides.some((uri) => this.waits(uri) || isUnsaved(uri))) continue;
      const file = tab.input instanceof vscode.TabInputText && tab.isActive ? sides.map(fileOf)[0] : undefined;
      await closeTab(tab);
      if (file) await showDocument(file);
    }
  }

  /** Closes what VS Code brought back after a reload: it is empty. Says whether there was any. */
  async sweep(): Promise<boolean> {
    const found = allTabs().filter((tab) => isSeveral(tab) || sidesOf(tab).length > 0);
    for (const tab of found) await closeTab(tab);
    return found.length > 0;
  }

  private waits(uri: vscode.Uri): boolean {
    return isSide(uri) ? entryAt(this.review, uri) !== undefined : this.review.of(uri).length > 0;
  }

  private shows({ label }: Several): boolean {
    return allTabs().some((tab) => isSeveral(tab) && tab.label.startsWith(label));
  }
}

/** Shows a tab of several files at one of them. */
async function show({ source, label, resources }: Several, uri: vscode.Uri): Promise<void> {
  const options = { title: label, multiDiffSourceUri: source, resources, reveal: { modifiedUri: uri } };
  try {
    // A file that has the focus stays the active one: it must lose it first.
    if (isInSeveral()) await vscode.commands.executeCommand('workbench.action.focusStatusBar');
    // As vscode.changes does it, and with a place to go to, which that has not.
    await vscode.commands.executeCommand('_workbench.openMultiDiffEditor', options);
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
  } catch {
    const list = resources.map(({ originalUri, modifiedUri }) => [modifiedUri, originalUri, modifiedUri]);
    await vscode.commands.executeCommand('vscode.changes', label, list).then(undefined, (thrown) => warn(sentence(thrown)));
  }
}

/** The editor that the person is in, outside of the review. */
const ownEditor = (): vscode.TextEditor | undefined => (isInReview() ? undefined : vscode.window.activeTextEditor);

/** The editor of a document in the review, once it is on the screen; that of the file itself, `own`, is another one. */
async function editorOf(uri: vscode.Uri, own: vscode.TextEditor | undefined): Promise<vscode.TextEditor | undefined> {
  const find = (): vscode.TextEditor | undefined => {
    const is = (editor: vscode.TextEditor | undefined): boolean => editor !== own && editor?.document.uri.toString() === uri.toString();
    return is(vscode.window.activeTextEditor) ? vscode.window.activeTextEditor : vscode.window.visibleTextEditors.find(is);
  };
  await soon(vscode.window.tabGroups.onDidChangeTabs, isInReview);
  await soon(vscode.window.onDidChangeVisibleTextEditors, () => find() !== undefined);
  await soon(vscode.window.onDidChangeActiveTextEditor, () => find() === vscode.window.activeTextEditor, 500);
  return find();
}
