//! Decides which calls a report covers.

use std::collections::HashSet;

use jiff::Timestamp;

/// The conditions on which calls of the sessions that are read belong to a report.
#[derive(Clone, Debug, Default)]
pub struct ReportScope {
    /// Only calls from this time on.
    pub since: Option<Timestamp>,
    /// Only calls up to this time.
    pub until: Option<Timestamp>,
    /// Only changes of these paths: the files of a range of commits.
    pub paths: Option<HashSet<String>>,
}

impl ReportScope {
    /// Returns whether a call of that time belongs to it.
    pub(super) fn has_time(&self, time: &str) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let Ok(time) = time.parse::<Timestamp>() else { return false };
        self.since.is_none_or(|since| time >= since) && self.until.is_none_or(|until| time <= until)
    }

    /// Returns whether a change of that path belongs to it.
    pub(super) fn has_path(&self, path: &str) -> bool {
        self.paths.as_ref().is_none_or(|paths| paths.contains(path))
    }
}
