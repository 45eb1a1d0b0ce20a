// Settings of the person, read when they are needed.

import * as vscode from 'vscode';

/** A setting under `wherefore.`. */
export function readSetting<T>(name: string, otherwise: T): T {
  return vscode.workspace.getConfiguration('wherefore').get<T>(name, otherwise);
}

/** The calls that are shown as messages. */
export type CallsShown = 'none' | 'failed' | 'changes' | 'all';

/** When new hunks are told of. */
export type ProposalsShown = 'once a turn' | 'each' | 'none';

/** The place where a review opens. */
export type ReviewPlace = 'all files' | 'file by file' | 'in the text';

/** The step that follows a decision in the review. */
export type AfterDecision = 'next' | 'stay';

/** True if going on from hunk to hunk leads through the text of the files. */
export function isReviewedInText(): boolean {
  return readSetting<ReviewPlace>('review.open', 'all files') === 'in the text';
}
