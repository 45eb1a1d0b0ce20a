//! Errors of the system at every place of a call: the fault is true, and everything continues.

use serde_json::{Value, json};

use crate::strace::{self, Syscall};
use crate::support::{Project, in_pairs, sample, with_why};

/// Places tried for each call, unless all are asked for.
const POINTS: usize = 60;

const ERRORS: [&str; 7] = ["ENOSPC", "EIO", "EMFILE", "EDQUOT", "EROFS", "EINTR", "EACCES"];

/// The system calls that fail.
const FAILING: [&str; 11] = [
    "openat2",
    "openat",
    "open",
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "linkat",
];

/// An error at one place; `when` in strace's form.
#[derive(Clone, Debug)]
struct Point {
    name: String,
    error: &'static str,
    when: String,
}

/// The errors that the places of a run take in turn, once and from there on.
fn points(calls: &[Syscall]) -> Vec<Point> {
    let failing =
        |call: &&Syscall| FAILING.contains(&call.name.as_str()) && call.thread == 0 && call.is_ours();
    // strace counts in each thread: a place is suitable if it is not another call's wake-up or answer.
    let alone = |call: &&Syscall| {
        let same = |other: &&Syscall| other.name == call.name && other.nth == call.nth;
        call.name != "write" || calls.iter().filter(same).all(Syscall::is_ours)
    };
    let mut points = Vec::new();
    for (at, call) in calls.iter().filter(failing).filter(alone).enumerate() {
        let point = |error, when| Point { name: call.name.clone(), error, when };
        points.push(point(ERRORS[at % 7], call.nth.to_string()));
        if call.changes() {
            points.push(point(ERRORS[(at + 3) % 7], call.nth.to_string()));
        }
        let lasting = ERRORS[(at + 5) % 7];
        // A call that is interrupted for ever is tried for ever, as it should.
        if call.name != "write" && lasting != "EINTR" {
            points.push(point(lasting, format!("{}+", call.nth)));
        }
    }
    points
}

fn disturb(tool: &str, arguments: &Value, path: &str, before: Option<&str>, after: Option<&str>) {
    if !strace::works() {
        return;
    }
    let files: Vec<(&str, &str)> = before.map(|text| (path, text)).into_iter().collect();
    let project = Project::new(&files);
    let arguments = with_why(arguments).to_string();
    let args = ["call", tool, &arguments];
    let points = sample(&points(&strace::learn(&project.copy(), &args)), POINTS);
    assert!(points.len() > 20, "{points:?}");
    in_pairs(&points, |point| {
        let project = project.copy();
        let ran =
            strace::inject(&project, &point.name, &format!("error={}", point.error), &point.when, &args);
        let now = project.text(path);
        let at = format!("{tool} {point:?}: {ran:?}, {now:?}");
        if ran.met_another_call() {
            return;
        }
        match ran.code() {
            // With settings that cannot be read nothing is written before the person decides.
            Some(0) if ran.err.contains("every change is held") && ran.json()["status"] == "pending" => {
                assert_eq!(now.as_deref(), before, "held at {at}");
            }
            Some(0) => assert_eq!(now.as_deref(), after, "ok at {at}"),
            Some(1) => {
                let fault = ran.json();
                assert!(fault["code"].is_string() && fault["message"].is_string(), "{at}");
                let applied = fault["applied"] == true;
                assert_eq!(now.as_deref(), if applied { after } else { before }, "a fault at {at}");
            }
            // The fault hit the loader, before the program began.
            Some(127) if ran.err.contains("loading shared libraries") => {}
            _ => panic!("it died at {at}"),
        }
        project.is_well(&at);
    });
}

#[test]
fn errors_while_it_overwrites() {
    let arguments = json!({ "path": "a.txt", "content": "new\n" });
    disturb("fs.write", &arguments, "a.txt", Some("old\n"), Some("new\n"));
}

#[test]
fn errors_while_it_creates() {
    let arguments = json!({ "path": "deep/a.txt", "content": "new\n" });
    disturb("fs.write", &arguments, "deep/a.txt", None, Some("new\n"));
}

#[test]
fn errors_while_it_appends() {
    let arguments = json!({ "path": "a.txt", "text": "new\n" });
    disturb("fs.append", &arguments, "a.txt", Some("old\n"), Some("old\nnew\n"));
}

#[test]
fn errors_while_it_removes() {
    let arguments = json!({ "path": "a.txt", "diff": "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n" });
    disturb("fs.patch", &arguments, "a.txt", Some("old\n"), None);
}

#[test]
fn errors_while_it_reads() {
    disturb("fs.read", &json!({ "path": "a.txt" }), "a.txt", Some("old\n"), Some("old\n"));
}
