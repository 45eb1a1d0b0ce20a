//! FIFOs, sockets, devices and links into /proc, wherever a path may be named: a fault at once, and nothing disturbed.

use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::support::{Project, is_root, skipped, tree};

/// The longest time that a process may take: far less than a wait for another process would.
const PROMPT: Duration = Duration::from_secs(10);
/// The longest time that a call may take to be refused, in milliseconds.
const AT_ONCE: f64 = 100.0;
/// Runs of which the best counts: what else a machine does only ever adds to a time.
const RUNS: usize = 5;

/// A call of every tool that takes a path, on `path`.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let diff = "@@ -1 +1 @@\n-a\n+b\n";
    vec![
        ("fs.read", json!({ "path": path })),
        ("fs.read", json!({ "path": path, "range": { "start": 1, "end": 2 } })),
        ("fs.ls", json!({ "path": path })),
        ("fs.write", json!({ "path": path, "content": "x" })),
        ("fs.append", json!({ "path": path, "text": "x" })),
        ("fs.patch", json!({ "path": path, "diff": diff })),
        ("fs.mkdir", json!({ "path": path })),
        ("fs.copy", json!({ "src": path, "dst": "copied" })),
        ("fs.copy", json!({ "src": "plain.txt", "dst": path })),
        ("search.lexical", json!({ "query": "a", "scope": path })),
    ]
}

/// Every call on each of the paths is a fault; the project stays as it was.
fn refused(project: &Project, paths: &[&str]) {
    let ours = |entry: &(String, u32, Vec<u8>)| !entry.0.starts_with(".wherefore");
    let look = || tree(&project.root()).into_iter().filter(ours).collect::<Vec<_>>();
    let before = look();
    let calls: Vec<(&str, Value)> = paths.iter().flat_map(|path| calls(path)).collect();
    let slowest = || {
        for ((tool, arguments), answer) in calls.iter().zip(project.batch(&calls)) {
            assert!(answer["error"]["code"].is_string(), "{tool} {arguments}: {answer}");
        }
        slowest(project, calls.len())
    };
    let times: Vec<f64> = std::iter::repeat_with(slowest).take(RUNS).collect();
    assert!(times.iter().any(|time| *time < AT_ONCE), "{paths:?} took {times:?} ms");
    assert_eq!(look(), before, "{paths:?}");
}

/// The duration of the slowest of the last calls, in milliseconds: each failed, and the log has the times.
fn slowest(project: &Project, calls: usize) -> f64 {
    let log = project.wherefore(&["log", "--format", "json"]).lines();
    let failed = log.iter().rev().filter(|event| event["type"] == "tool_error");
    let times: Vec<f64> = failed.take(calls).map(|event| event["duration_ms"].as_f64().unwrap()).collect();
    assert_eq!(times.len(), calls, "an end each");
    times.into_iter().fold(0.0, f64::max)
}

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[test]
fn a_fifo_is_left_alone() {
    let project = Project::new(&[("plain.txt", "a\n")]);
    fifo(&project.path("pipe"));
    symlink("pipe", project.path("link")).unwrap();
    refused(&project, &["pipe", "link", "pipe/below", "./pipe"]);
    // With somebody at both ends, what is in it stays in it.
    let mut options = std::fs::OpenOptions::new();
    let mut ends =
        options.read(true).write(true).custom_flags(nonblock()).open(project.path("pipe")).unwrap();
    ends.write_all(b"for somebody else").unwrap();
    refused(&project, &["pipe", "link"]);
    let mut left = [0; 64];
    let length = ends.read(&mut left).unwrap();
    assert_eq!(&left[..length], b"for somebody else");
}

fn nonblock() -> i32 {
    i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap()
}

#[test]
fn a_socket_is_left_alone() {
    let project = Project::new(&[("plain.txt", "a\n")]);
    let listener = UnixListener::bind(project.path("socket")).unwrap();
    listener.set_nonblocking(true).unwrap();
    refused(&project, &["socket", "socket/below"]);
    assert!(listener.accept().is_err(), "nobody connected");
}

