//! editor.diagnostics: the errors and warnings that the editor's language servers report.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::count::Count;
use super::repository::left_out;
use crate::base::position::{PositionEncoding, TextPosition, offset_at};
use crate::base::{WorkspacePath, uri};
use crate::protocol::{CallEffects, Code, DiagnosticsParams, DocumentDiagnostics, Fault, PathAccess};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::CallScope;

/// The most diagnostics in one answer, if the caller names no limit.
const LIMIT: Count = Count(100);

/// The most files without an editor that an answer names.
const NAMED: usize = 5;

/// The activity of `editor.diagnostics`.
pub(super) struct ListDiagnostics;

/// The arguments of `editor.diagnostics`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DiagnosticsInput {
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    severity: Severity,
    limit: Option<Count>,
}

/// The severity of a diagnostic, worst first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Severity {
    Error,
    Warning,
    Information,
    #[default]
    Hint,
}

/// The answer of `editor.diagnostics`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DiagnosticList {
    errors: usize,
    warnings: usize,
    diagnostics: Vec<ListedDiagnostic>,
}

/// A diagnostic, with positions that count from 1. Diagnostics are listed in the order of these members.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
struct ListedDiagnostic {
    severity: Severity,
    path: String,
    line: u64,
    column: u64,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

impl Activity for ListDiagnostics {
    type Input = DiagnosticsInput;
    type Output = DiagnosticList;

    fn call_effects(&self, input: &DiagnosticsInput) -> CallEffects {
        let reads = if input.paths.is_empty() { vec![".".to_owned()] } else { input.paths.clone() };
        CallEffects { reads, ..CallEffects::default() }
    }

    async fn run_call(
        &self,
        input: Arc<DiagnosticsInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<DiagnosticList>, Fault> {
        let asked = AskedPaths::read(scope, &input.paths)?;
        let answer = scope.diagnostics(DiagnosticsParams::default()).await.map_err(|fault| {
            let way = match fault.code {
                Code::Unsupported => "Neovim and VS Code with wherefore's plugin tell; else run the project's own checks with terminal.run",
                _ => "call it again, or run the project's own checks with terminal.run",
            };
            fault.with_suggestion(way)
        })?;
        scope.check_cancelled()?;
        Ok(list(scope, &input, &asked, answer.documents))
    }
}

/// The files and folders that a caller names, each also with its symlinks resolved.
struct AskedPaths(Vec<(WorkspacePath, WorkspacePath)>);

impl AskedPaths {
    fn read(scope: &CallScope, paths: &[String]) -> Result<Self, Fault> {
        let each = paths.iter().map(|path| {
            let path = scope.parse_path(path)?;
            let real = resolve(scope, &path);
            Ok((path, real))
        });
        each.collect::<Result<_, Fault>>().map(Self)
    }

    /// Returns whether a file is one of the paths, or below one of them. With no path, every file is.
    fn has(&self, real: &WorkspacePath) -> bool {
        self.0.is_empty() || self.0.iter().any(|(_, asked)| real == asked || real.is_in(asked))
    }

