//! The rows of the hunk that is shown: each of its lines in as many rows as it needs.

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthChar;

use crate::cli::palette::{DiffPalette, LineSide, StyledPiece, SyntaxToken};
use crate::cli::print::{visible_line, wrap_text};
use crate::cli::review::context;
use crate::cli::review::desk::ReviewStep;
use crate::cli::show;
use crate::protocol::ProposalCommand;

/// A row, and the style of the space to its right.
#[derive(Clone, Debug, Default)]
pub(super) struct ScreenRow {
    pub(super) pieces: Vec<StyledPiece>,
    pub(super) fill: Style,
}

/// The rows of one hunk for one width.
#[derive(Clone, Debug, Default)]
pub(super) struct ShownHunk {
    pub(super) rows: Vec<ScreenRow>,
    /// The width that they were made for; 0 if they were not made yet.
    pub(super) width: usize,
    /// The number of rows of the screen for them.
    pub(super) height: usize,
    /// True if the list is shown.
    pub(super) has_list: bool,
    /// True if there is room for the list next to the rows.
    pub(super) is_wide: bool,
}

/// A piece of text in a style, with hidden characters escaped.
pub(super) fn styled_piece(text: &str, style: Style) -> StyledPiece {
    StyledPiece { text: visible_line(text), style }
}

/// The colour in a palette; no style if it has no colours.
pub(super) fn colour_style(palette: DiffPalette, colour: AnsiColor) -> Style {
    match palette {
        DiffPalette::None => Style::new(),
        _ => colour.on_default(),
    }
}

/// The rows of a hunk: its place, its warnings, its lines.
pub(super) fn hunk_rows(
    root: &str,
    palette: DiffPalette,
    step: &ReviewStep,
    why: &[String],
    width: usize,
) -> Vec<ScreenRow> {
    let (file, hunk) = (step.file(), &step.hunk);
    let mut rows: Vec<ScreenRow> = Vec::new();
    let broken = |text: &str, style: Style| {
        let lines = wrap_text(text, width);
        lines
            .iter()
            .map(|line| ScreenRow { pieces: vec![styled_piece(line, style)], ..ScreenRow::default() })
            .collect::<Vec<_>>()
    };
    rows.extend(why.iter().flat_map(|line| broken(line, Style::new())));
    for line in step.proposal.command.iter().flat_map(ProposalCommand::display_rows) {
        wrap_pieces(vec![styled_piece(&line, Style::new().dimmed())], width, Style::new(), &mut rows);
    }
    let mut add = |text: &str, style: Style| rows.extend(broken(text, style));
    let place = match file.kind.has_text() {
        true => format!("{}:{}", file.path, hunk.start + 1),
        false => file.path.to_string(),
    };
    let kind = format!("{} {:?}", hunk.id, file.kind).to_lowercase();
    add(&format!("{place}  {kind}"), colour_style(palette, AnsiColor::Cyan).bold());
    file.what.iter().for_each(|what| add(what, Style::new()));
    let twice = colour_style(palette, AnsiColor::Yellow).bold();
    hunk.loose.iter().for_each(|how| add(&format!("placed loosely: {how}"), twice));
    hunk.warning.iter().for_each(|how| add(&format!("look twice: {how}"), twice));
    let around = context::lines_around_hunk(root, file, hunk);
    for line in show::hunk_lines(palette, file.path.as_str(), hunk, &around) {
        let fill = match line.side {
            LineSide::Context => Style::new(),
            side => palette.token_style(side, SyntaxToken::Plain, false),
        };
        wrap_pieces(line.pieces, width, fill, &mut rows);
    }
    rows
}

/// Wraps a line into rows of that width; continuation rows start below its text.
pub(super) fn wrap_pieces(pieces: Vec<StyledPiece>, width: usize, fill: Style, rows: &mut Vec<ScreenRow>) {
    let mut row = ScreenRow { pieces: Vec::new(), fill };
    let mut used = 0;
    for StyledPiece { text, style } in pieces {
        let mut part = String::new();
        for c in text.chars() {
            let columns = c.width().unwrap_or(0);
            if used + columns > width.max(4) {
                row.pieces.push(StyledPiece { text: std::mem::take(&mut part), style });
                rows.push(std::mem::replace(&mut row, ScreenRow { pieces: Vec::new(), fill }));
                row.pieces.push(StyledPiece { text: "  ".to_owned(), style: fill });
                used = 2;
            }
            part.push(c);
            used += columns;
        }
        row.pieces.push(StyledPiece { text: part, style });
    }
    rows.push(row);
}

#[cfg(test)]
mod tests {
    use anstyle::Style;

    use super::{styled_piece, wrap_pieces};

    #[test]
    fn a_long_line_takes_as_many_rows_as_it_needs_and_loses_nothing() {
        let mut rows = Vec::new();
        let long = "漢x".repeat(30_000);
        wrap_pieces(
            vec![styled_piece("+ ", Style::new()), styled_piece(&long, Style::new())],
            61,
            Style::new(),
            &mut rows,
        );
        let texts: Vec<String> =
            rows.iter().map(|row| row.pieces.iter().map(|piece| piece.text.as_str()).collect()).collect();
        assert!(texts.iter().all(|text| crate::cli::print::count_columns(text) <= 61));
        assert_eq!(texts.iter().map(|text| &text[2..]).collect::<String>(), long);
    }
}
