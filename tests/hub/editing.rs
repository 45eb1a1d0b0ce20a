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

const YAML: &str = "a:\n  b: 1 # one\n  c: [x]\n\nd:\n  b: 2\n";

#[tokio::test]
async fn a_part_is_changed_by_its_address() {
    let files = [("a.yaml", YAML), ("a.rs", TEXT), ("n.md", "# A\n\nOld.\n"), ("p.csv", "id,price\n7,1\n")];
    let bench = Bench::with(&files, false);
    for (arguments, path, expected) in [
        (json!({ "at": { "key": "d.b" }, "value": null }), "a.yaml", YAML.replace("b: 2", "b: null")),
        (
            json!({ "at": { "key": "a.c[+]" }, "value": "no" }),
            "a.yaml",
            YAML.replace("b: 2", "b: null").replace("[x]", "[x, \"no\"]"),
        ),
        (
            json!({ "at": { "key": "a.c" }, "remove": true }),
            "a.yaml",
            YAML.replace("b: 2", "b: null").replace("  c: [x]\n", ""),
        ),
        (json!({ "at": { "heading": "A" }, "replace": "New." }), "n.md", "# A\n\nNew.\n".to_owned()),
        (
            json!({ "at": { "row": "id=7", "column": "price" }, "replace": "2" }),
            "p.csv",
            "id,price\n7,2\n".to_owned(),
        ),
        (
            json!({ "at": { "symbol": "b" }, "find": "one()", "replace": "two()" }),
            "a.rs",
            TEXT.replace("b() {\n    one", "b() {\n    two"),
        ),
    ] {
        let mut arguments = arguments;
        arguments["path"] = json!(path);
        let answer = edit(&bench, arguments.clone()).await.unwrap();
        assert_eq!((&answer["status"], &answer["replaced"]), (&json!("applied"), &json!(1)), "{arguments}");
        assert_eq!(bench.disk(path), expected, "{arguments}");
    }
}

#[tokio::test]
async fn a_part_that_is_not_there_is_refused_with_the_nearest() {
    let bench =
        Bench::with(&[("a.yaml", YAML), ("a.rs", TEXT), ("b.yaml", "a: [1\nb: 2\n"), ("c.txt", "c")], false);
    for (arguments, code, part) in [
        (json!({ "path": "a.yaml", "at": { "key": "a.x.y" }, "value": 1 }), Code::NoMatch, "without `x`"),
        (json!({ "at": { "symbol": "c" }, "replace": "fn c() {}" }), Code::NoMatch, "no symbol `c`"),
        (json!({ "path": "b.yaml", "at": { "key": "b" }, "value": 1 }), Code::PatchMismatch, "line 2"),
        (json!({ "path": "c.txt", "at": { "key": "b" }, "value": 1 }), Code::InvalidArgs, "not known"),
        (json!({ "at": { "symbol": "b" }, "find": "fn a", "replace": "x" }), Code::PatchMismatch, "a.rs"),
        (
            json!({ "at": { "symbol": "b" }, "find": "one();\n}", "replace": "one();" }),
            Code::InvalidArgs,
            "does not parse",
        ),
        (json!({ "at": { "symbol": "b", "key": "b" }, "replace": "x" }), Code::InvalidArgs, "names one part"),
        (json!({ "at": { "symbol": "b" } }), Code::InvalidArgs, "one of `value`"),
        (json!({ "find": "one" }), Code::InvalidArgs, "`replace` is missing"),
        (json!({ "value": 1 }), Code::InvalidArgs, "`at` names"),
    ] {
        let (found, message) = edit(&bench, arguments.clone()).await.unwrap_err();
        assert_eq!(found, code, "{arguments} {message}");
        assert!(message.contains(part), "{arguments}: {message}");
    }
    assert_eq!((bench.disk("a.yaml"), bench.disk("a.rs")), (YAML.to_owned(), TEXT.to_owned()));
}

#[tokio::test]
async fn a_part_is_read_by_its_address() {
    let bench = Bench::with(&[("a.yaml", YAML), ("a.rs", TEXT)], false);
    let read = async |arguments: Value| {
        bench.call("fs.read", arguments, None).await.result.unwrap().as_ref().clone()
    };
    let whole = read(json!({ "path": "a.yaml" })).await;
    let part = read(json!({ "path": "a.yaml", "at": { "key": "a" } })).await;
    assert_eq!(part["content"], "a:\n  b: 1 # one\n  c: [x]\n");
    assert_eq!((&part["start"], &part["end"], &part["lines"]), (&json!(1), &json!(3), &json!(6)));
    assert_eq!(part["hash"], whole["hash"]);
    let part = read(json!({ "path": "a.yaml", "at": { "key": "a.c[0]" } })).await;
    assert_eq!((&part["content"], &part["start"], &part["end"]), (&json!("x"), &json!(3), &json!(3)));
    let part = read(json!({ "path": "a.rs", "at": { "symbol": "b" }, "numbers": true })).await;
    assert_eq!(part["content"], "5\tfn b() {\n6\t    one();\n7\t}\n");
}
