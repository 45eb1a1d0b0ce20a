//! A project in a folder of its own, and the ways to it: the command line, an agent, an editor, a terminal.
#![allow(dead_code, unused_imports)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

#[path = "../e2e/support/agent.rs"]
pub(crate) mod agent;
#[path = "../e2e/support/editor.rs"]
mod editor;
#[path = "../e2e/support/model.rs"]
mod model;
#[path = "../e2e/support/ours.rs"]
mod ours;
#[path = "../e2e/support/skip.rs"]
mod skip;
#[path = "../e2e/support/terminal.rs"]
pub(crate) mod terminal;
#[path = "../e2e/support/wire.rs"]
mod wire;

pub(crate) use editor::{Editor, Options};
pub(crate) use skip::report_skip;

/// A project below a folder that holds a home and a runtime folder too.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

/// How a command of the program ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// The one JSON value on standard output.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("no JSON ({error}): {self:?}"))
    }

    /// The JSON values on standard output, one a line.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {self:?}"));
        self.out.lines().map(parse).collect()
    }
}

impl Project {
    /// A project that holds these files, and `a.txt`, `one\ntwo\nthree\n`.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { folder: agent::place() };
        files.iter().for_each(|(path, text)| project.put(path, text));
        project
    }

    /// The folder that holds `work`, `home` and `run`.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A path in the project.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("work").join(path)
    }

    /// Writes a file of the project, with its folders.
    pub(crate) fn put(&self, path: &str, text: &str) {
        write(&self.path(path), text);
    }

    /// Writes a file below the person's home.
    pub(crate) fn put_home(&self, path: &str, text: &str) {
        write(&self.folder.path().join("home").join(path), text);
    }

    /// The text of a file of the project.
    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Runs a command of the program with nothing on its standard input.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, &[], "")
    }

    /// The same, with variables and an input.
    pub(crate) fn run_with(&self, args: &[&str], variables: &[(&str, &str)], input: &str) -> Ran {
        let mut command = agent::wherefore(self.folder.path(), args);
        command.envs(variables.iter().copied());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A command that reads nothing may be gone already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Makes one call; what it printed, an answer or a fault.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Ran {
        self.run(&["call", tool, &arguments.to_string()])
    }

    /// Makes calls in one process; an envelope each.
    pub(crate) fn batch(&self, calls: &[Value]) -> Vec<Value> {
        let lines: String = calls.iter().map(|call| format!("{call}\n")).collect();
        self.run_with(&["call", "--batch"], &[], &lines).lines()
    }

    /// The text of every session's log, oldest first.
    pub(crate) fn log(&self) -> String {
        let sessions = self.path(".wherefore/sessions");
        let mut folders: Vec<_> =
            std::fs::read_dir(sessions).unwrap().map(|entry| entry.unwrap().path()).collect();
        folders.sort();
        let texts = folders.iter().map(|folder| std::fs::read_to_string(folder.join("session-log.md")));
        texts.map(Result::unwrap).collect()
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
