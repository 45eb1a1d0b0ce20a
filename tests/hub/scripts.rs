//! JavaScript run by agents: its value, its messages and its errors come back, and it finds nothing of the machine.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wherefore::protocol::Code;

use crate::support::{Bench, report_skip};

fn bench() -> Bench {
    Bench::with(&[("data.txt", "MARKDATA\n"), (".env", "MARKENV\n")], false)
}

async fn run(bench: &Bench, arguments: Value) -> Value {
    let answer = bench.call("js.exec", arguments, None).await;
    assert_eq!(answer.error, None, "{answer:?}");
    Value::clone(&answer.result.unwrap())
}

async fn value(bench: &Bench, code: &str) -> Value {
    let answer = run(bench, json!({ "code": code })).await;
    assert!(answer.get("error").is_none() && answer.get("limit").is_none(), "{code}: {answer}");
    answer["result"].clone()
}

fn has_node() -> bool {
    let is_there = std::path::Path::new("/usr/bin/node").exists();
    if !is_there {
        report_skip("no /usr/bin/node");
    }
    is_there
}

#[tokio::test]
async fn a_script_answers_with_its_value_and_its_messages() {
    let bench = bench();
    let code = "console.log('rows', input.rows); console.warn('few');\nawait new Promise((done) => setTimeout(done, 5));\ninput.rows.map((row) => row * 2)";
    let answer = run(&bench, json!({ "code": code, "input_json": { "rows": [1, 2] } })).await;
    assert_eq!(answer["result"], json!([2, 4]), "{answer}");
    let logs = json!([{ "level": "log", "text": "rows [1, 2]" }, { "level": "warn", "text": "few" }]);
    assert_eq!(answer["logs"], logs);
    assert!(answer["sandbox"].as_str().unwrap().starts_with("tier A"), "{answer}");
    assert_eq!(
        value(&bench, "return await Promise.resolve({ a: undefined, b: null })").await,
        json!({ "b": null })
    );
    assert_eq!(value(&bench, "undefined").await, Value::Null);

    let of_text = run(&bench, json!({ "code": "input.a", "input_json": "{\"a\": [1]}" })).await;
    assert_eq!(of_text["result"], json!([1]));
    for input in [json!([1]), json!(5), json!(null), json!("\"text\"")] {
        let read =
            run(&bench, json!({ "code": "input === null ? 0 : typeof input", "input_json": input })).await;
        assert!(read["error"].is_null(), "{read}");
    }
    let bad = bench.call("js.exec", json!({ "code": "1", "input_json": "{a" }), None).await.error.unwrap();
    assert!(bad.code == Code::InvalidArgs && bad.suggestion.is_some(), "{bad:?}");
}

#[tokio::test]
async fn a_script_that_fails_says_where() {
    let bench = bench();
    let answer = run(&bench, json!({ "code": "const a = 1;\n  missing.x" })).await;
    let error = json!({ "name": "ReferenceError", "message": "missing is not defined", "recoverable": true, "line": 2, "column": 3 });
    assert_eq!((&answer["error"], &answer["result"]), (&error, &Value::Null), "{answer}");
    for (code, name) in [
        ("await new Promise(() => {})", "UnsettledPromise"),
        ("1n", "ResultError"),
        ("const a = []; a.push(a); a", "ResultError"),
        ("let a = ;", "SyntaxError"),
        ("const f = () => f() + 1; f()", "RangeError"),
    ] {
        assert_eq!(run(&bench, json!({ "code": code })).await["error"]["name"], name, "{code}");
    }
}

