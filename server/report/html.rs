//! A report as one page of HTML: no script, nothing from elsewhere, light and dark, for a screen and for paper.

mod change;
mod diff;
mod lists;
mod text;
mod top;

use std::fmt::Write;

use super::model::{ChangeReport, ReportedReason};
use crate::base::numbers::format_count;
use change::{OpenLines, write_change};
use text::escape_html;

/// The page's style: it names no address.
const STYLE: &str = include_str!("html/style.css");
/// The content security policy of the page: a browser may do nothing but show it with its own style.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/// Reasons that the list of contents names.
const NAMED_REASONS: usize = 200;

/// The report as a page.
pub fn render_html(report: &ChangeReport) -> String {
    let mut page = String::with_capacity(64 << 10);
    let title = escape_html(&top::page_title(report));
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{POLICY}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta \
         name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"robots\" \
         content=\"noindex\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<a class=\"skip\" \
         href=\"#reasons\">Skip to the changes</a>\n"
    );
    top::write_header(report, &mut page);
    page.push_str("<div class=\"columns\">\n");
    write_contents(report, &mut page);
    page.push_str("<main>\n");
    top::write_attention(report, &mut page);
    write_reasons(report, &mut page);
    lists::write_unreviewed(report, &mut page);
    lists::write_files(report, &mut page);
    lists::write_commands(report, &mut page);
    lists::write_refused(report, &mut page);
    lists::write_sessions(report, &mut page);
    let (made_by, made) = (escape_html(&report.made_by), escape_html(&report.made));
    let _ = write!(
        page,
        "</main>\n</div>\n<footer><p>Made by {made_by} from its session log, {made}. Known shapes of secrets are taken out.\
         </p></footer>\n</body>\n</html>\n"
    );
    page
}

/// Writes the table of contents: the sections, and the reasons.
fn write_contents(report: &ChangeReport, page: &mut String) {
    page.push_str(
        "<nav aria-label=\"Contents\">\n<ol>\n<li><a href=\"#reasons\">What changed, and why</a>\n<ol>\n",
    );
    for (at, reason) in report.reasons.iter().take(NAMED_REASONS).enumerate() {
        let _ = writeln!(page, "<li><a href=\"#r{}\">{}</a></li>", at + 1, reason_text(reason));
    }
    let more = report.reasons.len().saturating_sub(NAMED_REASONS);
    if more > 0 {
        let _ = writeln!(page, "<li>and {more} more</li>");
    }
    page.push_str("</ol></li>\n");
    for (id, name, there) in [
        ("unreviewed", "Not looked at", !report.unreviewed.is_empty()),
        ("files", "Files", !report.files.is_empty()),
        ("commands", "Tests and commands", !report.commands.is_empty()),
        ("refused", "Refused and failed", !report.refused.is_empty()),
        ("sessions", "Session logs", true),
    ] {
        if there {
            let _ = writeln!(page, "<li><a href=\"#{id}\">{name}</a></li>");
        }
    }
    page.push_str("</ol>\n</nav>\n");
}

fn reason_text(reason: &ReportedReason) -> String {
    match reason.why.trim() {
        "" => "No reason given".to_owned(),
        why => escape_html(why),
    }
}

fn write_reasons(report: &ChangeReport, page: &mut String) {
    page.push_str("<section id=\"reasons\" aria-labelledby=\"h-reasons\">\n<h2 id=\"h-reasons\">What changed, and why</h2>\n");
    if report.reasons.is_empty() {
        page.push_str("<p class=\"none\">No change was proposed.</p>\n");
    }
    let mut opened = OpenLines::default();
    for (at, reason) in report.reasons.iter().enumerate() {
        let number = at + 1;
        let (added, removed) = reason
            .changes
            .iter()
            .filter(|change| !change.undone)
            .flat_map(|change| &change.files)
            .fold((0, 0), |sum, file| (sum.0 + file.added, sum.1 + file.removed));
        let _ = write!(
            page,
            "<article id=\"r{number}\" aria-labelledby=\"h-r{number}\">\n<h3 id=\"h-r{number}\"><bdi>{}</bdi></h3>\n<p \
             class=\"sub\">{} <span class=\"plus\">+{added}</span> <span class=\"minus\">−{removed}</span></p>\n",
            reason_text(reason),
            format_count(reason.changes.len() as u64, "change"),
        );
        reason.changes.iter().for_each(|one| write_change(one, &mut opened, page));
        page.push_str("</article>\n");
    }
    if report.left_out.changes > 0 {
        let _ = writeln!(
            page,
            "<p class=\"none\">{} more are left out.</p>",
            format_count(report.left_out.changes, "change")
        );
    }
    page.push_str("</section>\n");
}
