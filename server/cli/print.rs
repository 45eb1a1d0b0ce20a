//! Printing for people: one writer that knows the terminal's width and colours, and handles a closed output.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::LazyLock;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthChar;

use super::palette::StyledPiece;
use crate::base::{hidden, ids, random};

/// The look of a text, if the terminal shows colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextLook {
    /// Emphasized.
    Bold,
    /// Less prominent.
    Dim,
    /// Removed, or wrong.
    Red,
    /// Added, or right.
    Green,
    /// Needs attention.
    Yellow,
    /// A name.
    Cyan,
}

impl TextLook {
    fn style(self) -> Style {
        match self {
            Self::Bold => Style::new().bold(),
            Self::Dim => Style::new().dimmed(),
            Self::Red => AnsiColor::Red.on_default(),
            Self::Green => AnsiColor::Green.on_default(),
            Self::Yellow => AnsiColor::Yellow.on_default(),
            Self::Cyan => AnsiColor::Cyan.on_default(),
        }
    }
}

/// Standard output, as a page of lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct TerminalPage {
    colour: bool,
    width: usize,
    /// True if it is a terminal, where lines that are too wide are broken or cut.
    breaks: bool,
}

impl TerminalPage {
    /// The page that this process writes: coloured if anstream detects that standard output shows colours, by
    /// `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR`, and the kind of the terminal.
    pub(super) fn stdout() -> Self {
        let colour = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        Self { colour, width: terminal_width(), breaks: io::stdout().is_terminal() }
    }

    /// A terminal without colours of that width.
    #[cfg(test)]
    pub(super) fn terminal(width: usize) -> Self {
        Self { colour: false, width, breaks: true }
    }

    /// A file or a pipe.
    #[cfg(test)]
    pub(super) fn file() -> Self {
        Self { colour: false, width: 100, breaks: false }
    }

    /// Returns whether lines that are too wide are wrapped or cut: on a terminal, and not for a program that reads them.
    pub(super) fn breaks(self) -> bool {
        self.breaks
    }

    /// Columns that a line may fill.
    pub(super) fn width(self) -> usize {
        self.width
    }

    /// The text in that look, with its control characters escaped.
    pub(super) fn paint(self, look: TextLook, text: &str) -> String {
        let text = visible_line(text);
        match self.colour && !text.is_empty() {
            true => {
                let style = look.style();
                format!("{}{text}{}", mark_code(style.render()), mark_code(style.render_reset()))
            }
            false => text,
        }
    }

    /// A line of pieces, each in its look.
    pub(super) fn paint_pieces(self, line: &[StyledPiece]) -> String {
        let piece = |StyledPiece { text, style }: &StyledPiece| {
            let text = visible_line(text);
            match self.colour && !style.is_plain() {
                true => format!("{}{text}{}", mark_code(style.render()), mark_code(style.render_reset())),
                false => text,
            }
        };
        line.iter().map(piece).collect()
    }

    /// A text with a hanging indent of `indent` columns: if the terminal is too narrow, it continues below its
    /// beginning. Lines are broken between words, and words are never cut.
    pub(super) fn hang_text(self, indent: usize, look: Option<TextLook>, text: &str) -> String {
        let mut lines: Vec<String> = Vec::new();
        for word in visible_line(text).split(' ') {
            let fits = |line: &&mut String| {
                !self.breaks || indent + count_columns(line) + 1 + count_columns(word) <= self.width
            };
            match lines.last_mut().filter(fits) {
                Some(line) => {
                    line.push(' ');
                    line.push_str(word);
                }
                None => lines.push(word.to_owned()),
            }
        }
        let painted =
            lines.iter().map(|line| look.map_or_else(|| line.clone(), |look| self.paint(look, line)));
        painted.collect::<Vec<_>>().join(&format!("\n{:indent$}", ""))
    }

    /// Writes one line.
    ///
    /// # Errors
    /// The error of the write; [`io::ErrorKind::BrokenPipe`] if the reader has gone.
    pub(super) fn write_line(self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(io::stdout().lock(), "{}", escape_hidden(text.as_ref()))
    }

    /// Writes a question with no line end, and shows it at once.
    ///
    /// # Errors
    /// The error of the write.
    pub(super) fn write_prompt(self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        write!(out, "{}", escape_hidden(text))?;
        out.flush()
    }
}

/// Ends a subcommand: a reader that has gone is no failure, any other error is reported on standard error.
pub(super) fn exit_with(outcome: io::Result<ExitCode>) -> ExitCode {
    match outcome {
        Ok(code) => code,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error is closed, too, there is nowhere to report it.
            let _ = writeln!(io::stderr().lock(), "{}", escape_hidden(&format!("wherefore: {error}")));
            ExitCode::FAILURE
        }
    }
}

/// The placeholder of [`ESCAPE`] until the text is written. It is random, so that no text can contain it.
static COLOUR: LazyLock<String> =
    LazyLock::new(|| format!("\u{fdd0}{}:", random::random_token().unwrap_or_else(|_| ids::unique_word())));

/// The beginning of a terminal's escape code for a style.
const ESCAPE: &str = "\u{1b}[";

/// A code for a style, so that [`escape_hidden`] lets it pass.
fn mark_code(code: impl Display) -> String {
    code.to_string().replace(ESCAPE, &COLOUR)
}

/// The text in one line with hidden characters as escapes, so that a value cannot drive the terminal.
pub(super) fn visible_line(text: &str) -> String {
    hidden::escape_to_line(text).into_owned()
}

