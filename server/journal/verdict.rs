//! The state of a log by its verification, in words for people.

use super::verify::{LogEnding, LogReport, LogVoucher};
use crate::base::numbers;

/// The verdict on a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogVerdict {
    /// The log is unchanged, from this machine, and whole, or recovered; or not keyed, with hashes that fit.
    Sound,
    /// Altered, or cut off at its end.
    Damaged,
    /// No problem was found, but this machine cannot vouch for it.
    Unvouched,
}

impl LogReport {
    /// Returns the verdict with a sentence that states it.
    pub fn verdict(&self) -> (LogVerdict, String) {
        let Self { blocks, values, parts, .. } = self;
        let counted = [(*blocks, "event"), (*values, "stored value"), (*parts, "part")];
        let counted = counted.map(|(count, noun)| numbers::format_count(count, noun)).join(", ");
        match (self.damage.first(), self.vouched, self.ending) {
            (Some(first), ..) => {
                let line = first.place.line.map_or_else(String::new, |line| format!("{line}:"));
                let said =
                    format!("damaged, first at {}:{line} byte {}", first.place.part, first.place.offset);
                (LogVerdict::Damaged, said)
            }
            (None, LogVoucher::Here, LogEnding::Cut(events)) => (
                LogVerdict::Damaged,
                format!("cut at the end: {events} events were durable, {blocks} are there"),
            ),
            (None, _, LogEnding::Cut(events)) => (
                LogVerdict::Damaged,
                format!("not the log that this machine wrote, which had {events} events: {counted}"),
            ),
            (None, LogVoucher::Here, LogEnding::Whole) => {
                let state = if self.recovered.is_empty() { "sound" } else { "recovered" };
                (LogVerdict::Sound, format!("{state}: {counted}"))
            }
            (None, LogVoucher::Here, LogEnding::Unknown) => (
                LogVerdict::Unvouched,
                format!(
                    "written on this machine, {counted}; but this machine does not know how long the log was, so events cut \
                 off its end would not show"
                ),
            ),
            (None, LogVoucher::Elsewhere, _) => (
                LogVerdict::Unvouched,
                format!(
                    "cannot be vouched for here: it was written on another machine, or by someone without this machine's \
                 key; {counted}"
                ),
            ),
            (None, LogVoucher::Nobody, _) => (
                LogVerdict::Sound,
                format!(
                    "not keyed: its hashes fit, but anybody can make them, and events cut off its end would not show; \
                 {counted}"
                ),
            ),
        }
    }
}
