//! Alternative readings of a diff: corrections of errors that its writer, or its transport, applied to every line.
//!
//! The file decides: a reading counts only if more of its lines match the file, to the byte, than of the lines as
//! written, and none stops to match.

mod doubling;
mod entities;
mod escapes;
mod numbering;
mod prefix;
mod whole;

use std::borrow::Cow;

use serde::Serialize;

use super::MatchLevel;
use super::hunk::{DiffHunk, DiffLine, LineTag};
use super::index::LineIndex;
use super::text::IndexedText;

pub(super) use doubling::is_suspect;
pub(super) use whole::unwrap_diff;

/// A correction that was applied to read a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HunkReading {
    /// Context lines have lost the space before them.
    PrefixLost,
    /// Each line begins with its number.
    LineNumbers,
    /// The signs before the lines are there twice.
    DoubledPrefix,
    /// `<`, `>`, `&` and quotes are written as HTML entities.
    Entities,
    /// Quotes and backslashes have a backslash before them.
    Escapes,
}

impl HunkReading {
    /// A description of the correction for a person.
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::PrefixLost => "context lines had lost their prefix",
            Self::LineNumbers => "line numbers were left out",
            Self::DoubledPrefix => "prefixes were doubled",
            Self::Entities => "HTML entities were read as characters",
            Self::Escapes => "backslash escapes were undone",
        }
    }
}

/// The hunks as the file verifies them, and the corrections in each.
pub(super) fn read_hunks<'d>(
    hunks: &[DiffHunk<'d>],
    text: &IndexedText,
) -> (Vec<DiffHunk<'d>>, Vec<Vec<HunkReading>>) {
    let index = text.index(MatchLevel::Exact);
    let mut read = hunks.to_vec();
    let mut undone = vec![Vec::new(); hunks.len()];
    let stands = |hunk: &DiffHunk| !index.find_run(&hunk.old_lines()).is_empty();
    if hunks.iter().all(|hunk| stands(hunk) && !is_suspect(hunk)) {
        return (read, undone);
    }
    type Undo = for<'d> fn(&DiffHunk<'d>, &LineIndex) -> Option<DiffHunk<'d>>;
    let readings: [(HunkReading, Undo); 7] = [
        (HunkReading::LineNumbers, numbering::undo_numbering),
        (HunkReading::DoubledPrefix, doubling::undo_doubling),
        (HunkReading::DoubledPrefix, doubling::undo_all),
        (HunkReading::Entities, entities::undo_entities),
        (HunkReading::Escapes, escapes::undo_escapes),
        (HunkReading::Escapes, escapes::undo_quotes),
        (HunkReading::PrefixLost, prefix::undo_prefix_loss),
    ];
    for (reading, undo) in readings {
        let other: Vec<Option<DiffHunk<'d>>> = read.iter().map(|hunk| undo(hunk, index)).collect();
        let gain = |(was, now): (&DiffHunk, &Option<DiffHunk>)| {
            now.as_ref().map_or(Some(0), |now| lines_gained(was, now, index))
        };
        let gains: Option<usize> = read.iter().zip(&other).map(gain).sum();
        if gains.is_none_or(|gains| gains == 0) {
            continue;
        }
        for ((hunk, undone), other) in read.iter_mut().zip(&mut undone).zip(other) {
            if let Some(other) = other {
                *hunk = other;
                undone.push(reading);
            }
        }
    }
    doubling::undo_unverified(&mut read, &mut undone, text);
    (read, undone)
}

/// The number of additional lines of a hunk that match the file; none if one does not match any more.
fn lines_gained(was: &DiffHunk, now: &DiffHunk, index: &LineIndex) -> Option<usize> {
    let mut gained = 0;
    for (was, now) in was.lines.iter().zip(&now.lines) {
        if was.tag == LineTag::Add && now.tag == LineTag::Add
            || was.text() == now.text() && was.tag == now.tag
        {
            continue;
        }
        match (was.tag != LineTag::Add && index.has_line(was.text()), index.has_line(now.text())) {
            (true, false) => return None,
            (false, true) => gained += 1,
            _ => {}
        }
    }
    Some(gained)
}

/// A hunk with the text of each line changed, if any is.
fn change_lines<'d>(
    hunk: &DiffHunk<'d>,
    change: impl Fn(&DiffLine<'d>) -> Option<String>,
) -> Option<DiffHunk<'d>> {
    let mut changed = false;
    let mut other = hunk.clone();
    for line in &mut other.lines {
        if let Some(text) = change(line) {
            line.raw = Cow::Owned(text);
            changed = true;
        }
    }
    changed.then_some(other)
}
