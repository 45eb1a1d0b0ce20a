//! Emacs with eglot, by keys.

use std::fs;

use super::{Hands, forty_lines, review, snippet};
use crate::support::terminal::{Terminal, installed};

struct Emacs(Terminal);

impl Hands for Emacs {
    /// Flymake marks characters; the acts are there all the same.
    const IN_EMPTY: usize = 0;

    fn terminal(&self) -> &Terminal {
        &self.0
    }

    fn hints(&self, screen: &str) -> usize {
        let counts = screen.split_once("Flymake[").and_then(|(_, rest)| rest.split_once(']'));
        counts.and_then(|(counts, _)| counts.split(' ').nth(2)?.parse().ok()).unwrap_or(0)
    }

    fn next_hint(&self) {
        let before = line_number(&self.0.screen());
        self.0.keys(&["C-c", "n"]);
        // A message of eglot may replace the hint at the bottom.
        self.0.shows("a hint", |screen| screen.contains("wherefore: ") || line_number(screen) != before);
    }

    fn hover(&self, expected: &str) {
        self.0.keys(&["C-c", "h"]);
        self.0.sees(expected);
        self.0.keys(&["C-x", "1"]);
        self.0.shows("no hover", |screen| !screen.contains(expected));
    }

    fn act(&self, title: &str) {
        self.0.keys(&["C-c", "a"]);
        self.0.sees("Pick an action");
        self.0.types(title);
        self.0.keys(&["Tab", "Enter"]);
        self.0.shows("no question", |screen| !screen.contains("Pick an action"));
    }

    fn open(&self, path: &str) {
        self.0.keys(&["C-x", "C-f"]);
        self.0.sees("Find file: ");
        // Relative to the project, wherever the file before it is.
        self.0.types("~/../work/");
        self.0.types(path);
        self.0.keys(&["Enter"]);
        let name = path.rsplit('/').next().unwrap();
        self.0
            .shows("the file", |screen| status(screen).contains(name) && status(screen).contains("[eglot:"));
    }

    fn undo(&self) {
        self.0.keys(&["C-/"]);
    }

    fn redo(&self) {
        self.command("undo-redo");
    }

    fn write_line(&self, text: &str) {
        self.0.keys(&["M->"]);
        self.0.types(text);
        self.0.keys(&["Enter"]);
        self.0.sees(text);
        self.0.keys(&["M-<"]);
    }

    fn save(&self) {
        self.0.keys(&["C-x", "C-s"]);
        // A message of eglot may replace the message that the file was written.
        let said = |screen: &str| screen.contains("Wrote ") || screen.contains("[eglot] ");
        self.0.shows("a saved file", |screen| said(screen) && !status(screen).contains('*'));
    }

    fn restart(&self, again: bool) {
        // eglot does that by itself, but not of a server that it has seen for less than three seconds.
        if again {
            self.0.keys(&["M-:"]);
            self.0.types("(eglot-ensure)");
            self.0.keys(&["Enter"]);
        }
    }
}

impl Emacs {
    fn command(&self, command: &str) {
        self.0.keys(&["M-x"]);
        self.0.types(command);
        self.0.sees(&format!("M-x {command}"));
        self.0.keys(&["Enter"]);
    }
}

/// The line of the cursor, as the mode line has it: `L17`.
fn line_number(screen: &str) -> Option<u32> {
    status(screen).split_whitespace().find_map(|word| word.strip_prefix('L')?.parse().ok())
}

/// The mode line.
fn status(screen: &str) -> &str {
    screen.lines().find(|line| line.starts_with("-UU")).unwrap_or("")
}

#[test]
fn emacs() {
    let Some(program) = installed("emacs", "emacs") else { return };
    let folder = forty_lines();
    let settings = folder.path().join("init.el");
    fs::write(&settings, snippet("Emacs", 0)).unwrap();
    let args = ["-nw", "-Q", "-l", settings.to_str().unwrap(), "a.txt"];
    review(folder.path(), &Emacs(Terminal::run(folder.path(), &program, &args)));
}
