//! What agents changed and why, as a report for people who review: gathered from session logs, written as Markdown, as
//! one page of HTML, or as JSON.
//!
//! [`ReportGatherer`] takes a log's events in and gives a [`ChangeReport`]; [`markdown`] and [`html`] are pure functions
//! of that. What stands in a report was redacted twice: where the log was written, and where the report is made.

mod changes;
mod clean;
mod commands;
mod diff;
mod gather;
mod html;
mod keep;
mod markdown;
mod model;
mod scope;
mod sums;
mod words;

pub use gather::ReportGatherer;
pub use html::html;
pub use markdown::{LARGEST_BODY, markdown};
pub use model::{
    ChangeReport, ChangedFile, LeftOut, LogStanding, ReportRange, ReportTotals, ReportedAgent,
    ReportedChange, ReportedCommand, ReportedFile, ReportedHunk, ReportedReason, ReportedRefusal,
    ReportedSession, UnreviewedHunk,
};
pub use scope::ReportScope;
