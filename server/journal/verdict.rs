//! How a log stands by what was found in it, as people are told.

use super::verify::{Ending, Report, Vouched};
use crate::base::numbers;

/// What became of a log, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogVerdict {
    /// As it was written, on this machine, and whole, or recovered; or not keyed, with hashes that fit.
    Sound,
    /// Altered, or cut off at its end.
    Damaged,
    /// Nothing wrong was seen, but nobody here can vouch for it.
    Unvouched,
}

impl Report {
    /// How the log stands, with a sentence that says so.
    pub fn verdict(&self) -> (LogVerdict, String) {
        let Self { blocks, values, parts, .. } = self;
        let counted = [(*blocks, "event"), (*values, "stored value"), (*parts, "part")];
        let counted = counted.map(|(count, noun)| numbers::counted(count, noun)).join(", ");
        match (self.damage.first(), self.vouched, self.ending) {
            (Some(first), ..) => {
                let line = first.place.line.map_or_else(String::new, |line| format!("{line}:"));
                let said =
                    format!("damaged, first at {}:{line} byte {}", first.place.part, first.place.offset);
                (LogVerdict::Damaged, said)
            }
            (None, Vouched::Here, Ending::Cut(events)) => (
                LogVerdict::Damaged,
                format!("cut at the end: {events} events were durable, {blocks} are there"),
            ),
            (None, _, Ending::Cut(events)) => (
                LogVerdict::Damaged,
                format!("not the log that this machine wrote, which had {events} events: {counted}"),
            ),
            (None, Vouched::Here, Ending::Whole) => {
                let state = if self.recovered.is_empty() { "sound" } else { "recovered" };
                (LogVerdict::Sound, format!("{state}: {counted}"))
            }
            (None, Vouched::Here, Ending::Unknown) => (
                LogVerdict::Unvouched,
                format!(
                    "written on this machine, {counted}; but this machine does not know how long the log was, so events cut \
                 off its end would not show"
                ),
            ),
            (None, Vouched::Elsewhere, _) => (
                LogVerdict::Unvouched,
                format!(
                    "cannot be vouched for here: it was written on another machine, or by someone without this machine's \
                 key; {counted}"
                ),
            ),
            (None, Vouched::Nobody, _) => (
                LogVerdict::Sound,
                format!(
                    "not keyed: its hashes fit, but anybody can make them, and events cut off its end would not show; \
                 {counted}"
                ),
            ),
        }
    }
}
