//! The folders that a script may be in, and the places of a path relative to them.

use crate::command::ShellCommand;
use crate::place::{CommandPlace, HOLE, PathZone, join_path, normalize_path};
use crate::word::{ShellWord, WordKind};

/// Folders that are followed.
const MOST: usize = 12;

/// The folders that a script may be in: where it starts, and where it went since.
#[derive(Clone, Debug)]
pub(crate) struct ScriptFolders {
    place: CommandPlace,
    all: Vec<String>,
}

impl ScriptFolders {
    pub(crate) fn new(place: &CommandPlace) -> Self {
        Self { all: vec![place.cwd.clone()], place: place.clone() }
    }

    /// Adds the folders that a `cd` or `pushd` may lead to; the earlier ones stay. Other commands change nothing.
    pub(crate) fn follow_folder_change(&mut self, command: &ShellCommand) {
        let mut words = command.arguments().iter().filter(|word| !word.is_option());
        let to = match command.program() {
            Some("cd" | "pushd") => {
                words.next().cloned().unwrap_or_else(|| ShellWord::from_text(self.place.home.clone()))
            }
            _ => return,
        };
        for path in to.possible_texts().flat_map(|text| self.absolute_paths(text)).collect::<Vec<_>>() {
            // Behind the bound, one entry stands for every further folder.
            let path = if self.all.len() < MOST { path } else { HOLE.to_string() };
            if !self.all.contains(&path) {
                self.all.push(path);
            }
        }
    }

    /// The folders that the script may be in, and those above each, up to the workspace.
    pub(crate) fn folders_above(&self) -> impl Iterator<Item = &str> {
        let root = self.place.root.as_str();
        self.all.iter().flat_map(move |folder| {
            std::iter::successors(Some(folder.as_str()), |at| at.rsplit_once('/').map(|(above, _)| above))
                .take_while(move |at| crate::place::is_below(at, root))
        })
    }

    /// The absolute paths that a text may name.
    pub(crate) fn absolute_paths(&self, text: &str) -> Vec<String> {
        if text.starts_with(HOLE) {
            return vec![text.to_owned()];
        }
        if text.starts_with('/') {
            return vec![normalize_path(text)];
        }
        let seen_from = |cwd: &String| normalize_path(&join_path(cwd, text));
        self.all.iter().map(seen_from).collect()
    }

    /// Returns the zones of the paths that a word's text may name.
    pub(crate) fn zones(&self, word: &ShellWord, text: &str) -> Vec<PathZone> {
        let quoted = word.kind == WordKind::Known;
        self.absolute_paths(text).iter().map(|path| self.zone(path, quoted)).collect()
    }

    fn zone(&self, path: &str, quoted: bool) -> PathZone {
        match quoted && path.contains(['*', '?']) {
            // A star between quotes is a name like any other.
            true => self.place.zone_of(&path.replace(['*', '?'], "x")),
            false => self.place.zone_of(path),
        }
    }

    /// Returns whether a text names the home folder, or everything in it.
    pub(crate) fn is_home(&self, _: &ShellWord, text: &str) -> bool {
        let home = &self.place.home;
        self.absolute_paths(text).iter().any(|path| {
            path.strip_prefix(home.as_str()).is_some_and(|rest| matches!(rest, "" | "/*" | "/.*" | "/.[!.]*"))
        })
    }

    /// The path, seen from the workspace, if it lies in it.
    pub(crate) fn is_below(&self, text: &str, folder: &str) -> bool {
        let folder = normalize_path(&join_path(&self.place.root, folder));
        self.absolute_paths(text).iter().all(|path| crate::place::is_below(path, &folder))
    }
}
