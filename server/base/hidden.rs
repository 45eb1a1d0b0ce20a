//! Characters that nobody sees: found, and written so that everybody does.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character shows nothing of its own, moves the cursor, or turns the reading direction: such a
/// character is written as an escape wherever it comes from.
pub fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    matches!(c,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
        | '\u{8e2}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{fffe}' | '\u{ffff}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{13455}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{10ffff}')
        || (c as u32) & 0xfffe == 0xfffe
}

/// Whether a text holds such a character; line ends and tabs are none.
pub fn hides(text: &str) -> bool {
    text.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\r' | '\t'))
}

/// The text with hidden characters as escapes, `\u{202e}`. Line ends and tabs stay.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' if rest.peek() == Some(&'\n') => {}
            '\n' | '\t' => out.push(c),
            _ if is_hidden(c) => {
                let _ = write!(out, "{}", c.escape_unicode());
            }
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_shown() {
        let cases = [
            ("plain ü 漢\n\tnext", "plain ü 漢\n\tnext"),
            ("a\r\nb\rc", "a\nb\\u{d}c"),
            ("\u{1b}[2J\u{202e}x\u{200b}", "\\u{1b}[2J\\u{202e}x\\u{200b}"),
            ("\u{e0041}\u{e000}\u{feff}", "\\u{e0041}\\u{e000}\\u{feff}"),
        ];
        for (given, expected) in cases {
            assert_eq!(shown(given), expected);
            assert!(!hides(&shown(given)), "{given:?}");
        }
    }
}
