//! The rows of the hunk that is shown: each of its lines in as many as it needs.

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthChar;

use crate::cli::palette::{LineSide, Palette, StyledPiece, Token};
use crate::cli::print::{visible, wrap};
use crate::cli::review::context;
use crate::cli::review::desk::Step;
use crate::cli::show;

/// A row, and what fills it up to the right.
#[derive(Clone, Debug, Default)]
pub(super) struct ScreenRow {
    pub(super) pieces: Vec<StyledPiece>,
    pub(super) fill: Style,
}

/// The rows of one hunk in one width, until another is shown.
#[derive(Clone, Debug, Default)]
pub(super) struct ShownHunk {
    pub(super) rows: Vec<ScreenRow>,
    /// The columns that they were made for; none yet where it is 0.
    pub(super) width: usize,
    /// Rows that the screen has for them.
    pub(super) height: usize,
    /// Whether the list is shown.
    pub(super) has_list: bool,
    /// Whether there is room for it beside them.
    pub(super) is_wide: bool,
}

/// A piece of text of ours or of others in a look.
pub(super) fn piece(text: &str, style: Style) -> StyledPiece {
    StyledPiece { text: visible(text), style }
}

/// The look in a palette; none where it has no colours.
pub(super) fn coloured(palette: Palette, colour: AnsiColor) -> Style {
    match palette {
        Palette::None => Style::new(),
        _ => colour.on_default(),
    }
}

/// The rows of a hunk: its place, what to look twice at, its lines.
pub(super) fn of(root: &str, palette: Palette, step: &Step, why: &[String], width: usize) -> Vec<ScreenRow> {
    let (file, hunk) = (step.file(), &step.hunk);
    let mut rows: Vec<ScreenRow> = Vec::new();
    let mut add = |text: &str, style: Style| {
        let lines = wrap(text, width);
        rows.extend(
            lines.iter().map(|line| ScreenRow { pieces: vec![piece(line, style)], ..ScreenRow::default() }),
        );
    };
    why.iter().for_each(|line| add(line, Style::new()));
    let place = match file.kind.has_text() {
        true => format!("{}:{}", file.path, hunk.start + 1),
        false => file.path.to_string(),
    };
    let kind = format!("{} {:?}", hunk.id, file.kind).to_lowercase();
    add(&format!("{place}  {kind}"), coloured(palette, AnsiColor::Cyan).bold());
    file.what.iter().for_each(|what| add(what, Style::new()));
    let twice = coloured(palette, AnsiColor::Yellow).bold();
    hunk.loose.iter().for_each(|how| add(&format!("placed loosely: {how}"), twice));
    hunk.warning.iter().for_each(|how| add(&format!("look twice: {how}"), twice));
    let around = context::of(root, file, hunk);
    for line in show::hunk_lines(palette, file.path.as_str(), hunk, &around) {
        let fill = match line.side {
            LineSide::Context => Style::new(),
            side => palette.style(side, Token::Plain, false),
        };
        wrapped(line.pieces, width, fill, &mut rows);
    }
    rows
}

/// Breaks a line into rows of so many columns; those that go on begin below its text.
fn wrapped(pieces: Vec<StyledPiece>, width: usize, fill: Style, rows: &mut Vec<ScreenRow>) {
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

    use super::{piece, wrapped};

    #[test]
    fn a_long_line_takes_as_many_rows_as_it_needs_and_loses_nothing() {
        let mut rows = Vec::new();
        let long = "漢x".repeat(30_000);
        wrapped(vec![piece("+ ", Style::new()), piece(&long, Style::new())], 61, Style::new(), &mut rows);
        let texts: Vec<String> =
            rows.iter().map(|row| row.pieces.iter().map(|piece| piece.text.as_str()).collect()).collect();
        assert!(texts.iter().all(|text| crate::cli::print::columns(text) <= 61));
        assert_eq!(texts.iter().map(|text| &text[2..]).collect::<String>(), long);
    }
}
