//! How a proposal and a diff look on a terminal.

use super::print::{TerminalPage, TextLook, visible, wrap};
use crate::protocol::{Hunk, Proposal, ProposedFile};

/// A proposal's heading: what, by whom, why.
pub(super) fn heading(page: TerminalPage, proposal: &Proposal) -> String {
    let who = visible(proposal.origin.agent.as_deref().unwrap_or("someone"));
    let head = format!("{} {} by {who}", page.paint(TextLook::Bold, &proposal.id), visible(&proposal.tool));
    let why =
        if page.breaks() { wrap(&proposal.why, page.width() - 2) } else { vec![visible(&proposal.why)] };
    format!("{head}\n  {}", why.join("\n  "))
}

/// The lines of a file around a hunk, each with its line end.
#[derive(Debug, Default)]
pub(super) struct Around {
    pub(super) before: Vec<String>,
    pub(super) behind: Vec<String>,
}

/// One hunk with its place.
pub(super) fn hunk(page: TerminalPage, file: &ProposedFile, hunk: &Hunk) -> String {
    within(page, file, hunk, &Around::default())
}

/// One hunk with its place, between the lines around it.
pub(super) fn within(page: TerminalPage, file: &ProposedFile, hunk: &Hunk, around: &Around) -> String {
    let mut shown = place(page, file, hunk);
    let signed = |look, sign: char, line: &str| {
        format!("{}\n", page.paint(look, &format!("{sign} {}", line.trim_end_matches(['\r', '\n']))))
    };
    shown.extend(around.before.iter().map(|line| signed(TextLook::Dim, ' ', line)));
    shown.extend(hunk.old.iter().map(|line| signed(TextLook::Red, '-', line)));
    shown.extend(hunk.new.iter().map(|line| signed(TextLook::Green, '+', line)));
    shown.extend(around.behind.iter().map(|line| signed(TextLook::Dim, ' ', line)));
    shown
}

/// Where a hunk is, and what to look twice at.
fn place(page: TerminalPage, file: &ProposedFile, hunk: &Hunk) -> String {
    let place = match file.kind.has_text() {
        true => format!("{}:{}", file.path, hunk.start + 1),
        false => file.path.to_string(),
    };
    let place = page.paint(TextLook::Cyan, &place);
    let kind = page.paint(TextLook::Dim, &format!("{} {:?}", hunk.id, file.kind).to_lowercase());
    let mut shown = format!("{place} {kind}");
    if let Some(what) = &file.what {
        shown.push_str(&format!("  {}", visible(what)));
    }
    if let Some(loose) = &hunk.loose {
        shown.push_str(&page.paint(TextLook::Yellow, &format!("  placed loosely: {loose}")));
    }
    shown.push('\n');
    if let Some(warning) = &hunk.warning {
        shown.push_str(&page.paint(TextLook::Yellow, &format!("  look twice: {warning}")));
        shown.push('\n');
    }
    shown
}

/// How a line of a unified diff looks.
pub(super) fn diff_look(line: &str) -> TextLook {
    match line.as_bytes() {
        [b'-', b'-', b'-', ..] | [b'+', b'+', b'+', ..] => TextLook::Bold,
        [b'-', ..] => TextLook::Red,
        [b'+', ..] => TextLook::Green,
        [b'@', ..] => TextLook::Cyan,
        _ => TextLook::Dim,
    }
}
