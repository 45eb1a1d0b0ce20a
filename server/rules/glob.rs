//! Lists of globs that match a path or a folder above it.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use globset::{Glob, GlobBuilder};

use super::fold::{fold_text, path_spellings};
use super::glob_sets::{GlobSets, JoinedGlobs};
use crate::base::hidden::escape_hidden;

/// Bytes of the longest glob that is compiled. No path is longer.
const LONGEST: usize = 4096;
/// Bytes of the globs of one list that are compiled.
const MOST: usize = 256 << 10;
/// Characters of a glob in a message.
const SHOWN_CHARS: usize = 80;

/// A path in every spelling, with each folder above it.
pub(super) struct PathSpellings {
    pub(super) texts: Vec<String>,
    /// The numbers of the globs that match any of them, of those that it was first held against.
    pub(super) matching: OnceCell<(Arc<JoinedGlobs>, Vec<usize>)>,
}

impl PathSpellings {
    pub(super) fn of_path(path: &str) -> Self {
        let mut all = Vec::new();
        for spelling in path_spellings(path) {
            all.extend(spelling.match_indices('/').map(|(at, _)| spelling[..at].to_owned()));
            all.push(spelling);
        }
        Self::of_texts(all)
    }

    fn of_texts(texts: Vec<String>) -> Self {
        Self { texts, matching: OnceCell::new() }
    }

    /// The path and each folder above it, each spelling by itself.
    pub(super) fn each_alone(&self) -> impl Iterator<Item = Self> {
        self.texts.iter().map(|path| Self::of_texts(vec![path.clone()]))
    }

    /// Returns whether the path is, in some spelling, this one or below it; that one is folded.
    pub(super) fn is_below(&self, folded: &str) -> bool {
        self.texts.iter().any(|path| path == folded)
    }

    /// The path alone, with no folder above it.
    pub(super) fn without_folders(path: &str) -> Self {
        Self::of_texts(path_spellings(path))
    }
}

/// The paths that an invalid glob may have been intended for, judged by its beginning: it replaces a glob that cannot
/// be compiled.
#[derive(Clone, Debug)]
struct WideGlob {
    start: String,
    from_root: bool,
}

impl WideGlob {
    fn from_glob(glob: &str) -> Self {
        let (path, from_root) = split_rooted(glob);
        let start = path.split(['*', '?', '[', ']', '{', '}', '\\', '!']).next().unwrap_or_default();
        Self { start: fold_text(start), from_root }
    }

    fn is_match(&self, path: &str) -> bool {
        let part = if self.from_root { path } else { path.rsplit('/').next().unwrap_or(path) };
        part.starts_with(&self.start)
    }

    /// The paths, as the end of a sentence.
    fn describe_paths(&self) -> String {
        match (self.start.is_empty(), self.from_root) {
            (true, _) => "every path".to_owned(),
            (false, true) => format!("every path that begins with `{}`", clip_glob(&self.start)),
            (false, false) => {
                format!("every file and folder whose name begins with `{}`", clip_glob(&self.start))
            }
        }
    }
}

/// The globs of one list of one party, in the order in which they were written.
///
/// Invariant: a glob that cannot be compiled matches more than it could have been intended for, never less.
#[derive(Clone, Debug, Default)]
pub(super) struct PathGlobs {
    /// The globs that can be compiled, each with its number in the list.
    valid: Vec<(usize, Glob)>,
    /// The globs that they are compiled with, and the number that the first of this list has there.
    joined: Arc<JoinedGlobs>,
    first: usize,
    wide: Vec<(usize, WideGlob)>,
    written: Vec<String>,
}

/// The globs of a list that is not compiled yet.
struct ParsedGlobs {
    list: PathGlobs,
    /// The glob that stands in for each.
    wide: Vec<WideGlob>,
    refused: Vec<(usize, String)>,
}

