//! The behaviour of the writer: the form, one owner, order, parts, stored values, closing.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::sync::Arc;

use serde_json::json;
use tempfile::TempDir;

use super::super::file;
use super::{bodies, call, entries, open, open_free, open_with, report, result, some_calls, sound, text};
use crate::protocol::{Code, Durability, Event, Fault, LogEvent, LogSettings, Verbosity};
use crate::{JournalError, LOG};

#[test]
fn a_call_as_it_stands_in_the_log() {
    let dir = TempDir::new().unwrap();
    let journal = open(dir.path());
    let args = json!({ "path": "src/parser.ts", "range": { "start": 1 }, "why": "Check if *nesting* works" });
    let LogEvent { event, .. } = call(7, args);
    let comments = [("args.why", "Previous read showed parseAtom"), ("args.range.start", "from\nthe top")];
    let comments = comments.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    journal.append(LogEvent { event, comments }).unwrap();
    journal.append(result(7, json!({ "content": "fn main() {\n    a()\n}\n", "lines": 3 }))).unwrap();
    let hidden = regex::Regex::new("[0-9a-f]{64}").unwrap();
    insta::assert_snapshot!(hidden.replace_all(&text(dir.path()), "HASH"), @r##"
    # Session s-1

    ## 12:00:05 Session start in /w/project

    <!-- {"seq":1,"time":"2026-07-01T12:00:05.123Z","type":"session_start","session":"s-1","version":"0.1.0","root":"/w/project","last":{},"prev":"HASH","hash":"HASH"} -->

    ## 12:00:05 c-0007 fs.read src/parser.ts by claude-code/2.1

    Check if \*nesting\* works
    ```yaml
    type: tool_call
    tool: fs.read
    args:
      path: src/parser.ts
      range:
        # from
        # the top
        start: 1
      # Previous read showed parseAtom
      why: "Check if *nesting* works"
    ```
    <!-- {"seq":2,"time":"2026-07-01T12:00:05.123Z","type":"tool_call","call_id":"c-0007","origin":{"door":"cli","agent":"claude-code/2.1"},"last":{"c":7},"prev":"HASH","hash":"HASH"} -->

    **ok** c-0007 in 2 ms
    ```yaml
    type: tool_result
    result:
      content: |
        fn main() {
            a()
        }
      lines: 3
    ```
    <!-- {"seq":3,"time":"2026-07-01T12:00:05.123Z","type":"tool_result","call_id":"c-0007","tool":"fs.read","status":"ok","duration_ms":1.5,"last":{"c":7},"prev":"HASH","hash":"HASH"} -->
    "##);
    let comments = &entries(dir.path())[1].comments;
    assert_eq!(comments.get("args.range.start").map(String::as_str), Some("from\nthe top"));
    assert_eq!(comments.len(), 2);
}

#[test]
fn a_log_has_one_owner() {
    let dir = TempDir::new().unwrap();
    let first = open(dir.path());
    let error = open_with(dir.path(), &LogSettings::default()).unwrap_err();
    assert!(matches!(error, JournalError::Locked { .. }), "{error:?}");
    let fault = Fault::from(error);
    assert_eq!((fault.code, fault.details), (Code::NotAuthorized, Some(json!({ "taken": true }))));
    drop(first);
    let second = open(dir.path());
    second.append(call(1, json!({}))).unwrap();
    drop(second);
    sound(dir.path(), 2);
}

#[test]
fn only_a_regular_file_of_one_name_is_a_log() {
    let check = |make: &dyn Fn(&std::path::Path)| {
        let dir = TempDir::new().unwrap();
        make(dir.path());
        let error = open_with(dir.path(), &LogSettings::default()).unwrap_err();
        assert!(matches!(error, JournalError::Disk { .. }), "{error:?}");
        let fault = Fault::from(error);
        assert_eq!(fault.code, Code::PermissionDenied, "{fault:?}");
        assert!(fault.message.ends_with("; it is a link or no regular file"), "{fault:?}");
    };
    check(&|dir| {
        fs::write(dir.join("other"), "x").unwrap();
        symlink("other", dir.join(LOG)).unwrap();
    });
    check(&|dir| {
        fs::write(dir.join("other"), "x").unwrap();
        fs::hard_link(dir.join("other"), dir.join(LOG)).unwrap();
    });
    check(&|dir| {
        rustix::fs::mknodat(
            rustix::fs::CWD,
            dir.join(LOG),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        assert!(fs::symlink_metadata(dir.join(LOG)).unwrap().file_type().is_fifo());
    });
}

#[test]
fn the_log_is_only_for_its_owner() {
    let dir = TempDir::new().unwrap();
    let journal = open(dir.path());
    journal.append(result(1, "x".repeat(10_000).into())).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir.path().join(LOG)), 0o600);
    let stored = fs::read_dir(dir.path().join("results")).unwrap().next().unwrap().unwrap().path();
    assert_eq!((mode(&stored), mode(&dir.path().join("results"))), (0o600, 0o700));
}

