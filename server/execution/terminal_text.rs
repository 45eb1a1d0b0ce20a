//! Output as it may be written to a person's terminal: text and colors, and no other escape sequence.

use crate::base::hidden::escape_hidden;

/// Characters of a sequence of colors that are read; a longer one is left out.
const LONGEST: usize = 64;

/// Reads a stream piece by piece. A character or a sequence that a piece cuts in two is taken with the next one.
#[derive(Debug, Default)]
pub(crate) struct TerminalText {
    /// The beginning of a character.
    rest: Vec<u8>,
    state: EscapeState,
    /// The parameters of the control sequence that is being read.
    parameters: String,
    /// Text that was read, up to the next sign that acts on a terminal.
    plain: String,
}

/// The position of the stream in an escape sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum EscapeState {
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
            self.step_char(c, out);
        }
        self.flush_plain(out);
    }

    fn step_char(&mut self, c: char, out: &mut String) {
        self.state = match (self.state, c) {
            (EscapeState::Text, '\x1b') | (EscapeState::Control, '\x1b') => EscapeState::Escape,
            (EscapeState::Text, c) => {
                self.push_text(c, out);
                EscapeState::Text
            }
            (EscapeState::Escape, '[') => {
                self.parameters.clear();
                EscapeState::Control
            }
            (EscapeState::Escape, ']' | 'P' | 'X' | '^' | '_') => EscapeState::Words,
            (EscapeState::Escape, '\x1b' | ' '..='/') => EscapeState::Escape,
            (EscapeState::Control, ' '..='?') => {
                self.parameters.push(c);
                EscapeState::Control
            }
            (EscapeState::Control, '@'..='~') => {
                self.push_control(c, out);
                EscapeState::Text
            }
            // A sequence that is not ended at the end of its line hides nothing after it.
            (
                EscapeState::Escape | EscapeState::Control | EscapeState::Words | EscapeState::WordsEscape,
                '\n',
            ) => {
                self.push_text(c, out);
                EscapeState::Text
            }
            (EscapeState::Escape | EscapeState::Control, _) => EscapeState::Text,
            (EscapeState::Words, '\x07' | '\u{9c}') | (EscapeState::WordsEscape, '\\') => EscapeState::Text,
            (EscapeState::Words, '\x1b') => EscapeState::WordsEscape,
            (EscapeState::Words, _) => EscapeState::Words,
            (EscapeState::WordsEscape, c) => {
                self.state = EscapeState::Escape;
                return self.step_char(c, out);
            }
        };
    }

    fn push_text(&mut self, c: char, out: &mut String) {
        match c {
            '\r' | '\x08' => {
                self.flush_plain(out);
                out.push(c);
            }
            c if c.is_ascii_control() && !matches!(c, '\n' | '\t') => {}
            c => self.plain.push(c),
        }
    }

    fn push_control(&mut self, c: char, out: &mut String) {
        if c == 'm'
            && self.parameters.len() <= LONGEST
            && let Some(colors) = visible_colors(&self.parameters)
        {
            self.flush_plain(out);
            out.push_str("\x1b[");
            out.push_str(&colors);
            out.push('m');
        }
    }

    /// Adds the text so far, with what hides in it as escapes.
    fn flush_plain(&mut self, out: &mut String) {
        out.push_str(&escape_hidden(&self.plain));
        self.plain.clear();
    }
}

/// Returns the number of bytes at the end that are the beginning of a character.
fn cut_character(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last().map(|chunk| chunk.invalid()).unwrap_or_default();
    match str::from_utf8(last) {
        Err(error) if error.error_len().is_none() => last.len(),
        _ => 0,
    }
}

/// The parameters of a change of colors, without the one that hides text.
fn visible_colors(parameters: &str) -> Option<String> {
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
