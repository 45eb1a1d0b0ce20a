//! The change of one call on the page: who, when, what was decided, and each file's diff.

use std::fmt::Write;

use super::super::diff::RowKind;
use super::super::model::{ChangedFile, ReportedChange, ReportedHunk};
use super::super::{diff as lines, model};
use super::diff::write_table;
use super::text::{decider_name, escape_html, state_chip, time_element};
use crate::protocol::HunkState;

/// Lines of a diff that begins open, and of all of them.
const OPEN: usize = 200;
const OPEN_ALL: usize = 4000;

/// Counts the lines that are open so far.
#[derive(Debug, Default)]
pub(super) struct OpenLines {
    lines: usize,
}

impl OpenLines {
    fn may_open(&mut self, rows: usize) -> bool {
        let takes = rows <= OPEN && self.lines + rows <= OPEN_ALL;
        self.lines += if takes { rows } else { 0 };
        takes
    }
}

/// Adds one change.
pub(super) fn write_change(change: &ReportedChange, opened: &mut OpenLines, page: &mut String) {
    let _ = write!(
        page,
        "<div class=\"change\">\n<p class=\"call\"><code>{}</code> by <bdi>{}</bdi> · {} · <code>{}</code>{} {}</p>\n",
        escape_html(&change.tool),
        escape_html(&change.agent),
        time_element(&change.time),
        escape_html(&change.call),
        policy_note(change),
        state_chips(change),
    );
    for hunk in change.hunks.iter().filter(|hunk| hunk.reason.is_some()) {
        write_word(hunk, page);
    }
    for file in &change.files {
        self::write_file(change, file, opened, page);
    }
    page.push_str("</div>\n");
}

/// Names the policy, where the person was not asked.
fn policy_note(change: &ReportedChange) -> String {
    match change.policy.as_str() {
        "ask" | "" => String::new(),
        other => format!(" · policy <code>{}</code>", escape_html(other)),
    }
}

fn state_chips(change: &ReportedChange) -> String {
    let states = [HunkState::Accepted, HunkState::Rejected, HunkState::Pending, HunkState::Stale];
    let counts = states.map(|state| (state, change.hunks.iter().filter(|hunk| hunk.state == state).count()));
    let mut chips: String = counts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(state, count)| state_chip(state, count))
        .collect();
    if change.undone {
        chips.push_str("<span class=\"chip undone\"><span aria-hidden=\"true\">↶</span> undone later</span>");
    }
    chips
}

/// Writes a person's comment on a hunk.
fn write_word(hunk: &ReportedHunk, page: &mut String) {
    let said = hunk.reason.as_deref().unwrap_or_default();
    let _ = writeln!(
        page,
        "<blockquote class=\"{state}\"><p><bdi>{}</bdi></p><footer>{} of <code>{}</code> {state} by {}</footer></blockquote>",
        escape_html(said),
        escape_html(&hunk.id),
        escape_html(&hunk.path),
        decider_name(&hunk.by),
        state = hunk.state.as_str(),
    );
}

fn write_file(change: &ReportedChange, file: &ChangedFile, opened: &mut OpenLines, page: &mut String) {
    let model::ChangedFile { path, diff, without, added, removed } = file;
    let path = escape_html(path);
    let sums = format!("<span class=\"plus\">+{added}</span> <span class=\"minus\">−{removed}</span>");
    if diff.is_empty() {
        let why = without.as_deref().unwrap_or("no lines");
        let _ =
            writeln!(page, "<p class=\"bare\"><code>{path}</code> {sums} <i>{}</i></p>", escape_html(why));
        return;
    }
    let rows = lines::diff_rows(diff);
    let own: Vec<&ReportedHunk> = change.hunks.iter().filter(|hunk| hunk.path == file.path).collect();
    let open = if opened.may_open(rows.len()) { " open" } else { "" };
    let _ = writeln!(page, "<details{open}><summary><code>{path}</code> {sums}</summary>");
    match rows.iter().all(|row| row.kind == RowKind::Note) {
        true => {
            let notes: Vec<String> = rows.iter().map(|row| escape_html(row.text)).collect();
            let _ = writeln!(page, "<p class=\"bare\">{}</p>", notes.join("<br>"));
        }
        false => write_table(&path, &rows, &own, page),
    }
    if let Some(without) = without {
        let _ = writeln!(page, "<p class=\"bare\"><i>{}</i></p>", escape_html(without));
    }
    page.push_str("</details>\n");
}
