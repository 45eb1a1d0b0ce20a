//! A folder swapped with a link to outside, thousands of times, while calls go through it: nothing gets out or in.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat, renameat_with};
use serde_json::{Value, json};

use crate::support::{Project, tree, with_why};

/// Swaps that must have happened while calls ran.
const SWAPS: usize = 3000;
/// Calls of one process.
const CALLS: usize = 480;
/// Processes one after the other, at most: a busy machine swaps seldom.
const PROCESSES: usize = 50;

/// The content of files outside only.
const SECRET: &str = "TOPSECRET";

fn calls() -> Vec<u8> {
    let turn = |at: usize| -> (&str, Value) {
        match at % 12 {
            0 | 3 | 6 | 9 => ("fs.read", json!({ "path": "dir/file.txt" })),
            1 => ("fs.write", json!({ "path": "dir/file.txt", "content": format!("inside {at}\n") })),
            2 => ("fs.write", json!({ "path": format!("dir/new-{at}.txt"), "content": "new\n" })),
            4 => ("fs.append", json!({ "path": "dir/sub/deep.txt", "text": "more\n" })),
            5 => ("fs.ls", json!({ "path": "dir" })),
            7 => ("search.lexical", json!({ "query": "SECRET|inside", "scope": "dir" })),
            8 => ("fs.copy", json!({ "src": "dir/sub", "dst": format!("copy-{at}") })),
            10 => ("fs.copy", json!({ "src": "plain.txt", "dst": format!("dir/copied-{at}.txt") })),
            _ => ("fs.mkdir", json!({ "path": format!("dir/made-{at}/below") })),
        }
    };
    let line = |at| {
        let (tool, arguments) = turn(at);
        format!("{}\n", json!({ "tool": tool, "arguments": with_why(&arguments) }))
    };
    (0..CALLS).map(line).collect::<String>().into_bytes()
}

#[test]
fn nothing_leaks_through_a_swapped_folder() {
    let project = Project::new(&[
        ("plain.txt", "inside\n"),
        ("dir/file.txt", "inside\n"),
        ("dir/sub/deep.txt", "inside\n"),
    ]);
    let outside = project.beside("outside");
    std::fs::create_dir_all(outside.join("sub")).unwrap();
    for name in ["file.txt", "sub/deep.txt", "TOPSECRET-name.txt"] {
        std::fs::write(outside.join(name), format!("{SECRET} {name}\n")).unwrap();
    }
    let before = tree(&outside);
    std::os::unix::fs::symlink(&outside, project.path("link")).unwrap();
    let (swaps, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let answers: Vec<Value> = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                swap(&project);
                swaps.fetch_add(1, Ordering::Relaxed);
                std::thread::yield_now();
            }
        });
        let _end = End(&over);
        let mut answers = Vec::new();
        for _ in 0..PROCESSES {
            answers.extend(project.batch_of(&calls()).lines());
            if swaps.load(Ordering::Relaxed) >= SWAPS {
                break;
            }
        }
        answers
    });
    assert!(swaps.into_inner() >= SWAPS, "too few swaps");
    let count = answers.len();
    assert!(count >= CALLS && count.is_multiple_of(CALLS), "an answer each: {count}");
    let leaks: Vec<&Value> = answers.iter().filter(|answer| answer.to_string().contains(SECRET)).collect();
    assert!(leaks.is_empty(), "{} of {count} answers leak, the first: {}", leaks.len(), leaks[0]);
    assert_eq!(tree(&outside), before, "what lies outside is as it was");
    let ok = answers.iter().filter(|answer| answer["status"] == "ok").count();
    assert!(ok > count / 10, "only {ok} calls got through");
    for (path, _, content) in tree(&project.root()) {
        let leaked = content.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
        assert!(!leaked, "{path} holds what lies outside");
    }
}

/// Ends the swapping, also where a call fails its test.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Exchanges the folder and the link, or moves them about where the file system cannot.
fn swap(project: &Project) {
    let (dir, link, aside) = (project.path("dir"), project.path("link"), project.path("aside"));
    if renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE).is_err() {
        renameat(CWD, &dir, CWD, &aside).unwrap();
        renameat(CWD, &link, CWD, &dir).unwrap();
        renameat(CWD, &aside, CWD, &link).unwrap();
    }
}
