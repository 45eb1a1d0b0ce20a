// Opens a review anew that was open before a reload or the server's end, and closes the tabs of the one that is decided.

import type * as vscode from 'vscode';
import { describeError } from '../text';
import type { HunkNavigation } from './navigation';
import type { ProposalStore } from './proposal_store';
import type { ReviewTabs } from './review_tabs';

/** The time after a reload, or after the server ended, in which a review that was open is opened anew. */
const REOPEN_MS = 20_000;

/** The name under which it is kept that a review is open. */
const OPEN = 'review.open';

/** The tabs of the review over time. */
export class ReviewReopener {
  /** True while a review is to be opened, once there is something to show: the old server may hold it for a while. */
  private isDue = false;
  private closing = Promise.resolve();

  constructor(
    private readonly store: ProposalStore,
    private readonly tabs: ReviewTabs,
    private readonly navigation: HunkNavigation,
    private readonly memory: vscode.Memento,
    private readonly output: vscode.LogOutputChannel,
  ) {}

  /** Closes what VS Code brought back after a reload, and opens it anew. VS Code does not bring back every tab of several files. */
  restore(): void {
    const wasOpen = this.memory.get(OPEN, false);
    void this.tabs.closeRestored().then((found) => {
      if (found || wasOpen) this.expect();
    });
  }

  /** Remembers over a reload whether a review is open. */
  remember(): void {
    if (this.tabs.isOpen !== this.memory.get(OPEN, false)) void this.memory.update(OPEN, this.tabs.isOpen);
  }

  /** Opens a review now, or for a while as soon as a hunk waits. */
  expect(): void {
    this.isDue = true;
    this.reopen();
    setTimeout(() => {
      this.isDue = false;
    }, REOPEN_MS);
  }

  /** Opens the review that is expected, where a hunk waits. */
  reopen(): void {
    if (!this.isDue || this.store.countWaiting().hunks === 0) return;
    this.isDue = false;
    // What is closed just now would be gone again.
    void this.closing.then(() => this.navigation.openReview());
  }

  /** Closes the tabs whose hunks are all decided. */
  closeDecided(): Promise<void> {
    this.closing = this.closing.then(() => this.tabs.closeDecided()).catch((thrown: unknown) => this.output.error(describeError(thrown)));
    return this.closing;
  }
}
