//! The summary of a report and its lists, each within its share of the page.

use std::fmt::Write;

use super::super::model::{ChangeReport, LogStanding, ReportTotals};
use super::escape::{code, line};
use super::{PATH, WHY};
use crate::base::numbers::counted;

/// Characters of a command.
const COMMAND: usize = 160;

/// What a reader sees first: how much changed, who decided, what went wrong, what to know.
pub(super) fn head(report: &ChangeReport) -> String {
    let ReportTotals { files, added, removed, reasons, accepted, rejected, pending, stale, .. } =
        &report.totals;
    let mut out = format!("## What agents changed in {}\n\n", line(&report.workspace, 80));
    let _ = writeln!(
        out,
        "**{}**, +{added} −{removed}, for {} · hunks: {accepted} accepted, {rejected} rejected{}{}\n",
        counted(*files, "file"),
        counted(*reasons, "reason"),
        some(*pending, "waiting"),
        some(*stale, "stale"),
    );
    let _ = writeln!(out, "{}\n", verdicts(report));
    let agents: Vec<String> = report
        .agents
        .iter()
        .take(8)
        .map(|agent| format!("{} ({})", line(&agent.name, 60), counted(agent.calls, "call")))
        .collect();
    let span = match report.range.from.is_empty() {
        true => "no events".to_owned(),
        false => format!("{} to {}", minute(&report.range.from), minute(&report.range.to)),
    };
    let agents = if agents.is_empty() { String::new() } else { format!("By {} · ", agents.join(", ")) };
    let _ = writeln!(out, "{agents}{} · {}\n", line(&span, 60), line(&report.range.asked, 200));
    for note in report.notes.iter().take(20) {
        let _ = writeln!(out, "> ⚠ {}\n", line(note, WHY));
    }
    for session in report.sessions.iter().filter(|session| session.standing != LogStanding::Sound).take(20) {
        let mark = if session.standing == LogStanding::Recovered { "ℹ" } else { "⚠" };
        let _ = writeln!(out, "> {mark} Session {}: {}\n", code(&session.id, 60), line(&session.said, WHY));
    }
    out
}

/// What a reviewer looks for, in one line.
fn verdicts(report: &ChangeReport) -> String {
    let ReportTotals { unreviewed, tests, failed_tests, commands, refused, undone, .. } = &report.totals;
    let looked = match unreviewed {
        0 => "✅ a person looked at every hunk in place".to_owned(),
        count => format!("⚠ {} in place that nobody looked at", counted(*count, "hunk")),
    };
    let tested = match (tests, failed_tests) {
        (0, _) => "no tests run".to_owned(),
        (runs, 0) => format!("✅ {} of tests, none failed", counted(*runs, "run")),
        (runs, failed) => format!("❌ {failed} of {} of tests failed", counted(*runs, "run")),
    };
    let more = [
        (*commands > 0).then(|| counted(*commands, "command")),
        (*refused > 0).then(|| format!("{} refused", counted(*refused, "call"))),
        (*undone > 0).then(|| format!("{} undone", counted(*undone, "change"))),
    ];
    [Some(looked), Some(tested)].into_iter().chain(more).flatten().collect::<Vec<_>>().join(" · ")
}

/// The files that changed.
pub(super) fn files(report: &ChangeReport, room: usize) -> String {
    let row = |file: &super::super::ReportedFile| {
        let unseen = if file.unreviewed > 0 { format!("{} ⚠", file.unreviewed) } else { "–".to_owned() };
        format!(
            "| {} | +{} −{} | {} | {} | {unseen} |\n",
            code(&file.path, PATH),
            file.added,
            file.removed,
            file.accepted,
            file.rejected
        )
    };
    let head = "| file | lines | accepted | rejected | not looked at |\n|---|---|---|---|---|\n";
    table("Files", head, report.files.iter().map(row), 0, room)
}

/// The commands that ran, tests first.
pub(super) fn commands(report: &ChangeReport, room: usize) -> String {
    let row = |ran: &super::super::ReportedCommand| {
        let mark = if ran.failed { "❌" } else { "" };
        let test = if ran.test { "test" } else { "" };
        format!(
            "| {} | {mark} {} | {test} | {} |\n",
            code(&ran.command, COMMAND),
            line(&ran.ended, 60),
            line(&ran.why, 200)
        )
    };
    let head = "| command | ended | | why |\n|---|---|---|---|\n";
    let (tests, others): (Vec<_>, Vec<_>) = report.commands.iter().partition(|ran| ran.test);
    let rows = tests.into_iter().chain(others).map(row);
    table("Tests and commands", head, rows, report.left_out.commands, room)
}

/// What was refused, and what failed.
pub(super) fn refused(report: &ChangeReport, room: usize) -> String {
    let row = |call: &super::super::ReportedRefusal| {
        let said = format!("{}: {}", call.code, call.message);
        format!("| {} | {} | {} |\n", code(&call.tool, 80), line(&said, 300), line(&call.why, 200))
    };
    let head = "| tool | why not | asked for |\n|---|---|---|\n";
    let (ruled, failed): (Vec<_>, Vec<_>) = report.refused.iter().partition(|call| call.by_rule);
    table(
        "Refused and failed calls",
        head,
        ruled.into_iter().chain(failed).map(row),
        report.left_out.refused,
        room,
    )
}

/// What nobody looked at.
pub(super) fn unreviewed(report: &ChangeReport, room: usize) -> String {
    let row = |hunk: &super::super::UnreviewedHunk| {
        let place = format!("{} {}", hunk.proposal, hunk.hunk);
        format!(
            "| {} | {} | {} | {} |\n",
            code(&hunk.path, PATH),
            code(&place, 40),
            super::by(&hunk.by),
            line(&hunk.why, 200)
        )
    };
    let head = "| file | hunk | put in place by | why |\n|---|---|---|---|\n";
    table(
        "Not looked at by a person",
        head,
        report.unreviewed.iter().map(row),
        report.left_out.unreviewed,
        room,
    )
}

/// A folded table with as many rows as there is room for; nothing where there is no row.
fn table(title: &str, head: &str, rows: impl Iterator<Item = String>, before: u64, room: usize) -> String {
    let (mut body, mut count, mut left) = (String::new(), before, before);
    for row in rows {
        count += 1;
        match body.len() + row.len() + 300 <= room && left == before {
            true => body.push_str(&row),
            false => left += 1,
        }
    }
    if count == 0 {
        return String::new();
    }
    let more = if left > 0 { format!("\n{left} more are left out here.\n") } else { String::new() };
    format!("<details><summary>{title}: {count}</summary>\n\n{head}{body}{more}\n</details>\n\n")
}

fn some(count: u64, word: &str) -> String {
    if count > 0 { format!(", {count} {word}") } else { String::new() }
}

/// A time of the log to the minute.
fn minute(time: &str) -> String {
    let (date, clock) = time.split_once('T').unwrap_or((time, ""));
    format!("{date} {} UTC", clock.get(..5).unwrap_or(clock))
}
