// What a person can set, read when it is needed.

import * as vscode from 'vscode';

/** One setting under `wherefore.`. */
export function setting<T>(name: string, otherwise: T): T {
  return vscode.workspace.getConfiguration('wherefore').get<T>(name, otherwise);
}

/** Which calls are shown as messages. */
export type Shown = 'all' | 'writes' | 'none';
