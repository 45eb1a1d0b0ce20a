//! Searches of an agent's own tools: one whose result would show lines of a closed file is left.
//!
//! # Invariants
//!
//! - No search of an agent's own tool shows lines of a file that the rules close.
//!   Test: `a_search_that_reaches_closed_lines_is_refused_however_it_names_the_file`

mod globs;

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use regex::bytes::{Regex, RegexBuilder};
use tokio_util::sync::CancellationToken;

use self::globs::{NameReach, SearchedNames};
use super::{NativeCall, agent_paths};
use crate::base::{WorkspacePath, run_blocking};
use crate::execution::IgnoredPaths;
use crate::hooks::{NativeAct, NativeAnswer, NativeVerdict, outcome_text};
use crate::session::CallScope;

/// Closed files that are looked into, and their bytes: an agent waits for it. A search over more is left.
const MOST: usize = 2_000;
const BYTES: u64 = 64 << 20;
/// Files that hold what is searched for and are ignored by git, of which git is asked whether it has them all the same.
const MOST_LEFT_OUT: usize = 20;

/// The content of closed files that a search would show.
enum SearchExposure {
    /// Lines of this file.
    Lines(WorkspacePath),
    /// Perhaps lines of this file: the pattern is one of another engine's.
    Perhaps(WorkspacePath),
    /// The answer cannot be given in time: too much is closed.
    Unknown,
}

/// The number of files and bytes that were searched.
#[derive(Default)]
struct SearchBounds {
    files: usize,
    bytes: u64,
}

impl SearchBounds {
    /// Counts a file, and returns whether that is within the bounds.
    fn take_file(&mut self, length: u64) -> bool {
        (self.files, self.bytes) = (self.files + 1, self.bytes.saturating_add(length));
        self.files <= MOST && self.bytes <= BYTES
    }
}

/// A search, as the agent's tool does it.
struct NativeSearch {
    pattern: SearchPattern,
    /// The file or folder that is searched.
    at: WorkspacePath,
    /// The files that are searched, by their names.
    names: SearchedNames,
    /// True where the tool leaves out what git ignores.
    leaves_out: bool,
}

/// The pattern of the search.
enum SearchPattern {
    Known(Regex),
    /// A pattern of another engine, with the plain text that it may contain.
    Foreign(Regex),
}

impl SearchPattern {
    /// Agents' tools differ in whether capitals count, and whether a match may span lines: here the widest counts. None for
    /// what is too large for any engine.
    fn new(pattern: &str) -> Option<Self> {
        let build =
            |pattern: &str| RegexBuilder::new(pattern).case_insensitive(true).multi_line(true).build();
        match build(pattern) {
            Ok(regex) => Some(Self::Known(regex)),
            Err(_) => build(&regex::escape(pattern)).ok().map(Self::Foreign),
        }
    }

    fn exposure_in(&self, path: &WorkspacePath, text: &[u8]) -> Option<SearchExposure> {
        match self {
            Self::Known(regex) | Self::Foreign(regex) if regex.is_match(text) => {
                Some(SearchExposure::Lines(path.clone()))
            }
            Self::Known(_) => None,
            Self::Foreign(_) => Some(SearchExposure::Perhaps(path.clone())),
        }
    }
}

