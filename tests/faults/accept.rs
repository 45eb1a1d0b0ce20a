//! SIGKILL between every two steps of a decision: each hunk is in its file exactly once, whoever repeats the decision.

use serde_json::{Value, json};

use crate::strace::{self, Syscall};
use crate::support::{Project, in_pairs, sample};

/// Kills tried for each kind of change, unless all are asked for.
const POINTS: usize = 24;

/// A change that waits, and what accepting it makes of its file.
struct Held {
    tool: &'static str,
    arguments: Value,
    path: &'static str,
    before: Option<&'static str>,
    after: Option<&'static str>,
}

impl Held {
    fn project(&self) -> Project {
        let files: Vec<(&str, &str)> = self.before.map(|text| (self.path, text)).into_iter().collect();
        let project = Project::new(&files);
        let arguments = crate::support::with_why(&self.arguments).to_string();
        let ran = project.wherefore(&["call", self.tool, &arguments, "--policy", "hold"]);
        assert!(String::from_utf8_lossy(&ran.out).contains("pending"), "{ran:?}");
        project
    }

    /// The invariants after an acceptance was killed.
    fn check(&self, project: &Project, point: &str) {
        let now = project.text(self.path);
        assert!(
            now.as_deref() == self.before || now.as_deref() == self.after,
            "neither old nor new after {point}: {now:?}"
        );
        // Somebody accepts again; if the first acceptance took effect, nothing is pending.
        let again = project.wherefore(&["review", "--accept", "all"]);
        assert_eq!(project.text(self.path).as_deref(), self.after, "accepted again after {point}: {again:?}");
        let left = project.wherefore(&["review", "--list", "--json"]);
        assert_eq!(left.json(), json!([]), "nothing waits after {point}: {left:?}");
        project.is_well(point);
        let log = project.wherefore(&["log", "--format", "json"]);
        let decided = log.lines().into_iter().filter(|event| event["type"] == "decision");
        assert!(decided.count() > 0, "the decision is in the log after {point}: {log:?}");
        let undone = project.wherefore(&["undo", "c-0001"]);
        assert_eq!(undone.code(), Some(0), "undone after {point}: {undone:?}");
        assert_eq!(project.text(self.path).as_deref(), self.before, "undone after {point}: {undone:?}");
    }
}

fn points(calls: &[Syscall]) -> Vec<Syscall> {
    let changing: Vec<Syscall> =
        calls.iter().filter(|call| call.thread == 0 && call.is_ours() && call.changes()).cloned().collect();
    sample(&changing, POINTS)
}

fn kill_everywhere(held: &Held) {
    if !strace::works() {
        return;
    }
    let args = ["review", "--accept", "all"];
    let points = points(&strace::learn(&held.project(), &args));
    assert!(points.len() > 10, "{points:?}");
    let killed = std::sync::atomic::AtomicUsize::new(0);
    in_pairs(&points, |point| {
        let project = held.project();
        let ran = strace::inject(&project, &point.name, "signal=SIGKILL", &point.nth.to_string(), &args);
        killed.fetch_add(usize::from(ran.killed()), std::sync::atomic::Ordering::Relaxed);
        held.check(&project, &format!("{} {} {}", held.tool, point.name, point.nth));
    });
    let killed = killed.into_inner();
    assert!(killed * 10 >= points.len() * 8, "only {killed} of {} were killed", points.len());
}

const THREE: &str = "one\ntwo\nthree\n";

fn patch(diff: &str, before: Option<&'static str>, after: Option<&'static str>) -> Held {
    Held {
        tool: "fs.patch",
        arguments: json!({ "path": "a.txt", "diff": diff }),
        path: "a.txt",
        before,
        after,
    }
}

#[test]
fn killed_while_an_insertion_is_accepted() {
    let diff = "@@ -1,3 +1,4 @@\n one\n two\n+two and a half\n three\n";
    kill_everywhere(&patch(diff, Some(THREE), Some("one\ntwo\ntwo and a half\nthree\n")));
}

#[test]
fn killed_while_an_append_is_accepted() {
    let arguments = json!({ "path": "a.txt", "text": "three\n" });
    let after = Some("one\ntwo\nthree\nthree\n");
    kill_everywhere(&Held { tool: "fs.append", arguments, path: "a.txt", before: Some(THREE), after });
}

#[test]
fn killed_while_lines_are_removed() {
    let diff = "@@ -1,3 +1,2 @@\n one\n-two\n three\n";
    kill_everywhere(&patch(diff, Some(THREE), Some("one\nthree\n")));
}

#[test]
fn killed_while_several_hunks_are_accepted() {
    let diff = "@@ -1,3 +1,5 @@\n+zero\n one\n-two\n+zwei\n three\n+four\n";
    kill_everywhere(&patch(diff, Some(THREE), Some("zero\none\nzwei\nthree\nfour\n")));
}

#[test]
fn killed_while_a_new_file_is_accepted() {
    let arguments = json!({ "path": "deep/er/a.txt", "content": "new\nnew\n" });
    let (path, after) = ("deep/er/a.txt", Some("new\nnew\n"));
    kill_everywhere(&Held { tool: "fs.write", arguments, path, before: None, after });
}

#[test]
fn killed_while_a_removal_is_accepted() {
    let diff = "--- a/a.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n";
    kill_everywhere(&patch(diff, Some(THREE), None));
}

#[test]
fn what_a_killed_process_put_in_place_stays_so_though_others_go_on_in_the_file() {
    if !strace::works() {
        return;
    }
    let diff = "@@ -1,3 +1,4 @@\n one\n two\n+two and a half\n three\n";
    let held = patch(diff, Some(THREE), Some("one\ntwo\ntwo and a half\nthree\n"));
    let project = held.project();
    let args = ["review", "--accept", "all"];
    let learnt = strace::learn(&held.project(), &args);
    // The last rename of the file itself: killed at the next call, it is written but not recorded.
    let at = learnt
        .iter()
        .rposition(|call| call.name.starts_with("rename") && call.line.contains("\"a.txt\""))
        .unwrap();
    let next = learnt.iter().skip(at + 1).find(|call| call.thread == 0 && call.is_ours()).unwrap();
    let ran = strace::inject(&project, &next.name, "signal=SIGKILL", &next.nth.to_string(), &args);
    assert!(ran.killed(), "{ran:?}");
    assert_eq!(project.text("a.txt").as_deref(), held.after);
    project.put("a.txt", "zero\none\ntwo\ntwo and a half\nthree\nfour\n");
    project.wherefore(&args);
    assert_eq!(project.text("a.txt").as_deref(), Some("zero\none\ntwo\ntwo and a half\nthree\nfour\n"));
    let undone = project.wherefore(&["undo", "c-0001"]);
    assert_eq!(project.text("a.txt").as_deref(), Some("zero\none\ntwo\nthree\nfour\n"), "{undone:?}");
}
