//! Find and replace on the engine: lines given once are sought at the same levels as those of a hunk.

use std::borrow::Cow;

use crate::protocol::ChangeKind;

use super::edit::{Edited, edit};
use super::explain;
use super::hunk::{Hunk, Line, Section, Stated, Tag};
use super::lines::split;
use super::place::{Side, Tie};
use super::text::{RUNS, Text};
use super::{Applied, Refusal};

/// Replaces what is found in a text. It is sought to the letter first, be it lines or a part of one; where it stands
/// nowhere so, its lines are sought at the looser levels of [`apply`](super::apply). Without `all` it has to stand in
/// one place; `expected` says in how many it does.
///
/// # Errors
/// A [`Refusal`] where it stands nowhere, in several places without `all`, or in another number of them than expected.
pub fn replace(
    path: &str,
    before: &str,
    find: &str,
    with: &str,
    all: bool,
    expected: Option<usize>,
) -> Result<Applied, Refusal> {
    if find.is_empty() {
        return Err(explain::nothing_sought(path));
    }
    let line = |at: usize| before[..at].matches('\n').count();
    let literal: Vec<usize> = before.match_indices(find).map(|(at, _)| at).collect();
    if !literal.is_empty() {
        let lines = literal.iter().take(explain::PLACES + 1).map(|at| line(*at)).collect();
        counted(path, literal.len(), lines, all || expected.is_some(), expected)?;
        return Ok(applied(before, Edited { after: Some(before.replace(find, with)), hunks: Vec::new() }));
    }
    let text = Text::new(before);
    let hunk = hunk(find, with);
    let found = RUNS.into_iter().find_map(|level| text.find(&hunk, Side::Old, level));
    let places = found.map_or_else(Vec::new, |found| found.places.to_vec());
    let hunks = match places.as_slice() {
        // The engine may still align it, or says what stands nearest.
        [] => vec![hunk],
        places => {
            counted(path, places.len(), places.to_vec(), all || expected.is_some(), expected)?;
            let at = |place: &usize| {
                let stated = Stated { old_start: place + 1, old_len: 1, new_start: place + 1, new_len: 1 };
                Hunk { stated: Some(stated), ..hunk.clone() }
            };
            places.iter().map(at).collect()
        }
    };
    edit(path, &Section { hunks, ..Section::default() }, before).map(|edited| applied(before, edited))
}

/// Refuses another number of places than is wanted.
fn counted(
    path: &str,
    found: usize,
    lines: Vec<usize>,
    several: bool,
    expected: Option<usize>,
) -> Result<(), Refusal> {
    match expected {
        Some(expected) if expected != found => Err(explain::other_count(path, found, expected, &lines)),
        _ if found > 1 && !several => Err(explain::tie(path, &Tie { hunk: 0, places: lines.into() })),
        _ => Ok(()),
    }
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
        kind: ChangeKind::Edit,
        hunks: edited.hunks,
        others: Vec::new(),
        notes: Vec::new(),
    }
}
