//! fs.edit: found in one place, in all of them, by a pattern; and what is said where it is not.

use serde_json::{Value, json};
use wherefore::protocol::Code;

use crate::support::Bench;

const TEXT: &str = "fn a() {\n    one();\n}\n\nfn b() {\n    one();\n}\n";

async fn edit(bench: &Bench, mut arguments: Value) -> Result<Value, (Code, String)> {
    arguments["path"] = arguments.get("path").cloned().unwrap_or(json!("a.rs"));
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let answer = bench.call("fs.edit", arguments, None).await;
    match answer.error {
        Some(fault) => Err((fault.code, fault.message)),
        None => Ok(answer.result.unwrap().as_ref().clone()),
    }
}

#[tokio::test]
async fn a_text_is_replaced_where_it_is_meant() {
    let bench = Bench::with(&[("a.rs", TEXT)], false);
    let (code, message) = edit(&bench, json!({ "find": "one()", "replace": "two()" })).await.unwrap_err();
    assert_eq!(code, Code::PatchMismatch);
    assert!(message.contains('2') && message.contains('6'), "both lines are named: {message}");
    assert_eq!(bench.disk("a.rs"), TEXT);

    edit(&bench, json!({ "find": "fn b() {\n  one();", "replace": "fn b() {\n  two();" })).await.unwrap();
    let after = TEXT.replace("fn b() {\n    one", "fn b() {\n    two");
    assert_eq!(bench.disk("a.rs"), after, "the file's own indentation is kept");

    let both = json!({ "find": "^    (one|two)\\(\\);$", "replace": "    $1(1);", "regex": true, "expected_count": 2 });
    edit(&bench, both).await.unwrap();
    assert_eq!(
        bench.disk("a.rs"),
        after.replace("()", "(1)").replace("fn a(1)", "fn a()").replace("fn b(1)", "fn b()")
    );
    let same = edit(&bench, json!({ "find": "one", "replace": "one" })).await.unwrap();
    assert_eq!(same["status"], "unchanged");
}

#[tokio::test]
async fn what_cannot_be_replaced_says_why_and_changes_nothing() {
    let bench = Bench::with(&[("a.rs", TEXT), ("dos.txt", "x\r\ny\r\n")], false);
    for (arguments, code, part) in [
        (json!({ "find": "three()", "replace": "" }), Code::PatchMismatch, "a.rs"),
        (json!({ "find": "one", "replace": "two", "expected_count": 3 }), Code::PatchMismatch, "2 places"),
        (json!({ "find": "(", "replace": "", "regex": true }), Code::InvalidArgs, "unclosed group"),
        (
            json!({ "find": "(?:a{1000}){1000}", "replace": "", "regex": true }),
            Code::InvalidArgs,
            "size limit",
        ),
        (json!({ "find": "z+", "replace": "", "regex": true }), Code::PatchMismatch, "matches nowhere"),
        (json!({ "path": "none.rs", "find": "a", "replace": "b" }), Code::NotFound, "none.rs"),
        (json!({ "find": "one", "replace": "two", "expected_hash": "0123456789" }), Code::Stale, "changed"),
    ] {
        let (found, message) = edit(&bench, arguments.clone()).await.unwrap_err();
        assert_eq!(found, code, "{arguments} {message}");
        assert!(message.contains(part), "{arguments}: {message}");
    }
    assert_eq!(bench.disk("a.rs"), TEXT);
    edit(&bench, json!({ "path": "dos.txt", "find": "x\ny\n", "replace": "x\nz\n" })).await.unwrap();
    assert_eq!(bench.disk("dos.txt"), "x\r\nz\r\n", "line ends are the file's");
}
