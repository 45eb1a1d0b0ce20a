//! An error of the system at every call that concerns the session log: the affected call may fail and report it, the
//! next one works, and acknowledged events are in the log.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::strace::{self, Syscall};
use crate::support::{Project, in_pairs, sample, with_why};

/// Points tried for each error, unless all are asked for.
const POINTS: usize = 8;
const ERRORS: [&str; 5] = ["EIO", "EMFILE", "EINTR", "ENOSPC", "EDQUOT"];
/// Calls of one process.
const CALLS: usize = 8;
/// The log's operations on its files.
const OF_THE_LOG: [&str; 11] = [
    "openat",
    "openat2",
    "write",
    "pwrite64",
    "pread64",
    "fsync",
    "fdatasync",
    "renameat",
    "ftruncate",
    "flock",
    "mkdirat",
];

/// Calls that write, read, and fail; one stores a large value outside of the log.
fn lines() -> Vec<u8> {
    let call = |number: usize| match number % 4 {
        0 => {
            json!({ "tool": "fs.write", "arguments": with_why(&json!({ "path": "a.txt", "content": format!("{number}\n") })) })
        }
        1 => json!({ "tool": "fs.read", "arguments": with_why(&json!({ "path": "large.txt" })) }),
        2 => json!({ "tool": "fs.read", "arguments": with_why(&json!({ "path": "none.txt" })) }),
        _ => {
            json!({ "tool": "fs.write", "arguments": with_why(&json!({ "path": "b.txt", "content": format!("{number}") .repeat(4000) })) })
        }
    };
    (0..CALLS).flat_map(|number| format!("{}\n", call(number)).into_bytes()).collect()
}

/// Returns whether a call concerns the log, its folder or its keyed head.
fn concerns_the_log(call: &&Syscall) -> bool {
    let places =
        ["/.wherefore/sessions", "session-log", "\"results\"", "log.key", "/wherefore/logs/", "/dev/urandom"];
    OF_THE_LOG.contains(&call.name.as_str()) && places.iter().any(|place| call.line.contains(place))
}

/// The ids of the calls that a log holds, over all sessions.
fn logged(project: &Project) -> BTreeMap<String, BTreeSet<String>> {
    let sessions = std::fs::read_dir(project.path(".wherefore/sessions")).into_iter().flatten().flatten();
    let names = sessions.map(|entry| entry.file_name().into_string().unwrap());
    names
        .filter_map(|name| {
            let shown = project.wherefore(&["log", &name, "--format", "json"]);
            (shown.code() == Some(0)).then(|| {
                let ids = shown.lines().into_iter().filter(|event| event["type"] == "tool_call");
                (name, ids.map(|event| event["call_id"].as_str().unwrap().to_owned()).collect())
            })
        })
        .collect()
}

fn ended_well(answer: &Value) -> bool {
    answer["status"] == "ok" || answer["error"]["code"] == "NOT_FOUND"
}

fn meets(project: &Project, name: &str, error: &str, when: &str) {
    let project = project.copy();
    let at = format!("{error} at {name} {when}");
    let ran = strace::batch(&project, name, &format!("error={error}"), when, &lines());
    if ran.met_another_call() || (ran.code() == Some(127) && ran.err.contains("loading shared libraries")) {
        return;
    }
    assert_eq!(ran.code(), Some(0), "{at}: {ran:?}");
    let answers = ran.lines();
    assert_eq!(answers.len(), CALLS, "an answer each, {at}: {ran:?}");
    let failed: Vec<&Value> = answers.iter().filter(|answer| !ended_well(answer)).collect();
    // Each thread counts for itself, so an error may be met by more than one of them; never by every later call.
    assert!(failed.len() <= 3, "{at}: {failed:?}");
    for fault in &failed {
        assert!(
            fault["error"]["message"].as_str().is_some_and(|message| !message.is_empty()),
            "{at}: {fault}"
        );
    }
    let logs = logged(&project);
    for answer in answers.iter().filter(|answer| ended_well(answer)) {
        let id = answer["call_id"].as_str().unwrap();
        assert!(logs.values().any(|ids| ids.contains(id)), "{id} was acknowledged, {at}: {logs:?}");
    }
    for name in logs.keys() {
        let verified = project.wherefore(&["log", "verify", name]);
        // An error at what vouches for the log leaves its end unknown, which is said; it is never called damaged.
        assert!(matches!(verified.code(), Some(0 | 3)), "{at}: {verified:?}");
    }
    project.is_well(&at);
}

#[test]
fn every_call_of_the_log_may_fail_once() {
    if !strace::works() {
        return;
    }
    let project = Project::new(&[("large.txt", &"a line that is long enough\n".repeat(400))]);
    let calls = strace::learn_batch(&project.copy(), &lines());
    // strace counts in each thread: a place is of use where it is no other thread's wake-up, answer or settings file.
    let alone = |call: &&Syscall| {
        let same = |other: &&Syscall| other.name == call.name && other.nth == call.nth;
        calls.iter().filter(same).all(|other| concerns_the_log(&other))
    };
    let points = calls.iter().filter(concerns_the_log).filter(alone);
    let mut points: Vec<(String, usize)> = points.map(|call| (call.name.clone(), call.nth)).collect();
    points.sort();
    points.dedup();
    assert!(points.len() > 20, "{points:?}");
    for error in ERRORS {
        in_pairs(&sample(&points, POINTS), |(name, nth)| meets(&project, name, error, &nth.to_string()));
    }
}

#[test]
fn a_sync_that_fails_again_and_again_ends_with_the_failing() {
    if !strace::works() {
        return;
    }
    let project = Project::new(&[("large.txt", "a\n")]);
    for (error, when) in [("EIO", "1..3"), ("EIO", "2+3"), ("ENOSPC", "1..2"), ("EINTR", "1..5")] {
        let copy = project.copy();
        let ran = strace::batch(&copy, "fdatasync", &format!("error={error}"), when, &lines());
        let answers = ran.lines();
        assert_eq!(answers.len(), CALLS, "{error} {when}: {ran:?}");
        let acknowledged: Vec<String> = answers
            .iter()
            .filter(|answer| ended_well(answer))
            .map(|answer| answer["call_id"].as_str().unwrap().to_owned())
            .collect();
        assert!(acknowledged.len() >= 4, "{error} {when}: {answers:?}");
        let logs = logged(&copy);
        assert!(
            acknowledged.iter().all(|id| logs.values().any(|ids| ids.contains(id))),
            "{error} {when}: {logs:?}"
        );
        let verified = copy.wherefore(&["log", "verify"]);
        assert_eq!(verified.code(), Some(0), "{error} {when}: {verified:?}");
        if error == "EIO" {
            let said = String::from_utf8(verified.out).unwrap();
            assert!(said.contains("recovered"), "{error} {when}: {said}");
            let warned = answers.iter().filter(|answer| answer["warnings"].to_string().contains("new part"));
            assert!(warned.count() >= 1, "{answers:?}");
        }
        copy.is_well(&format!("{error} {when}"));
    }
}