impl ParsedGlobs {
    /// Parses the globs of the list called `list`. An empty one goes to `problems`.
    fn parse<'a>(list: &str, globs: impl IntoIterator<Item = &'a str>, problems: &mut Vec<String>) -> Self {
        let (mut all, mut bytes) = (PathGlobs::default(), 0);
        let (mut refused, mut wide) = (Vec::new(), Vec::new());
        for glob in globs {
            if glob.trim().is_empty() {
                problems.push(format!(
                    "a glob of {list} is empty: take it out, or write the path that it is for"
                ));
                continue;
            }
            let number = all.written.len();
            all.written.push(clip_glob(glob));
            wide.push(WideGlob::from_glob(glob));
            bytes += glob.len();
            match compile_glob(glob) {
                Ok(matcher) if bytes <= MOST => all.valid.push((number, matcher)),
                Ok(_) => refused.push((number, format!("{list} holds more than {MOST} bytes"))),
                Err(why) => refused.push((number, why)),
            }
        }
        Self { list: all, wide, refused }
    }

    /// Returns the list, with wide globs in place of those that were refused; `problems` gets them.
    fn into_list(mut self, list: &str, problems: &mut Vec<String>) -> PathGlobs {
        self.refused.sort();
        for (number, why) in self.refused {
            let (Some(wide), Some(written)) = (self.wide.get(number), self.list.written.get(number)) else {
                continue;
            };
            let (why, stands_for) = (clip_glob(&why), wide.describe_paths());
            problems.push(format!(
                "the glob `{written}` of {list} cannot be compiled ({why}): it stands for {stands_for} until it is mended"
            ));
            self.list.wide.push((number, wide.clone()));
        }
        self.list
    }
}

impl PathGlobs {
    /// Compiles the globs of the list called `list`. What is wrong with one goes to `problems`.
    pub(super) fn new<'a>(
        list: &str,
        globs: impl IntoIterator<Item = &'a str>,
        problems: &mut Vec<String>,
    ) -> Self {
        let mut parsed = ParsedGlobs::parse(list, globs, problems);
        let (sets, mut too_large) = GlobSets::new(&parsed.list.valid);
        too_large.sort();
        for (at, why) in too_large.into_iter().rev() {
            let (number, _) = parsed.list.valid.remove(at);
            parsed.refused.push((number, why));
        }
        parsed.list.joined = Arc::new(JoinedGlobs::from_sets(sets));
        parsed.into_list(list, problems)
    }

    /// A list of globs that open a path: what cannot be compiled opens nothing.
    pub(super) fn opening_list<'a>(
        list: &str,
        globs: impl IntoIterator<Item = &'a str>,
        problems: &mut Vec<String>,
    ) -> Self {
        let mut told = Vec::new();
        let mut all = Self::new(list, globs, &mut told);
        all.wide.clear();
        let opens_nothing = |problem: String| match problem.split_once(": it stands for") {
            Some((wrong, _)) => format!("{wrong}: it opens nothing until it is mended"),
            None => problem,
        };
        problems.extend(told.into_iter().map(opens_nothing));
        all
    }

    /// Returns whether no glob is in the list.
    pub(super) fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    /// Returns a built-in list, which is compiled when a path is first held against it: each glob matches at any depth.
    pub(super) fn at_any_depth(globs: &[&str], problems: &mut Vec<String>) -> Self {
        const LIST: &str = "the built-in rules";
        let anywhere: Vec<String> = globs.iter().map(|glob| format!("**/{glob}")).collect();
        let parsed = ParsedGlobs::parse(LIST, anywhere.iter().map(String::as_str), problems);
        let mut all = parsed.into_list(LIST, problems);
        all.written.iter_mut().for_each(|glob| *glob = glob.trim_start_matches("**/").to_owned());
        Self::join_lists([&mut all]);
        all
    }

    /// Has the globs of these lists compiled together, each of them once.
    pub(super) fn join_lists<const N: usize>(lists: [&mut Self; N]) {
        let mut globs = Vec::new();
        let mut first = 0;
        let firsts = lists.each_ref().map(|list| {
            let of_list = first;
            globs.extend(list.valid.iter().map(|(number, glob)| (of_list + number, glob.clone())));
            first += list.written.len();
            of_list
        });
        let joined = Arc::new(JoinedGlobs::new(globs));
        for (list, first) in lists.into_iter().zip(firsts) {
            (list.joined, list.first) = (joined.clone(), first);
        }
    }

    /// Returns whether each glob of the list, and of those that it is compiled with, can be compiled.
    #[cfg(test)]
    pub(super) fn is_compiled_whole(&self) -> bool {
        self.wide.is_empty() && self.joined.are_all_compiled()
    }

    /// The numbers of this list's globs among those that they are compiled with.
    fn range(&self) -> Range<usize> {
        self.first..self.first + self.written.len()
    }

    /// Returns whether a glob of the list matches this text.
    fn is_match(&self, text: &str) -> bool {
        self.is_valid_match(text) || self.wide.iter().any(|(_, wide)| wide.is_match(text))
    }

    /// Returns the same of the globs that can be compiled.
    fn is_valid_match(&self, text: &str) -> bool {
        let range = self.range();
        self.joined.sets().matching_globs(text).any(|number| range.contains(&number))
    }

    /// Returns whether `others` hold each spelling of the path that this list holds. A folder above it that this list
    /// holds never yields.
    pub(super) fn yields_to(&self, others: &Self, path: &PathSpellings) -> bool {
        let is_folder = |text: &str| {
            path.texts.iter().any(|other| other.strip_prefix(text).is_some_and(|rest| rest.starts_with('/')))
        };
        path.texts
            .iter()
            .filter(|text| self.is_match(text))
            .all(|text| others.is_valid_match(text) && !is_folder(text))
    }

    /// The first glob that matches the path or a folder above it.
    pub(super) fn first_match(&self, path: &PathSpellings) -> Option<&str> {
        let range = self.range();
        let matching = self.joined.numbers_of_path(path);
        let compiled =
            matching.iter().filter(|number| range.contains(number)).map(|number| number - self.first);
        let wide = path.texts.iter().flat_map(|path| {
            self.wide.iter().filter(move |(_, wide)| wide.is_match(path)).map(|(number, _)| *number)
        });
        self.written.get(compiled.chain(wide).min()?).map(String::as_str)
    }
}

