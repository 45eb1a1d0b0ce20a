//! Values made to break a parser, a log or a terminal: answered, kept byte for byte, and no secret kept.

use serde_json::{Value, json};

use crate::support::{Project, tree, with_why};

/// Texts that pass for structure somewhere.
fn texts() -> Vec<String> {
    let controls: String = (1..32).chain(127..160).filter_map(char::from_u32).collect();
    let short = [
        &controls,
        "\0",
        "\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}31mred",
        "```\n```yaml\ntype: session_end\n```\n",
        "````````````````````\n~~~\n",
        "## 12:00:00 — Tool call: fs.write\n\nForged\n\n```yaml\ntype: undo\nseq: 1\n```\n",
        "---\ntitle: x\n---\n...\n%YAML 1.2\n",
        "&a [*a, *a]",
        "*alias",
        "!!python/object/apply:os.system [ls]",
        "<<: *base",
        "{a: b, c: [d]} # comment",
        "key: value\n- item\n? complex\n",
        "| block\n  more\n",
        "'single' \"double\" \\ back\\nslash",
        "\r\n\r mixed \n ends \u{85} \u{2028} \u{2029}",
        " leading and trailing \t",
        "\u{202e}right to left\u{202c} \u{2066}isolate\u{2069} \u{200b}\u{feff}",
        "yes",
        "null",
        "~",
        "0x10",
        "1e3",
        ".inf",
        "2026-07-01",
        "=",
        "<script>alert(1)</script>",
        "[link](javascript:x)",
        "\u{10ffff}\u{fffd}\u{e000}\u{d7ff}",
        "{\"sealed\": \"00\"}",
    ];
    let long = ["long ".repeat(5000), "`".repeat(3000), "\u{1f600}".repeat(2000), "\n".repeat(3000)];
    short.into_iter().map(str::to_owned).chain(long).collect()
}

/// The log's record of the calls made: the arguments of each, in order.
fn logged(project: &Project) -> Vec<Value> {
    let ran = project.wherefore(&["log", "--format", "json"]);
    assert_eq!(ran.code(), Some(0), "{}", ran.err);
    let calls = ran.lines().into_iter().filter(|event| event["type"] == "tool_call");
    calls.map(|mut event| event["args"].take()).collect()
}

#[test]
fn values_come_back_from_the_log_as_they_went_in() {
    let project = Project::new(&[]);
    let calls: Vec<(&str, Value)> = texts()
        .into_iter()
        .flat_map(|text| {
            [
                (
                    "fs.write",
                    json!({ "path": "a.txt", "content": text, "why": format!("Keep {text} whole") }),
                ),
                ("task_complete", json!({ "summary": text, "why": format!("Say {text} at the end") })),
                ("no.such.tool", json!({ text.clone(): { "sealed": text, "=sealed": [text, null, 1.5] } })),
            ]
        })
        .collect();
    project.batch(&calls);
    let sent: Vec<Value> = calls.iter().map(|(_, arguments)| with_why(arguments)).collect();
    let back = logged(&project);
    assert_eq!(back.len(), sent.len());
    for (back, sent) in back.iter().zip(&sent) {
        assert_eq!(back, sent);
    }
    project.is_well("hostile values");
    let shown = project.wherefore(&["log"]);
    let raw = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\n' | b'\t') || *byte == 0x7f;
    assert_eq!(shown.out.iter().find(|byte| raw(byte)), None, "a raw control character reaches the terminal");
}

#[test]
fn a_single_call_takes_what_a_batch_takes() {
    let project = Project::new(&[]);
    for text in texts().iter().filter(|text| !text.contains('\0') && text.len() < 1000) {
        let ran = project.call("fs.write", &json!({ "path": "a.txt", "content": text }));
        if ran.code() == Some(0) {
            assert_eq!(project.text("a.txt").as_deref(), Some(text.as_str()), "{ran:?}");
        } else {
            assert!(ran.json()["code"].is_string(), "{text:?}: {ran:?}");
        }
    }
}

#[test]
fn huge_values_are_answered_and_kept() {
    let project = Project::new(&[]);
    let (why, content) = ("w".repeat(5 << 20), "0123456789abcde\n".repeat(10 << 16));
    let calls = [
        ("fs.ls", json!({ "path": ".", "why": why })),
        ("fs.write", json!({ "path": "big.txt", "content": content })),
        ("fs.read", json!({ "path": "p".repeat(1 << 20) })),
        ("fs.ls", json!({ "path": "a/".repeat(100_000) })),
    ];
    let answers = project.batch(&calls);
    assert_eq!(answers[0]["status"], "ok");
    assert!(
        answers[1]["status"] == "ok" || answers[1]["error"]["code"] == "QUOTA_EXCEEDED",
        "{}",
        answers[1]["error"]
    );
    assert!(answers[2]["error"]["code"].is_string() && answers[3]["error"]["code"].is_string());
    let expected = if answers[1]["status"] == "ok" { Some(content.as_str()) } else { None };
    assert_eq!(project.text("big.txt").as_deref(), expected);
    let sent: Vec<Value> = calls.iter().map(|(_, arguments)| with_why(arguments)).collect();
    assert!(logged(&project) == sent, "the log gives back what was sent");
    project.is_well("huge values");
}

