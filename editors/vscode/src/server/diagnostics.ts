// The diagnostics of this editor's language servers, which an agent asks for by a tool.

import * as vscode from 'vscode';
import type { DiagnosticsAnswer, DiagnosticsParams } from './wire';

const toPosition = ({ line, character }: vscode.Position): object => ({ line, character });

/** A diagnostic as the Language Server Protocol writes it. */
function toProtocol({ message, severity, source, code, range }: vscode.Diagnostic): object {
  return {
    message,
    severity: severity + 1,
    source,
    code: typeof code === 'object' ? code.value : code,
    range: { start: toPosition(range.start), end: toPosition(range.end) },
  };
}

/** Answers `wherefore/diagnostics`. */
export function listDiagnostics(params: DiagnosticsParams): DiagnosticsAnswer {
  const only = params.uri ? vscode.Uri.parse(params.uri, true) : undefined;
  const all: [vscode.Uri, readonly vscode.Diagnostic[]][] = only
    ? [[only, vscode.languages.getDiagnostics(only)]]
    : vscode.languages.getDiagnostics();
  const found = all.filter(([uri, items]) => uri.scheme === 'file' && items.length > 0);
  return { documents: found.map(([uri, items]) => ({ uri: uri.toString(), diagnostics: items.map(toProtocol) })) };
}
