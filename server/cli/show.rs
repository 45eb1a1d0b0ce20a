//! The rendering of a proposal and a diff on a terminal.

use std::ops::Range;

use super::palette::{DiffPalette, LineSide, StyledPiece, SyntaxToken};
use super::print::{TerminalPage, TextLook, fit_text, visible_line, wrap_text};
use super::syntax::LineReader;
use super::words;
use crate::protocol::{Hunk, Proposal, ProposalCommand, ProposedFile};

/// A proposal's heading: its id, its tool, its agent and its reason.
pub(super) fn proposal_heading(page: TerminalPage, proposal: &Proposal) -> String {
    let who = visible_line(proposal.origin.agent.as_deref().unwrap_or("someone"));
    let head =
        format!("{} {} by {who}", page.paint(TextLook::Bold, &proposal.id), visible_line(&proposal.tool));
    let why = if page.breaks() {
        wrap_text(&proposal.why, page.width() - 2)
    } else {
        vec![visible_line(&proposal.why)]
    };
    let command = proposal.command.iter().flat_map(ProposalCommand::display_rows);
    let command = command.map(|line| {
        format!("\n  {}", page.paint(TextLook::Dim, &fit_text(&visible_line(&line), page.width() - 2)))
    });
    format!("{head}\n  {}{}", why.join("\n  "), command.collect::<String>())
}

/// The lines of a file around a hunk, each with its line end.
#[derive(Clone, Debug, Default)]
pub(super) struct HunkContext {
    /// Lines further above, not shown: they determine the syntactic state at the first shown line.
    pub(super) lead: Vec<String>,
    pub(super) before: Vec<String>,
    pub(super) behind: Vec<String>,
}

/// A hunk with its place.
pub(super) fn format_hunk(page: TerminalPage, file: &ProposedFile, hunk: &Hunk) -> String {
    format_hunk_within(page, DiffPalette::few_colours(), file, hunk, &HunkContext::default())
}

/// A hunk with its place, between the lines around it.
pub(super) fn format_hunk_within(
    page: TerminalPage,
    palette: DiffPalette,
    file: &ProposedFile,
    hunk: &Hunk,
    around: &HunkContext,
) -> String {
    let mut shown = hunk_heading(page, file, hunk);
    for line in hunk_lines(palette, file.path.as_str(), hunk, around) {
        shown.push_str(&page.paint_pieces(&line.pieces));
        shown.push('\n');
    }
    shown
}

/// A line of a hunk as it is shown, with its sign.
#[derive(Clone, Debug)]
pub(super) struct HunkLine {
    pub(super) side: LineSide,
    pub(super) pieces: Vec<StyledPiece>,
}

/// The lines of a hunk with their signs, between the lines around it.
pub(super) fn hunk_lines(
    palette: DiffPalette,
    path: &str,
    hunk: &Hunk,
    around: &HunkContext,
) -> Vec<HunkLine> {
    let [lead, before, old, new, behind] =
        [&around.lead, &around.before, &hunk.old, &hunk.new, &around.behind]
            .map(|lines| without_line_ends(lines, hunk));
    let mut reader =
        if palette == DiffPalette::None { LineReader::without_language() } else { LineReader::of(path) };
    lead.iter().for_each(|line| drop(reader.read_tokens(line)));
    let (old_words, new_words) = words::changed_words(&old, &new);
    let mut shown = Vec::new();
    let mut add = |reader: &mut LineReader, side, lines: &[String], words: &[Vec<Range<usize>>]| {
        for (at, line) in lines.iter().enumerate() {
            let words = words.get(at).map_or(&[][..], Vec::as_slice);
            let pieces = line_of(palette, side, line, &reader.read_tokens(line), words);
            shown.push(HunkLine { side, pieces });
        }
    };
    add(&mut reader, LineSide::Context, &before, &[]);
    add(&mut reader.clone(), LineSide::Old, &old, &old_words);
    add(&mut reader, LineSide::New, &new, &new_words);
    add(&mut reader, LineSide::Context, &behind, &[]);
    shown
}

/// The lines without their ends, with hidden characters as escapes. A line end that differs from the others is shown.
fn without_line_ends(lines: &[String], hunk: &Hunk) -> Vec<String> {
    let mixed = |lines: &[String]| lines.iter().any(|line| line.ends_with("\r\n"));
    let is_changed = !hunk.old.is_empty() && !hunk.new.is_empty() && mixed(&hunk.old) != mixed(&hunk.new);
    let ends: &[char] = if is_changed { &['\n'] } else { &['\r', '\n'] };
    lines.iter().map(|line| visible_line(line.trim_end_matches(ends))).collect()
}

