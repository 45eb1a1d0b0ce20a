//! Lists of globs that match a path or a folder above it.

use std::ops::Range;

use globset::{Glob, GlobBuilder, GlobSet};

use super::fold::{fold_text, path_spellings};
use crate::base::hidden::escape_hidden;

/// Bytes of the longest glob that is compiled. No path is longer.
const LONGEST: usize = 4096;
/// Bytes of the globs of one list that are compiled.
const MOST: usize = 256 << 10;
/// Characters of a glob in a message.
const SHOWN_CHARS: usize = 80;

/// A path in every spelling, with each folder above it.
pub(super) struct PathSpellings(Vec<String>);

impl PathSpellings {
    pub(super) fn of_path(path: &str) -> Self {
        let mut all = Vec::new();
        for spelling in path_spellings(path) {
            all.extend(spelling.match_indices('/').map(|(at, _)| spelling[..at].to_owned()));
            all.push(spelling);
        }
        Self(all)
    }

    /// The path and each folder above it, each spelling by itself.
    pub(super) fn each_alone(&self) -> impl Iterator<Item = Self> {
        self.0.iter().map(|path| Self(vec![path.clone()]))
    }

    /// Returns whether the path is, in some spelling, this one or below it; that one is folded.
    pub(super) fn is_below(&self, folded: &str) -> bool {
        self.0.iter().any(|path| path == folded)
    }

    /// The path alone, with no folder above it.
    pub(super) fn without_folders(path: &str) -> Self {
        Self(path_spellings(path))
    }
}

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

    fn is_match(&self, text: &str) -> bool {
        self.parts.iter().any(|(set, _)| set.is_match(text))
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
    sets: GlobSets,
    compiled: Vec<(usize, Glob)>,
    wide: Vec<(usize, WideGlob)>,
    written: Vec<String>,
}

impl PathGlobs {
    /// Compiles the globs of the list called `list`. What is wrong with one goes to `problems`.
    pub(super) fn new<'a>(
        list: &str,
        globs: impl IntoIterator<Item = &'a str>,
        problems: &mut Vec<String>,
    ) -> Self {
        let (mut all, mut bytes) = (Self::default(), 0);
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
                Ok(matcher) if bytes <= MOST => all.compiled.push((number, matcher)),
                Ok(_) => refused.push((number, format!("{list} holds more than {MOST} bytes"))),
                Err(why) => refused.push((number, why)),
            }
        }
        let (sets, mut too_large) = GlobSets::new(&all.compiled);
        all.sets = sets;
        too_large.sort();
        for (at, why) in too_large.into_iter().rev() {
            let (number, _) = all.compiled.remove(at);
            refused.push((number, why));
        }
        refused.sort();
        for (number, why) in refused {
            let (Some(wide), Some(written)) = (wide.get(number), all.written.get(number)) else { continue };
            let (why, stands_for) = (clip_glob(&why), wide.describe_paths());
            problems.push(format!(
                "the glob `{written}` of {list} cannot be compiled ({why}): it stands for {stands_for} until it is mended"
            ));
            all.wide.push((number, wide.clone()));
        }
        all
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

    /// Returns the built-in lists: each glob matches at any depth.
    pub(super) fn at_any_depth(globs: &[&str], problems: &mut Vec<String>) -> Self {
        let anywhere: Vec<String> = globs.iter().map(|glob| format!("**/{glob}")).collect();
        let mut all = Self::new("the built-in rules", anywhere.iter().map(String::as_str), problems);
        all.written.iter_mut().for_each(|glob| *glob = glob.trim_start_matches("**/").to_owned());
        all
    }

    /// Returns whether `others` hold each spelling of the path that this list holds. A folder above it that this list
    /// holds never yields.
    pub(super) fn yields_to(&self, others: &Self, path: &PathSpellings) -> bool {
        let is_folder = |text: &str| {
            path.0.iter().any(|other| other.strip_prefix(text).is_some_and(|rest| rest.starts_with('/')))
        };
        let is_held = |text: &&String| {
            self.sets.is_match(text) || self.wide.iter().any(|(_, wide)| wide.is_match(text))
        };
        path.0.iter().filter(is_held).all(|text| others.sets.is_match(text) && !is_folder(text))
    }

    /// The first glob that matches the path or a folder above it.
    pub(super) fn first_match(&self, path: &PathSpellings) -> Option<&str> {
        let compiled = path.0.iter().flat_map(|path| self.sets.matching_globs(path));
        let wide = path.0.iter().flat_map(|path| {
            self.wide.iter().filter(move |(_, wide)| wide.is_match(path)).map(|(number, _)| *number)
        });
        self.written.get(compiled.chain(wide).min()?).map(String::as_str)
    }
}

/// Everything that any list matches: most paths are not in it.
#[derive(Clone, Debug, Default)]
pub(super) struct GlobUnion {
    sets: GlobSets,
    wide: Vec<WideGlob>,
}

impl GlobUnion {
    pub(super) fn of_lists<'a>(lists: impl IntoIterator<Item = &'a PathGlobs>) -> Self {
        let (mut compiled, mut wide) = (Vec::new(), Vec::new());
        for list in lists {
            compiled.extend(list.compiled.iter().cloned());
            wide.extend(list.wide.iter().map(|(_, wide)| wide.clone()));
        }
        let (sets, refused) = GlobSets::new(&compiled);
        wide.extend(refused.into_iter().map(|(at, _)| WideGlob::from_glob(compiled[at].1.glob())));
        Self { sets, wide }
    }

    pub(super) fn contains_path(&self, path: &PathSpellings) -> bool {
        path.0.iter().any(|path| self.sets.is_match(path) || self.wide.iter().any(|wide| wide.is_match(path)))
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
