//! A report as Markdown for the body of a pull request: the reasons first, diffs folded, cut to what a forge takes.

mod escape;
mod page;
mod rows;

use std::fmt::Write;

use super::model::{ChangeReport, ChangedFile, ReportedChange, ReportedReason};
use crate::protocol::HunkState;
use escape::{code_block, in_tag, inline_code, plain_line};
use page::ForgePage;

/// The most bytes that GitHub takes as the body of a pull request or a comment; GitLab takes more.
pub const LARGEST_BODY: usize = 65_536;

/// Characters of a reason, and of a path.
const WHY: usize = 400;
const PATH: usize = 200;
/// Room that is kept for what is said at the end.
const END: usize = 600;
/// Parts of the page that the lists may fill; the reasons have the rest.
const LISTS: usize = 6;

/// Renders the report as Markdown of at most `limit` bytes. It reports the parts that were left out.
pub fn render_markdown(report: &ChangeReport, limit: usize) -> String {
    let limit = limit.clamp(4096, LARGEST_BODY.max(limit));
    let mut page = ForgePage::new(limit - END);
    page.add_part(&rows::summary_head(report));
    let share = limit / LISTS;
    let lists = [
        rows::unreviewed_table(report, share),
        rows::command_table(report, share),
        rows::refusal_table(report, share / 2),
    ];
    let files = rows::file_table(report, share);
    let room: usize = lists.iter().map(String::len).sum();
    page.reserve_room(room + files.len());
    let left = add_reasons(report, &mut page);
    page.release_room(room + files.len());
    page.add_part(&files);
    for list in &lists {
        page.add_part(list);
    }
    page.finish_page(&page_end(report, &left))
}

/// The parts that had no room.
#[derive(Debug, Default)]
struct NoRoom {
    reasons: usize,
    diffs: usize,
}

fn add_reasons(report: &ChangeReport, page: &mut ForgePage) -> NoRoom {
    let mut left = NoRoom::default();
    if report.reasons.is_empty() {
        page.add_part("No change was proposed.\n\n");
        return left;
    }
    // Each reason gets its place before any of them gets its diffs.
    let heads: Vec<String> = report.reasons.iter().map(reason_text).collect();
    page.add_part("### What changed, and why\n\n");
    let mut bare: usize = heads.iter().map(String::len).sum();
    for (reason, head) in report.reasons.iter().zip(&heads) {
        bare -= head.len();
        if !page.add_part(head) {
            left.reasons += 1;
            left.diffs += reason.changes.iter().map(|change| change.files.len()).sum::<usize>();
            continue;
        }
        for file in
            reason.changes.iter().flat_map(|change| &change.files).filter(|file| !file.diff.is_empty())
        {
            left.diffs += usize::from(!page.add_beside(&folded_diff(file), bare));
        }
    }
    left
}

/// A reason with its changes, without their diffs.
fn reason_text(reason: &ReportedReason) -> String {
    let why = if reason.why.trim().is_empty() { "No reason given" } else { &reason.why };
    let mut out = format!("**{}**\n\n", plain_line(why, WHY));
    for change in &reason.changes {
        let _ = writeln!(out, "- {}", change_line(change));
        for file in change.files.iter().filter(|file| file.diff.is_empty()) {
            if let Some(without) = &file.without {
                let _ = writeln!(out, "  - {}: {}", inline_code(&file.path, PATH), plain_line(without, WHY));
            }
        }
        for hunk in change.hunks.iter().filter(|hunk| hunk.reason.is_some() || hunk.edited.is_some()) {
            let word = hunk.reason.as_ref().map(|word| format!(": “{}”", plain_line(word, WHY)));
            let edited = if hunk.edited.is_some() { ", after editing it" } else { "" };
            let (id, state) = (plain_line(&hunk.id, 20), hunk.state.as_str());
            let _ = writeln!(
                out,
                "  - {id} {state} by {}{edited}{}",
                decider_name(&hunk.by),
                word.unwrap_or_default()
            );
        }
    }
    out.push('\n');
    out
}

/// Describes a change in one line: the decision, who made it, and the files.
fn change_line(change: &ReportedChange) -> String {
    let paths: Vec<String> = change.files.iter().take(3).map(|file| inline_code(&file.path, PATH)).collect();
    let more = change.files.len().saturating_sub(paths.len());
    let more = if more > 0 { format!(" and {more} more files") } else { String::new() };
    let undone = if change.undone { ", **undone later**" } else { "" };
    format!(
        "{}{more}: {}{undone} · {} by {} · {}",
        paths.join(", "),
        decision_text(change),
        inline_code(&change.tool, 80),
        plain_line(&change.agent, 60),
        inline_code(&change.call, 20),
    )
}

/// `2 hunks accepted by person, 1 rejected by person`.
fn decision_text(change: &ReportedChange) -> String {
    let mut groups: Vec<(HunkState, &str, usize)> = Vec::new();
    for hunk in &change.hunks {
        match groups.iter_mut().find(|group| group.0 == hunk.state && group.1 == hunk.by) {
            Some(group) => group.2 += 1,
            None => groups.push((hunk.state, &hunk.by, 1)),
        }
    }
    let said = groups.into_iter().map(|(state, who, count)| {
        let noun = if count == 1 { "hunk" } else { "hunks" };
        let who = if who.is_empty() { String::new() } else { format!(" by {}", decider_name(who)) };
        format!("{count} {noun} {}{who}", state.as_str())
    });
    said.collect::<Vec<_>>().join(", ")
}

/// Returns the name of the party that decided, for a reader.
fn decider_name(who: &str) -> String {
    match who {
        "person" => "a person".to_owned(),
        "policy" => "the policy, with nobody asked".to_owned(),
        "client" => "the agent's client".to_owned(),
        "text" => "a change of its text".to_owned(),
        other => plain_line(other, 40),
    }
}

/// The diff of one file, folded.
fn folded_diff(file: &ChangedFile) -> String {
    let (path, ChangedFile { added, removed, .. }) = (in_tag(&file.path, PATH), file);
    let cut = file.without.as_ref().map(|without| format!("\n{}\n", plain_line(without, WHY)));
    format!(
        "<details><summary><code>{path}</code> +{added} −{removed}</summary>\n\n{}{}\n</details>\n\n",
        code_block("diff", &file.diff),
        cut.unwrap_or_default()
    )
}

fn page_end(report: &ChangeReport, left: &NoRoom) -> String {
    let out = &report.left_out;
    let mut parts = Vec::new();
    let mut cut = |count: u64, one: &str, many: &str| {
        if count > 0 {
            parts.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
    };
    cut(left.reasons as u64, "reason", "reasons");
    cut(left.diffs as u64 + out.diffs, "diff", "diffs");
    cut(out.changes, "change", "changes");
    let said = match parts.is_empty() {
        true => String::new(),
        false => format!("Left out, in whole or in part, for want of room: {}. ", parts.join(", ")),
    };
    format!(
        "<sub>{said}Made by {} from its session log, at {}.</sub>\n",
        in_tag(&report.made_by, 40),
        in_tag(&report.made, 40)
    )
}
