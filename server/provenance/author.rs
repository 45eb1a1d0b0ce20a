//! The author of a change, and so of the lines that it adds.

use std::collections::{HashMap, VecDeque};

use crate::mark::LineMark;
use crate::similar_lines::line_similarity;
use crate::text::is_trivial;
use crate::{WrittenBy, align::LineRun};

/// The author of a change.
#[derive(Debug)]
pub(crate) enum ChangeAuthor {
    /// A call of an agent.
    Agent(AgentChange),
    /// A person, or any other author that was not recorded.
    Person,
    /// The texts between two kept ones are missing.
    Nobody,
    /// An undo: lines that a change removed come back, with what was known of each.
    Undo(UndoLines),
}

/// A change of an agent's call.
#[derive(Debug)]
pub(crate) struct AgentChange {
    /// The origin of each of its hunks, in order; at least one.
    pub origins: Vec<u32>,
    /// The lines that a person changed before they accepted the hunks, each with its author.
    pub edited: Vec<(u64, WrittenBy, u32)>,
    /// True if it holds other hunks than those.
    pub has_others: bool,
    /// True if the place of each of its hunks is known.
    pub is_said: bool,
}

/// Lines that an undo may bring back.
#[derive(Debug, Default)]
pub(crate) struct UndoLines(HashMap<u64, ReturningLines>);

/// Lines that are equal.
#[derive(Debug, Default)]
struct ReturningLines {
    marks: VecDeque<LineMark>,
    /// The mark of one that a person had a part in.
    personal: Option<LineMark>,
}

impl UndoLines {
    pub(crate) fn add_lines(&mut self, lines: &[(u64, LineMark)]) {
        for (line, mark) in lines {
            let lines = self.0.entry(*line).or_default();
            lines.marks.push_back(*mark);
            lines.personal = lines.personal.or_else(|| mark.is_personal().then_some(*mark));
        }
    }

    fn take_mark(&mut self, line: u64) -> LineMark {
        let Some(lines) = self.0.get_mut(&line) else { return LineMark::UNKNOWN };
        let kept = match lines.marks.len() {
            1 => lines.marks.front().copied(),
            _ => lines.marks.pop_front(),
        };
        let kept = kept.unwrap_or(LineMark::UNKNOWN);
        // Of equal lines any may be the one that comes back.
        lines.personal.map_or(kept, |personal| kept.as_doubtful(personal))
    }
}

impl AgentChange {
    /// The origin of a hunk, by its place.
    fn origin_of(&self, hunk: usize) -> u32 {
        self.origins.get(hunk).or(self.origins.first()).copied().unwrap_or_default()
    }

    /// The mark of a line that it adds: what the person made of it, if they did.
    fn mark_added(&mut self, line: u64, origin: u32) -> LineMark {
        let is_it = |(edited, _, of): &(u64, WrittenBy, u32)| *edited == line && *of == origin;
        let own = self.edited.iter().position(is_it).map(|at| self.edited.remove(at));
        // If its hunk is not known, it may be of any.
        let other = || {
            let mut same = self.edited.iter().filter(|(edited, _, _)| *edited == line && !self.is_said);
            same.clone().find(|(_, by, _)| by.is_personal()).or_else(|| same.next()).copied()
        };
        match own.or_else(other) {
            Some((_, WrittenBy::Agent, origin)) => LineMark::of_agent(origin),
            Some((_, WrittenBy::Mixed, origin)) => LineMark::of_mixed(Some(origin)),
            Some(_) => LineMark::HUMAN,
            None if self.has_others => LineMark::of_agent(origin),
            None => LineMark::of_mixed(Some(origin)),
        }
    }
}

/// A line that a change replaced, as evidence of who wrote the new one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplacedLine<'t> {
    /// The line, if it is kept.
    pub text: Option<&'t str>,
    /// The mark of the line.
    pub mark: LineMark,
}

impl ChangeAuthor {
    /// The mark of a line that the change adds, made from `made_from` if that is plain, in a run whose lines before
    /// were `replaced`.
    pub(crate) fn mark_line(
        &mut self,
        (hash, line): (u64, &str),
        hunk: usize,
        made_from: Option<LineMark>,
        replaced: &[ReplacedLine<'_>],
    ) -> LineMark {
        match self {
            Self::Person => made_from.map_or(LineMark::HUMAN, |mark| match mark.by {
                WrittenBy::Agent | WrittenBy::Mixed => LineMark::of_mixed(mark.origin),
                _ => LineMark::HUMAN,
            }),
            Self::Nobody => LineMark::UNKNOWN,
            Self::Undo(returning) => returning.take_mark(hash),
            Self::Agent(change) => {
                let origin = change.origin_of(hunk);
                let added = change.mark_added(hash, origin);
                let personal = made_from.is_some_and(|mark| mark.is_personal())
                    || replaced.iter().any(|old| {
                        old.mark.is_personal() && old.text.is_none_or(|old| is_made_from(old, line))
                    });
                match (added.by, personal) {
                    (WrittenBy::Agent, true) => LineMark::of_mixed(added.origin),
                    _ => added,
                }
            }
        }
    }

    /// Returns whether a person typed such a line before they accepted the change.
    pub(crate) fn is_typed(&self, line: u64) -> bool {
        match self {
            Self::Agent(change) => {
                change.edited.iter().any(|(edited, by, _)| *edited == line && by.is_personal())
            }
            _ => false,
        }
    }

    /// The mark of a line that stayed, if one that comes back may as well be this one.
    pub(crate) fn doubt_mark(&self, line: u64, mark: LineMark) -> LineMark {
        match self {
            Self::Undo(returning) => { returning.0.get(&line).and_then(|lines| lines.personal) }
                .map_or(mark, |personal| mark.as_doubtful(personal)),
            _ => mark,
        }
    }

    /// Takes note of whether it is known where each hunk was put.
    pub(crate) fn set_said(&mut self, is_said: bool) {
        if let Self::Agent(change) = self {
            change.is_said = is_said;
        }
    }

    /// Returns whether the change is one of a person's.
    pub(crate) fn is_person(&self) -> bool {
        matches!(self, Self::Person)
    }

    /// Returns whether lines may have been written over, so that one was made from another.
    pub(crate) fn writes_over(&self) -> bool {
        matches!(self, Self::Agent(_) | Self::Person)
    }
}

/// Returns whether one line holds all of the other, or is much like it: broken in two, joined, or written over.
fn is_made_from(old: &str, new: &str) -> bool {
    let (old, new) = (old.trim(), new.trim());
    if is_trivial(old) || is_trivial(new) {
        return false;
    }
    old.contains(new) || new.contains(old) || line_similarity(old, new) >= 0.6
}

impl ChangeAuthor {
    /// The place of the hunk that a run is of.
    pub(crate) fn hunk_of(&self, runs: &[LineRun], at: usize) -> usize {
        match self {
            Self::Agent(change) => {
                let by_order = if runs.len() == change.origins.len() { at } else { 0 };
                runs[at].hunk.unwrap_or(by_order)
            }
            _ => 0,
        }
    }
}