/// Everything that any of some lists matches: most paths are not in it.
#[derive(Clone, Debug)]
pub(super) struct GlobUnion {
    /// The globs of the built-in lists, and the numbers of those lists among them; none where they are all.
    joined: Arc<JoinedGlobs>,
    ranges: Vec<Range<usize>>,
    /// The globs of the other lists.
    sets: GlobSets,
    wide: Vec<WideGlob>,
}

impl GlobUnion {
    /// Returns the union of built-in lists, which are compiled together, and of others.
    pub(super) fn of_lists<'a, const N: usize>(
        built_in: [&PathGlobs; N],
        others: impl IntoIterator<Item = &'a PathGlobs>,
    ) -> Self {
        let joined = built_in.first().map(|list| list.joined.clone()).unwrap_or_default();
        let are_all = built_in.iter().map(|list| list.valid.len()).sum::<usize>() == joined.count();
        let ranges = built_in.iter().filter(|_| !are_all).map(|list| list.range()).collect();
        let mut valid = Vec::new();
        let mut wide: Vec<WideGlob> =
            built_in.iter().flat_map(|list| list.wide.iter().map(|(_, wide)| wide.clone())).collect();
        for list in others {
            valid.extend(list.valid.iter().cloned());
            wide.extend(list.wide.iter().map(|(_, wide)| wide.clone()));
        }
        let (sets, refused) = GlobSets::new(&valid);
        wide.extend(refused.into_iter().map(|(at, _)| WideGlob::from_glob(valid[at].1.glob())));
        Self { joined, ranges, sets, wide }
    }

    pub(super) fn contains_path(&self, path: &PathSpellings) -> bool {
        path.texts.iter().any(|text| {
            self.is_built_in(text)
                || self.sets.is_match(text)
                || self.wide.iter().any(|wide| wide.is_match(text))
        })
    }

    fn is_built_in(&self, text: &str) -> bool {
        let is_in = |number| self.ranges.iter().any(|range| range.contains(&number));
        match self.ranges.is_empty() {
            true => self.joined.sets().is_match(text),
            false => self.joined.sets().matching_globs(text).any(is_in),
        }
    }
}

/// Returns the path part of a glob, and whether it starts at the root. As in `.gitignore`, a glob with no `/` but at
/// its end matches at any depth.
fn split_rooted(glob: &str) -> (&str, bool) {
    let path = glob.trim_start_matches("./").trim_end_matches('/');
    let folder = path.strip_suffix("/**").filter(|stem| !stem.is_empty()).unwrap_or(path);
    match folder.strip_prefix('/') {
        Some(from_root) => (from_root, true),
        None => (folder, path.contains('/')),
    }
}

/// Compiles a glob over paths relative to the root. A folder matches everything below it, so `a/b` and `a/b/**` are the
/// same. It is folded in the way of paths: case-insensitive matching would prevent globset's fast paths.
fn compile_glob(glob: &str) -> Result<Glob, String> {
    if glob.len() > LONGEST {
        return Err(format!("it is {} bytes long, more than {LONGEST}", glob.len()));
    }
    let full = match split_rooted(glob) {
        (path, true) => path.to_owned(),
        (path, false) => format!("**/{path}"),
    };
    GlobBuilder::new(&fold_text(&full))
        .literal_separator(true)
        .build()
        .map_err(|error| error.kind().to_string())
}

/// A text as a message shows it.
pub(super) fn clip_glob(text: &str) -> String {
    let short: String = text.chars().take(SHOWN_CHARS).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("{}{more}", escape_hidden(&short))
}
