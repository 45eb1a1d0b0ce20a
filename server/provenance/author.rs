//! Who made a change, and so who wrote the lines that it adds.

use std::collections::{HashMap, VecDeque};

use crate::mark::LineMark;
use crate::similar_lines::alike;
use crate::text::is_trivial;
use crate::{WrittenBy, align::Run};

/// Who made a change.
#[derive(Debug)]
pub(crate) enum Author {
    /// A call of an agent.
    Agent(AgentChange),
    /// A person, or anything else that nobody recorded.
    Person,
    /// What stood between two texts is not kept.
    Nobody,
    /// An undo: lines that a change removed come back, with what was known of each.
    Undo(Returning),
}

/// A change of an agent's call.
#[derive(Debug)]
pub(crate) struct AgentChange {
    /// The origin of each of its hunks, in order; at least one.
    pub origins: Vec<u32>,
    /// Where a person changed lines of hunks before they accepted them: each line of those with who wrote it.
    pub edited: Vec<(u64, WrittenBy, u32)>,
    /// Whether it holds other hunks than those.
    pub has_others: bool,
    /// Whether it is known where each of its hunks was put.
    pub is_said: bool,
}

/// Lines that an undo may bring back.
#[derive(Debug, Default)]
pub(crate) struct Returning(HashMap<u64, ReturningLines>);

/// Lines that are equal.
#[derive(Debug, Default)]
struct ReturningLines {
    marks: VecDeque<LineMark>,
    /// The mark of one that a person had a part in.
    personal: Option<LineMark>,
}

impl Returning {
    pub(crate) fn add(&mut self, lines: &[(u64, LineMark)]) {
        for (line, mark) in lines {
            let lines = self.0.entry(*line).or_default();
            lines.marks.push_back(*mark);
            lines.personal = lines.personal.or_else(|| mark.is_personal().then_some(*mark));
        }
    }

    fn take(&mut self, line: u64) -> LineMark {
        let Some(lines) = self.0.get_mut(&line) else { return LineMark::UNKNOWN };
        let kept = match lines.marks.len() {
            1 => lines.marks.front().copied(),
            _ => lines.marks.pop_front(),
        };
        let kept = kept.unwrap_or(LineMark::UNKNOWN);
        // Of equal lines any may be the one that comes back.
        lines.personal.map_or(kept, |personal| kept.doubted(personal))
    }
}

impl AgentChange {
    /// The origin of a hunk, by its place.
    fn origin(&self, hunk: usize) -> u32 {
        self.origins.get(hunk).or(self.origins.first()).copied().unwrap_or_default()
    }

    /// The mark of a line that it adds: what the person made of it, where they did.
    fn added(&mut self, line: u64, origin: u32) -> LineMark {
        let is_it = |(edited, _, of): &(u64, WrittenBy, u32)| *edited == line && *of == origin;
        let own = self.edited.iter().position(is_it).map(|at| self.edited.remove(at));
        // Where it is not known which hunk it is of, it may be any.
        let other = || {
            let mut same = self.edited.iter().filter(|(edited, _, _)| *edited == line && !self.is_said);
            same.clone().find(|(_, by, _)| by.is_personal()).or_else(|| same.next()).copied()
        };
        match own.or_else(other) {
            Some((_, WrittenBy::Agent, origin)) => LineMark::agent(origin),
            Some((_, WrittenBy::Mixed, origin)) => LineMark::mixed(Some(origin)),
            Some(_) => LineMark::HUMAN,
            None if self.has_others => LineMark::agent(origin),
            None => LineMark::mixed(Some(origin)),
        }
    }
}

/// A line that a change replaced, as far as it tells who wrote the one in its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replaced<'t> {
    /// The line, where it is kept.
    pub text: Option<&'t str>,
    /// Who wrote it.
    pub mark: LineMark,
}

impl Author {
    /// The mark of a line that the change adds, made from `made_from` where that is plain, in a run whose lines before
    /// were `replaced`.
    pub(crate) fn mark(
        &mut self,
        (hash, line): (u64, &str),
        hunk: usize,
        made_from: Option<LineMark>,
        replaced: &[Replaced<'_>],
    ) -> LineMark {
        match self {
            Self::Person => made_from.map_or(LineMark::HUMAN, |mark| match mark.by {
                WrittenBy::Agent | WrittenBy::Mixed => LineMark::mixed(mark.origin),
                _ => LineMark::HUMAN,
            }),
            Self::Nobody => LineMark::UNKNOWN,
            Self::Undo(returning) => returning.take(hash),
            Self::Agent(change) => {
                let origin = change.origin(hunk);
                let added = change.added(hash, origin);
                let personal = made_from.is_some_and(|mark| mark.is_personal())
                    || replaced
                        .iter()
                        .any(|old| old.mark.is_personal() && old.text.is_none_or(|old| holds(old, line)));
                match (added.by, personal) {
                    (WrittenBy::Agent, true) => LineMark::mixed(added.origin),
                    _ => added,
                }
            }
        }
    }

    /// Whether a person typed such a line before they accepted the change.
    pub(crate) fn is_typed(&self, line: u64) -> bool {
        match self {
            Self::Agent(change) => {
                change.edited.iter().any(|(edited, by, _)| *edited == line && by.is_personal())
            }
            _ => false,
        }
    }

    /// The mark of a line that stayed, where one that comes back may as well be this one.
    pub(crate) fn doubted(&self, line: u64, mark: LineMark) -> LineMark {
        match self {
            Self::Undo(returning) => { returning.0.get(&line).and_then(|lines| lines.personal) }
                .map_or(mark, |personal| mark.doubted(personal)),
            _ => mark,
        }
    }

    /// Takes note of whether it is known where each hunk was put.
    pub(crate) fn set_said(&mut self, is_said: bool) {
        if let Self::Agent(change) = self {
            change.is_said = is_said;
        }
    }

    /// Whether the change is one of a person's.
    pub(crate) fn is_person(&self) -> bool {
        matches!(self, Self::Person)
    }

    /// Whether lines may have been written over, so that one was made from another.
    pub(crate) fn writes_over(&self) -> bool {
        matches!(self, Self::Agent(_) | Self::Person)
    }
}

/// Whether one line holds all that the other says, or is much like it: broken in two, joined, or written over.
fn holds(old: &str, new: &str) -> bool {
    let (old, new) = (old.trim(), new.trim());
    if is_trivial(old) || is_trivial(new) {
        return false;
    }
    old.contains(new) || new.contains(old) || alike(old, new) >= 0.6
}

impl Author {
    /// The place of the hunk that a run is of.
    pub(crate) fn hunk(&self, runs: &[Run], at: usize) -> usize {
        match self {
            Self::Agent(change) => {
                let by_order = if runs.len() == change.origins.len() { at } else { 0 };
                runs[at].hunk.unwrap_or(by_order)
            }
            _ => 0,
        }
    }
}
