// Messages to the person, never in a modal.

import * as vscode from 'vscode';
import { clip, escapeMarkup } from './text';

/** The weight of a message. */
export type MessageLevel = 'info' | 'warning' | 'error';

/** Shows a message, the words of others in it made harmless; gives the button that was pressed. */
export function showMessage<T extends vscode.MessageItem>(level: MessageLevel, message: string, ...buttons: T[]): Thenable<T | undefined> {
  const text = escapeMarkup(message);
  if (level === 'error') return vscode.window.showErrorMessage(text, ...buttons);
  return level === 'warning' ? vscode.window.showWarningMessage(text, ...buttons) : vscode.window.showInformationMessage(text, ...buttons);
}

/** A warning of ours. */
export function warn(message: string): void {
  void showMessage('warning', `wherefore: ${message}`);
}

/** A remark in the status bar that goes by itself. */
export function showRemark(message: string, ms = 4000): void {
  vscode.window.setStatusBarMessage(clip(`wherefore: ${message}`, 300), ms);
}