impl NativeCall<'_> {
    /// A search is held to the rules for its folder as a read is, and for what it would find in closed files.
    pub(super) async fn answer_search(&self) -> NativeAnswer {
        let params = self.params;
        let NativeAct::Search { pattern, path, files } = &params.act else { return NativeAnswer::default() };
        let asked = path.as_deref().unwrap_or(".");
        let answer = self.answer_read(&[asked.to_owned()]).await;
        let Some(at) = self.searched_place(asked) else { return answer };
        if answer.verdict == NativeVerdict::Leave {
            return answer;
        }
        let Some(pattern) = SearchPattern::new(pattern) else {
            return NativeAnswer::new(NativeVerdict::Leave, outcome_text::closed_lines_text(None));
        };
        let bases = [self.folder.root(), params.cwd.as_deref().unwrap_or(self.folder.root())];
        let names = SearchedNames::for_search(self.folder.root(), &bases, &at, files.as_deref());
        let leaves_out = leaves_out_what_git_ignores(Path::new(self.folder.root()));
        let search = NativeSearch { pattern, at, names, leaves_out };
        let mut left_out = Vec::new();
        let shown = run_blocking(|| self.search_exposure(&search, &mut left_out));
        let words = match self.or_tracked(shown, left_out).await {
            None => return answer,
            Some(SearchExposure::Lines(path)) => outcome_text::closed_lines_text(Some(&path)),
            Some(SearchExposure::Perhaps(path)) => outcome_text::maybe_closed_lines_text(&path),
            Some(SearchExposure::Unknown) => outcome_text::closed_lines_text(None),
        };
        NativeAnswer::new(NativeVerdict::Leave, words)
    }

    /// The place that a search looks at, where its link leads; none outside of the folder.
    fn searched_place(&self, asked: &str) -> Option<WorkspacePath> {
        let at = agent_paths::path_inside(self.folder.root(), self.params.cwd.as_deref(), asked)?;
        let files = self.folder.session().files().unasked_files();
        Some(files.paths().root().resolve_path(&at).unwrap_or(at))
    }

    /// Returns the exposure of the search, or that of left-out files that git tracks: git searches a file of its index
    /// though it ignores the file's name.
    async fn or_tracked(
        &self,
        shown: Option<SearchExposure>,
        left_out: Vec<(WorkspacePath, SearchExposure)>,
    ) -> Option<SearchExposure> {
        if shown.is_some() || left_out.is_empty() {
            return shown;
        }
        let scope =
            CallScope::new(self.folder.session().clone(), &self.origin, CancellationToken::default(), None);
        for (path, shown) in left_out {
            if self.folder.executor().is_tracked(&scope, &path).await {
                return Some(shown);
            }
        }
        None
    }

    /// Searches the closed files and returns the first exposure. Those found in files that the tool leaves out are
    /// collected.
    fn search_exposure(
        &self,
        search: &NativeSearch,
        left_out: &mut Vec<(WorkspacePath, SearchExposure)>,
    ) -> Option<SearchExposure> {
        let files = self.folder.session().files().unasked_files();
        // A workspace that cannot be listed shows the agent nothing either.
        let closed = self.folder.executor().closures().closed_paths(&files).ok()?;
        let mut ignored = IgnoredPaths::at_root(self.folder.root());
        let (mut bounds, mut aside) = (SearchBounds::default(), SearchBounds::default());
        for place in closed.iter().flat_map(|place| files_in(place)) {
            let Some(Ok(path)) = place.to_str().map(|place| WorkspacePath::parse(self.folder.root(), place))
            else {
                continue;
            };
            let reach = match path == search.at {
                true => NameReach::Named,
                false if path.is_in(&search.at) => search.names.reach_of(&path),
                false => NameReach::Out,
            };
            if reach == NameReach::Out {
                continue;
            }
            // A glob that names a file has it searched whether git ignores it or not.
            let is_left_out = reach == NameReach::Among
                && search.leaves_out
                && is_left_out(&mut ignored, &path, &search.at);
            let length = std::fs::symlink_metadata(&place).map_or(0, |meta| meta.len());
            let bounds = if is_left_out { &mut aside } else { &mut bounds };
            if !bounds.take_file(length) {
                match is_left_out {
                    true => continue,
                    false => return Some(SearchExposure::Unknown),
                }
            }
            // The agent's tool cannot read a file that this process cannot read.
            let text = std::fs::read(&place).ok();
            let Some(shown) = text.and_then(|text| search.pattern.exposure_in(&path, &text)) else {
                continue;
            };
            match is_left_out {
                true if left_out.len() < MOST_LEFT_OUT => left_out.push((path, shown)),
                true => {}
                false => return Some(shown),
            }
        }
        None
    }
}

/// Returns whether git ignores a file by a rule for it, or for a folder above it that is beneath the one that is
/// searched: what is named to a tool is searched even where git ignores it.
fn is_left_out(ignored: &mut IgnoredPaths, path: &WorkspacePath, at: &WorkspacePath) -> bool {
    let mut level = Some(path.clone());
    while let Some(one) = level.filter(|one| one != at && !one.is_root()) {
        if ignored.has_own_rule(&one, one != *path) {
            return true;
        }
        level = one.parent();
    }
    false
}

/// Returns whether searches in a folder leave out ignored paths: they do in a repository, unless an ignore file of
/// their own exists.
fn leaves_out_what_git_ignores(root: &Path) -> bool {
    let is_repository = root.ancestors().any(|folder| folder.join(".git").exists());
    is_repository && ![".ignore", ".rgignore"].iter().any(|name| root.join(name).exists())
}

/// The file itself, or the files of the folder.
fn files_in(place: &Path) -> impl Iterator<Item = PathBuf> {
    let all = WalkBuilder::new(place).standard_filters(false).build().flatten();
    all.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())).map(|entry| entry.into_path())
}
