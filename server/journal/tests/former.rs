//! Logs of earlier versions: they read, verify, and go on in the form of today.

use std::fmt::Write;
use std::fs;

use serde_json::json;
use tempfile::TempDir;

use super::super::key::LogKey;
use super::{bodies, call, entries, open, result, sound};
use crate::LOG;

/// A log as an earlier version wrote it, of these events: a heading, and the fields above the chain.
fn written_before(events: &[(&str, &str, &str)]) -> String {
    let mut log = "# Session s-1\n\n".to_owned();
    let mut prev = LogKey::None.hash_bytes(log.as_bytes());
    for (seq, (heading, fields, last)) in (1..).zip(events) {
        let (kind, rest) = fields.split_once('\n').unwrap();
        let body = format!(
            "## 12:00:05 — {heading}\n\nLook at it\n\n```yaml\ntype: {kind}\nseq: {seq}\n\
             time: \"2026-07-01T12:00:05.123Z\"\n{rest}last: {{{last}}}\nprev: \"{prev}\"\n"
        );
        prev = LogKey::None.hash_bytes(body.as_bytes());
        write!(log, "{body}hash: \"{prev}\"\n```\n\n").unwrap();
    }
    log
}

#[test]
fn a_log_of_an_earlier_version_reads_and_goes_on() {
    let dir = TempDir::new().unwrap();
    let log = written_before(&[
        ("Session start", "session_start\nsession: s-1\nversion: \"0.1.0\"\nroot: \"/w/project\"\n", ""),
        (
            "Tool call: fs.read",
            "tool_call\ncall_id: c-0007\ntool: fs.read\nargs:\n  # why\n  path: a.rs\n  why: \"Look at it\"\n",
            "c: 7",
        ),
        ("Tool result: fs.read", "tool_result\ncall_id: c-0007\nstatus: ok\nresult: {}\n", "c: 7"),
    ]);
    fs::write(dir.path().join(LOG), &log).unwrap();
    sound(dir.path(), 3);
    let journal = open(dir.path());
    assert_eq!(journal.last_number("c"), 7);
    journal.append(call(8, json!({ "path": "b.rs", "why": "Look on" }))).unwrap();
    journal.append(result(8, json!({ "lines": 1 }))).unwrap();
    drop(journal);
    sound(dir.path(), 5);
    assert!(fs::read_to_string(dir.path().join(LOG)).unwrap().starts_with(&log), "what stood there stays");
    let read = bodies(dir.path());
    assert_eq!((&read[1]["args"]["path"], &read[3]["args"]["path"]), (&json!("a.rs"), &json!("b.rs")));
    assert_eq!(entries(dir.path())[1].comments.get("args.path").map(String::as_str), Some("why"));
}
