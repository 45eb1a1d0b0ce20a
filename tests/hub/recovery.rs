//! A refused patch names the next step: an agent that follows `next_action` to the letter succeeds with its next attempt.

use serde_json::{Value, json};
use wherefore::protocol::{Code, Fault};

use crate::support::Bench;

/// The goal of an agent: one line, identified by a part of it, is replaced by others.
struct Wish {
    part: &'static str,
    lines: &'static str,
}

const FILE: &str = "limits.rs";

/// Thirty functions, two of them twins, and a table in which a value changed since it was read.
fn text() -> String {
    let functions = (0..30).map(|number| {
        let body = if number % 10 == 4 { "shared_work".to_owned() } else { format!("work_{number}") };
        format!("fn f{number}() {{\n    {body}();\n    done();\n}}\n\n")
    });
    functions.collect::<String>() + "const LIMIT: u32 = 40;\nconst DEPTH: u32 = 8;\n"
}

async fn patch(bench: &Bench, diff: String) -> Result<(), Fault> {
    let arguments = json!({ "path": FILE, "diff": diff });
    bench.call("fs.patch", arguments, None).await.error.map_or(Ok(()), Err)
}

/// Follows the fault word for word, and makes the diff again from nothing but its result.
async fn follow(bench: &Bench, fault: Fault, wish: &Wish) -> String {
    let next = fault.next_action.expect("it says what to do next");
    let tool = next["tool"].as_str().unwrap();
    let answer = bench.call(tool, next["arguments"].clone(), None).await;
    assert!(answer.error.is_none(), "{next}: {:?}", answer.error);
    let seen = answer.result.unwrap();
    let (content, start) = (seen["content"].as_str().unwrap(), seen["start"].as_u64().unwrap());
    let mut hunk = format!("@@ -{start} +{start} @@\n");
    for line in content.lines() {
        match line.contains(wish.part) {
            true => hunk += &format!("-{line}\n{}", wish.lines),
            false => hunk += &format!(" {line}\n"),
        }
    }
    assert!(hunk.contains(wish.lines), "{tool} showed no line with {:?}: {seen}", wish.part);
    hunk
}

async fn check(name: &str, diff: &str, wish: Wish, after: (&str, &str)) {
    let bench = Bench::with(&[(FILE, &text())], false);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let fault = patch(&bench, diff.to_owned()).await.unwrap_err();
    assert_eq!((fault.code, fault.recoverable), (Code::PatchMismatch, true), "{name}: {fault:?}");
    assert_eq!(bench.disk(FILE), text(), "{name}: what is refused changes nothing");
    let again = follow(&bench, fault, &wish).await;
    let done = patch(&bench, again.clone()).await;
    assert!(done.is_ok(), "{name}: {done:?}\n{again}");
    assert_eq!(bench.disk(FILE), text().replacen(after.0, after.1, 1), "{name}");
}

#[tokio::test]
async fn each_refusal_leads_to_a_try_that_succeeds() {
    let limit = || Wish { part: "LIMIT", lines: "+const LIMIT: u32 = 50;\n" };
    let raised = ("LIMIT: u32 = 40", "LIMIT: u32 = 50");
    let stale =
        "@@ -151,2 +151,2 @@\n-const LIMIT: u32 = 30;\n+const LIMIT: u32 = 50;\n const DEPTH: u32 = 8;\n";
    check("a value changed", stale, limit(), raised).await;
    let gone = "@@ -148,5 +148,5 @@\n     worked();\n     finished();\n }\n \n-const LIMIT = 30\n+const LIMIT = 50\n";
    check("lines that are gone", gone, limit(), raised).await;
    let twins = "@@ @@\n-    shared_work();\n+    other_work();\n";
    let wish = Wish { part: "shared_work", lines: "+    other_work();\n" };
    check("twins", twins, wish, ("shared_work", "other_work")).await;
    let lost = "@@ @@\n+const WIDTH: u32 = 2;\n";
    let wish = Wish { part: "LIMIT", lines: "+const LIMIT: u32 = 40;\n+const WIDTH: u32 = 2;\n" };
    let wider = ("LIMIT: u32 = 40;\n", "LIMIT: u32 = 40;\nconst WIDTH: u32 = 2;\n");
    check("no line around what is added", lost, wish, wider).await;
    let twice = "@@ @@\n-const LIMIT: u32 = 40;\n+const LIMIT: u32 = 50;\n@@ @@\n-const LIMIT: u32 = 40;\n+const LIMIT: u32 = 60;\n";
    check("two hunks for one line", twice, limit(), raised).await;
    let makes = "--- /dev/null\n+++ b/limits.rs\n@@ -0,0 +1 @@\n+const LIMIT: u32 = 50;\n";
    check("a file that exists", makes, limit(), raised).await;
}

#[tokio::test]
async fn a_text_to_replace_leads_there_too() {
    let bench = Bench::with(&[(FILE, &text())], false);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    for (find, part, lines) in [
        ("shared_work();", "shared_work", "+    other_work();\n"),
        ("const LIMIT: u32 = 30;\nconst DEPTH: u32 = 9;", "LIMIT", "+const LIMIT: u32 = 50;\n"),
        ("fn f\\d+z", "f29", "+fn last() {\n"),
    ] {
        let regex = find.contains('\\');
        let arguments: Value = json!({ "path": FILE, "find": find, "replace": "…", "regex": regex });
        let fault = bench.call("fs.edit", arguments, None).await.error.unwrap();
        assert_eq!(fault.code, Code::PatchMismatch);
        let again = follow(&bench, fault, &Wish { part, lines }).await;
        patch(&bench, again).await.unwrap();
        assert!(bench.disk(FILE).contains(lines.trim_start_matches('+')), "{find}");
    }
}
