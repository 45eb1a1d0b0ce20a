// The review's tabs: VS Code's own diff of all files that wait, or of one. None opens by itself. Once the last one closes, the
// text that the person came from has the focus again.

import * as vscode from 'vscode';
import { warn } from '../messages';
import { makeAfterUri, makeBeforeUri, findEntry, findFile, isSide } from './diff_sides';
import type { ReviewEntry, ProposalStore } from './proposal_store';
import { closeTab, showDocument, waitFor } from '../show_document';
import { clip, describeError } from '../text';
import { PreviousEditor } from './previous_editor';

/** The beginning of the labels of tabs of several files: VS Code does not tell extensions which tab is one. */
const TITLE = 'wherefore: ';

/** The labels of a tab of several files. The number of hunks stands at it as a badge, since a title stays as it was. */
const TAB_NAMES = { waiting: `${TITLE}review`, applied: `${TITLE}applied, keep or take back` };

/** A tab of several files. Its list is fixed once it is open. */
interface MultiDiffTab {
  source: vscode.Uri;
  label: string;
  resources: { originalUri: vscode.Uri; modifiedUri: vscode.Uri }[];
}

/** The files of a tab of ours: both sides of a diff. */
function listSides({ input }: vscode.Tab): vscode.Uri[] {
  const uris = input instanceof vscode.TabInputTextDiff ? [input.original, input.modified] : input instanceof vscode.TabInputText ? [input.uri] : [];
  return uris.some(isSide) ? uris : [];
}

function isMultiDiff({ input, label }: vscode.Tab): boolean {
  return label.startsWith(TITLE) && !(input instanceof vscode.TabInputText || input instanceof vscode.TabInputTextDiff);
}

const listTabs = (): vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs);

/** True if closing a document of the review would lose text, or ask whether to save it. */
function isUnsaved(uri: vscode.Uri): boolean {
  return vscode.workspace.textDocuments.some((document) => document.isDirty && document.uri.toString() === uri.toString());
}

/** True if the tab that the person is in shows several files. */
export function isInMultiDiff(): boolean {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab !== undefined && isMultiDiff(tab);
}

/** True if the tab that the person is in is one of the review. */
export function isInReview(): boolean {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab !== undefined && (isMultiDiff(tab) || listSides(tab).length > 0);
}

/** The tabs. */
export class ReviewTabs {
  private multiDiff: MultiDiffTab | undefined;
  /** The right side of a diff that was opened out of the one of several files, to edit a hunk. */
  private aside: string | undefined;
  private opened = 0;
  /** The place that the person left for the review. */
  private readonly previousEditor = new PreviousEditor();

  constructor(private readonly store: ProposalStore) {}

  register(): vscode.Disposable {
    return this.previousEditor.register();
  }

  /** Notes that the person decides on what a review shows: where that closes it, the focus goes back. */
  noteDecision(): void {
    if (isInReview()) this.previousEditor.noteDecision();
  }

  /** True if a review is open. */
  get isOpen(): boolean {
    return listTabs().some((tab) => isMultiDiff(tab) || listSides(tab).length > 0);
  }

  /** Shows an entry in a diff of its own. */
  async showAlone(entry: ReviewEntry): Promise<vscode.TextEditor | undefined> {
    if (!isInReview()) this.previousEditor.remember();
    const isApplied = entry.hunks.length > 0 && entry.hunks.every((hunk) => hunk.applied);
    const title = clip(`${entry.file.path}${isApplied ? ' (applied)' : ''}: ${entry.proposal.why}`, 200);
    await vscode.commands.executeCommand('vscode.diff', makeBeforeUri(entry), makeAfterUri(entry), title, { preview: false });
    return findEditor(makeAfterUri(entry));
  }

  /** The diff of an entry is opened for as long as the person is out of the one of several files; not where it is open already. */
  setAside(entry: ReviewEntry): void {
    const key = makeAfterUri(entry).toString();
    const isOpen = listTabs().some((tab) => listSides(tab).some((uri) => uri.toString() === key));
    this.aside = isOpen ? undefined : key;
  }

  /** Shows an entry in the diff of all of them: the one that is open, where the entry is in it. */
  async showAmong(entry: ReviewEntry, entries: ReviewEntry[]): Promise<vscode.TextEditor | undefined> {
    const uri = makeAfterUri(entry);
    const current = vscode.window.activeTextEditor;
    if (isInReview() && this.aside !== uri.toString() && current?.document.uri.toString() === uri.toString()) {
      // The focus may be in a view.
      await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
      return current;
    }
    const isListed = (list: MultiDiffTab): boolean => list.resources.some(({ modifiedUri }) => modifiedUri.toString() === uri.toString());
    const open = this.multiDiff;
    if (open && isListed(open) && this.hasTab(open)) await showMultiDiff(open, uri);
    else if (entries.length < 2) return this.showAlone(entry);
    else {
      if (!isInReview()) this.previousEditor.remember();
      await this.openMultiDiff(entries, entry);
    }
    await this.closeAside();
    const editor = await findEditor(uri);
    if (!editor || editor === vscode.window.activeTextEditor || !this.multiDiff || !isInMultiDiff()) return editor;
    // Another file got the focus, since this one was not drawn yet: keys would mean what is not on the screen.
    await showMultiDiff(this.multiDiff, uri);
    return findEditor(uri);
  }

