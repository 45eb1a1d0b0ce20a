//! SIGKILL at every system call of a change, and at random times: old or new, and everything goes on.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::strace::{self, Syscall};
use crate::support::{BINARY, Dice, Project, in_pairs, sample, with_why};

/// Kills tried for each tool, unless all are asked for.
const POINTS: usize = 36;
/// The id of the change in the log: the copy of a project is another folder, with a log of its own.
const FIRST: &str = "c-0001";
/// Kills at random times.
const RANDOM: u64 = 60;

/// A change, and what it makes of its file.
struct Change {
    tool: &'static str,
    arguments: Value,
    path: &'static str,
    before: Option<&'static str>,
    after: &'static str,
    /// True if the project has been worked on before.
    warm: bool,
}

impl Change {
    fn project(&self) -> Project {
        let files: Vec<(&str, &str)> = self.before.map(|text| (self.path, text)).into_iter().collect();
        let project = Project::new(&files);
        if self.warm {
            project.is_well("the first call");
        }
        project
    }

    fn args(&self) -> [String; 3] {
        ["call".to_owned(), self.tool.to_owned(), with_why(&self.arguments).to_string()]
    }

    /// The invariants after the change was killed.
    fn check(&self, project: &Project, point: &str) {
        let now = project.text(self.path);
        let changed = now.as_deref() == Some(self.after);
        assert!(changed || now.as_deref() == self.before, "neither old nor new after {point}: {now:?}");
        project.is_well(point);
        let undone = project.wherefore(&["undo", "--json", FIRST]);
        assert_eq!(project.text(self.path).as_deref(), self.before, "undone after {point}: {undone:?}");
        if changed {
            assert_eq!(undone.code(), Some(0), "after {point}: {undone:?}");
        }
    }
}

/// The points to kill at: all that change something, and a few of the others.
fn points(calls: &[Syscall]) -> Vec<Syscall> {
    let main: Vec<Syscall> =
        calls.iter().filter(|call| call.thread == 0 && call.is_ours()).cloned().collect();
    let (changing, looking): (Vec<_>, Vec<_>) = main.into_iter().partition(Syscall::changes);
    let few = sample(&looking, POINTS / 4);
    let mut points = sample(&changing, POINTS.saturating_sub(few.len()));
    points.extend(few);
    points
}

fn kill_everywhere(change: &Change) {
    if !strace::works() {
        return;
    }
    let project = change.project();
    let args = change.args();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let points = points(&strace::learn(&project.copy(), &args));
    assert!(points.len() > 20, "{points:?}");
    let killed = std::sync::atomic::AtomicUsize::new(0);
    in_pairs(&points, |point| {
        let project = project.copy();
        let ran = strace::inject(&project, &point.name, "signal=SIGKILL", &point.nth.to_string(), &args);
        killed.fetch_add(usize::from(ran.killed()), std::sync::atomic::Ordering::Relaxed);
        change.check(&project, &format!("{} {} {}", change.tool, point.name, point.nth));
    });
    let killed = killed.into_inner();
    assert!(killed * 10 >= points.len() * 8, "only {killed} of {} were killed", points.len());
}

fn overwrite(warm: bool) -> Change {
    let arguments = json!({ "path": "a.txt", "content": "new\ntext\n" });
    let (before, after) = (Some("old\ntext\n"), "new\ntext\n");
    Change { tool: "fs.write", arguments, path: "a.txt", before, after, warm }
}

#[test]
fn killed_while_it_overwrites() {
    kill_everywhere(&overwrite(false));
}

#[test]
fn killed_while_it_creates() {
    let arguments = json!({ "path": "deep/er/a.txt", "content": "new\n" });
    kill_everywhere(&Change {
        tool: "fs.write",
        arguments,
        path: "deep/er/a.txt",
        before: None,
        after: "new\n",
        warm: false,
    });
}

#[test]
fn killed_while_it_appends() {
    let arguments = json!({ "path": "a.txt", "text": "three\n" });
    let (before, after) = (Some("one\ntwo\n"), "one\ntwo\nthree\n");
    kill_everywhere(&Change { tool: "fs.append", arguments, path: "a.txt", before, after, warm: true });
}

#[test]
fn killed_while_it_patches() {
    let arguments = json!({ "path": "a.txt", "diff": "@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n" });
    let (before, after) = (Some("one\ntwo\nthree\n"), "one\nzwei\nthree\n");
    kill_everywhere(&Change { tool: "fs.patch", arguments, path: "a.txt", before, after, warm: true });
}

#[test]
fn killed_at_random_times() {
    let change = overwrite(true);
    let project = change.project();
    let began = Instant::now();
    let ran = project.copy().call(change.tool, &change.arguments);
    let whole = u64::try_from(began.elapsed().as_micros()).unwrap();
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let mut dice = Dice(7);
    let delays: Vec<u64> = (0..RANDOM).map(|_| dice.below(whole * 5 / 4)).collect();
    in_pairs(&delays, |delay| {
        let project = project.copy();
        let mut command = project.command(BINARY);
        command.args(change.args()).arg("--root").arg(project.root());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_micros(*delay));
        child.kill().unwrap();
        child.wait().unwrap();
        change.check(&project, &format!("{delay} µs"));
    });
}
