//! A diff as a table: numbers, signs, lines with the words that differ, and above each hunk what was decided.

use std::fmt::Write;

use super::super::diff::{self, DiffRow, RowKind};
use super::super::model::ReportedHunk;
use super::super::words::{MarkedPieces, marked_lines};
use super::text::{decider_name, escape_html, escape_into, state_chip};
use crate::base::hidden;
use crate::protocol::HunkState;

/// Adds the table of one file's diff; `path` is escaped.
pub(super) fn write_table(path: &str, rows: &[DiffRow<'_>], hunks: &[&ReportedHunk], page: &mut String) {
    let runs = rows.iter().filter_map(|row| row.run).max().map_or(0, |last| last + 1);
    let _ = writeln!(
        page,
        "<table class=\"diff\"><caption class=\"hear\">Change of {path}: old line, new line, sign, text</caption><colgroup><col \
         class=\"o\"><col class=\"o\"><col class=\"g\"><col></colgroup><tbody>"
    );
    let mut at = 0;
    while let Some(row) = rows.get(at) {
        let Some(run) = row.run else {
            write_plain(row, page);
            at += 1;
            continue;
        };
        let length =
            rows[at..].iter().take_while(|row| row.run == Some(run) || row.kind == RowKind::Note).count();
        let hunk = hunks.get(diff::hunk_of(run, runs, hunks.len())).copied();
        self::write_run(&rows[at..at + length], hunk, page);
        at += length;
    }
    page.push_str("</tbody></table>\n");
}

/// Writes a run of changed lines, below the decision on its hunk.
fn write_run(rows: &[DiffRow<'_>], hunk: Option<&ReportedHunk>, page: &mut String) {
    let mut state = "";
    if let Some(hunk) = hunk {
        write_decision(hunk, page);
        state = if hunk.state == HunkState::Accepted { "" } else { " out" };
    }
    let of = |kind| rows.iter().filter(move |row| row.kind == kind).map(|row| row.text);
    let pairs: Vec<_> =
        of(RowKind::Removed).zip(of(RowKind::Added)).map(|(old, new)| marked_lines(old, new)).collect();
    let (mut removed, mut added) = (0, 0);
    for row in rows {
        let (class, sign, tag, pieces) = match row.kind {
            RowKind::Removed => {
                let pieces = pairs.get(removed).and_then(|pair| pair.as_ref()).map(|pair| &pair.0);
                removed += 1;
                ("d", "\" aria-label=\"removed\">−", "del", pieces)
            }
            RowKind::Added => {
                let pieces = pairs.get(added).and_then(|pair| pair.as_ref()).map(|pair| &pair.1);
                added += 1;
                ("a", "\" aria-label=\"added\">+", "ins", pieces)
            }
            _ => {
                write_plain(row, page);
                continue;
            }
        };
        let _ = write!(
            page,
            "<tr class=\"{class}{state}\">{}<td class=\"s{sign}</td><td><{tag}>",
            number_cells(row)
        );
        write_line(row.text, pieces, page);
        let _ = writeln!(page, "</{tag}></td></tr>");
    }
    if let Some(edited) = hunk.and_then(|hunk| hunk.edited.as_ref()) {
        let text = escape_html(edited);
        let _ = writeln!(
            page,
            "<tr class=\"edited\"><td></td><td></td><td class=\"s\">✎</td><td><span class=\"label\">accepted with these \
             lines instead, by a person</span><ins>{text}</ins></td></tr>"
        );
    }
}

fn write_decision(hunk: &ReportedHunk, page: &mut String) {
    let seen = match hunk.state == HunkState::Accepted && !hunk.reviewed {
        true => " <span class=\"chip pending\"><span aria-hidden=\"true\">!</span> not looked at</span>",
        false => "",
    };
    let who = if hunk.by.is_empty() { String::new() } else { format!(" by {}", decider_name(&hunk.by)) };
    let _ = writeln!(
        page,
        "<tr class=\"what\"><td colspan=\"4\"><span class=\"id\">{}</span> {}{who}{seen}</td></tr>",
        escape_html(&hunk.id),
        state_chip(hunk.state, 0),
    );
}

/// A line that stays, a place, or a note.
fn write_plain(row: &DiffRow<'_>, page: &mut String) {
    let (class, text) = match row.kind {
        RowKind::Place => ("place", row.text),
        RowKind::Note => ("note", row.text),
        _ => ("", row.text),
    };
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let _ = writeln!(
        page,
        "<tr{class}>{}<td class=\"s\"></td><td>{}</td></tr>",
        number_cells(row),
        escape_html(text)
    );
}

fn number_cells(row: &DiffRow<'_>) -> String {
    let number = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
    format!("<td class=\"n\">{}</td><td class=\"n\">{}</td>", number(row.old), number(row.new))
}

/// A line, with the words that differ marked.
fn write_line(text: &str, pieces: Option<&MarkedPieces<'_>>, page: &mut String) {
    let Some(pieces) = pieces else {
        return escape_into(&hidden::escape_hidden(text), page);
    };
    let mut marks = false;
    for (differs, piece) in pieces {
        if *differs != marks {
            page.push_str(if *differs { "<b>" } else { "</b>" });
            marks = *differs;
        }
        escape_into(&hidden::escape_hidden(piece), page);
    }
    if marks {
        page.push_str("</b>");
    }
}
