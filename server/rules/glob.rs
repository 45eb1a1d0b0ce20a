//! Lists of globs that match a path or a folder above it.

use std::ops::Range;

use globset::{Glob, GlobBuilder, GlobSet};

use super::fold::{fold, spellings};
use crate::base::hidden::shown;

/// Bytes of the longest glob that is compiled. No path is longer.
const LONGEST: usize = 4096;
/// Bytes of the globs of one list that are compiled.
const MOST: usize = 256 << 10;
/// Characters of a glob in a message.
const SHOWN: usize = 80;

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

    /// Whether the path is, in some spelling, this one or below it; that one is folded.
    pub(super) fn is_below(&self, folded: &str) -> bool {
        self.0.iter().any(|path| path == folded)
    }

    /// The path alone, with no folder above it.
    pub(super) fn alone(path: &str) -> Self {
        Self(spellings(path))
    }
}

/// Globs that are compiled together. A set that is too large is halved until each half can be compiled.
#[derive(Clone, Debug, Default)]
pub(super) struct Sets {
    parts: Vec<(GlobSet, Vec<usize>)>,
}

impl Sets {
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
    pub(super) fn matches(&self, text: &str) -> impl Iterator<Item = usize> {
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

/// The paths that a glob may have meant, judged by how it begins: what stands for a glob that cannot be compiled.
#[derive(Clone, Debug)]
struct Wide {
    start: String,
    from_root: bool,
}

impl Wide {
    fn of(glob: &str) -> Self {
        let (path, from_root) = rooted(glob);
        let start = path.split(['*', '?', '[', ']', '{', '}', '\\', '!']).next().unwrap_or_default();
        Self { start: fold(start), from_root }
    }

    fn is_match(&self, path: &str) -> bool {
        let part = if self.from_root { path } else { path.rsplit('/').next().unwrap_or(path) };
        part.starts_with(&self.start)
    }

    /// The paths, as the end of a sentence.
    fn described(&self) -> String {
        match (self.start.is_empty(), self.from_root) {
            (true, _) => "every path".to_owned(),
            (false, true) => format!("every path that begins with `{}`", clipped(&self.start)),
            (false, false) => {
                format!("every file and folder whose name begins with `{}`", clipped(&self.start))
            }
        }
    }
}

/// The globs of one list of one party, in the order in which they were written.
///
/// Invariant: a glob that cannot be compiled matches more than it could have meant, never less.
#[derive(Clone, Debug, Default)]
pub(super) struct Globs {
    sets: Sets,
    compiled: Vec<(usize, Glob)>,
    wide: Vec<(usize, Wide)>,
    written: Vec<String>,
}

impl Globs {
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
            all.written.push(clipped(glob));
            wide.push(Wide::of(glob));
            bytes += glob.len();
            match compile(glob) {
                Ok(matcher) if bytes <= MOST => all.compiled.push((number, matcher)),
                Ok(_) => refused.push((number, format!("{list} holds more than {MOST} bytes"))),
                Err(why) => refused.push((number, why)),
            }
        }
        let (sets, mut too_large) = Sets::new(&all.compiled);
        all.sets = sets;
        too_large.sort();
        for (at, why) in too_large.into_iter().rev() {
            let (number, _) = all.compiled.remove(at);
            refused.push((number, why));
        }
        refused.sort();
        for (number, why) in refused {
            let (Some(wide), Some(written)) = (wide.get(number), all.written.get(number)) else { continue };
            let (why, stands_for) = (clipped(&why), wide.described());
            problems.push(format!(
                "the glob `{written}` of {list} cannot be compiled ({why}): it stands for {stands_for} until it is mended"
            ));
            all.wide.push((number, wide.clone()));
        }
        all
    }

    /// A list of globs that open a path: what cannot be compiled opens nothing.
    pub(super) fn opening<'a>(
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

    /// Whether no glob is in the list.
    pub(super) fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    /// The built-in lists: each glob stands at any depth.
    pub(super) fn anywhere(globs: &[&str], problems: &mut Vec<String>) -> Self {
        let anywhere: Vec<String> = globs.iter().map(|glob| format!("**/{glob}")).collect();
        let mut all = Self::new("the built-in rules", anywhere.iter().map(String::as_str), problems);
        all.written.iter_mut().for_each(|glob| *glob = glob.trim_start_matches("**/").to_owned());
        all
    }

    /// The first glob that matches the path or a folder above it.
    pub(super) fn first(&self, path: &Candidates) -> Option<&str> {
        let compiled = path.0.iter().flat_map(|path| self.sets.matches(path));
        let wide = path.0.iter().flat_map(|path| {
            self.wide.iter().filter(move |(_, wide)| wide.is_match(path)).map(|(number, _)| *number)
        });
        self.written.get(compiled.chain(wide).min()?).map(String::as_str)
    }
}

/// Everything that any list matches: most paths are not in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Union {
    sets: Sets,
    wide: Vec<Wide>,
}

impl Union {
    pub(super) fn of<'a>(lists: impl IntoIterator<Item = &'a Globs>) -> Self {
        let (mut compiled, mut wide) = (Vec::new(), Vec::new());
        for list in lists {
            compiled.extend(list.compiled.iter().cloned());
            wide.extend(list.wide.iter().map(|(_, wide)| wide.clone()));
        }
        let (sets, refused) = Sets::new(&compiled);
        wide.extend(refused.into_iter().map(|(at, _)| Wide::of(compiled[at].1.glob())));
        Self { sets, wide }
    }

    pub(super) fn holds(&self, path: &Candidates) -> bool {
        path.0.iter().any(|path| self.sets.is_match(path) || self.wide.iter().any(|wide| wide.is_match(path)))
    }
}

/// The path part of a glob, and whether it starts at the root. As in `.gitignore`, a glob with no `/` but at its end
/// stands at any depth.
fn rooted(glob: &str) -> (&str, bool) {
    let path = glob.trim_start_matches("./").trim_end_matches('/');
    let folder = path.strip_suffix("/**").filter(|stem| !stem.is_empty()).unwrap_or(path);
    match folder.strip_prefix('/') {
        Some(from_root) => (from_root, true),
        None => (folder, path.contains('/')),
    }
}

/// A glob over paths relative to the root. A folder stands for all below it, so `a/b` and `a/b/**` say the same. It is
/// folded as paths are: asking globset to disregard case would take its fast ways from it.
fn compile(glob: &str) -> Result<Glob, String> {
    if glob.len() > LONGEST {
        return Err(format!("it is {} bytes long, more than {LONGEST}", glob.len()));
    }
    let full = match rooted(glob) {
        (path, true) => path.to_owned(),
        (path, false) => format!("**/{path}"),
    };
    GlobBuilder::new(&fold(&full)).literal_separator(true).build().map_err(|error| error.kind().to_string())
}

/// A text as a message shows it.
pub(super) fn clipped(text: &str) -> String {
    let short: String = text.chars().take(SHOWN).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("{}{more}", shown(&short))
}
