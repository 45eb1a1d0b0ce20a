//! `wherefore search` as a person and a script use it: results, exit codes, batches, and what is wrong said clearly.

use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::{place, servers, until, wherefore};
use crate::support::{Editor, Options};

fn folder() -> TempDir {
    let folder = place();
    let work = folder.path().join("work");
    std::fs::create_dir(work.join("src")).unwrap();
    std::fs::write(work.join("src/number.txt"), "One more\n--force two\n").unwrap();
    let retry =
        "// Waits longer after each failure.\nfunction backoff(attempt) {\n  return 2 ** attempt;\n}\n";
    std::fs::write(work.join("src/retry.js"), retry).unwrap();
    folder
}

fn run(folder: &Path, args: &[&str], input: &str) -> Output {
    let mut command = wherefore(folder, &[&["search"], args].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that reads nothing may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// The output of a successful search.
fn found(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args, "");
    assert!(output.status.success(), "{args:?} {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The answers to a batch, a line each.
fn batch(folder: &Path, args: &[&str], input: &str) -> Vec<Value> {
    let output = run(folder, &[&["--batch"], args].concat(), input);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn lines_are_found_by_a_pattern() {
    let folder = folder();
    let folder = folder.path();
    let lines = |args: &[&str]| found(folder, &[&["--lexical"], args].concat());
    assert_eq!(lines(&["o[nw]e|two"]), "a.txt:1:one\na.txt:2:two\nsrc/number.txt:2:--force two\n");
    assert_eq!(lines(&["-i", "ONE"]), "a.txt:1:one\nsrc/number.txt:1:One more\n");
    assert_eq!(lines(&["-F", "2 ** a"]), "src/retry.js:3:  return 2 ** attempt;\n");
    assert_eq!(lines(&["-g", "*.js", "return|two"]), "src/retry.js:3:  return 2 ** attempt;\n");
    assert_eq!(lines(&["--scope", "src", "two"]), "src/number.txt:2:--force two\n");
    let json: Value = serde_json::from_str(&lines(&["--json", "thr.e"])).unwrap();
    let hit = json!({ "path": "a.txt", "start": 3, "end": 3, "line": 3, "score": 1.0, "text": "three" });
    assert_eq!(json["results"], json!([hit]));

    let cut = run(folder, &["--lexical", "--limit", "1", "two"], "");
    assert_eq!(String::from_utf8_lossy(&cut.stdout), "a.txt:2:two\n");
    assert!(String::from_utf8_lossy(&cut.stderr).contains("there is more; raise --limit"), "{cut:?}");
    let none = run(folder, &["--lexical", "zebra"], "");
    assert_eq!((none.status.code(), none.stdout.is_empty()), (Some(1), true), "{none:?}");
    assert_eq!(String::from_utf8_lossy(&none.stderr), "wherefore: nothing was found\n");
}

#[test]
fn files_are_found_by_what_they_are_about() {
    let folder = folder();
    for kind in [&["--vector"][..], &[]] {
        let said = found(folder.path(), &[kind, &["wait longer after a failure"]].concat());
        assert!(said.starts_with("src/retry.js:1-4\n    // Waits longer after each failure.\n"), "{said}");
    }
    let json: Value = serde_json::from_str(&found(folder.path(), &["--json", "backoff"])).unwrap();
    assert_eq!((&json["ranker"], &json["results"][0]["path"]), (&json!("words"), &json!("src/retry.js")));
    assert!(json["results"][0]["score"].as_f64().unwrap() > 0.0, "{json}");
}

#[test]
fn another_folder_is_named_and_a_query_may_look_like_an_option() {
    let folder = folder();
    let folder = folder.path();
    assert_eq!(found(folder, &["--root", "src", "--lexical", "two"]), "number.txt:2:--force two\n");
    assert_eq!(found(folder, &["--lexical", "--", "--force"]), "src/number.txt:2:--force two\n");
    let mistaken = run(folder, &["--lexical", "--force"], "");
    assert_eq!(mistaken.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&mistaken.stderr).contains("'-- --force'"), "{mistaken:?}");
    let asked = json!({ "id": 1, "query": "--force" });
    let answers = batch(folder, &["--lexical"], &asked.to_string());
    assert_eq!(answers[0]["results"][0]["path"], "src/number.txt", "{answers:?}");
}

#[test]
fn what_cannot_be_searched_for_is_said_with_a_way_out() {
    let folder = folder();
    let long = "a".repeat(20_000);
    for (args, code, said) in [
        (&["--lexical", "back("][..], 1, "unclosed group at column 5:\n    back(\n        ^\n"),
        (&["--lexical", "back("], 1, "\n  mend the expression, or add --literal to"),
        (&["--json", "--lexical", "a{2,1}"], 1, "at column "),
        (&[""], 1, "the query is empty"),
        (&["--lexical", ""], 1, "the query is empty"),
        (&["--root", "nowhere", "two"], 1, "nowhere: No such file or directory"),
        (&["--root", "a.txt", "two"], 1, "a.txt is not a folder"),
        (&["--scope", "..", "two"], 1, "outside the workspace"),
        (&["--scope", "nowhere", "two"], 1, "nowhere does not exist\n  --scope takes a path below"),
        (&[], 2, "<QUERY>"),
        (&["--lexical", "--vector", "two"], 2, "cannot be used with"),
        (&["--glob", "*.js", "two"], 2, "--lexical"),
        (&["--batch", "two"], 2, "cannot be used with"),
        (&["--lexical", &long, "--scope", "a.txt"], 1, "nothing was found"),
    ] {
        let output = run(folder.path(), args, "");
        assert_eq!(
            (output.status.code(), output.stdout.is_empty()),
            (Some(code), true),
            "{args:?} {output:?}"
        );
        assert!(String::from_utf8_lossy(&output.stderr).contains(said), "{args:?} {output:?}");
    }
}

#[test]
fn a_batch_answers_each_line_whatever_the_others_are() {
    let folder = folder();
    let input = [
        json!({ "id": 1, "query": "back\\(", "limit": 5 }).to_string(),
        json!({ "id": "two", "query": "two", "limit": 1 }).to_string(),
        json!({ "id": { "any": "thing" }, "query": "zebra" }).to_string(),
        String::new(),
        json!({ "id": 4, "query": "back(" }).to_string(),
        json!({ "id": 5, "query": "" }).to_string(),
        json!({ "id": 6 }).to_string(),
        json!({ "id": 7, "query": "two", "limit": -1 }).to_string(),
        "no JSON".to_owned(),
        "{\"id\": 9, \"query\": \"\u{0}\"}".to_owned(),
        json!({ "query": "three" }).to_string(),
    ];
    let answers = batch(folder.path(), &["--lexical"], &input.join("\n"));
    let place = |path: &str, line: u32| json!({ "path": path, "start": line, "end": line, "score": 1.0 });
    assert_eq!(answers[0], json!({ "id": 1, "results": [] }));
    assert_eq!(answers[1], json!({ "id": "two", "results": [place("a.txt", 2)] }));
    assert_eq!(answers[2], json!({ "id": { "any": "thing" }, "results": [] }));
    for (answer, id, error, suggestion) in [
        (3, json!(4), "unclosed group at column 5", "add --literal"),
        (4, json!(5), "the query is empty", "give the query as words, or as a regular expression for lines"),
        (5, json!(6), "missing field `query`", "\"query\": "),
        (6, json!(7), "`-1`, expected u32", "\"limit\": 10"),
        (7, Value::Null, "the line is not a request", "write one as {"),
        (8, Value::Null, "the line is not a request", "write one as {"),
    ] {
        let answer = &answers[answer];
        assert_eq!((&answer["id"], &answer["results"]), (&id, &json!([])), "{answer}");
        assert!(answer["error"].as_str().unwrap().contains(error), "{answer}");
        assert!(answer["suggestion"].as_str().unwrap().contains(suggestion), "{answer}");
    }
    assert_eq!(answers[9], json!({ "id": null, "results": [place("a.txt", 3)] }));
    assert_eq!(answers.len(), 10, "an empty line asks nothing");

    let by_meaning =
        batch(folder.path(), &[], "{\"id\":1,\"query\":\"back off after a failure\",\"limit\":1}\n");
    let best = &by_meaning[0]["results"][0];
    assert_eq!((&best["path"], &best["start"]), (&json!("src/retry.js"), &json!(1)), "{best}");
    assert_eq!(best.as_object().unwrap().keys().collect::<Vec<_>>(), ["path", "start", "end", "score"]);
}

#[test]
fn the_server_of_an_editor_answers_with_what_is_unsaved_there() {
    let mut editor = Editor::connect(&Options::default());
    let work = editor.folder.path().join("work");
    std::fs::write(work.join("a.txt"), "on the disk\n").unwrap();
    let uri = editor.uri("a.txt");
    let document = json!({ "uri": uri, "languageId": "text", "version": 1, "text": "on the disk\n" });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let changes = json!([{ "text": "typed zebra\n" }]);
    let document = json!({ "uri": uri, "version": 2 });
    editor.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    // A request that is answered was read after what was typed.
    editor.request("wherefore/workingSet", json!({})).unwrap();
    until("the server listens", || !servers(editor.folder.path()).is_empty());
    assert_eq!(found(editor.folder.path(), &["--lexical", "zebra|disk"]), "a.txt:1:typed zebra\n");
}
