//! The session logs of calls that lines come from: whether they were altered. What is said of a call is from the records in the
//! state folder, and nothing of it from the log, which lies in the workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::cli::log::{LogVerdict, judged, sessions};
use crate::journal::verify;
use crate::protocol::LineCall;

/// The sessions of calls whose logs were altered or cut, each with how its log stands. One that has no log here is none.
pub(super) fn altered_logs<'c>(
    root: &str,
    calls: impl Iterator<Item = &'c LineCall>,
) -> BTreeMap<String, String> {
    let named: BTreeSet<&str> = calls.map(|call| call.session.as_str()).collect();
    if named.is_empty() {
        return BTreeMap::new();
    }
    let logs = sessions(Some(Path::new(root))).unwrap_or_default();
    let altered = logs.into_iter().filter(|session| named.contains(session.name.as_str()));
    let altered = altered.filter_map(|session| {
        let (verdict, said) = judged(&verify(&session.log).ok()?);
        (verdict == LogVerdict::Damaged).then_some((session.name, said))
    });
    altered.collect()
}
