//! The lists below the changes: unreviewed hunks, files, commands, refused calls, session logs.

use std::fmt::Write;

use super::super::model::{ChangeReport, LogStanding};
use super::text::{decider_name, escape_html};

/// Writes a section with a table, and the number of rows that are left out.
fn write_table(page: &mut String, id: &str, title: &str, columns: &[&str], rows: &[String], left: u64) {
    if rows.is_empty() {
        return;
    }
    let _ = write!(
        page,
        "<section id=\"{id}\" aria-labelledby=\"h-{id}\">\n<h2 id=\"h-{id}\">{title} <small>{}</small></h2>\n<div \
         class=\"wide\" tabindex=\"0\" role=\"region\" aria-labelledby=\"h-{id}\"><table class=\"list\"><thead><tr>",
        rows.len() as u64 + left
    );
    for name in columns {
        let _ = write!(page, "<th scope=\"col\">{name}</th>");
    }
    page.push_str("</tr></thead><tbody>\n");
    for row in rows {
        let _ = writeln!(page, "<tr>{}</tr>", label_cells(row, columns));
    }
    page.push_str("</tbody></table></div>\n");
    if left > 0 {
        let _ = writeln!(page, "<p class=\"none\">{left} more are left out.</p>");
    }
    page.push_str("</section>\n");
}

/// A row whose cells name their columns, for a screen that is too narrow to set them side by side. Values are escaped: none
/// holds `<td`.
fn label_cells(row: &str, columns: &[&str]) -> String {
    let mut cells = row.split("<td");
    let first = cells.next().unwrap_or_default().to_owned();
    let cells = cells.zip(columns).enumerate();
    cells.fold(first, |row, (at, (cell, name))| match at {
        0 => format!("{row}<td{cell}"),
        _ => format!("{row}<td data-column=\"{name}\"{cell}"),
    })
}

/// Writes the hunks in place that no one reviewed.
pub(super) fn write_unreviewed(report: &ChangeReport, page: &mut String) {
    let row = |hunk: &super::super::UnreviewedHunk| {
        let place = format!("{} {}", hunk.proposal, hunk.hunk);
        let [path, place, why] = [&hunk.path, &place, &hunk.why].map(|text| escape_html(text));
        let by = decider_name(&hunk.by);
        format!(
            "<td><code>{path}</code></td><td><code>{place}</code></td><td>{by}</td><td><bdi>{why}</bdi></td>"
        )
    };
    let rows: Vec<String> = report.unreviewed.iter().map(row).collect();
    let columns = ["file", "hunk", "put in place by", "why"];
    write_table(page, "unreviewed", "Not looked at by a person", &columns, &rows, report.left_out.unreviewed);
}

/// Files that changed.
pub(super) fn write_files(report: &ChangeReport, page: &mut String) {
    let row = |file: &super::super::ReportedFile| {
        format!(
            "<td><code>{}</code></td><td class=\"r\"><span class=\"plus\">+{}</span> <span \
             class=\"minus\">−{}</span></td><td class=\"r\">{}</td><td class=\"r\">{}</td><td class=\"r\">{}</td>",
            escape_html(&file.path),
            file.added,
            file.removed,
            file.accepted,
            file.rejected,
            file.unreviewed,
        )
    };
    let rows: Vec<String> = report.files.iter().map(row).collect();
    let columns = ["file", "lines", "accepted", "rejected", "not looked at"];
    write_table(page, "files", "Files", &columns, &rows, 0);
}

/// Commands, tests first.
pub(super) fn write_commands(report: &ChangeReport, page: &mut String) {
    let row = |ran: &super::super::ReportedCommand| {
        let class = if ran.failed { "minus" } else { "plus" };
        let sign = if ran.failed { "✗" } else { "✓" };
        let test = if ran.test { "<span class=\"chip test\">test</span> " } else { "" };
        let [command, ended, why] = [&ran.command, &ran.ended, &ran.why].map(|text| escape_html(text));
        let seconds = ran.duration_ms / 1000.0;
        format!(
            "<td>{test}<code>{command}</code></td><td><span class=\"{class}\"><span aria-hidden=\"true\">{sign}</span> \
             {ended}</span></td><td class=\"r\">{seconds:.1} s</td><td><bdi>{why}</bdi></td>"
        )
    };
    let (tests, others): (Vec<_>, Vec<_>) = report.commands.iter().partition(|ran| ran.test);
    let rows: Vec<String> = tests.into_iter().chain(others).map(row).collect();
    let columns = ["command", "ended", "took", "why"];
    write_table(page, "commands", "Tests and commands", &columns, &rows, report.left_out.commands);
}

/// Calls that were refused, then those that failed.
pub(super) fn write_refused(report: &ChangeReport, page: &mut String) {
    let row = |call: &super::super::ReportedRefusal| {
        let word = if call.by_rule { "refused" } else { "failed" };
        let [tool, code, message, why] =
            [&call.tool, &call.code, &call.message, &call.why].map(|text| escape_html(text));
        format!(
            "<td><code>{tool}</code></td><td>{word}: <code>{code}</code></td><td>{message}</td><td><bdi>{why}</bdi></td>"
        )
    };
    let (ruled, failed): (Vec<_>, Vec<_>) = report.refused.iter().partition(|call| call.by_rule);
    let rows: Vec<String> = ruled.into_iter().chain(failed).map(row).collect();
    let columns = ["tool", "what became of it", "why not", "asked for"];
    write_table(page, "refused", "Refused and failed calls", &columns, &rows, report.left_out.refused);
}

/// The logs that were read, and whether they are as they were written.
pub(super) fn write_sessions(report: &ChangeReport, page: &mut String) {
    let rows: Vec<String> = report
        .sessions
        .iter()
        .map(|session| {
            let (class, word) = match session.standing {
                LogStanding::Sound => ("plus", "✓ sound"),
                LogStanding::Recovered => ("plus", "✓ recovered"),
                LogStanding::Unvouched => ("warn", "? not vouched for"),
                LogStanding::Altered => ("minus", "✗ altered"),
            };
            format!(
                "<td><code>{}</code></td><td><span class=\"{class}\">{word}</span></td><td>{}</td><td class=\"r\">{}</td>",
                escape_html(&session.id),
                escape_html(&session.said),
                session.calls
            )
        })
        .collect();
    write_table(
        page,
        "sessions",
        "Session logs",
        &["session", "log", "what its check found", "calls"],
        &rows,
        0,
    );
}