    /// Names the files that are open in no editor and have no diagnostics.
    fn unshown(&self, scope: &CallScope, said: &[ListedDiagnostic]) -> Option<String> {
        let is_unshown = |(path, real): &&(WorkspacePath, WorkspacePath)| {
            let is_file = matches!(scope.files().paths().root().resolve_with_id(path), Ok((_, Some(_))));
            is_file && !scope.texts().is_open(path) && !said.iter().any(|one| one.path == real.as_str())
        };
        let unshown: Vec<&str> = self.0.iter().filter(is_unshown).map(|(path, _)| path.as_str()).collect();
        let named = unshown.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
        let more = unshown.len().saturating_sub(NAMED);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        (!unshown.is_empty()).then(|| {
            format!("{named}{more}: no editor shows it, and its language server may not have read it")
        })
    }
}

fn resolve(scope: &CallScope, path: &WorkspacePath) -> WorkspacePath {
    scope.files().paths().root().resolve_path(path).unwrap_or_else(|_| path.clone())
}

fn list(
    scope: &CallScope,
    input: &DiagnosticsInput,
    asked: &AskedPaths,
    documents: Vec<DocumentDiagnostics>,
) -> ActivityOutput<DiagnosticList> {
    let limits = &scope.settings().limits;
    let mut closed = 0;
    let mut all = Vec::new();
    for document in documents {
        let path = uri::path_from_uri(&document.uri)
            .and_then(|path| scope.files().paths().root().parse_path(&path).ok());
        // The diagnostics of files outside of the workspace are left out.
        let Some(path) = path else { continue };
        let real = resolve(scope, &path);
        if !asked.has(&real) || document.diagnostics.is_empty() {
            continue;
        }
        if scope.files().paths().admit_path(PathAccess::Read, &path).is_err() {
            closed += 1;
            continue;
        }
        let text = scope.read_text(&path).ok().flatten();
        let text = text.as_ref().map(|snapshot| &*snapshot.text);
        all.extend(document.diagnostics.iter().map(|one| read_diagnostic(&real, text, one)));
    }
    let unshown = asked.unshown(scope, &all);
    all.retain(|one| one.severity <= input.severity);
    all.sort();
    all.dedup();
    let count = |severity| all.iter().filter(|one| one.severity == severity).count();
    let (errors, warnings, found) = (count(Severity::Error), count(Severity::Warning), all.len());
    all.truncate(input.limit.unwrap_or(LIMIT).as_usize().min(limits.output_items));
    let mut bytes = 0;
    let fits = all.iter().take_while(|one| {
        bytes += serde_json::to_string(one).map_or(0, |json| json.len());
        bytes <= limits.output_bytes
    });
    all.truncate(fits.count());
    let rest = (all.len() < found).then(|| {
        format!(
            "{} of {found} diagnostics are shown; raise `limit`, or name `paths` or `severity`",
            all.len()
        )
    });
    let list = DiagnosticList { errors, warnings, diagnostics: all };
    ActivityOutput {
        truncated: rest.is_some(),
        rest,
        warnings: left_out(closed).into_iter().chain(unshown).collect(),
        ..ActivityOutput::from_value(list)
    }
}

/// Reads a diagnostic of the Language Server Protocol.
fn read_diagnostic(path: &WorkspacePath, text: Option<&str>, one: &Value) -> ListedDiagnostic {
    let place = |name: &str| {
        let number = one.pointer(&format!("/range/start/{name}")).and_then(Value::as_u64);
        u32::try_from(number.unwrap_or(0)).unwrap_or(u32::MAX)
    };
    let at = TextPosition { line: place("line"), character: place("character") };
    let word = |name: &str| match one.get(name) {
        Some(Value::String(text)) if !text.is_empty() => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    ListedDiagnostic {
        severity: match one.get("severity").and_then(Value::as_u64) {
            Some(2) => Severity::Warning,
            Some(3) => Severity::Information,
            Some(4) => Severity::Hint,
            _ => Severity::Error,
        },
        path: path.as_str().to_owned(),
        line: u64::from(at.line) + 1,
        column: column(text, at),
        message: word("message").unwrap_or_default(),
        source: word("source"),
        code: word("code"),
    }
}

/// Counts the characters before a position, from 1. Editors count UTF-16; without a text, that count is returned.
fn column(text: Option<&str>, at: TextPosition) -> u64 {
    let Some(text) = text else { return u64::from(at.character) + 1 };
    let start = offset_at(text, TextPosition { character: 0, ..at }, PositionEncoding::Utf16);
    let end = offset_at(text, at, PositionEncoding::Utf16);
    text.get(start..end).map_or(0, |before| before.chars().count() as u64) + 1
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_diagnostic_is_read_in_any_form_that_the_protocol_allows() {
        let path = WorkspacePath::from_relative("a.ts").unwrap();
        let read = |one: Value| read_diagnostic(&path, Some("a\n\u{1f600}bc\n"), &one);
        let range = json!({ "start": { "line": 1, "character": 2 }, "end": { "line": 1, "character": 3 } });
        let full =
            read(json!({ "range": range, "severity": 2, "message": "odd", "source": "tsc", "code": 2304 }));
        assert_eq!((full.line, full.column, full.severity), (2, 2, Severity::Warning));
        assert_eq!((full.source.as_deref(), full.code.as_deref()), (Some("tsc"), Some("2304")));
        let bare = read(json!({ "message": "odd", "code": { "value": 1 }, "source": "" }));
        assert_eq!((bare.line, bare.column, bare.severity), (1, 1, Severity::Error));
        assert_eq!((bare.source, bare.code), (None, None));
        let beyond = json!({ "start": { "line": 90, "character": 7 } });
        assert_eq!(read(json!({ "range": beyond, "message": "x" })).line, 91);
        assert_eq!(column(None, TextPosition { line: 0, character: 4 }), 5);
    }
}
