// What an agent asks of its editor through the server's slot: the selection and the diagnostics, and the variables by which
// the agent in a terminal finds this editor.

import * as vscode from 'vscode';
import type { LookAnswer, LookParams, SelectedText, SlotNotice, TextPlace } from './wire';

const place = ({ line, character }: vscode.Position): TextPlace => ({ line, character });

let open = false;

/** Whether an agent may stand in the slot. */
export const isOpen = (): boolean => open;

/** What the person has selected in a file. */
export function selection(): SelectedText | undefined {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  if (editor?.document.uri.scheme !== 'file') return undefined;
  const { document, selection: at } = editor;
  return { uri: document.uri.toString(), text: document.getText(at), start: place(at.start), end: place(at.end) };
}

/** A diagnostic as the protocol writes it. */
function diagnostic({ message, severity, source, code, range }: vscode.Diagnostic): object {
  return {
    message,
    severity: severity + 1,
    source,
    code: typeof code === 'object' ? code.value : code,
    range: { start: place(range.start), end: place(range.end) },
  };
}

/** `wherefore/look` */
export function look(params: LookParams): LookAnswer {
  const only = params.uri ? vscode.Uri.parse(params.uri, true) : undefined;
  const wanted: [vscode.Uri, readonly vscode.Diagnostic[]][] = !params.diagnostics
    ? []
    : only
      ? [[only, vscode.languages.getDiagnostics(only)]]
      : vscode.languages.getDiagnostics();
  const found = wanted.filter(([, items]) => items.length > 0);
  const diagnostics = found.map(([uri, items]) => ({ uri: uri.toString(), diagnostics: items.map(diagnostic) }));
  return { selection: selection(), diagnostics };
}

/** `wherefore/slot`: the variables of terminals that are opened from now on. */
export function changed(variables: vscode.EnvironmentVariableCollection, notice: SlotNotice): void {
  open = Object.keys(notice.env ?? {}).length > 0;
  variables.persistent = false;
  variables.description = 'An agent in this terminal finds the editor through wherefore.';
  variables.clear();
  for (const [name, value] of Object.entries(notice.env ?? {})) variables.replace(name, value);
}
