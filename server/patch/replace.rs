//! Find and replace on the engine: lines given once are sought at the same levels as those of a hunk.

use std::borrow::Cow;

use regex::Regex;

use super::edit::{Edited, edit};
use super::explain;
use super::hunk::{Hunk, Line, Section, Stated, Tag};
use super::lines::split;
use super::place::Side;
use super::text::{RUNS, Text};
use super::{Applied, AppliedKind, Refusal};

/// In how many places a text has to stand to be replaced there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// In one.
    One,
    /// In any number but none.
    All,
    /// In as many.
    Exactly(usize),
}

/// Replaces what is found in a text. It is sought to the letter first, be it lines or a part of one; where it stands
/// nowhere so, its lines are sought at the looser levels of [`apply`](super::apply).
///
/// # Errors
/// A [`Refusal`] where it stands nowhere, or in other places than `places` says.
pub fn replace(path: &str, before: &str, find: &str, with: &str, places: Places) -> Result<Applied, Refusal> {
    if find.is_empty() {
        return Err(explain::nothing_sought(path));
    }
    if count(path, before, before.match_indices(find).map(|(at, _)| at), places)? > 0 {
        return Ok(applied(before, Edited { after: Some(before.replace(find, with)), hunks: Vec::new() }));
    }
    let text = Text::new(before);
    let hunk = hunk(find, with);
    let found = RUNS.into_iter().find_map(|level| text.find(&hunk, Side::Old, level));
    let (found, wanted) = (found.map_or_else(Vec::new, |found| found.places.to_vec()), places);
    let hunks = match found.as_slice() {
        // The engine may still align it, or says what stands nearest.
        [] => vec![hunk],
        places => {
            counted(path, places.len(), places.to_vec(), wanted)?;
            let at = |place: &usize| {
                let stated = Stated { old_start: place + 1, old_len: 1, new_start: place + 1, new_len: 1 };
                Hunk { stated: Some(stated), ..hunk.clone() }
            };
            places.iter().map(at).collect()
        }
    };
    edit(path, &Section { hunks, ..Section::default() }, before).map(|edited| applied(before, edited))
}

/// Replaces what a pattern matches; `$1` in `with` stands for what its first group did.
///
/// # Errors
/// A [`Refusal`] where it matches nowhere, or in other places than `places` says.
pub fn replace_matches(
    path: &str,
    before: &str,
    pattern: &Regex,
    with: &str,
    places: Places,
) -> Result<Applied, Refusal> {
    if count(path, before, pattern.find_iter(before).map(|found| found.start()), places)? == 0 {
        return Err(explain::no_match(path, before));
    }
    let after = pattern.replace_all(before, with).into_owned();
    Ok(applied(before, Edited { after: Some(after), hunks: Vec::new() }))
}

/// How many places of a text there are; refuses another number than is wanted, but for none. A short text may stand
/// in millions, so only the first are kept, for a refusal to name.
fn count(
    path: &str,
    text: &str,
    mut places: impl Iterator<Item = usize>,
    wanted: Places,
) -> Result<usize, Refusal> {
    let first: Vec<usize> = places.by_ref().take(explain::PLACES + 1).collect();
    let found = first.len() + places.count();
    if found > 0 {
        let line = |at: &usize| memchr::memchr_iter(b'\n', &text.as_bytes()[..*at]).count();
        counted(path, found, first.iter().map(line).collect(), wanted)?;
    }
    Ok(found)
}

/// Refuses another number of places than is wanted.
fn counted(path: &str, found: usize, lines: Vec<usize>, wanted: Places) -> Result<(), Refusal> {
    let expected = match wanted {
        Places::One => 1,
        Places::All => found,
        Places::Exactly(expected) => expected,
    };
    if found == expected { Ok(()) } else { Err(explain::other_count(path, found, expected, &lines)) }
}

/// The lines to find and those to put in their place, as a hunk.
fn hunk<'t>(find: &'t str, with: &'t str) -> Hunk<'t> {
    let lines = |text: &'t str, tag: Tag| {
        split(text).into_iter().map(move |line| {
            let whole = line.strip_suffix('\n').unwrap_or(line);
            Line { tag, raw: Cow::Borrowed(whole), whole, unended: false }
        })
    };
    Hunk { lines: lines(find, Tag::Remove).chain(lines(with, Tag::Add)).collect(), ..Hunk::default() }
}

fn applied(before: &str, edited: Edited) -> Applied {
    let after = edited.after.unwrap_or_else(|| before.to_owned());
    Applied {
        unchanged: after == before,
        after: Some(after),
        kind: AppliedKind::Edit,
        hunks: edited.hunks,
        others: Vec::new(),
        notes: Vec::new(),
    }
}
