//! A workspace with a home and a runtime folder of its own, and what runs there.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::turn::Turn;

/// The longest time that a server may take to end after its last client.
const FAREWELL: Duration = Duration::from_secs(40);

/// The folders `work`, `home` and `run`.
pub(crate) struct Place {
    root: PathBuf,
    _folder: Option<TempDir>,
    _turn: Arc<Turn>,
}

impl Place {
    /// In a temporary folder, with these files in the workspace.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::below(&std::env::temp_dir(), files)
    }

    /// In a folder below another one.
    pub(crate) fn below(folder: &Path, files: &[(&str, &str)]) -> Self {
        let turn = Turn::await_free();
        let folder = tempfile::tempdir_in(folder).unwrap();
        let place = Self { root: folder.path().to_owned(), _folder: Some(folder), _turn: turn };
        for name in ["work", "home", "run"] {
            std::fs::create_dir(place.root.join(name)).unwrap();
        }
        for (path, text) in files {
            std::fs::write(place.work().join(path), text).unwrap();
        }
        place
    }

    /// Makes the workspace a repository.
    pub(crate) fn make_repository(&self) {
        let made = std::process::Command::new("git").args(["init", "-q"]).arg(self.work()).status().unwrap();
        assert!(made.success());
    }

    /// The place of a test editor that runs already.
    pub(crate) fn of_editor(folder: &Path) -> Self {
        Self { root: folder.to_owned(), _folder: None, _turn: Turn::await_free() }
    }

    /// The workspace.
    pub(crate) fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// A folder next to it, made if it is missing: for example an agent's home.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        let path = self.root.join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// The text of a file of the workspace.
    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.work().join(path)).unwrap()
    }

    /// Writes the person's settings.
    pub(crate) fn settings(&self, text: &str) {
        let folder = self.beside("home/.config/wherefore");
        std::fs::write(folder.join("config.toml"), text).unwrap();
    }

    /// The environment variables of the server and its clients for this place.
    pub(crate) fn env(&self) -> [(&'static str, String); 2] {
        [("HOME", self.beside("home")), ("XDG_RUNTIME_DIR", self.beside("run"))]
            .map(|(name, path)| (name, path.display().to_string()))
    }

    /// Our program, here, with nothing else of this machine's environment.
    pub(crate) fn wherefore(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
        command.current_dir(self.work()).env_clear().envs(self.env());
        command
    }

    /// Runs our program to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.wherefore().args(args).output().unwrap()
    }

    /// The JSON output of wherefore.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let output = self.run(args);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}: {output:?}"))
    }

    /// The running servers, by what they say of themselves in the runtime folder.
    pub(crate) fn servers(&self) -> Vec<Value> {
        let entries = std::fs::read_dir(self.root.join("run/wherefore")).into_iter().flatten().flatten();
        let files = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "json"));
        files.filter_map(|path| serde_json::from_slice(&std::fs::read(path).ok()?).ok()).collect()
    }

    /// Waits until a server runs here.
    pub(crate) fn is_served(&self) {
        let start = Instant::now();
        while self.servers().is_empty() {
            assert!(start.elapsed() < FAREWELL, "no server runs");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ids of the processes that know this runtime folder.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let mark = format!("XDG_RUNTIME_DIR={}", self.root.join("run").display());
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let knows = |id: &u32| {
            let variables = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            variables.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        };
        ids.filter(knows).collect()
    }

    /// Waits until nothing runs here. A server that an editor killed may have left its files for the next to sweep.
    pub(crate) fn is_quiet(&self) {
        let start = Instant::now();
        while !self.processes().is_empty() {
            assert!(start.elapsed() < FAREWELL, "left behind: {:?}", self.processes());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until no process runs here, and the runtime folder is empty.
    pub(crate) fn is_left_empty(&self) {
        let start = Instant::now();
        loop {
            let left = std::fs::read_dir(self.root.join("run/wherefore")).into_iter().flatten().flatten();
            let names: Vec<_> = left.map(|entry| entry.file_name()).collect();
            let processes = self.processes();
            if names.is_empty() && processes.is_empty() {
                return;
            }
            assert!(start.elapsed() < FAREWELL, "left behind: {names:?}, processes {processes:?}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// The events of the latest session.
    pub(crate) fn log(&self) -> Vec<Value> {
        let output = self.run(&["log", "--format", "json"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The number of calls in the log of the latest session.
    pub(crate) fn logged_calls(&self) -> usize {
        self.log().iter().filter(|event| event["type"] == "tool_call").count()
    }

    /// Waits until the log of the latest session holds a call.
    pub(crate) fn has_logged_a_call(&self) {
        let start = Instant::now();
        while self.logged_calls() == 0 {
            assert!(start.elapsed() < FAREWELL, "no call was logged");
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Ten lines of one word each, with these of them changed.
pub(crate) fn ten_lines(changed: &[usize]) -> String {
    let words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let line = |(at, word): (usize, &&str)| match changed.contains(&(at + 1)) {
        true => format!("{word} changed\n"),
        false => format!("{word}\n"),
    };
    words.iter().enumerate().map(line).collect()
}