  /** Scrolls the tab of several files that is open to an entry. */
  async scrollTo(entry: ReviewEntry): Promise<void> {
    if (this.multiDiff) await showMultiDiff(this.multiDiff, makeAfterUri(entry));
  }

  /** Shows entries in one tab, at one of them. A tab of others that was open closes. */
  private async openMultiDiff(entries: ReviewEntry[], at: ReviewEntry): Promise<void> {
    const old = listTabs().filter(isMultiDiff);
    const isApplied = entries.every(({ hunks }) => hunks.every((hunk) => hunk.applied));
    const several = {
      source: vscode.Uri.from({ scheme: 'wherefore', authority: 'review', path: `/${++this.opened}` }),
      // VS Code adds how many files these are.
      label: isApplied ? TAB_NAMES.applied : TAB_NAMES.waiting,
      resources: entries.map((entry) => ({ originalUri: makeBeforeUri(entry), modifiedUri: makeAfterUri(entry) })),
    };
    this.multiDiff = several;
    await showMultiDiff(several, makeAfterUri(at));
    await vscode.commands.executeCommand('workbench.action.keepEditor');
    for (const tab of old) await closeTab(tab);
  }

  /** Closes the tabs whose hunks are all decided. A new file that was shown alone is opened instead, where it is there now. */
  async closeDecided(): Promise<void> {
    const wasIn = isInReview();
    const goesBack = wasIn && this.previousEditor.isDecided;
    let isShown = false;
    const { multiDiff: several } = this;
    if (several?.resources.every(({ modifiedUri }) => !this.isWaiting(modifiedUri) && !isUnsaved(modifiedUri))) {
      this.multiDiff = undefined;
      for (const tab of listTabs().filter(isMultiDiff)) await closeTab(tab, goesBack);
    }
    for (const tab of listTabs()) {
      const sides = listSides(tab);
      if (sides.length === 0 || tab.isDirty || sides.some((uri) => this.isWaiting(uri) || isUnsaved(uri))) continue;
      const file = tab.input instanceof vscode.TabInputText && tab.isActive ? sides.map(findFile)[0] : undefined;
      await closeTab(tab, goesBack);
      if (file) isShown = (await showDocument(file)) !== undefined;
    }
    if (goesBack && !isShown && !isInReview()) await this.previousEditor.goBack();
  }

  /** Closes what VS Code brought back after a reload: it is empty. Says whether there was any. */
  async closeRestored(): Promise<boolean> {
    const found = listTabs().filter((tab) => isMultiDiff(tab) || listSides(tab).length > 0);
    for (const tab of found) await closeTab(tab);
    return found.length > 0;
  }

  /** Closes the diff that was opened to edit a hunk, unless it holds text that is not kept. */
  private async closeAside(): Promise<void> {
    const key = this.aside;
    this.aside = undefined;
    const found = listTabs().filter((tab) => !tab.isDirty && listSides(tab).some((uri) => uri.toString() === key));
    for (const tab of found) await closeTab(tab);
  }

  private isWaiting(uri: vscode.Uri): boolean {
    return findEntry(this.store, uri) !== undefined;
  }

  private hasTab({ label }: MultiDiffTab): boolean {
    return listTabs().some((tab) => isMultiDiff(tab) && tab.label.startsWith(label));
  }
}

/** Shows a tab of several files at one of them. */
async function showMultiDiff({ source, label, resources }: MultiDiffTab, uri: vscode.Uri): Promise<void> {
  const options = { title: label, multiDiffSourceUri: source, resources, reveal: { modifiedUri: uri } };
  try {
    // A file that has the focus stays the active one: it must lose it first.
    if (isInMultiDiff()) await vscode.commands.executeCommand('workbench.action.focusStatusBar');
    // As vscode.changes does it, and with a place to go to, which that has not.
    await vscode.commands.executeCommand('_workbench.openMultiDiffEditor', options);
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
  } catch {
    const list = resources.map(({ originalUri, modifiedUri }) => [modifiedUri, originalUri, modifiedUri]);
    await vscode.commands.executeCommand('vscode.changes', label, list).then(undefined, (thrown) => warn(describeError(thrown)));
  }
}

/** The editor of a document in the review, once it is on the screen. */
async function findEditor(uri: vscode.Uri): Promise<vscode.TextEditor | undefined> {
  const findShown = (): vscode.TextEditor | undefined => {
    const isOfUri = (editor: vscode.TextEditor | undefined): boolean => editor?.document.uri.toString() === uri.toString();
    return isOfUri(vscode.window.activeTextEditor) ? vscode.window.activeTextEditor : vscode.window.visibleTextEditors.find(isOfUri);
  };
  await waitFor(vscode.window.tabGroups.onDidChangeTabs, isInReview);
  await waitFor(vscode.window.onDidChangeVisibleTextEditors, () => findShown() !== undefined);
  await waitFor(vscode.window.onDidChangeActiveTextEditor, () => findShown() === vscode.window.activeTextEditor, 500);
  return findShown();
}
