//! Lists of globs that match a path or a folder above it.

use globset::{Glob, GlobBuilder, GlobSet};

use super::fold::{fold, spellings};

/// A path in every spelling, with each folder above it.
pub(super) struct Candidates(Vec<String>);

impl Candidates {
    pub(super) fn of(path: &str) -> Self {
        let mut all = Vec::new();
        for spelling in spellings(path) {
            all.extend(spelling.match_indices('/').map(|(at, _)| spelling[..at].to_owned()));
            all.push(spelling);
        }
        Self(all)
    }

    /// Whether one of them is in the set.
    pub(super) fn any_in(&self, set: &GlobSet) -> bool {
        self.0.iter().any(|path| set.is_match(path))
    }
}

/// Globs in the order they were written.
#[derive(Clone, Debug, Default)]
pub(super) struct Globs {
    set: GlobSet,
    compiled: Vec<Glob>,
    written: Vec<String>,
}

impl Globs {
    /// Compiles what can be; each glob that cannot goes to `problems`.
    pub(super) fn new<'a>(globs: impl IntoIterator<Item = &'a str>, problems: &mut Vec<String>) -> Self {
        let mut compiled = Vec::new();
        let mut written = Vec::new();
        for glob in globs {
            if glob.trim().is_empty() {
                problems.push("a rule is empty".to_owned());
                continue;
            }
            match compile(glob) {
                Ok(matcher) => {
                    compiled.push(matcher);
                    written.push(glob.to_owned());
                }
                Err(error) => problems.push(format!("the rule `{glob}` is not a glob: {error}")),
            }
        }
        match GlobSet::new(&compiled) {
            Ok(set) => Self { set, compiled, written },
            Err(error) => {
                problems.push(format!("the rules cannot be compiled: {error}"));
                Self::default()
            }
        }
    }

    /// The built-in lists: each glob stands at any depth.
    pub(super) fn anywhere(globs: &[&str], problems: &mut Vec<String>) -> Self {
        let anywhere: Vec<String> = globs.iter().map(|glob| format!("**/{glob}")).collect();
        let mut globs_at = Self::new(anywhere.iter().map(String::as_str), problems);
        globs_at.written.iter_mut().for_each(|glob| *glob = glob.trim_start_matches("**/").to_owned());
        globs_at
    }

    /// Everything that any of these match, as one set; nothing where that is too large to be compiled.
    pub(super) fn union<'a>(lists: impl IntoIterator<Item = &'a Self>) -> Option<GlobSet> {
        GlobSet::new(lists.into_iter().flat_map(|globs| &globs.compiled)).ok()
    }

    /// The first glob that matches the path or a folder above it.
    pub(super) fn first(&self, path: &Candidates) -> Option<&str> {
        // Most paths match nothing, and that is quicker to know than what matches.
        let hits = path.0.iter().filter(|path| self.set.is_match(path));
        let hit = hits.filter_map(|path| self.set.matches(path).into_iter().min()).min()?;
        self.written.get(hit).map(String::as_str)
    }
}

/// A glob over paths relative to the root. As in `.gitignore`, one with no `/` but at its end stands at any
/// depth; a folder stands for all below it, so `a/b` and `a/b/**` say the same. It is folded as paths are: asking globset to disregard case would take
/// its fast ways from it.
fn compile(glob: &str) -> Result<Glob, globset::Error> {
    let path = glob.trim_start_matches("./").trim_end_matches('/');
    let folder = path.strip_suffix("/**").filter(|stem| !stem.is_empty()).unwrap_or(path);
    let full = match folder.strip_prefix('/') {
        Some(from_root) => from_root.to_owned(),
        None if path.contains('/') => folder.to_owned(),
        None => format!("**/{folder}"),
    };
    GlobBuilder::new(&fold(&full)).literal_separator(true).build()
}
