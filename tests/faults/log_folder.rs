//! Our folder, or the whole workspace, goes away under a server: calls go on without a restart.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::support::{BINARY, Project, with_why};

/// A process that stays and takes one call after the other.
struct Staying {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Staying {
    fn new(project: &Project) -> Self {
        let mut command = project.command(BINARY);
        command.current_dir("/").args(["call", "--batch", "--root"]).arg(project.root());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let line = json!({ "tool": tool, "arguments": with_why(arguments) });
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{answer:?}"))
    }

    fn ok(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.call(tool, arguments);
        assert_eq!(answer["status"], "ok", "{answer}");
        answer
    }

    fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// The ids of the calls in the log, once it was verified.
fn ids(project: &Project, at: &str) -> Vec<String> {
    let verified = project.wherefore(&["log", "verify"]);
    assert_eq!(verified.code(), Some(0), "{at}: {verified:?}");
    let shown = project.wherefore(&["log", "--format", "json"]).lines();
    let calls = shown.into_iter().filter(|event| event["type"] == "tool_call");
    calls.map(|event| event["call_id"].as_str().unwrap().to_owned()).collect()
}

fn after(what: &str, act: impl Fn(&Project)) {
    let project = Project::new(&[("a.txt", "a\n"), ("b/c.txt", "c\n")]);
    let mut staying = Staying::new(&project);
    staying.ok("fs.write", &json!({ "path": "a.txt", "content": "first\n" }));
    staying.ok("fs.read", &json!({ "path": "a.txt" }));
    act(&project);
    let written = staying.ok("fs.write", &json!({ "path": "new.txt", "content": "second\n" }));
    assert!(written["warnings"].to_string().contains("log"), "{what}: it is told: {written}");
    assert_eq!(project.text("new.txt").as_deref(), Some("second\n"), "{what}");
    let found = staying.ok("search.lexical", &json!({ "query": "second" }));
    assert!(found["result"].to_string().contains("new.txt"), "{what}: {found}");
    let listed = staying.ok("fs.ls", &json!({ "path": "." }));
    assert!(
        listed["warnings"].is_null() || listed["warnings"] == json!([]),
        "{what}: it is told once: {listed}"
    );
    staying.end();
    let ids = ids(&project, what);
    for answer in [&written, &found, &listed] {
        assert!(ids.iter().any(|id| answer["call_id"] == id.as_str()), "{what}: {ids:?}");
    }
    project.is_well(what);
}

fn remove(project: &Project, path: &str) {
    std::fs::remove_dir_all(project.path(path)).unwrap();
}

#[test]
fn our_folder_is_removed() {
    after("rm -r .wherefore", |project| remove(project, ".wherefore"));
    after("rm -r .wherefore/sessions", |project| remove(project, ".wherefore/sessions"));
    after("git clean -fdx", |project| {
        remove(project, ".wherefore");
        remove(project, "b");
    });
}

#[test]
fn the_root_is_removed_and_made_anew() {
    after("a clone in its place", |project| {
        // The server may make a file of its own in it meanwhile.
        assert!((0..100).any(|_| std::fs::remove_dir_all(project.root()).is_ok()), "the root stays");
        std::fs::create_dir(project.root()).unwrap();
        project.put("a.txt", "cloned\n");
    });
    after("another folder in its place", |project| {
        std::fs::rename(project.root(), project.beside("old")).unwrap();
        std::fs::create_dir(project.root()).unwrap();
    });
}

#[test]
fn the_root_is_renamed_away_and_back() {
    let project = Project::new(&[("a.txt", "a\n")]);
    let mut staying = Staying::new(&project);
    let first = staying.ok("fs.read", &json!({ "path": "a.txt" }));
    std::fs::rename(project.root(), project.beside("aside")).unwrap();
    // An opened folder stays in use while no other takes its place.
    let while_away = staying.ok("fs.write", &json!({ "path": "a.txt", "content": "away\n" }));
    std::fs::rename(project.beside("aside"), project.root()).unwrap();
    let back = staying.ok("fs.write", &json!({ "path": "a.txt", "content": "back\n" }));
    staying.end();
    assert_eq!(project.text("a.txt").as_deref(), Some("back\n"));
    let ids = ids(&project, "renamed away and back");
    for answer in [first, while_away, back] {
        assert!(ids.iter().any(|id| answer["call_id"] == id.as_str()), "{ids:?}");
    }
}

#[test]
fn a_root_that_is_gone_is_said_and_calls_go_on_once_it_is_back() {
    let project = Project::new(&[("a.txt", "a\n")]);
    let mut staying = Staying::new(&project);
    staying.ok("fs.read", &json!({ "path": "a.txt" }));
    std::fs::remove_dir_all(project.root()).unwrap();
    let answer = staying.call("fs.write", &json!({ "path": "a.txt", "content": "x\n" }));
    assert_eq!(answer["error"]["code"], "NOT_FOUND", "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("was removed"), "{answer}");
    std::fs::create_dir(project.root()).unwrap();
    // The text that the caller read is gone: the caller learns that once.
    let answer = staying.call("fs.write", &json!({ "path": "a.txt", "content": "x\n" }));
    assert_eq!(answer["error"]["code"], "STALE", "{answer}");
    staying.ok("fs.write", &json!({ "path": "a.txt", "content": "x\n" }));
    staying.end();
    ids(&project, "removed and put back");
}

#[test]
fn no_link_takes_the_place_of_the_root() {
    let project = Project::new(&[("a.txt", "a\n")]);
    let mut staying = Staying::new(&project);
    staying.ok("fs.read", &json!({ "path": "a.txt" }));
    std::fs::create_dir(project.beside("other")).unwrap();
    std::fs::rename(project.root(), project.beside("aside")).unwrap();
    std::os::unix::fs::symlink(project.beside("other"), project.root()).unwrap();
    staying.ok("fs.write", &json!({ "path": "a.txt", "content": "mine\n" }));
    staying.end();
    assert_eq!(std::fs::read_to_string(project.beside("aside/a.txt")).unwrap(), "mine\n");
    assert_eq!(std::fs::read_dir(project.beside("other")).unwrap().count(), 0);
}