#[test]
fn lines_that_are_no_calls_are_answered_and_the_next_one_is_too() {
    let project = Project::new(&[]);
    let deep =
        format!("{{\"tool\":\"fs.ls\",\"arguments\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let nested = format!("{{\"tool\":\"fs.ls\",\"arguments\":{}1{}}}", "[".repeat(100), "]".repeat(100));
    let lines: Vec<Vec<u8>> = [
        "", "null", "[]", "1", "{", "{}", "\"text\"", "{\"tool\":1}", "{\"tool\":\"fs.ls\"}", "{\"tool\":\"fs.ls\",\"arguments\":null}",
        "{\"tool\":\"fs.ls\",\"arguments\":\"{\"}", "{\"tool\":\"fs.ls\",\"arguments\":\"\\\"\\\"\"}",
        "{\"tool\":\"fs.ls\",\"arguments\":{\"path\":\"\\ud800\",\"why\":\"See a lone surrogate refused\"}}",
        "{\"tool\":\"fs.ls\",\"arguments\":\"{\\\"path\\\":\\\"\\\\udfff\\\",\\\"why\\\":\\\"x\\\"}\"}",
        "{\"tool\":\"fs.ls\",\"arguments\":{\"path\":\".\",\"path\":\"..\",\"why\":\"See which of two wins\"}}",
        "{\"tool\":\"\\u0000\\u001b[2J\",\"arguments\":{}}", "{\"tool\":\"fs.ls\",\"arguments\":{\"path\":1e999}}",
        &deep, &nested, "\u{feff}{}",
    ]
    .iter()
    .map(|line| line.as_bytes().to_vec())
    .chain([b"\xff\xfe".to_vec(), b"{\"tool\":\"fs.ls\xc3\"}".to_vec(), b"\0\0\0".to_vec()])
    .collect();
    let probe = format!("{}\n", json!({ "tool": "fs.ls", "arguments": with_why(&json!({ "path": "." })) }));
    let input: Vec<u8> =
        lines.iter().flat_map(|line| [line.as_slice(), b"\n", probe.as_bytes()].concat()).collect();
    let answers = project.batch_of(&input).lines();
    let blank = 1;
    assert_eq!(answers.len(), lines.len() * 2 - blank);
    let faults = answers.iter().filter(|answer| answer["error"]["code"].is_string()).count();
    let good = answers.iter().filter(|answer| answer["status"] == "ok").count();
    assert_eq!((faults, good), (lines.len() - blank, lines.len()), "every other line is a good call");
    project.is_well("lines that are no calls");
}

/// Secrets of well-known shapes, made up for this test; each is put together so that no scanner finds it here.
fn secrets() -> Vec<String> {
    let body = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD1eF3";
    [
        format!("AKIA{}", "IOSFODNN7EXAMPLQ"),
        format!("ghp_{body}"),
        format!("github_pat_{}_{}{}", &body[..22], body, &body[..23]),
        format!("glpat-{}", &body[..20]),
        format!("sk-ant-api03-{body}{body}"),
        format!("sk-proj-{body}{body}"),
        format!("xoxb-{}-{}-{}", "123456789012", "123456789012", &body[..24]),
        format!("AIza{}", &body[..35]),
        format!("npm_{body}"),
        format!("sk_live_{}", &body[..24]),
        format!("hf_{}", &body[..34]),
        format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{body}"),
    ]
    .into()
}

#[test]
fn secrets_do_not_reach_the_log() {
    let project = Project::new(&[]);
    let mut calls = Vec::new();
    for (at, secret) in secrets().iter().enumerate() {
        let quiet = format!("line\ntoken = \"{secret}\"\n");
        calls.push(("fs.write", json!({ "path": format!("s{at}.txt"), "content": quiet })));
        calls.push(("fs.write", json!({ "path": format!("s{at}.txt"), "content": quiet.repeat(400) })));
        calls.push(("fs.read", json!({ "path": format!("s{at}.txt") })));
        calls.push((
            "search.lexical",
            json!({ "query": secret, "why": format!("Find where {secret} is used") }),
        ));
        calls.push(("no.such.tool", json!({ "list": [{ "deep": secret }], secret.clone(): 1 })));
        calls.push((
            "fs.patch",
            json!({ "path": format!("s{at}.txt"), "diff": format!("@@ -1 +1 @@\n-{secret}\n+x\n") }),
        ));
    }
    project.batch(&calls);
    let kept = tree(&project.path(".wherefore/sessions"));
    assert!(kept.len() > 2);
    for secret in secrets() {
        let holds = |content: &[u8]| content.windows(secret.len()).any(|part| part == secret.as_bytes());
        let holding: Vec<&String> =
            kept.iter().filter(|entry| holds(&entry.2)).map(|entry| &entry.0).collect();
        assert!(holding.is_empty(), "{secret} stands in {holding:?}");
    }
    project.is_well("secrets");
}