/// A line with its sign, split where its look changes.
fn line_of(
    palette: DiffPalette,
    side: LineSide,
    line: &str,
    tokens: &[(Range<usize>, SyntaxToken)],
    words: &[Range<usize>],
) -> Vec<StyledPiece> {
    let sign = match side {
        LineSide::Context => "  ",
        LineSide::Old => "- ",
        LineSide::New => "+ ",
    };
    let mut cuts: Vec<usize> = tokens.iter().flat_map(|(range, _)| [range.start, range.end]).collect();
    cuts.extend(words.iter().flat_map(|range| [range.start, range.end]));
    cuts.extend([0, line.len()]);
    cuts.sort_unstable();
    cuts.dedup();
    let mut pieces: Vec<StyledPiece> =
        vec![StyledPiece { text: sign.to_owned(), style: palette.sign_style(side) }];
    let (mut tokens, mut words) = (tokens.iter().peekable(), words.iter().peekable());
    for cut in cuts.windows(2) {
        let [from, to] = [cut[0], cut[1]];
        while tokens.next_if(|(range, _)| range.end <= from).is_some() {}
        while words.next_if(|range| range.end <= from).is_some() {}
        let token = tokens
            .peek()
            .filter(|(range, _)| range.start <= from)
            .map_or(SyntaxToken::Plain, |(_, token)| *token);
        let style = palette.token_style(side, token, words.peek().is_some_and(|range| range.start <= from));
        match pieces.last_mut().filter(|last| last.style == style) {
            Some(last) => last.text.push_str(&line[from..to]),
            None => pieces.push(StyledPiece { text: line[from..to].to_owned(), style }),
        }
    }
    pieces
}

/// The place of a hunk, and its warnings.
fn hunk_heading(page: TerminalPage, file: &ProposedFile, hunk: &Hunk) -> String {
    let place = match file.kind.has_text() {
        true => format!("{}:{}", file.path, hunk.start + 1),
        false => file.path.to_string(),
    };
    let place = page.paint(TextLook::Cyan, &place);
    let kind = page.paint(TextLook::Dim, &format!("{} {:?}", hunk.id, file.kind).to_lowercase());
    let mut shown = format!("{place} {kind}");
    if let Some(what) = &file.what {
        shown.push_str(&format!("  {}", visible_line(what)));
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

/// The look of a line of a unified diff.
pub(super) fn diff_look(line: &str) -> TextLook {
    match line.as_bytes() {
        [b'-', b'-', b'-', ..] | [b'+', b'+', b'+', ..] => TextLook::Bold,
        [b'-', ..] => TextLook::Red,
        [b'+', ..] => TextLook::Green,
        [b'@', ..] => TextLook::Cyan,
        _ => TextLook::Dim,
    }
}

#[cfg(test)]
mod tests {
    use super::{HunkContext, hunk_lines};
    use crate::cli::palette::DiffPalette;
    use crate::protocol::Hunk;

    fn shown(palette: DiffPalette, old: &[&str], new: &[&str]) -> Vec<Vec<String>> {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let hunk = Hunk { old: owned(old), new: owned(new), ..Hunk::default() };
        let around = HunkContext { before: vec!["fn f() {\n".to_owned()], ..HunkContext::default() };
        let lines = hunk_lines(palette, "a.rs", &hunk, &around);
        lines.into_iter().map(|line| line.pieces.into_iter().map(|piece| piece.text).collect()).collect()
    }

    #[test]
    fn lines_are_cut_where_their_look_changes_and_no_character_is_lost() {
        let rich = DiffPalette::Many { dark: true, rgb: true };
        let lines = shown(rich, &["let a = 1;\r\n"], &["let a = 20; // \u{202e}\r\n"]);
        let texts: Vec<String> = lines.iter().map(|pieces| pieces.concat()).collect();
        assert_eq!(texts, ["  fn f() {", "- let a = 1;", "+ let a = 20; // \\u{202e}"]);
        assert!(lines[1].contains(&"1".to_owned()) && lines[1].contains(&"let".to_owned()), "{lines:?}");
        assert_eq!(shown(DiffPalette::None, &["let a = 1;\n"], &["let b = 1;\n"])[1], ["- let a = 1;"]);
    }

    #[test]
    fn another_line_end_shows() {
        let texts = shown(DiffPalette::None, &["a\r\n"], &["a\n"]);
        assert_eq!(texts[1..], [["- a\\u{d}"], ["+ a"]]);
    }
}
