//! The output of `wherefore log`.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use clap::Parser;
use jiff::Timestamp;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{LogArgs, LogCommand, LogVerdict, PrintStop, print_sessions, show_log, verify_log};
use crate::base::WorkspacePath;
use crate::base::clock::Clock;
use crate::journal::{Journal, JournalOptions, LOG, LogKeeper};
use crate::protocol::{
    Code, DecidedBy, Event, Fault, HunkDecision, HunkState, LogEvent, LogSettings, Origin, Policy,
    ProposalState, Status,
};

#[derive(Parser, Debug)]
struct Line {
    #[command(flatten)]
    log: LogArgs,
}

const DIFF: &str =
    "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,4 +1,4 @@\n fn parse() {\n \n-    a();\n+    b();\n }\n";

#[derive(Debug)]
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        "2026-07-01T12:00:05Z".parse().unwrap()
    }
}

fn call(id: &str, tool: &str, path: &str, agent: &str, why: &str) -> LogEvent {
    let args = json!({ "path": path, "why": why });
    LogEvent::from(Event::ToolCall {
        call_id: id.into(),
        origin: Origin { agent: Some(agent.to_owned()), ..Origin::default() },
        tool: tool.to_owned(),
        args: args.as_object().unwrap().clone(),
        follows: None,
        environment: None,
        warnings: Vec::new(),
    })
}

fn result(id: &str, tool: &str, status: Status, result: Value) -> LogEvent {
    let (call_id, tool, result) = (id.into(), tool.to_owned(), Arc::new(result));
    LogEvent::from(Event::ToolResult { call_id, tool, status, result, activity: None, duration_ms: 1.25 })
}

/// A workspace with a log of four calls, one of which has not ended.
fn workspace() -> TempDir {
    let root = TempDir::new().unwrap();
    let dir = root.path().join(".wherefore/sessions/s-1");
    std::fs::create_dir_all(&dir).unwrap();
    let journal = Journal::open(JournalOptions {
        session: "s-1".to_owned(),
        root: "/w/project".to_owned(),
        folder: Box::new(move || Ok(OwnedFd::from(std::fs::File::open(&dir).unwrap()))),
        settings: LogSettings::default(),
        clock: Arc::new(Still),
        keeper: LogKeeper::none(None),
    })
    .unwrap();
    let hunk = |id: &str, state, reason: Option<&str>| HunkDecision {
        id: id.into(),
        path: WorkspacePath::from_relative("src/a.rs").unwrap(),
        state,
        reason: reason.map(str::to_owned),
        text: None,
    };
    let events = [
        call("c-0001", "fs.read", "src/a.rs", "claude-code/2.1", "Find where parsing \u{1b}[31mstarts"),
        result("c-0001", "fs.read", Status::Ok, json!({ "content": "x".repeat(3000) })),
        call("c-0002", "fs.read", "docs/none.md", "codex/1", "See what the docs promise"),
        Event::ToolError {
            call_id: "c-0002".into(),
            tool: "fs.read".to_owned(),
            error: Fault::new(Code::NotFound, "docs/none.md does not exist"),
            duration_ms: 0.5,
        }
        .into(),
        call("c-0003", "fs.patch", "src/a.rs", "claude-code/2.1", "Name the parser's states"),
        Event::Proposal {
            proposal: "p-0001".into(),
            call_id: "c-0003".into(),
            policy: Policy::Ask,
            files: BTreeMap::from([(
                WorkspacePath::from_relative("src/a.rs").unwrap().to_string(),
                DIFF.to_owned(),
            )]),
            hunks: vec![hunk("h1", HunkState::Pending, None), hunk("h2", HunkState::Pending, None)],
        }
        .into(),
        result("c-0003", "fs.patch", Status::Pending, json!({ "proposal": "p-0001" })),
        Event::Decision {
            proposal: "p-0001".into(),
            call_id: "c-0003".into(),
            by: DecidedBy::Person,
            hunks: vec![
                hunk("h1", HunkState::Accepted, None),
                hunk("h2", HunkState::Rejected, Some("wrong name")),
            ],
            status: ProposalState::PartlyApplied,
        }
        .into(),
        call("c-0004", "search.lexical", "src", "codex/1", "Find the callers"),
    ];
    for event in events {
        journal.append(event).unwrap();
    }
    root
}

fn args(root: &TempDir, line: &str) -> LogArgs {
    let words = ["log", "--root", root.path().to_str().unwrap()].into_iter().chain(line.split_whitespace());
    Line::try_parse_from(words).unwrap().log
}