#[tokio::test]
async fn limits_end_a_script_and_keep_its_messages() {
    let bench = bench();
    for code in [
        "while (true) {}",
        "setInterval(() => {}, 1)",
        // The engine itself does not stop here.
        "const a = Array.from({ length: 3e6 }, (_, i) => String(i * 7919 % 1e6)); while (true) a.sort()",
    ] {
        let start = Instant::now();
        let code = format!("console.log('before'); {code}");
        let answer = run(&bench, json!({ "code": code, "timeout_ms": 400 })).await;
        assert_eq!(
            (&answer["limit"], &answer["logs"][0]["text"]),
            (&json!("time"), &json!("before")),
            "{answer}"
        );
        assert!(start.elapsed() < Duration::from_secs(20), "{code}: {:?}", start.elapsed());
    }
    let bomb = "globalThis.a = []; while (true) a.push('x'.repeat(1e5) + a.length)";
    let answer = run(&bench, json!({ "code": bomb, "timeout_ms": 15_000 })).await;
    assert_eq!(answer["limit"], "memory", "{answer}");
    let flood = "for (let i = 0; i < 1e5; i++) console.log('x'.repeat(1e3)); 'x'.repeat(5e6)";
    let answer = run(&bench, json!({ "code": flood })).await;
    assert_eq!(answer["error"]["name"], "ResultError", "{answer}");
    assert!(answer.to_string().len() < 200_000, "{}", answer.to_string().len());
}

#[tokio::test]
async fn a_script_finds_nothing_of_the_machine() {
    let bench = bench();
    let names = "['require', 'process', 'fetch', 'Deno', 'std', 'os'].filter((name) => name in globalThis)";
    assert_eq!(value(&bench, names).await, json!([]));
    let answer = run(&bench, json!({ "code": "await import('/etc/passwd')" })).await;
    assert_eq!(answer["error"]["name"], "ReferenceError", "{answer}");
}

#[tokio::test]
async fn node_runs_the_same_code_in_the_same_sandbox() {
    if !has_node() {
        return;
    }
    let bench = bench();
    let node = async |code: &str| {
        run(
            &bench,
            json!({ "code": code, "runtime": "node", "input_json": { "n": 2 }, "timeout_ms": 15_000 }),
        )
        .await
    };
    for (code, expected) in [
        ("input.n * 2", json!(4)),
        ("{ a: 1 }", json!({ "a": 1 })),
        ("return await Promise.resolve([1])", json!([1])),
        (
            "const { createHash } = require('node:crypto');\ncreateHash('md5').update('a').digest('hex').length",
            json!(32),
        ),
        ("await new Promise((done) => setTimeout(() => done(new Map([['a', 1]])), 5))", json!({ "a": 1 })),
        ("(async () => { await 1; return 7 })()", json!(7)),
    ] {
        assert_eq!(node(code).await["result"], expected, "{code}");
    }
    let logged = node("console.error({ a: 1 }); process.stdout.write('plain\\n'); undefined").await;
    assert_eq!(logged["logs"][0], json!({ "level": "error", "text": "{a: 1}" }), "{logged}");
    assert_eq!(logged["logs"][1]["text"], "plain", "{logged}");
    for (code, name, line) in [
        ("let a = 1;\n\nmissing.x", "ReferenceError", Some(3)),
        ("let a = 1;\nfoo bar", "SyntaxError", Some(2)),
        ("await 1;\nreturn input.x.y", "TypeError", Some(2)),
        ("setTimeout(() => {\n  input.x.y }, 1); 5", "TypeError", Some(2)),
        ("10n", "ResultError", None),
        ("await new Promise(() => {})", "UnsettledPromise", None),
    ] {
        let error = &node(code).await["error"];
        assert_eq!((error["name"].as_str(), error["line"].as_u64()), (Some(name), line), "{code}: {error}");
    }
    let root = bench.folder.path().canonicalize().unwrap().display().to_string();
    let read = node(&format!("require('fs').readFileSync('{root}/data.txt', 'utf8')")).await;
    assert_eq!(read["error"]["name"], "Error", "{read}");
    let slow = json!({ "code": "console.log(1); while (true) {}", "runtime": "node", "timeout_ms": 3000 });
    let slow = run(&bench, slow).await;
    assert_eq!((&slow["limit"], &slow["logs"][0]["text"]), (&json!("time"), &json!("1")), "{slow}");
}
