//! Reports the changes of agents and their reasons for people who review: gathered from session logs, written as
//! Markdown, as one page of HTML, or as JSON.
//!
//! [`ReportGatherer`] takes a log's events in and returns a [`ChangeReport`]; [`render_markdown`] and [`render_html`]
//! are pure functions of it. The texts of a report are redacted twice: when the log is written, and when the report is
//! made.
//!
//! # Invariants
//!
//! - No value of a log makes markup, a mention, a reference or a link in a report, and no page of a report runs a
//!   script or fetches anything.
//!   Test: `no_value_mentions_anybody_or_refers_to_anything`, `a_session_is_reported_by_reasons_in_each_form`
//! - No altered log is reported from, and no text of a file that is closed now is in a report.
//!   Test: `an_altered_log_is_named_and_nothing_of_it_is_reported`,
//!   `a_file_that_a_rule_closes_now_is_reported_without_its_text`

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
pub use html::render_html;
pub use markdown::{LARGEST_BODY, render_markdown};
pub use model::{
    ChangeReport, ChangedFile, LeftOut, LogStanding, ReportRange, ReportTotals, ReportedAgent,
    ReportedChange, ReportedCommand, ReportedFile, ReportedHunk, ReportedReason, ReportedRefusal,
    ReportedSession, UnreviewedHunk,
};
pub use scope::ReportScope;