#[test]
fn devices_are_left_alone() {
    if !is_root() {
        return skipped("devices: only root can make them");
    }
    let project = Project::new(&[("plain.txt", "a\n")]);
    for (name, kind, minor) in
        [("zero", "c", "5"), ("full", "c", "7"), ("random", "c", "9"), ("loop", "b", "0")]
    {
        let major = if kind == "c" { "1" } else { "7" };
        let made = Command::new("mknod").arg(project.path(name)).args([kind, major, minor]).output().unwrap();
        if !made.status.success() {
            return skipped("devices: mknod is not permitted");
        }
    }
    refused(&project, &["zero", "full", "random", "loop", "zero/below"]);
}

#[test]
fn links_out_of_the_project_lead_nowhere() {
    let project = Project::new(&[("plain.txt", "a\n")]);
    let targets = [
        ("zero", "/dev/zero"),
        ("me", "/proc/self/environ"),
        ("slash", "/proc/self/root/etc/passwd"),
        ("input", "/dev/stdin"),
        ("descriptor", "/proc/self/fd/0"),
        ("here", "/proc/self/cwd/plain.txt"),
        ("up", "../../../../etc/passwd"),
        ("gone", "/nowhere/at/all"),
        ("circle", "circle"),
        ("root", "/"),
    ];
    targets.iter().for_each(|(name, target)| symlink(target, project.path(name)).unwrap());
    let names: Vec<&str> = targets.iter().map(|(name, _)| *name).collect();
    refused(&project, &names);
    refused(&project, &["root/etc/passwd", "circle/a", "gone/a", "slash/a"]);
}

#[test]
fn odd_files_among_others_hold_up_no_walk() {
    let project =
        Project::new(&[("plain.txt", "needle\n"), ("src/a.txt", "needle\n"), ("odd/a.txt", "needle\n")]);
    fifo(&project.path("src/pipe"));
    let _listener = UnixListener::bind(project.path("src/socket")).unwrap();
    symlink("/dev/zero", project.path("src/zero")).unwrap();
    let search = |scope: &str| ("search.lexical", json!({ "query": "needle", "scope": scope, "context": 0 }));
    let copy = ("fs.copy", json!({ "src": "src", "dst": "copy" }));
    let answers = project.batch(&[search("."), ("fs.ls", json!({ "path": "src" })), copy]);
    assert_eq!(answers[0]["result"].as_array().map(Vec::len), Some(3), "{}", answers[0]);
    assert_eq!(answers[1]["result"].as_array().map(Vec::len), Some(4), "{}", answers[1]);
    assert_eq!(answers[2]["result"]["status"], "applied", "{}", answers[2]);
    let copied: Vec<String> = tree(&project.path("copy")).into_iter().map(|entry| entry.0).collect();
    assert_eq!(copied, ["a.txt"]);
    // A walk opens ignore files by itself.
    fifo(&project.path("odd/.gitignore"));
    symlink("/dev/zero", project.path("src/.ignore")).unwrap();
    let answers = project.batch(&[search("odd"), search("src"), search("."), search("plain.txt")]);
    for answer in &answers[..3] {
        assert_eq!(answer["error"]["code"], "UNSUPPORTED", "{answer}");
    }
    assert_eq!(answers[3]["status"], "ok", "{}", answers[3]);
}

#[test]
fn odd_files_in_our_own_folder_hang_nothing() {
    let project = Project::new(&[("plain.txt", "a\n")]);
    project.is_well("the first call");
    let places = ["tools/x.yaml", "hot.yml"].map(|name| project.path(&format!(".wherefore/{name}")));
    let kept = ["proposals/p-1.json", "checkpoints/s/c-1.json"].map(|name| project.kept().join(name));
    for path in places.into_iter().chain(kept) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        fifo(&path);
    }
    project.is_well("FIFOs in our folder");
    assert_eq!(project.wherefore(&["undo"]).code(), Some(0), "the last call's change is taken back");
    std::fs::remove_file(project.kept().join("lock")).unwrap();
    fifo(&project.kept().join("lock"));
    let ran = project.call("fs.write", &json!({ "path": "plain.txt", "content": "b\n" }));
    assert!(ran.took < PROMPT, "{ran:?}");
    // Settings that cannot be read make every rule the strictest; they are named, and not waited for.
    fifo(&project.path(".wherefore/config.toml"));
    let ran = project.call("fs.read", &json!({ "path": "plain.txt" }));
    assert!(ran.took < PROMPT && ran.json().to_string().contains(".wherefore/config.toml"), "{ran:?}");
}
