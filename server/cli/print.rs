//! Printing for people: one writer that knows the terminal's width and colours, and a reader who has gone.

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

/// How a piece of text looks, where the terminal shows colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextLook {
    /// Stands out.
    Bold,
    /// Steps back.
    Dim,
    /// Removed, or wrong.
    Red,
    /// Added, or right.
    Green,
    /// Wants attention.
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
    /// Whether it is a terminal, where lines that are too wide are broken or cut.
    breaks: bool,
}

impl TerminalPage {
    /// The page that this process writes: coloured where anstream says that standard output shows colours, by `NO_COLOR`,
    /// `CLICOLOR_FORCE`, `CLICOLOR`, and whether it is a terminal that can.
    pub(super) fn stdout() -> Self {
        let colour = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        Self { colour, width: width(), breaks: io::stdout().is_terminal() }
    }

    /// A terminal without colours that is so many columns wide.
    #[cfg(test)]
    pub(super) fn terminal(width: usize) -> Self {
        Self { colour: false, width, breaks: true }
    }

    /// A file or a pipe.
    #[cfg(test)]
    pub(super) fn file() -> Self {
        Self { colour: false, width: 100, breaks: false }
    }

    /// Whether lines that are too wide are broken or cut: on a terminal, and not for a program that reads them.
    pub(super) fn breaks(self) -> bool {
        self.breaks
    }

    /// Columns that a line may fill.
    pub(super) fn width(self) -> usize {
        self.width
    }

    /// The text in that look, its control characters shown and not obeyed.
    pub(super) fn paint(self, look: TextLook, text: &str) -> String {
        let text = visible(text);
        match self.colour && !text.is_empty() {
            true => {
                let style = look.style();
                format!("{}{text}{}", marked(style.render()), marked(style.render_reset()))
            }
            false => text,
        }
    }

    /// A line of pieces, each in its look.
    pub(super) fn styled(self, line: &[StyledPiece]) -> String {
        let piece = |StyledPiece { text, style }: &StyledPiece| {
            let text = visible(text);
            match self.colour && !style.is_plain() {
                true => format!("{}{text}{}", marked(style.render()), marked(style.render_reset())),
                false => text,
            }
        };
        line.iter().map(piece).collect()
    }

    /// A text behind what fills `indent` columns already: where the terminal is too narrow for it, it goes on below its
    /// beginning. Lines are broken between words, and a word is never cut.
    pub(super) fn hung(self, indent: usize, look: Option<TextLook>, text: &str) -> String {
        let mut lines: Vec<String> = Vec::new();
        for word in visible(text).split(' ') {
            let fits =
                |line: &&mut String| !self.breaks || indent + columns(line) + 1 + columns(word) <= self.width;
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
    /// What the write says; a reader who has gone is [`io::ErrorKind::BrokenPipe`].
    pub(super) fn line(self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(io::stdout().lock(), "{}", inert(text.as_ref()))
    }

    /// Writes a question with no line end, and shows it at once.
    ///
    /// # Errors
    /// What the write says.
    pub(super) fn prompt(self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        write!(out, "{}", inert(text))?;
        out.flush()
    }
}

/// Ends a subcommand: a reader who has gone is no failure, anything else is told on standard error.
pub(super) fn exit(outcome: io::Result<ExitCode>) -> ExitCode {
    match outcome {
        Ok(code) => code,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to tell where standard error is gone too.
            let _ = writeln!(io::stderr().lock(), "{}", inert(&format!("wherefore: {error}")));
            ExitCode::FAILURE
        }
    }
}

/// Stands for [`ESCAPE`] until the text is written: nobody who writes text beforehand knows it.
static COLOUR: LazyLock<String> =
    LazyLock::new(|| format!("\u{fdd0}{}:", random::token().unwrap_or_else(|_| ids::unique())));

/// What a terminal's code for a style begins with.
const ESCAPE: &str = "\u{1b}[";

/// A code for a style, so that [`inert`] lets it pass.
fn marked(code: impl Display) -> String {
    code.to_string().replace(ESCAPE, &COLOUR)
}

/// The text in one line with hidden characters as escapes, so that a value cannot drive the terminal.
pub(super) fn visible(text: &str) -> String {
    hidden::in_line(text).into_owned()
}

/// What a terminal gets of a text: our own colours, and nothing else that is hidden. Everything that is written for a
/// person passes here, whatever was forgotten before.
pub(super) fn inert(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{fdd0}') {
        return hidden::shown(text);
    }
    let mut parts = text.split(COLOUR.as_str());
    let mut out = hidden::shown(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        out.push_str(ESCAPE);
        out.push_str(&hidden::shown(part));
    }
    Cow::Owned(out)
}

