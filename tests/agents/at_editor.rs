//! A person at a real editor, who decides on hunks by keys: a script in Neovim or in VS Code.

use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::place::Place;
use crate::programs;

/// The person's reason for a rejected hunk.
pub(crate) const REASON: &str = "the middle stays";

/// A script that opens an editor on the workspace, decides by keys when all hunks wait, and leaves when its standard
/// input ends. It prints each step in a line: `open`, `asked`, `decided`.
pub(crate) struct Person {
    child: Child,
    says: Lines<BufReader<ChildStdout>>,
}

impl Person {
    /// Opens an editor. `decisions` are those on the hunks of each file, as `list.txt:aRa,notes.txt:raR`: accept, reject, and
    /// reject with the reason.
    pub(crate) fn at(mut editor: Command, place: &Place, decisions: &str) -> Self {
        let project = env!("CARGO_MANIFEST_DIR");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let given: Vec<_> =
            editor.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
        editor
            .current_dir(project)
            .arg(place.work())
            .arg(decisions)
            .env_clear()
            .env("PATH", path)
            .envs(place.env())
            .envs(given.into_iter().filter_map(|(name, value)| Some((name, value?))));
        editor.env("WHEREFORE_BIN", env!("CARGO_BIN_EXE_wherefore")).stdin(Stdio::piped());
        let mut child = editor.stdout(Stdio::piped()).spawn().unwrap();
        let says = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, says }
    }

    /// Waits until the script reports a step.
    pub(crate) fn has(&mut self, step: &str) {
        let mut said = Vec::new();
        while let Some(Ok(line)) = self.says.next() {
            if line == step {
                return;
            }
            said.push(line);
        }
        panic!("the editor ended before it was {step}:\n{}", said.join("\n"));
    }

    /// The person leaves the editor.
    pub(crate) fn leaves(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The person at Neovim; nothing where it is not installed.
pub(crate) fn neovim() -> Option<Command> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join(".e2e/nvim-0.12/nvim");
    if !program.exists() {
        programs::say("skipped: nvim-0.12 is not installed (tests/run installs it): its tests pass over");
        return None;
    }
    let mut command = Command::new(program);
    command.args(["--headless", "--clean", "-l", "editors/nvim/tests/person.lua"]);
    Some(command)
}

/// The person at VS Code; nothing but where `tests/vscode/run` has the extension ready.
pub(crate) fn vs_code() -> Option<Command> {
    if std::env::var_os("WHEREFORE_VSCODE").is_none() {
        programs::say("skipped: tests/vscode/run runs the tests in VS Code: they pass over");
        return None;
    }
    let mut command = Command::new("node");
    command.arg("tests/vscode/decides.mjs");
    Some(command)
}
