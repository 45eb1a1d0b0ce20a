//! Output as it may be written to a person's terminal: text and colors, and no other escape sequence.

use crate::base::hidden::shown;

/// Characters of a sequence of colors that are read; a longer one is left out.
const LONGEST: usize = 64;

/// Reads a stream piece by piece. A character or a sequence that a piece cuts in two is taken with the next one.
#[derive(Debug, Default)]
pub(crate) struct TerminalText {
    /// The beginning of a character.
    rest: Vec<u8>,
    state: State,
    /// The parameters of the control sequence that is being read.
    parameters: String,
    /// Text that was read, up to the next sign that acts on a terminal.
    plain: String,
}

/// Where in a sequence the stream is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// Behind an escape.
    Escape,
    /// In a control sequence.
    Control,
    /// In a string for the terminal: a title, a link, the clipboard.
    Words,
    /// Behind an escape in such a string.
    WordsEscape,
}

impl TerminalText {
    /// Adds what a piece of the stream comes to.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut String) {
        self.rest.extend_from_slice(bytes);
        let whole = self.rest.len() - cut_character(&self.rest);
        let taken: Vec<u8> = self.rest.drain(..whole).collect();
        for c in String::from_utf8_lossy(&taken).chars() {
            self.step(c, out);
        }
        self.settle(out);
    }

    fn step(&mut self, c: char, out: &mut String) {
        self.state = match (self.state, c) {
            (State::Text, '\x1b') | (State::Control, '\x1b') => State::Escape,
            (State::Text, c) => {
                self.text(c, out);
                State::Text
            }
            (State::Escape, '[') => {
                self.parameters.clear();
                State::Control
            }
            (State::Escape, ']' | 'P' | 'X' | '^' | '_') => State::Words,
            (State::Escape, '\x1b' | ' '..='/') => State::Escape,
            (State::Control, ' '..='?') => {
                self.parameters.push(c);
                State::Control
            }
            (State::Control, '@'..='~') => {
                self.control(c, out);
                State::Text
            }
            // What is not ended at the end of its line hides nothing behind it.
            (State::Escape | State::Control | State::Words | State::WordsEscape, '\n') => {
                self.text(c, out);
                State::Text
            }
            (State::Escape | State::Control, _) => State::Text,
            (State::Words, '\x07' | '\u{9c}') | (State::WordsEscape, '\\') => State::Text,
            (State::Words, '\x1b') => State::WordsEscape,
            (State::Words, _) => State::Words,
            (State::WordsEscape, c) => {
                self.state = State::Escape;
                return self.step(c, out);
            }
        };
    }

    fn text(&mut self, c: char, out: &mut String) {
        match c {
            '\r' | '\x08' => {
                self.settle(out);
                out.push(c);
            }
            c if c.is_ascii_control() && !matches!(c, '\n' | '\t') => {}
            c => self.plain.push(c),
        }
    }

    fn control(&mut self, c: char, out: &mut String) {
        if c == 'm'
            && self.parameters.len() <= LONGEST
            && let Some(colors) = colors(&self.parameters)
        {
            self.settle(out);
            out.push_str("\x1b[");
            out.push_str(&colors);
            out.push('m');
        }
    }

    /// Adds the text so far, with what hides in it as escapes.
    fn settle(&mut self, out: &mut String) {
        out.push_str(&shown(&self.plain));
        self.plain.clear();
    }
}

/// How many bytes at the end are the beginning of a character.
fn cut_character(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last().map(|chunk| chunk.invalid()).unwrap_or_default();
    match str::from_utf8(last) {
        Err(error) if error.error_len().is_none() => last.len(),
        _ => 0,
    }
}

/// The parameters of a change of colors, without the one that hides text.
fn colors(parameters: &str) -> Option<String> {
    if !parameters.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b':')) {
        return None;
    }
    let mut kept = Vec::new();
    let mut all = parameters.split(';');
    while let Some(one) = all.next() {
        match one.parse::<u32>() {
            Ok(8) => continue,
            Ok(38 | 48 | 58) => {
                kept.push(one);
                let space = all.next();
                kept.extend(space);
                let more = match space {
                    Some("2") => 3,
                    Some("5") => 1,
                    _ => 0,
                };
                kept.extend(all.by_ref().take(more));
            }
            _ => kept.push(one),
        }
    }
    (!kept.is_empty()).then(|| kept.join(";"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_of(stream: &[u8]) -> String {
        let mut out = String::new();
        TerminalText::default().push(stream, &mut out);
        out
    }

    #[test]
    fn colors_stay_and_all_else_that_acts_goes() {
        let cases: [(&[u8], &str); 14] = [
            (b"\x1b[1;31mred\x1b[0m\x1b[m\n", "\x1b[1;31mred\x1b[0m\x1b[m\n"),
            (b"\x1b[38;5;8mgrey\x1b[48;2;8;8;8m", "\x1b[38;5;8mgrey\x1b[48;2;8;8;8m"),
            (b"\x1b[8mhidden\x1b[1;08m", "hidden\x1b[1m"),
            (b"\x1b]0;title\x07a\x1b]52;c;c2VjcmV0\x1b\\b", "ab"),
            (b"\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
            (b"\x1bPq#0\x1b\\a\x1b_payload\x1b\\b\x1b^x\x9c", "ab"),
            (b"\x1b[2J\x1b[H\x1b[?1049h\x1b[6n\x1b[>4;2m\x1b[1Aa", "a"),
            (b"\x1bc\x1b(0\x1b7a\x1b=", "a"),
            (b"10%\r50%\x08\t\n", "10%\r50%\x08\t\n"),
            (b"a\x07\0\x0e\x7fb", "ab"),
            (b"\x1b]0;never ended\nshown\n", "\nshown\n"),
            (b"\x1b[3\nshown", "\nshown"),
            ("\u{202e}\u{9b}31m".as_bytes(), "\\u{202e}\\u{9b}31m"),
            (b"caf\xe9\xff!", "caf\u{fffd}\u{fffd}!"),
        ];
        for (stream, wanted) in cases {
            assert_eq!(shown_of(stream), wanted, "{:?}", String::from_utf8_lossy(stream));
        }
    }

    #[test]
    fn it_matters_not_where_a_stream_is_cut() {
        let stream = "a\u{e9}\x1b[31mb\x1b]52;c;eHg=\x1b\\c\u{1f600}\x1b[0m\r\n".as_bytes();
        let whole = shown_of(stream);
        assert_eq!(whole, "a\u{e9}\x1b[31mbc\u{1f600}\x1b[0m\r\n");
        let (mut text, mut out) = (TerminalText::default(), String::new());
        for byte in stream {
            text.push(&[*byte], &mut out);
        }
        assert_eq!(out, whole);
    }
}
