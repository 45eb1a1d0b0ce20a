// What a person can set, read when it is needed.

import * as vscode from 'vscode';

/** One setting under `wherefore.`. */
export function setting<T>(name: string, otherwise: T): T {
  return vscode.workspace.getConfiguration('wherefore').get<T>(name, otherwise);
}

/** Which calls are shown as messages. */
export type CallsShown = 'none' | 'failed' | 'changes' | 'all';

/** When new hunks are told of. */
export type ProposalsShown = 'once a turn' | 'each' | 'none';

/** Where a review opens. */
export type Opens = 'all files' | 'file by file' | 'in the text';

/** What follows a decision in the review. */
export type AfterDecision = 'next' | 'stay';
