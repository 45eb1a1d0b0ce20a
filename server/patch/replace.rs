//! Find and replace on the engine: lines to find are sought at the same levels as those of a hunk.

use std::borrow::Cow;

use regex::Regex;

use super::edit::{EditResult, edit_section};
use super::explain;
use super::hunk::{DiffHunk, DiffLine, FileSection, HeaderRange, LineTag};
use super::lines::split_lines;
use super::place::HunkSide;
use super::text::{IndexedText, RUNS};
use super::{AppliedDiff, AppliedKind, PatchRefusal};

/// The number of places that a text must have to be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedPlaces {
    /// A single occurrence.
    One,
    /// All occurrences, but not none.
    All,
    /// Exactly this number of occurrences.
    Exactly(usize),
}

/// Replaces the occurrences of a text. It is first sought to the letter, as lines or a part of one; if there is no
/// such occurrence, its lines are sought at the looser levels of [`apply_diff`](super::apply_diff).
///
/// # Errors
/// A [`PatchRefusal`] if there is no occurrence, or another number than `places` allows.
pub fn replace_text(
    path: &str,
    before: &str,
    find: &str,
    with: &str,
    places: ExpectedPlaces,
) -> Result<AppliedDiff, PatchRefusal> {
    if find.is_empty() {
        return Err(explain::nothing_sought(path));
    }
    if count_places(path, before, before.match_indices(find).map(|(at, _)| at), places)? > 0 {
        return Ok(applied_edit(
            before,
            EditResult { after: Some(before.replace(find, with)), hunks: Vec::new() },
        ));
    }
    let text = IndexedText::new(before);
    let hunk = as_hunk(find, with);
    let found = RUNS.into_iter().find_map(|level| text.find_side(&hunk, HunkSide::Old, level));
    let (found, wanted) = (found.map_or_else(Vec::new, |found| found.places.to_vec()), places);
    let hunks = match found.as_slice() {
        // The engine may still align it, or report the nearest text.
        [] => vec![hunk],
        places => {
            check_count(path, places.len(), places.to_vec(), wanted)?;
            let at = |place: &usize| {
                let stated =
                    HeaderRange { old_start: place + 1, old_len: 1, new_start: place + 1, new_len: 1 };
                DiffHunk { stated: Some(stated), ..hunk.clone() }
            };
            places.iter().map(at).collect()
        }
    };
    edit_section(path, &FileSection { hunks, ..FileSection::default() }, before)
        .map(|edited| applied_edit(before, edited))
}

/// Replaces the matches of a pattern; `$1` in `with` is replaced by its first group.
///
/// # Errors
/// A [`PatchRefusal`] if it matches nowhere, or another number of times than `places` allows.
pub fn replace_matches(
    path: &str,
    before: &str,
    pattern: &Regex,
    with: &str,
    places: ExpectedPlaces,
) -> Result<AppliedDiff, PatchRefusal> {
    if count_places(path, before, pattern.find_iter(before).map(|found| found.start()), places)? == 0 {
        return Err(explain::no_match(path, before));
    }
    let after = pattern.replace_all(before, with).into_owned();
    Ok(applied_edit(before, EditResult { after: Some(after), hunks: Vec::new() }))
}

/// Counts the places of a text; refuses another number than expected, except none. A short text may occur millions of
/// times, so only the first places are kept, for a refusal to name.
fn count_places(
    path: &str,
    text: &str,
    mut places: impl Iterator<Item = usize>,
    wanted: ExpectedPlaces,
) -> Result<usize, PatchRefusal> {
    let first: Vec<usize> = places.by_ref().take(explain::PLACES + 1).collect();
    let found = first.len() + places.count();
    if found > 0 {
        let line = |at: &usize| memchr::memchr_iter(b'\n', &text.as_bytes()[..*at]).count();
        check_count(path, found, first.iter().map(line).collect(), wanted)?;
    }
    Ok(found)
}

/// Refuses another number of places than is wanted.
fn check_count(
    path: &str,
    found: usize,
    lines: Vec<usize>,
    wanted: ExpectedPlaces,
) -> Result<(), PatchRefusal> {
    let expected = match wanted {
        ExpectedPlaces::One => 1,
        ExpectedPlaces::All => found,
        ExpectedPlaces::Exactly(expected) => expected,
    };
    if found == expected { Ok(()) } else { Err(explain::other_count(path, found, expected, &lines)) }
}

/// The lines to find and those to put in their place, as a hunk.
fn as_hunk<'t>(find: &'t str, with: &'t str) -> DiffHunk<'t> {
    let lines = |text: &'t str, tag: LineTag| {
        split_lines(text).into_iter().map(move |line| {
            let whole = line.strip_suffix('\n').unwrap_or(line);
            DiffLine { tag, raw: Cow::Borrowed(whole), whole, unended: false }
        })
    };
    DiffHunk {
        lines: lines(find, LineTag::Remove).chain(lines(with, LineTag::Add)).collect(),
        ..DiffHunk::default()
    }
}

fn applied_edit(before: &str, edited: EditResult) -> AppliedDiff {
    let after = edited.after.unwrap_or_else(|| before.to_owned());
    AppliedDiff {
        unchanged: after == before,
        after: Some(after),
        kind: AppliedKind::Edit,
        hunks: edited.hunks,
        others: Vec::new(),
        notes: Vec::new(),
    }
}