#[test]
fn many_threads_write_in_order_and_wait_for_the_disk_together() {
    let dir = TempDir::new().unwrap();
    let journal = Arc::new(open(dir.path()));
    let threads: Vec<_> = (0..8)
        .map(|thread| {
            let journal = journal.clone();
            std::thread::spawn(move || {
                for number in 0..10 {
                    let mark = journal.append(call(thread * 100 + number, json!({ "why": "w" }))).unwrap();
                    journal.sync(mark).unwrap();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(journal.last_number("c"), 709);
    sound(dir.path(), 81);
    assert!(entries(dir.path()).iter().zip(1..).all(|(entry, seq)| entry.seq == seq));
}

#[tokio::test]
async fn waiting_is_possible_without_blocking() {
    let dir = TempDir::new().unwrap();
    let journal = open(dir.path());
    let first = journal.append(call(1, json!({}))).unwrap();
    let second = journal.append(call(2, json!({}))).unwrap();
    assert!(first < second);
    journal.wait_durable(second).await.unwrap();
    journal.wait_durable(first).await.unwrap();
}

#[test]
fn a_full_part_gets_a_number_and_the_chain_goes_on() {
    let dir = TempDir::new().unwrap();
    let settings = LogSettings { rotate_bytes: 3000, ..LogSettings::default() };
    for round in 0..2 {
        let journal = open_free(dir.path(), &settings);
        assert_eq!(journal.last_number("c"), round * 20);
        for number in 1..=20 {
            journal.append(call(round * 20 + number, json!({ "why": "Look" }))).unwrap();
        }
    }
    let parts = file::list_parts(&file::reopen_folder(fs::File::open(dir.path()).unwrap()).unwrap()).unwrap();
    assert!(parts.len() >= 3, "{parts:?}");
    let report = report(dir.path());
    assert_eq!((report.damage, report.parts), (Vec::new(), parts.len() as u64 + 1));
    let starts: Vec<_> =
        entries(dir.path()).into_iter().filter(|entry| entry.event_type == "session_start").collect();
    assert_eq!(starts.len(), parts.len() + 1);
    assert_eq!(starts[1].body["continues"], json!("session-log.1.md"));
    let calls = entries(dir.path()).iter().filter(|entry| entry.event_type == "tool_call").count();
    assert_eq!(calls, 40);
}

#[test]
fn a_crash_between_two_parts_loses_nothing() {
    let dir = TempDir::new().unwrap();
    some_calls(&dir, 3);
    fs::rename(dir.path().join(LOG), dir.path().join("session-log.1.md")).unwrap();
    assert_eq!(open(dir.path()).last_number("c"), 3);
    sound(dir.path(), 5);
    fs::rename(dir.path().join(LOG), dir.path().join("session-log.2.md")).unwrap();
    fs::write(dir.path().join(LOG), "# Sess").unwrap();
    drop(open(dir.path()));
    sound(dir.path(), 7);
    assert_eq!(entries(dir.path())[6].event_type, "recovery");
}

#[test]
fn a_closed_log_takes_nothing_more_and_can_be_opened_again() {
    let dir = TempDir::new().unwrap();
    let journal = open(dir.path());
    let totals = BTreeMap::from([("ok".to_owned(), 3)]);
    journal.close(totals.clone()).unwrap();
    journal.close(totals).unwrap();
    assert!(matches!(journal.append(call(1, json!({}))), Err(JournalError::Closed { .. })));
    drop(journal);
    open(dir.path()).append(call(1, json!({}))).unwrap();
    sound(dir.path(), 3);
    assert_eq!(bodies(dir.path())[1], json!({ "totals": { "ok": 3 } }).as_object().unwrap().clone());
}

#[test]
fn the_least_verbosity_keeps_no_results() {
    let dir = TempDir::new().unwrap();
    let settings = LogSettings { verbosity: Verbosity::Minimal, ..LogSettings::default() };
    let journal = open_free(dir.path(), &settings);
    journal.append(call(1, json!({ "content": "x".repeat(5000) }))).unwrap();
    journal.append(result(1, json!({ "content": "y".repeat(5000) }))).unwrap();
    drop(journal);
    assert_eq!(fs::read_dir(dir.path().join("results")).unwrap().count(), 1);
    let read = bodies(dir.path());
    assert_eq!(read[1]["args"], json!({ "content": "x".repeat(5000) }));
    assert_eq!((&read[2]["result"]["bytes"], &read[2]["result"]["kept"]), (&json!(5014), &json!(false)));
    sound(dir.path(), 3);
}

#[test]
fn the_most_verbosity_keeps_more_in_place() {
    let dir = TempDir::new().unwrap();
    let settings = LogSettings {
        verbosity: Verbosity::Verbose,
        durability: Durability::Always,
        ..LogSettings::default()
    };
    let journal = open_free(dir.path(), &settings);
    journal.append(result(1, json!("y".repeat(30_000)))).unwrap();
    assert!(!dir.path().join("results").exists());
    journal.append(result(1, json!("y".repeat(40_000)))).unwrap();
    assert!(dir.path().join("results").exists());
}

#[test]
fn a_value_is_stored_once() {
    let dir = TempDir::new().unwrap();
    for number in 1..=2 {
        let journal = open(dir.path());
        journal.append(result(number, json!({ "content": "x".repeat(5000) }))).unwrap();
        journal.append(result(number, json!({ "content": "x".repeat(5000) }))).unwrap();
    }
    assert_eq!(fs::read_dir(dir.path().join("results")).unwrap().count(), 1);
    assert_eq!(report(dir.path()).values, 1);
}

#[test]
fn secrets_do_not_reach_the_disk() {
    let dir = TempDir::new().unwrap();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2));
    let journal = open(dir.path());
    let long = format!("{}{secret}", "word ".repeat(2000));
    let args = json!({ "why": secret, "long": long, "password": "hunter2", (secret.clone()): 1, "n": { "apiKey": "k" } });
    let LogEvent { event, .. } = call(1, args);
    journal.append(LogEvent { event, comments: [("args.n".to_owned(), secret.clone())].into() }).unwrap();
    drop(journal);
    let mut all = text(dir.path());
    for stored in fs::read_dir(dir.path().join("results")).unwrap() {
        all.push_str(&fs::read_to_string(stored.unwrap().path()).unwrap());
    }
    for part in [&secret[4..], "hunter2", "apiKey: k"] {
        assert!(!all.contains(part), "{part}");
    }
    assert_eq!(all.matches("[redacted:github:").count(), 5);
}

#[test]
fn every_event_reads_back() {
    let dir = TempDir::new().unwrap();
    let journal = open(dir.path());
    let events = [
        Event::Undo {
            call_id: "c-0001".into(),
            session: Some("s-0".into()),
            undo_id: "u-0003".into(),
            paths: vec![crate::base::WorkspacePath::from_relative("a b").unwrap()],
        },
        Event::UserApproval {
            call_id: "c-0001".into(),
            rule: "ask: x".into(),
            granted: false,
            unanswered: Some(crate::protocol::Unanswered::Late),
            by_client: false,
        },
        Event::CommandEnd {
            call_id: "c-0001".into(),
            outcome: "exit code 3".into(),
            exit_code: Some(3),
            duration_ms: 12,
        },
        Event::ToolError {
            call_id: "c-0002".into(),
            tool: "fs.read".into(),
            error: crate::protocol::Fault::new(Code::NotFound, "no\nsuch file"),
            duration_ms: 0.25,
        },
        Event::Proposal {
            proposal: "p-0004".into(),
            call_id: "c-0002".into(),
            policy: crate::protocol::Policy::Ask,
            files: [("a.rs".to_owned(), "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n".to_owned())].into(),
            hunks: Vec::new(),
        },
    ];
    for event in &events {
        journal.append(event.clone()).unwrap();
    }
    assert_eq!((journal.last_number("u"), journal.last_number("p"), journal.last_number("x")), (3, 4, 0));
    let read: Vec<_> = entries(dir.path())[1..]
        .iter()
        .map(|entry| {
            let mut body = entry.body.clone();
            body.insert("type".to_owned(), entry.event_type.clone().into());
            body
        })
        .collect();
    for (event, read) in events.iter().zip(read) {
        assert_eq!(serde_json::to_value(event).unwrap(), serde_json::Value::Object(read));
    }
}

#[test]
fn a_value_that_was_removed_is_stored_again_and_the_log_goes_on() {
    let dir = TempDir::new().unwrap();
    let journal = open(dir.path());
    let value = || result(1, "x".repeat(10_000).into());
    let first = journal.append(value()).unwrap();
    fs::remove_dir_all(dir.path().join("results")).unwrap();
    journal.sync(first).unwrap();
    assert_eq!(report(dir.path()).damages, 1, "whoever reads the log is told");
    let again = journal.append(value()).unwrap();
    journal.sync(again).unwrap();
    drop(journal);
    sound(dir.path(), 3);
}
