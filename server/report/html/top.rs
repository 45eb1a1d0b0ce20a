//! The head of the page: how much changed, who did it, and where a reviewer should look first.

use std::fmt::Write;

use super::super::model::{ChangeReport, LogStanding};
use super::text::{escape_html, time_element};
use crate::base::numbers::format_count;

/// The title, as plain text.
pub(super) fn page_title(report: &ChangeReport) -> String {
    let (files, reasons) =
        (format_count(report.totals.files, "file"), format_count(report.totals.reasons, "reason"));
    format!("{}: {files} changed for {reasons}", report.workspace)
}

/// The head: workspace, agents, time, counts.
pub(super) fn write_header(report: &ChangeReport, page: &mut String) {
    let totals = &report.totals;
    let (files, reasons) = (format_count(totals.files, "file"), format_count(totals.reasons, "reason"));
    let _ = write!(
        page,
        "<header>\n<p class=\"eyebrow\">{} · {}</p>\n<h1>{files} changed for {reasons}</h1>\n<p class=\"meta\">",
        escape_html(&report.workspace),
        escape_html(&report.range.asked)
    );
    let agents = report.agents.iter().take(8);
    let agents: Vec<String> = agents
        .map(|agent| {
            format!("<b><bdi>{}</bdi></b> ({})", escape_html(&agent.name), format_count(agent.calls, "call"))
        })
        .collect();
    page.push_str(&agents.join(", "));
    if !report.range.from.is_empty() {
        let _ =
            write!(page, " · {} – {} UTC", time_element(&report.range.from), time_element(&report.range.to));
    }
    page.push_str("</p>\n<dl class=\"tiles\">\n");
    let tiles = [
        (
            "lines",
            format!(
                "<span class=\"plus\">+{}</span> <span class=\"minus\">−{}</span>",
                totals.added, totals.removed
            ),
        ),
        ("hunks accepted", totals.accepted.to_string()),
        ("rejected", totals.rejected.to_string()),
        ("waiting", totals.pending.to_string()),
        ("not looked at", totals.unreviewed.to_string()),
        ("test runs", test_counts(totals.tests, totals.failed_tests)),
        ("calls refused", totals.refused.to_string()),
    ];
    for (name, value) in tiles {
        let _ = writeln!(page, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    }
    page.push_str("</dl>\n</header>\n");
}

fn test_counts(runs: u64, failed: u64) -> String {
    match (runs, failed) {
        (0, _) => "none".to_owned(),
        (runs, 0) => format!("{runs} <small>✓</small>"),
        (runs, failed) => format!("{runs} <small class=\"minus\">{failed} failed</small>"),
    }
}

/// Writes the points that a reviewer should check first; nothing where all is well.
pub(super) fn write_attention(report: &ChangeReport, page: &mut String) {
    let totals = &report.totals;
    let mut rows: Vec<String> = report.notes.iter().take(50).map(|note| escape_html(note)).collect();
    let altered = report.sessions.iter().filter(|session| session.standing == LogStanding::Altered).count();
    if altered > 0 {
        let logs = format_count(altered as u64, "session log");
        rows.push(format!("<a href=\"#sessions\">{logs} altered</a>: nothing of it is in this report."));
    }
    if totals.unreviewed > 0 {
        let hunks = format_count(totals.unreviewed, "hunk");
        rows.push(format!("<a href=\"#unreviewed\">{hunks} in place</a> that no person looked at."));
    }
    if totals.failed_tests > 0 {
        let runs = format_count(totals.failed_tests, "test run");
        rows.push(format!("<a href=\"#commands\">{runs} failed</a>."));
    }
    if totals.tests == 0 && totals.accepted > 0 {
        rows.push("No test was run.".to_owned());
    }
    if totals.pending > 0 {
        rows.push(format!("{} still waiting for a decision.", format_count(totals.pending, "hunk")));
    }
    if totals.latent > 0 {
        let calls = format_count(totals.latent, "call");
        rows.push(format!("{calls} that no code ran: their results are what the callers filled, or fixed answers of an environment."));
    }
    if totals.refused > 0 {
        rows.push(format!("<a href=\"#refused\">{} refused</a>.", format_count(totals.refused, "call")));
    }
    if rows.is_empty() {
        return;
    }
    page.push_str("<section class=\"attention\" aria-labelledby=\"h-first\">\n<h2 id=\"h-first\">Look at this first</h2>\n<ul>\n");
    for row in rows {
        let _ = writeln!(page, "<li>{row}</li>");
    }
    page.push_str("</ul>\n</section>\n");
}
