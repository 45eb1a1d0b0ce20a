//! Globs that are compiled together.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use globset::{Glob, GlobBuilder, GlobSet};

use super::glob::PathSpellings;

/// Globs that are compiled together. A set that is too large is halved until each half can be compiled.
#[derive(Clone, Debug, Default)]
pub(super) struct GlobSets {
    parts: Vec<(GlobSet, Vec<usize>)>,
}

impl GlobSets {
    /// Compiles `globs`, each with its number; gives the places in `globs` of those that cannot be compiled, and why.
    pub(super) fn new(globs: &[(usize, Glob)]) -> (Self, Vec<(usize, String)>) {
        let (mut sets, mut refused) = (Self::default(), Vec::new());
        let mut ranges: Vec<Range<usize>> = std::iter::once(0..globs.len()).collect();
        while let Some(range) = ranges.pop().filter(|range| !range.is_empty()) {
            let part = &globs[range.clone()];
            match GlobSet::new(part.iter().map(|(_, glob)| glob)) {
                Ok(set) => sets.parts.push((set, part.iter().map(|(number, _)| *number).collect())),
                Err(error) if part.len() == 1 => refused.push((range.start, error.kind().to_string())),
                Err(_) => {
                    let middle = range.start + part.len() / 2;
                    ranges.extend([middle..range.end, range.start..middle]);
                }
            }
        }
        (sets, refused)
    }

    /// The numbers of the globs that match, in no order.
    pub(super) fn matching_globs(&self, text: &str) -> impl Iterator<Item = usize> {
        // Most texts match nothing, and that is quicker to know than which globs match.
        let hit = self.parts.iter().filter(move |(set, _)| set.is_match(text));
        hit.flat_map(move |(set, numbers)| {
            set.matches(text).into_iter().filter_map(|at| numbers.get(at).copied())
        })
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.parts.iter().any(|(set, _)| set.is_match(text))
    }
}

/// The globs of one list or of several, compiled when a path is first held against them.
#[derive(Debug, Default)]
pub(super) struct JoinedGlobs {
    /// Each with its number.
    globs: Vec<(usize, Glob)>,
    sets: OnceLock<GlobSets>,
}

impl JoinedGlobs {
    /// Returns globs that are compiled later, each with its number.
    pub(super) fn new(globs: Vec<(usize, Glob)>) -> Self {
        Self { globs, sets: OnceLock::new() }
    }

    /// Returns globs that are compiled already.
    pub(super) fn from_sets(sets: GlobSets) -> Self {
        Self { globs: Vec::new(), sets: OnceLock::from(sets) }
    }

    /// The number of globs that are compiled later.
    pub(super) fn count(&self) -> usize {
        self.globs.len()
    }

    /// Returns whether each of them can be compiled.
    #[cfg(test)]
    pub(super) fn are_all_compiled(&self) -> bool {
        self.sets().parts.iter().map(|(_, numbers)| numbers.len()).sum::<usize>() == self.globs.len()
    }

    /// Returns the compiled globs. Of those that are compiled this late each one can be: they are built-in.
    pub(super) fn sets(&self) -> &GlobSets {
        self.sets.get_or_init(|| {
            let among_others = |(number, glob): &(usize, Glob)| {
                (*number, among_others(glob).unwrap_or_else(|| glob.clone()))
            };
            GlobSets::new(&self.globs.iter().map(among_others).collect::<Vec<_>>()).0
        })
    }

    /// The numbers of the globs that match a path or a folder above it. They are looked for once for a path.
    pub(super) fn numbers_of_path<'p>(self: &Arc<Self>, path: &'p PathSpellings) -> Cow<'p, [usize]> {
        let find = || path.texts.iter().flat_map(|text| self.sets().matching_globs(text)).collect();
        let (globs, numbers) = path.matching.get_or_init(|| (self.clone(), find()));
        match Arc::ptr_eq(globs, self) {
            true => Cow::Borrowed(numbers),
            false => Cow::Owned(find()),
        }
    }
}

/// Returns a glob that matches the same and is compiled with the others. One with a wildcard and an extension at its end
/// would be compiled by itself, which takes longer than all others together.
fn among_others(glob: &Glob) -> Option<Glob> {
    let text = glob.glob();
    let path = text.strip_prefix("**/").unwrap_or(text);
    let (stem, extension) = path.rsplit_once('.')?;
    let is_plain = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if stem == "*" || !stem.contains(['*', '?', '[', '{']) || text.contains('\\') || !is_plain(extension) {
        return None;
    }
    let (start, last) = text.split_at_checked(text.len() - 1)?;
    GlobBuilder::new(&format!("{start}[{last}]")).literal_separator(true).build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_among_others_matches_what_it_matches_alone() {
        let build = |text: &str| GlobBuilder::new(text).literal_separator(true).build().unwrap();
        let names =
            ["a.el", "x.el", "a/x.el", "ab.el", "x.elc", "x.e", "a.el/x", "b/a.txt.el", ".el", "c1.el"];
        for text in ["**/a*.el", "**/?.el", "a/*.el", "**/{a,b}/*.el", "**/c[0-9].el", "**/*.txt.el"] {
            let (alone, other) = (build(text), among_others(&build(text)).expect(text));
            let matching = |glob: &Glob| -> Vec<&str> {
                let matcher = glob.compile_matcher();
                names.into_iter().filter(|name| matcher.is_match(name)).collect()
            };
            assert!(!matching(&alone).is_empty(), "{text}");
            assert_eq!(matching(&alone), matching(&other), "{text}");
        }
        for text in ["**/*.el", "**/a.el", "**/a*", "**/a.{el,py}", "**/\\*.el"] {
            assert!(among_others(&build(text)).is_none(), "{text}");
        }
    }
}
