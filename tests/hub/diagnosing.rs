//! editor.diagnostics: what the language servers of the attached editors say, behind the rules.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Value, json};
use wherefore::ports::{DocumentEdit, Editor};
use wherefore::protocol::{
    AskParams, Code, DiagnosticsAnswer, DiagnosticsParams, DocumentDiagnostics, EditorNotice, Fault,
    Unanswered,
};

use crate::support::Bench;

/// Another editor that tells the diagnostics of one file.
#[derive(Debug)]
struct SecondEditor(DocumentDiagnostics);

impl Editor for SecondEditor {
    fn attached(&self) -> bool {
        true
    }

    fn apply(&self, _: DocumentEdit) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(async { Ok(false) })
    }

    fn ask(&self, _: AskParams) -> BoxFuture<'_, Result<String, Unanswered>> {
        Box::pin(async { Err(Unanswered::Closed) })
    }

    fn diagnostics(&self, _: DiagnosticsParams) -> BoxFuture<'_, Result<DiagnosticsAnswer, Fault>> {
        Box::pin(async { Ok(DiagnosticsAnswer { documents: vec![self.0.clone()] }) })
    }

    fn tell(&self, _: EditorNotice) {}
}

fn diagnostic(line: u32, character: u32, severity: u32, message: &str) -> Value {
    let range =
        json!({ "start": { "line": line, "character": character }, "end": { "line": line, "character": 9 } });
    json!({ "range": range, "severity": severity, "message": message, "source": "checker", "code": "W1" })
}

/// The file, line, column and message of each that is listed.
fn listed(result: &Value) -> Vec<(String, u64, u64, String)> {
    let each = result["diagnostics"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    each.map(|one| {
        let [line, column] = [&one["line"], &one["column"]].map(|number| number.as_u64().unwrap());
        (text(&one["path"]), line, column, text(&one["message"]))
    })
    .collect()
}

#[tokio::test]
async fn the_worst_come_first_with_places_that_count_characters() {
    let bench = Bench::new(&[("src/a.ts", "größer 𝄞 x\n"), ("b.ts", "b\n"), (".env", "KEY=1\n")]);
    let outside = ("file:///nowhere/else.ts".to_owned(), vec![diagnostic(0, 0, 1, "outside")]);
    bench.reports_at(outside);
    bench.reports("b.ts", vec![diagnostic(0, 0, 2, "odd"), diagnostic(0, 0, 4, "unused")]);
    bench.reports(".env", vec![diagnostic(0, 0, 1, "KEY=1 is wrong")]);
    bench.reports(
        "src/a.ts",
        vec![diagnostic(0, 10, 1, "no such name"), diagnostic(0, 10, 1, "no such name")],
    );
    for path in ["src/a.ts", "b.ts"] {
        bench.open(path);
    }
    let answer = bench.call("editor.diagnostics", json!({}), None).await;
    assert_eq!(answer.warnings, ["1 file is left out: a rule closes it"]);
    let result = answer.result.unwrap();
    let entry = |path: &str, line, column, message: &str| (path.to_owned(), line, column, message.to_owned());
    let (name, odd) = (entry("src/a.ts", 1, 10, "no such name"), entry("b.ts", 1, 1, "odd"));
    assert_eq!(listed(&result), [name.clone(), odd.clone(), entry("b.ts", 1, 1, "unused")]);
    assert_eq!([&result["errors"], &result["warnings"]], [1, 1]);
    assert_eq!(result["diagnostics"][0]["source"], "checker");
    assert_eq!(result["diagnostics"][0]["code"], "W1");
    let answer = bench.call("editor.diagnostics", json!({ "severity": "warning", "limit": 1 }), None).await;
    assert!(answer.truncated && answer.rest.unwrap().contains("1 of 2 diagnostics"));
    assert_eq!(listed(&answer.result.unwrap()), std::slice::from_ref(&name));
    let of_folder = bench.call("editor.diagnostics", json!({ "paths": ["src"] }), None).await;
    assert_eq!((listed(&of_folder.result.unwrap()), of_folder.warnings), (vec![name], vec![]));
}

#[tokio::test]
async fn a_named_file_that_no_editor_shows_is_named_in_a_warning() {
    let bench = Bench::new(&[("a.ts", "a\n"), ("b.ts", "b\n")]);
    bench.reports("b.ts", vec![diagnostic(0, 0, 2, "odd")]);
    std::os::unix::fs::symlink("b.ts", bench.folder.path().join("link.ts")).unwrap();
    let answer = bench.call("editor.diagnostics", json!({ "paths": ["a.ts", "link.ts"] }), None).await;
    assert_eq!(listed(&answer.result.unwrap())[0].0, "b.ts", "a link leads to its file");
    assert_eq!(answer.warnings, ["a.ts: no editor shows it, and its language server may not have read it"]);
    bench.open("a.ts");
    let answer = bench.call("editor.diagnostics", json!({ "paths": ["a.ts"] }), None).await;
    assert_eq!((answer.warnings, answer.result.unwrap()["errors"].clone()), (vec![], json!(0)));
    let closed = bench.call("editor.diagnostics", json!({ "paths": [".env"] }), None).await;
    assert_eq!(closed.error.unwrap().code, Code::PermissionDenied);
}

#[tokio::test]
async fn each_editor_is_asked_and_none_is_a_fault_with_a_way_on() {
    let none = Bench::with(&[("a.ts", "a\n")], false);
    let fault = none.call("editor.diagnostics", json!({}), None).await.error.unwrap();
    assert_eq!((fault.code, fault.message.as_str()), (Code::Unsupported, "no editor has the folder open"));
    assert!(fault.suggestion.unwrap().contains("terminal.run"));

    let bench = Bench::new(&[("a.ts", "a\n")]);
    let fault = bench.call("editor.diagnostics", json!({}), None).await.error.unwrap();
    assert_eq!(fault.code, Code::Unsupported, "an editor that does not tell");
    let uri = format!("file://{}/a.ts", bench.folder.path().canonicalize().unwrap().display());
    let diagnostics = vec![diagnostic(0, 0, 2, "odd"), diagnostic(0, 0, 1, "wrong")];
    bench.hub.attach_editor(Arc::new(SecondEditor(DocumentDiagnostics { uri, diagnostics })));
    let one = bench.call("editor.diagnostics", json!({}), None).await.result.unwrap();
    assert_eq!([&one["errors"], &one["warnings"]], [1, 1], "one that tells is enough");
    bench.reports("a.ts", vec![diagnostic(0, 0, 2, "odd"), diagnostic(0, 0, 2, "odder")]);
    let both = bench.call("editor.diagnostics", json!({}), None).await.result.unwrap();
    assert_eq!([&both["errors"], &both["warnings"]], [1, 2], "what both say counts once");
}
