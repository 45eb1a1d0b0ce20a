//! The counts of a report, and the lists that follow from its changes.

use std::collections::BTreeMap;

use super::keep::{self, MOST_LISTED};
use super::model::{
    ChangeReport, ReportedAgent, ReportedChange, ReportedCommand, ReportedFile, ReportedHunk, UnreviewedHunk,
};
use crate::protocol::HunkState;

/// A call was made.
pub(super) fn add_call(report: &mut ChangeReport, agent: &str, time: &str) {
    report.totals.calls += 1;
    if let Some(session) = report.sessions.last_mut() {
        session.calls += 1;
    }
    self::agent_entry(report, agent).calls += 1;
    extend_range(report, time);
}

/// A call proposed a change.
pub(super) fn add_change(report: &mut ChangeReport, agent: &str) {
    self::agent_entry(report, agent).changes += 1;
}

fn agent_entry<'a>(report: &'a mut ChangeReport, name: &str) -> &'a mut ReportedAgent {
    let at = report.agents.iter().position(|agent| agent.name == name).unwrap_or_else(|| {
        report.agents.push(ReportedAgent { name: name.to_owned(), ..ReportedAgent::default() });
        report.agents.len() - 1
    });
    &mut report.agents[at]
}

/// An event of that time is in the report.
pub(super) fn extend_range(report: &mut ChangeReport, time: &str) {
    let range = &mut report.range;
    if range.from.is_empty() || time < range.from.as_str() {
        time.clone_into(&mut range.from);
    }
    if time > range.to.as_str() {
        time.clone_into(&mut range.to);
    }
}

/// A command ran, or goes on.
pub(super) fn add_run(report: &mut ChangeReport) {
    report.totals.commands += 1;
}

/// A command ended: how a test went is known only then.
pub(super) fn add_ending(report: &mut ChangeReport, ran: &ReportedCommand) {
    let totals = &mut report.totals;
    totals.failed_commands += u64::from(ran.failed);
    totals.tests += u64::from(ran.test);
    totals.failed_tests += u64::from(ran.test && ran.failed);
}

/// Adds everything up once all decisions are known.
pub(super) fn add_up(report: &mut ChangeReport) {
    let mut files: BTreeMap<String, ReportedFile> = BTreeMap::new();
    let (mut unreviewed, mut left_out) = (Vec::new(), 0);
    let totals = &mut report.totals;
    totals.reasons = report.reasons.len() as u64;
    for reason in &report.reasons {
        for change in &reason.changes {
            totals.changes += 1;
            totals.undone += u64::from(change.undone);
            for hunk in &change.hunks {
                let count = match hunk.state {
                    HunkState::Accepted => &mut totals.accepted,
                    HunkState::Rejected => &mut totals.rejected,
                    HunkState::Pending => &mut totals.pending,
                    HunkState::Stale => &mut totals.stale,
                };
                *count += 1;
                let nobody = is_unreviewed(change, hunk);
                count_hunk(files.entry(hunk.path.clone()).or_default(), change, hunk, nobody);
                if nobody {
                    totals.unreviewed += 1;
                    keep::push_bounded(
                        &mut unreviewed,
                        MOST_LISTED,
                        &mut left_out,
                        unreviewed_row(&reason.why, change, hunk),
                    );
                }
            }
        }
    }
    let listed = files.into_iter().map(|(path, file)| ReportedFile { path, ..file });
    report.files = listed.filter(|file| file.accepted + file.rejected > 0).collect();
    totals.files = report.files.iter().filter(|file| file.accepted > 0).count() as u64;
    totals.added = report.files.iter().map(|file| file.added).sum();
    totals.removed = report.files.iter().map(|file| file.removed).sum();
    (report.unreviewed, report.left_out.unreviewed) = (unreviewed, left_out);
    report.agents.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.name.cmp(&b.name)));
}

fn is_unreviewed(change: &ReportedChange, hunk: &ReportedHunk) -> bool {
    hunk.state == HunkState::Accepted && !change.undone && !hunk.reviewed
}

fn count_hunk(file: &mut ReportedFile, change: &ReportedChange, hunk: &ReportedHunk, nobody: bool) {
    file.rejected += u64::from(hunk.state == HunkState::Rejected);
    if hunk.state == HunkState::Accepted && !change.undone {
        file.accepted += 1;
        file.added += hunk.added;
        file.removed += hunk.removed;
        file.unreviewed += u64::from(nobody);
    }
}

fn unreviewed_row(why: &str, change: &ReportedChange, hunk: &ReportedHunk) -> UnreviewedHunk {
    UnreviewedHunk {
        session: change.session.clone(),
        call: change.call.clone(),
        proposal: change.proposal.clone(),
        hunk: hunk.id.clone(),
        path: hunk.path.clone(),
        by: hunk.by.clone(),
        why: why.to_owned(),
    }
}