fn printed(root: &TempDir, line: &str) -> String {
    let mut out = Vec::new();
    show_log(&args(root, line), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn ids(root: &TempDir, line: &str) -> Vec<String> {
    let events = printed(root, &format!("--format json {line}"));
    let events = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let name = |event: Value| match event["call_id"].as_str() {
        Some(id) => format!("{}{}", event["type"].as_str().unwrap(), id.trim_start_matches("c-000")),
        None => event["type"].as_str().unwrap().to_owned(),
    };
    events.map(name).collect()
}

#[test]
fn as_text() {
    let clock = regex::Regex::new(r"(?m)^\d\d:\d\d:\d\d").unwrap();
    let root = workspace();
    insta::assert_snapshot!(clock.replace_all(&printed(&root, ""), "TIME"), @r##"
    TIME  session s-1 in /w/project
    TIME  c-0001  fs.read  src/a.rs  claude-code/2.1  ok  1 ms
              Find where parsing \u{1b}[31mstarts
    TIME  c-0002  fs.read  docs/none.md  codex/1  NOT_FOUND  0.5 ms
              See what the docs promise
              docs/none.md does not exist
    TIME  c-0003  fs.patch  src/a.rs  claude-code/2.1  pending  1 ms
              Name the parser's states
              proposal p-0001: 2 hunks in src/a.rs
              @@ -1,4 +1,4 @@
               fn parse() {
               
              -    a();
              +    b();
               }
              you accepted h1, rejected h2 (“wrong name”)
    TIME  c-0004  search.lexical  src  codex/1
              Find the callers
    "##);
    assert_eq!(printed(&root, "--last 1").lines().count(), 2);
}

#[test]
fn filters_take_whole_calls() {
    let root = workspace();
    let check = |line: &str, expected: &[&str]| assert_eq!(ids(&root, line), expected, "{line}");
    check("--tool fs.patch", &["tool_call3", "proposal3", "tool_result3", "decision3"]);
    check("--tool fs.* --agent codex", &["tool_call2", "tool_error2"]);
    check("--path docs/**", &["tool_call2", "tool_error2"]);
    check("--path *.md", &["tool_call2", "tool_error2"]);
    check("--path src/*.rs --status ok", &["tool_call1", "tool_result1"]);
    check("--status error", &["tool_call2", "tool_error2"]);
    check("--status pending", &["tool_call3", "proposal3", "tool_result3", "decision3"]);
    check("--status running", &["tool_call4"]);
    check("--agent CODEX --last 1", &["tool_call4"]);
    check("--since 2026-07-01T12:00:06Z", &[]);
    check("--until 2026-07-01T12:00:05Z --last 2", &["decision3", "tool_call4"]);
    check("--last 2", &["decision3", "tool_call4"]);
    assert_eq!(ids(&root, "").len(), 10);
}

#[test]
fn as_json_values_are_whole() {
    let root = workspace();
    let events = printed(&root, "--format json --status ok");
    let event: Value = serde_json::from_str(events.lines().nth(1).unwrap()).unwrap();
    let expected = json!({
        "seq": 3, "time": "2026-07-01T12:00:05.000Z", "type": "tool_result", "call_id": "c-0001", "tool": "fs.read",
        "status": "ok", "result": { "content": "x".repeat(3000) }, "duration_ms": 1.25,
    });
    assert_eq!(event, expected);
}

#[test]
fn as_messages_each_call_has_its_answer() {
    let root = workspace();
    let messages: Vec<Value> = serde_json::from_str(&printed(&root, "--format openai")).unwrap();
    let roles: Vec<_> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["assistant", "tool"].repeat(3));
    assert_eq!(messages[2]["tool_calls"][0]["function"]["name"], "fs_read");
    assert_eq!(messages[3]["tool_call_id"], "c-0002");
    let last: Vec<Value> = serde_json::from_str(&printed(&root, "--format openai --last 3")).unwrap();
    assert_eq!(last.len(), 2);
    assert_eq!(printed(&root, "--format openai --status latent"), "[]\n");
}

#[test]
fn sessions_are_found_and_listed() {
    let root = workspace();
    let which = |line: &str| args(&root, line).which;
    assert!(
        super::open_chosen(&which("")).is_ok()
            && super::open_chosen(&which("s-1")).is_ok()
            && super::open_chosen(&which("s")).is_ok()
    );
    let fault = super::open_chosen(&which("x")).unwrap_err();
    assert_eq!((fault.code, fault.suggestion.as_deref()), (Code::NotFound, Some("name one of: s-1")));
    let mut out = Vec::new();
    print_sessions(&which(""), &mut out).unwrap();
    let listed = String::from_utf8(out).unwrap();
    assert!(listed.starts_with("s-1  ") && listed.ends_with("  10 events  not keyed\n"), "{listed}");
    let empty = TempDir::new().unwrap();
    let Err(PrintStop::Fault(fault)) = show_log(&args(&empty, ""), &mut Vec::new()) else {
        panic!("an empty workspace")
    };
    assert_eq!(fault.code, Code::NotFound);
}

#[test]
fn verify_says_where() {
    let root = workspace();
    let verify = || {
        let words = ["log", "verify", "--root", root.path().to_str().unwrap()];
        let Some(LogCommand::Verify(which)) = Line::try_parse_from(words).unwrap().log.command else {
            panic!("verify")
        };
        let mut out = Vec::new();
        (verify_log(&which, &mut out).unwrap(), String::from_utf8(out).unwrap())
    };
    let (verdict, said) = verify();
    assert!(verdict == LogVerdict::Sound && said.starts_with("s-1: not keyed: "), "{said}");
    let log = root.path().join(".wherefore/sessions/s-1").join(LOG);
    let text = std::fs::read_to_string(&log).unwrap().replace("wrong name", "right name");
    std::fs::write(&log, &text).unwrap();
    let (verdict, said) = verify();
    // A block ends with a comment and an empty line.
    let block = text[..text.find("{\"seq\":9,").unwrap()].rfind("-->\n\n").unwrap() + "-->\n\n".len();
    let line = 1 + text[..block].matches('\n').count();
    assert!(
        verdict == LogVerdict::Damaged
            && said.contains(&format!("session-log.md:{line}: event 9 was altered")),
        "{said}"
    );
}

#[test]
fn wrong_filters_are_refused() {
    let root = workspace();
    for line in ["--since yesterday-ish", "--tool [", "--path {a"] {
        let Err(PrintStop::Fault(fault)) = show_log(&args(&root, line), &mut Vec::new()) else {
            panic!("{line}")
        };
        assert_eq!(fault.code, Code::InvalidArgs, "{line}");
    }
    for line in ["--since 10m", "--since 2h --until 1m", "--since 2020-01-01", "--until 12:00"] {
        printed(&root, line);
    }
}
