//! The summary of a report and its lists, each within its share of the page.

use std::fmt::Write;

use super::super::model::{ChangeReport, LogStanding, ReportTotals};
use super::escape::{inline_code, plain_line};
use super::{PATH, WHY};
use crate::base::numbers::format_count;

/// Characters of a command.
const COMMAND: usize = 160;

/// Returns the summary that a reader sees first: the extent of the changes, the decisions, the failures, and the notes.
pub(super) fn summary_head(report: &ChangeReport) -> String {
    let ReportTotals { files, added, removed, reasons, accepted, rejected, pending, stale, .. } =
        &report.totals;
    let mut out = format!("## What agents changed in {}\n\n", plain_line(&report.workspace, 80));
    let _ = writeln!(
        out,
        "**{}**, +{added} −{removed}, for {} · hunks: {accepted} accepted, {rejected} rejected{}{}\n",
        format_count(*files, "file"),
        format_count(*reasons, "reason"),
        count_phrase(*pending, "waiting"),
        count_phrase(*stale, "stale"),
    );
    let _ = writeln!(out, "{}\n", verdict_line(report));
    let agents: Vec<String> = report
        .agents
        .iter()
        .take(8)
        .map(|agent| format!("{} ({})", plain_line(&agent.name, 60), format_count(agent.calls, "call")))
        .collect();
    let span = match report.range.from.is_empty() {
        true => "no events".to_owned(),
        false => format!("{} to {}", time_to_minute(&report.range.from), time_to_minute(&report.range.to)),
    };
    let agents = if agents.is_empty() { String::new() } else { format!("By {} · ", agents.join(", ")) };
    let _ = writeln!(out, "{agents}{} · {}\n", plain_line(&span, 60), plain_line(&report.range.asked, 200));
    for note in report.notes.iter().take(20) {
        let _ = writeln!(out, "> ⚠ {}\n", plain_line(note, WHY));
    }
    for session in report.sessions.iter().filter(|session| session.standing != LogStanding::Sound).take(20) {
        let mark = if session.standing == LogStanding::Recovered { "ℹ" } else { "⚠" };
        let _ = writeln!(
            out,
            "> {mark} Session {}: {}\n",
            inline_code(&session.id, 60),
            plain_line(&session.said, WHY)
        );
    }
    out
}

/// Describes the points of a reviewer in one line.
fn verdict_line(report: &ChangeReport) -> String {
    let ReportTotals { unreviewed, tests, failed_tests, commands, refused, undone, latent, .. } =
        &report.totals;
    let looked = match unreviewed {
        0 => "✅ a person looked at every hunk in place".to_owned(),
        count => format!("⚠ {} in place that nobody looked at", format_count(*count, "hunk")),
    };
    let tested = match (tests, failed_tests) {
        (0, _) => "no tests run".to_owned(),
        (runs, 0) => format!("✅ {} of tests, none failed", format_count(*runs, "run")),
        (runs, failed) => format!("❌ {failed} of {} of tests failed", format_count(*runs, "run")),
    };
    let more = [
        (*commands > 0).then(|| format_count(*commands, "command")),
        (*refused > 0).then(|| format!("{} refused", format_count(*refused, "call"))),
        (*latent > 0).then(|| format!("⚠ {} that no code ran", format_count(*latent, "result"))),
        (*undone > 0).then(|| format!("{} undone", format_count(*undone, "change"))),
    ];
    [Some(looked), Some(tested)].into_iter().chain(more).flatten().collect::<Vec<_>>().join(" · ")
}

/// The files that changed.
pub(super) fn file_table(report: &ChangeReport, room: usize) -> String {
    let row = |file: &super::super::ReportedFile| {
        let unseen = if file.unreviewed > 0 { format!("{} ⚠", file.unreviewed) } else { "–".to_owned() };
        format!(
            "| {} | +{} −{} | {} | {} | {unseen} |\n",
            inline_code(&file.path, PATH),
            file.added,
            file.removed,
            file.accepted,
            file.rejected
        )
    };
    let head = "| file | lines | accepted | rejected | not looked at |\n|---|---|---|---|---|\n";
    folded_table("Files", head, report.files.iter().map(row), 0, room)
}

/// The commands that ran, tests first.
pub(super) fn command_table(report: &ChangeReport, room: usize) -> String {
    let row = |ran: &super::super::ReportedCommand| {
        let mark = if ran.failed { "❌" } else { "" };
        let test = if ran.test { "test" } else { "" };
        format!(
            "| {} | {mark} {} | {test} | {} |\n",
            inline_code(&ran.command, COMMAND),
            plain_line(&ran.ended, 60),
            plain_line(&ran.why, 200)
        )
    };
    let head = "| command | ended | | why |\n|---|---|---|---|\n";
    let (tests, others): (Vec<_>, Vec<_>) = report.commands.iter().partition(|ran| ran.test);
    let rows = tests.into_iter().chain(others).map(row);
    folded_table("Tests and commands", head, rows, report.left_out.commands, room)
}

/// Returns the table of refused and failed calls.
pub(super) fn refusal_table(report: &ChangeReport, room: usize) -> String {
    let row = |call: &super::super::ReportedRefusal| {
        let said = format!("{}: {}", call.code, call.message);
        format!(
            "| {} | {} | {} |\n",
            inline_code(&call.tool, 80),
            plain_line(&said, 300),
            plain_line(&call.why, 200)
        )
    };
    let head = "| tool | why not | asked for |\n|---|---|---|\n";
    let (ruled, failed): (Vec<_>, Vec<_>) = report.refused.iter().partition(|call| call.by_rule);
    folded_table(
        "Refused and failed calls",
        head,
        ruled.into_iter().chain(failed).map(row),
        report.left_out.refused,
        room,
    )
}

/// Returns the table of hunks that no one reviewed.
pub(super) fn unreviewed_table(report: &ChangeReport, room: usize) -> String {
    let row = |hunk: &super::super::UnreviewedHunk| {
        let place = format!("{} {}", hunk.proposal, hunk.hunk);
        format!(
            "| {} | {} | {} | {} |\n",
            inline_code(&hunk.path, PATH),
            inline_code(&place, 40),
            super::decider_name(&hunk.by),
            plain_line(&hunk.why, 200)
        )
    };
    let head = "| file | hunk | put in place by | why |\n|---|---|---|---|\n";
    folded_table(
        "Not looked at by a person",
        head,
        report.unreviewed.iter().map(row),
        report.left_out.unreviewed,
        room,
    )
}

/// A folded table with as many rows as there is room for; nothing where there is no row.
fn folded_table(
    title: &str,
    head: &str,
    rows: impl Iterator<Item = String>,
    before: u64,
    room: usize,
) -> String {
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

fn count_phrase(count: u64, word: &str) -> String {
    if count > 0 { format!(", {count} {word}") } else { String::new() }
}

/// A time of the log to the minute.
fn time_to_minute(time: &str) -> String {
    let (date, clock) = time.split_once('T').unwrap_or((time, ""));
    format!("{date} {} UTC", clock.get(..5).unwrap_or(clock))
}