/// A writer of lines for a person: each is made [`inert`].
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

    fn pass(&mut self, end: usize) -> io::Result<()> {
        let text = String::from_utf8_lossy(&self.line[..end]);
        let written = self.to.write_all(inert(&text).as_bytes());
        self.line.drain(..end);
        written
    }
}

impl<W: Write> Write for LineWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        if let Some(end) = memchr::memrchr(b'\n', &self.line) {
            self.pass(end + 1)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass(self.line.len())?;
        self.to.flush()
    }
}

impl<W: Write> Drop for LineWriter<W> {
    fn drop(&mut self) {
        // Nobody is left to tell.
        let _ = self.flush();
    }
}

/// Columns that a text fills.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// The text cut to so many columns, with `…` where something is gone.
pub(super) fn fit(text: &str, columns: usize) -> String {
    let text = visible(text);
    let wide = |c: char| c.width().unwrap_or(0);
    if self::columns(&text) <= columns {
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

/// The text in lines of so many columns at the most, broken between words; a longer word is cut.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace().map(visible) {
        match lines.last_mut().filter(|line| self::columns(line) + 1 + self::columns(&word) <= columns) {
            Some(line) => {
                line.push(' ');
                line.push_str(&word);
            }
            None => lines.push(fit(&word, columns)),
        }
    }
    lines
}

/// The terminal's columns between 40 and 120; 100 where there is no terminal.
fn width() -> usize {
    let asked = rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col));
    asked.filter(|columns| *columns > 0).unwrap_or(100).clamp(40, 120)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{LineWriter, TerminalPage, TextLook, fit, inert, visible, wrap};

    #[test]
    fn a_value_cannot_drive_the_terminal() {
        let cases = [
            ("plain ü 漢", "plain ü 漢"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("a\tb\r\n", "a    b\\u{d}\\u{a}"),
            ("\u{202e}txt", "\\u{202e}txt"),
        ];
        for (given, shown) in cases {
            assert_eq!(visible(given), shown);
        }
    }

    #[test]
    fn a_line_is_cut_by_columns() {
        let cases =
            [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("漢字漢", 4, "漢…"), ("漢字", 4, "漢字"), ("a", 0, "…")];
        for (given, columns, shown) in cases {
            assert_eq!(fit(given, columns), shown, "{given} in {columns}");
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
            assert_eq!(wrap(given, columns), shown, "{given} in {columns}");
        }
    }

    #[test]
    fn a_text_goes_on_below_its_beginning() {
        let hung = |page: TerminalPage, text| page.hung(4, None, text);
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
        assert_eq!(inert(&red), "\u{1b}[31mx\u{1b}[0m");
        assert_eq!(inert("\u{1b}[31mx\u{fdd0}0m"), "\\u{1b}[31mx\\u{fdd0}0m");
        let mut lines = LineWriter::new(Vec::new());
        for byte in format!("{red} é\u{202e}\u{1b}\n").bytes() {
            lines.write_all(&[byte]).unwrap();
        }
        assert_eq!(lines.to, "\u{1b}[31mx\u{1b}[0m é\\u{202e}\\u{1b}\n".as_bytes());
        assert_eq!(page(false).paint(TextLook::Red, "x"), "x");
        assert_eq!(page(true).paint(TextLook::Red, ""), "");
    }
}