/// The text that a terminal gets: wherefore's own colours, and all other hidden characters escaped. All output for a
/// person passes through here, so that no escaping can be forgotten.
pub(super) fn escape_hidden(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{fdd0}') {
        return hidden::escape_hidden(text);
    }
    let mut parts = text.split(COLOUR.as_str());
    let mut out = hidden::escape_hidden(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        out.push_str(ESCAPE);
        out.push_str(&hidden::escape_hidden(part));
    }
    Cow::Owned(out)
}

/// A writer of lines for a person: each is made [`escape_hidden`].
#[derive(Debug)]
pub(super) struct LineWriter<W: Write> {
    to: W,
    line: Vec<u8>,
}

impl<W: Write> LineWriter<W> {
    /// Lines that go to `to`.
    pub(super) fn new(to: W) -> Self {
        Self { to, line: Vec::new() }
    }

    fn write_until(&mut self, end: usize) -> io::Result<()> {
        let text = String::from_utf8_lossy(&self.line[..end]);
        let written = self.to.write_all(escape_hidden(&text).as_bytes());
        self.line.drain(..end);
        written
    }
}

impl<W: Write> Write for LineWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        if let Some(end) = memchr::memrchr(b'\n', &self.line) {
            self.write_until(end + 1)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_until(self.line.len())?;
        self.to.flush()
    }
}

impl<W: Write> Drop for LineWriter<W> {
    fn drop(&mut self) {
        // An error cannot be reported any more.
        let _ = self.flush();
    }
}

/// Columns that a text fills.
pub(super) fn count_columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// The text cut to that number of columns, with `…` if something is cut off.
pub(super) fn fit_text(text: &str, columns: usize) -> String {
    let text = visible_line(text);
    let wide = |c: char| c.width().unwrap_or(0);
    if self::count_columns(&text) <= columns {
        return text;
    }
    let mut left = columns.saturating_sub(1);
    let kept = text.chars().take_while(|c| {
        let fits = wide(*c) <= left;
        left = left.saturating_sub(wide(*c));
        fits
    });
    kept.chain(['…']).collect()
}

/// The text in lines of at most that number of columns, broken between words; a longer word is cut.
pub(super) fn wrap_text(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace().map(visible_line) {
        match lines
            .last_mut()
            .filter(|line| self::count_columns(line) + 1 + self::count_columns(&word) <= columns)
        {
            Some(line) => {
                line.push(' ');
                line.push_str(&word);
            }
            None => lines.push(fit_text(&word, columns)),
        }
    }
    lines
}

/// The terminal's columns between 40 and 120; 100 where there is no terminal.
fn terminal_width() -> usize {
    let asked = rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col));
    asked.filter(|columns| *columns > 0).unwrap_or(100).clamp(40, 120)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{LineWriter, TerminalPage, TextLook, escape_hidden, fit_text, visible_line, wrap_text};

    #[test]
    fn a_value_cannot_drive_the_terminal() {
        let cases = [
            ("plain ü 漢", "plain ü 漢"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("a\tb\r\n", "a    b\\u{d}\\u{a}"),
            ("\u{202e}txt", "\\u{202e}txt"),
        ];
        for (given, shown) in cases {
            assert_eq!(visible_line(given), shown);
        }
    }

    #[test]
    fn a_line_is_cut_by_columns() {
        let cases =
            [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("漢字漢", 4, "漢…"), ("漢字", 4, "漢字"), ("a", 0, "…")];
        for (given, columns, shown) in cases {
            assert_eq!(fit_text(given, columns), shown, "{given} in {columns}");
        }
    }

    #[test]
    fn lines_break_between_words() {
        let cases: [(&str, usize, &[&str]); 4] = [
            ("one two three", 7, &["one two", "three"]),
            ("one  two\nthree", 80, &["one two three"]),
            ("a immeasurable b", 4, &["a", "imm…", "b"]),
            (" ", 4, &[]),
        ];
        for (given, columns, shown) in cases {
            assert_eq!(wrap_text(given, columns), shown, "{given} in {columns}");
        }
    }

    #[test]
    fn a_text_goes_on_below_its_beginning() {
        let hung = |page: TerminalPage, text| page.hang_text(4, None, text);
        assert_eq!(
            hung(TerminalPage::terminal(20), "one two three four five"),
            "one two three\n    four five"
        );
        assert_eq!(
            hung(TerminalPage::terminal(20), "a /folder/with/a/long/name b"),
            "a\n    /folder/with/a/long/name\n    b"
        );
        assert_eq!(hung(TerminalPage::file(), &"one ".repeat(50)), "one ".repeat(50));
    }

    #[test]
    fn colours_only_where_they_show() {
        let page = |colour| TerminalPage { colour, ..TerminalPage::file() };
        let red = page(true).paint(TextLook::Red, "x");
        assert_eq!(escape_hidden(&red), "\u{1b}[31mx\u{1b}[0m");
        assert_eq!(escape_hidden("\u{1b}[31mx\u{fdd0}0m"), "\\u{1b}[31mx\\u{fdd0}0m");
        let mut lines = LineWriter::new(Vec::new());
        for byte in format!("{red} é\u{202e}\u{1b}\n").bytes() {
            lines.write_all(&[byte]).unwrap();
        }
        assert_eq!(lines.to, "\u{1b}[31mx\u{1b}[0m é\\u{202e}\\u{1b}\n".as_bytes());
        assert_eq!(page(false).paint(TextLook::Red, "x"), "x");
        assert_eq!(page(true).paint(TextLook::Red, ""), "");
    }
}
