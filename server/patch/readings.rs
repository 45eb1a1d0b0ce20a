//! Readings of a diff other than as written: what its writer, or what it went through, did to every line.
//!
//! The file decides: a reading counts only where more of its lines stand there, to the byte, than of the lines as
//! they are written, and none stands there no more.

mod doubled;
mod entities;
mod escapes;
mod numbered;
mod prefix;
mod whole;

use std::borrow::Cow;

use serde::Serialize;

use super::Level;
use super::hunk::{Hunk, Line, Tag};
use super::index::Index;
use super::text::Text;

pub(super) use doubled::suspect;
pub(super) use whole::whole;

/// What was undone to read a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
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

impl Reading {
    /// The same for a person.
    pub(super) fn told(self) -> &'static str {
        match self {
            Self::PrefixLost => "context lines had lost their prefix",
            Self::LineNumbers => "line numbers were left out",
            Self::DoubledPrefix => "prefixes were doubled",
            Self::Entities => "HTML entities were read as characters",
            Self::Escapes => "backslash escapes were undone",
        }
    }
}

/// The hunks as the file verifies them, and what was undone in each.
pub(super) fn read<'d>(hunks: &[Hunk<'d>], text: &Text) -> (Vec<Hunk<'d>>, Vec<Vec<Reading>>) {
    let index = text.index(Level::Exact);
    let mut read = hunks.to_vec();
    let mut undone = vec![Vec::new(); hunks.len()];
    let stands = |hunk: &Hunk| !index.find(&hunk.old()).is_empty();
    if hunks.iter().all(|hunk| stands(hunk) && !suspect(hunk)) {
        return (read, undone);
    }
    type Undo = for<'d> fn(&Hunk<'d>, &Index) -> Option<Hunk<'d>>;
    let readings: [(Reading, Undo); 7] = [
        (Reading::LineNumbers, numbered::undo),
        (Reading::DoubledPrefix, doubled::undo),
        (Reading::DoubledPrefix, doubled::undo_all),
        (Reading::Entities, entities::undo),
        (Reading::Escapes, escapes::undo),
        (Reading::Escapes, escapes::undo_quotes),
        (Reading::PrefixLost, prefix::undo),
    ];
    for (reading, undo) in readings {
        let other: Vec<Option<Hunk<'d>>> = read.iter().map(|hunk| undo(hunk, index)).collect();
        let gain =
            |(was, now): (&Hunk, &Option<Hunk>)| now.as_ref().map_or(Some(0), |now| gain(was, now, index));
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
    doubled::unverified(&mut read, &mut undone, text);
    (read, undone)
}

/// How many more lines of a hunk stand in the file; none where one stands there no more.
fn gain(was: &Hunk, now: &Hunk, index: &Index) -> Option<usize> {
    let mut gained = 0;
    for (was, now) in was.lines.iter().zip(&now.lines) {
        if was.tag == Tag::Add && now.tag == Tag::Add || was.text() == now.text() && was.tag == now.tag {
            continue;
        }
        match (was.tag != Tag::Add && index.has(was.text()), index.has(now.text())) {
            (true, false) => return None,
            (false, true) => gained += 1,
            _ => {}
        }
    }
    Some(gained)
}

/// A hunk with the text of each line changed, if any is.
fn each<'d>(hunk: &Hunk<'d>, change: impl Fn(&Line<'d>) -> Option<String>) -> Option<Hunk<'d>> {
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
