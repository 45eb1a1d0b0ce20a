//! Rows of a log for people: parts that fill the width of the terminal, and continue on the next line.

use crate::cli::print::{TerminalPage, TextLook, count_columns, fit_text, visible_line, wrap_text};

/// The column at which a row continues.
const INDENT: usize = 10;

/// A piece of a row with its look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LinePart {
    look: Option<TextLook>,
    text: String,
}

impl LinePart {
    /// A part that looks like any text.
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { look: None, text: text.into() }
    }

    /// A part with a look of its own.
    pub(super) fn new(look: TextLook, text: impl Into<String>) -> Self {
        Self { look: Some(look), text: text.into() }
    }
}

/// Parts with two columns between them. On a terminal, a row that is too wide continues on the next line, and a part
/// that is wider than the terminal breaks between its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LogRow {
    parts: Vec<LinePart>,
    /// True if it is a line of a diff or of an output: it is cut, not wrapped.
    verbatim: bool,
}

impl LogRow {
    /// A row of these parts; empty ones are left out.
    pub(super) fn new(parts: impl IntoIterator<Item = LinePart>) -> Self {
        Self { parts: parts.into_iter().filter(|part| !part.text.is_empty()).collect(), verbatim: false }
    }

    /// A row of one part that looks like any text.
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self::new([LinePart::plain(text)])
    }

    /// A row of one part with a look of its own.
    pub(super) fn of(look: TextLook, text: impl Into<String>) -> Self {
        Self::new([LinePart::new(look, text)])
    }

    /// A row of one unchanged line, cut at the terminal's width.
    pub(super) fn verbatim(look: Option<TextLook>, text: impl Into<String>) -> Self {
        Self { parts: vec![LinePart { look, text: text.into() }], verbatim: true }
    }

    /// Appends the parts of another row.
    pub(super) fn append_row(mut self, other: Self) -> Self {
        self.parts.extend(other.parts);
        self
    }

    /// Its lines, the first one at the margin.
    pub(super) fn lines_at_margin(&self, page: TerminalPage) -> Vec<String> {
        self.wrap_lines(page, 0)
    }

    /// Its lines, indented below another row.
    pub(super) fn lines_below(&self, page: TerminalPage) -> Vec<String> {
        self.wrap_lines(page, INDENT)
    }

    fn wrap_lines(&self, page: TerminalPage, start: usize) -> Vec<String> {
        let width = if page.breaks() { page.width() } else { usize::MAX };
        let room = width - INDENT;
        let mut lines = vec![" ".repeat(start)];
        let (mut column, mut begun) = (start, false);
        for LinePart { look, text } in &self.parts {
            let pieces = match (self.verbatim, page.breaks()) {
                (_, false) => vec![visible_line(text)],
                (true, true) => vec![fit_text(text, room)],
                (false, true) => wrap_text(text, room),
            };
            for (at, piece) in pieces.iter().enumerate() {
                let wide = count_columns(piece);
                if begun && (at > 0 || column.saturating_add(2 + wide) > width) {
                    lines.push(" ".repeat(INDENT));
                    (column, begun) = (INDENT, false);
                }
                let gap = if begun { "  " } else { "" };
                column = column.saturating_add(gap.len() + wide);
                begun = true;
                if let Some(line) = lines.last_mut() {
                    line.push_str(gap);
                    line.push_str(&look.map_or_else(|| piece.clone(), |look| page.paint(look, piece)));
                }
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_goes_on_below_where_the_terminal_ends() {
        let row = LogRow::new(
            ["12:00:05", "c-0001", "", "fs.patch", "src/a/long/path.rs", "ok", "26 s, yours"]
                .map(LinePart::plain),
        );
        assert_eq!(
            row.lines_at_margin(TerminalPage::terminal(100)),
            ["12:00:05  c-0001  fs.patch  src/a/long/path.rs  ok  26 s, yours"]
        );
        assert_eq!(
            row.lines_at_margin(TerminalPage::terminal(49)),
            ["12:00:05  c-0001  fs.patch  src/a/long/path.rs", "          ok  26 s, yours"]
        );
        let why = LogRow::plain("one two three four five six seven eight nine ten eleven");
        assert_eq!(
            why.lines_below(TerminalPage::terminal(40)),
            ["          one two three four five six", "          seven eight nine ten eleven"]
        );
        let cut = LogRow::verbatim(None, format!("+    {}", "x".repeat(60)));
        assert_eq!(
            cut.lines_below(TerminalPage::terminal(40)),
            [format!("          +    {}…", "x".repeat(24))]
        );
        assert_eq!(cut.lines_below(TerminalPage::file()), [format!("          +    {}", "x".repeat(60))]);
    }
}
