//! How a proposal and a diff look on a terminal.

use super::print::{TerminalPage, TextLook, visible};
use crate::protocol::{Hunk, Proposal, ProposedFile};

/// A proposal's heading: what, by whom, why.
pub(super) fn heading(page: TerminalPage, proposal: &Proposal) -> String {
    let who = visible(proposal.origin.agent.as_deref().unwrap_or("someone"));
    format!(
        "{} {} by {who}\n  {}",
        page.paint(TextLook::Bold, &proposal.id),
        visible(&proposal.tool),
        visible(&proposal.why)
    )
}

/// One hunk with its place.
pub(super) fn hunk(page: TerminalPage, file: &ProposedFile, hunk: &Hunk) -> String {
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
    let signed = |look, sign: char, line: &str| {
        format!("{}\n", page.paint(look, &format!("{sign} {}", line.trim_end_matches(['\r', '\n']))))
    };
    shown.extend(hunk.old.iter().map(|line| signed(TextLook::Red, '-', line)));
    shown.extend(hunk.new.iter().map(|line| signed(TextLook::Green, '+', line)));
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
