//! The folders that a script may be in, and where a word's path lies as seen from them.

use crate::command::ShellCommand;
use crate::place::{HOLE, Place, Zone, joined, normal};
use crate::word::{Word, WordKind};

/// Folders that are followed.
const MOST: usize = 12;

/// The folders that a script may be in: where it starts, and where it went since.
#[derive(Clone, Debug)]
pub(crate) struct Folders {
    place: Place,
    all: Vec<String>,
}

impl Folders {
    pub(crate) fn new(place: &Place) -> Self {
        Self { all: vec![place.cwd.clone()], place: place.clone() }
    }

    /// Goes where a command goes.
    pub(crate) fn follow(&mut self, command: &ShellCommand) {
        let mut words = command.arguments().iter().filter(|word| !word.is_option());
        let to = match command.program() {
            Some("cd" | "pushd") => {
                words.next().cloned().unwrap_or_else(|| Word::known(self.place.home.clone()))
            }
            _ => return,
        };
        for path in to.texts().flat_map(|text| self.absolute(text)).collect::<Vec<_>>() {
            if !self.all.contains(&path) {
                match self.all.len() < MOST {
                    true => self.all.push(path),
                    false => self.all.push(HOLE.to_string()),
                }
            }
        }
    }

    /// The absolute paths that a text may name.
    pub(crate) fn absolute(&self, text: &str) -> Vec<String> {
        if text.starts_with(HOLE) {
            return vec![text.to_owned()];
        }
        if text.starts_with('/') {
            return vec![normal(text)];
        }
        let seen_from = |cwd: &String| normal(&joined(cwd, text));
        self.all.iter().map(seen_from).collect()
    }

    /// Where the paths lie that a word's text may name.
    pub(crate) fn zones(&self, word: &Word, text: &str) -> Vec<Zone> {
        let quoted = word.kind == WordKind::Known;
        self.absolute(text).iter().map(|path| self.zone(path, quoted)).collect()
    }

    fn zone(&self, path: &str, quoted: bool) -> Zone {
        match quoted && path.contains(['*', '?']) {
            // A star between quotes is a name like any other.
            true => self.place.zone(&path.replace(['*', '?'], "x")),
            false => self.place.zone(path),
        }
    }

    /// Whether a text names the home folder, or everything in it.
    pub(crate) fn is_home(&self, _: &Word, text: &str) -> bool {
        let home = &self.place.home;
        self.absolute(text).iter().any(|path| {
            path.strip_prefix(home.as_str()).is_some_and(|rest| matches!(rest, "" | "/*" | "/.*" | "/.[!.]*"))
        })
    }

    /// The path, seen from the workspace, where it lies in it.
    pub(crate) fn is_below(&self, text: &str, folder: &str) -> bool {
        let folder = normal(&joined(&self.place.root, folder));
        self.absolute(text).iter().all(|path| crate::place::is_below(path, &folder))
    }
}
