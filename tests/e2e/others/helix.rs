//! Helix, by keys.

use std::fs;

use super::{Hands, forty_lines, review, snippet};
use crate::support::terminal::{Terminal, installed};

struct Helix(Terminal);

impl Hands for Helix {
    fn terminal(&self) -> &Terminal {
        &self.0
    }

    fn hints(&self, screen: &str) -> usize {
        screen.lines().filter(|line| line.starts_with('●')).count()
    }

    fn next_hint(&self) {
        self.0.keys(&["]", "d"]);
        self.0.sees("wherefore: ");
    }

    fn hover(&self, expected: &str) {
        self.0.keys(&["Space", "k"]);
        self.0.sees(expected);
        self.0.keys(&["Escape"]);
        self.0.shows("no hover", |screen| !screen.contains(expected));
    }

    fn act(&self, title: &str) {
        self.0.keys(&["Space", "a"]);
        let screen = self.0.sees(title);
        let titles: Vec<&str> =
            screen.lines().filter(|line| line.contains("Accept ") || line.contains("Reject ")).collect();
        let at = titles.iter().position(|line| line.contains(title)).unwrap();
        for _ in 0..at {
            self.0.keys(&["Down"]);
        }
        self.0.keys(&["Enter"]);
        self.0.shows("no menu", |screen| !screen.contains("Reject the whole proposal"));
    }

    fn open(&self, path: &str) {
        self.command(&format!("open {path}"));
        self.0.shows("the file", |screen| status(screen).contains(path));
    }

    fn undo(&self) {
        self.0.keys(&["u"]);
    }

    fn redo(&self) {
        self.0.keys(&["U"]);
    }

    fn write_line(&self, text: &str) {
        self.0.keys(&["g", "e", "o"]);
        self.0.types(text);
        self.0.keys(&["Escape"]);
        self.0.shows("the new line", |screen| screen.contains(text) && status(screen).contains("NOR"));
        self.0.keys(&["g", "g"]);
    }

    fn save(&self) {
        self.command("write");
        self.0.sees("written");
        self.0.shows("a saved file", |screen| !status(screen).contains("[+]"));
    }

    fn restart(&self, _: bool) {
        self.command("lsp-restart");
    }
}

impl Helix {
    fn command(&self, command: &str) {
        self.0.keys(&[":"]);
        self.0.types(command);
        self.0.sees(&format!(":{command}"));
        self.0.keys(&["Enter"]);
    }
}

/// The line with the mode and the file.
fn status(screen: &str) -> &str {
    screen
        .lines()
        .find(|line| [" NOR ", " INS ", " SEL "].iter().any(|mode| line.starts_with(mode)))
        .unwrap_or("")
}

#[test]
fn helix() {
    let Some(program) = installed("helix", "hx") else { return };
    let folder = forty_lines();
    let settings = folder.path().join("home/.config/helix");
    fs::create_dir_all(&settings).unwrap();
    fs::write(settings.join("languages.toml"), snippet("Helix", 0)).unwrap();
    fs::write(settings.join("config.toml"), snippet("Helix", 1)).unwrap();
    review(folder.path(), &Helix(Terminal::run(folder.path(), &program, &["a.txt"])));
}
