//! Positions in a text as editors count them: lines, and UTF-8, UTF-16 or UTF-32 units.

/// The unit of a position's `character`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionEncoding {
    /// Bytes.
    Utf8,
    /// Two-byte units: what every client speaks.
    #[default]
    Utf16,
    /// Code points.
    Utf32,
}

impl PositionEncoding {
    /// The best encoding of those a client offers, by their names on the wire. UTF-8 costs least here;
    /// UTF-16 is what a client means that offers nothing.
    pub fn negotiate<'a>(offered: impl IntoIterator<Item = &'a str>) -> Self {
        let known = offered.into_iter().filter_map(Self::from_name);
        known
            .min_by_key(|encoding| match encoding {
                Self::Utf8 => 0,
                Self::Utf16 => 1,
                Self::Utf32 => 2,
            })
            .unwrap_or_default()
    }

    /// The encoding called `name` on the wire.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        }
    }

    /// Returns its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    /// Returns the number of units that `c` takes.
    fn char_width(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }

    /// Returns the number of units that `text` takes.
    pub fn count_units(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            _ if text.is_ascii() => text.len(),
            _ => text.chars().map(|c| self.char_width(c)).sum(),
        }
    }
}

/// A position between two characters: line and character count from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPosition {
    /// The line. `\n`, `\r\n` and `\r` each end one.
    pub line: u32,
    /// Units into the line.
    pub character: u32,
}

/// The byte offset of `position` in `text`. Past a line's end it is that end (before its line break), past
/// the last line it is the text's end, and inside a character it is the character's start.
pub fn offset_at(text: &str, position: TextPosition, encoding: PositionEncoding) -> usize {
    let Some(start) = line_start(text, position.line) else { return text.len() };
    let line = &text[start..];
    let line = &line[..line_len(line)];
    start + unit_offset(line, position.character as usize, encoding)
}

/// The position of the byte `offset` of `text`; of its end if it is past it, of the character's start
/// if it is inside one.
pub fn position_at(text: &str, offset: usize, encoding: PositionEncoding) -> TextPosition {
    let offset = floor_boundary(text, offset);
    let (mut line, mut start) = (0, 0);
    while let Some(next) = next_line(text, start).filter(|next| *next <= offset) {
        line += 1;
        start = next;
    }
    TextPosition { line, character: clamp_to_u32(encoding.count_units(&text[start..offset])) }
}

/// Replaces what lies between two positions by `new`. Where the end is before the start the two are swapped.
pub fn replace_range(
    text: &mut String,
    start: TextPosition,
    end: TextPosition,
    encoding: PositionEncoding,
    new: &str,
) {
    let (from, to) = (offset_at(text, start, encoding), offset_at(text, end, encoding));
    text.replace_range(from.min(to)..from.max(to), new);
}

fn clamp_to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The byte offset where line `line` begins; none if the text has fewer lines.
fn line_start(text: &str, line: u32) -> Option<usize> {
    (0..line).try_fold(0, |start, _| next_line(text, start))
}

/// The byte offset of the line after the one at `start`; none on the last line.
fn next_line(text: &str, start: usize) -> Option<usize> {
    let rest = text.as_bytes().get(start..)?;
    let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
    let crlf = rest[end] == b'\r' && rest.get(end + 1) == Some(&b'\n');
    Some(start + end + if crlf { 2 } else { 1 })
}

fn line_len(rest: &str) -> usize {
    rest.bytes().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len())
}

fn unit_offset(line: &str, units: usize, encoding: PositionEncoding) -> usize {
    if encoding == PositionEncoding::Utf8 {
        return floor_boundary(line, units);
    }
    let mut left = units;
    for (offset, c) in line.char_indices() {
        let width = encoding.char_width(c);
        if left < width {
            return offset;
        }
        left -= width;
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "aé😀b\r\nx\ry\n\nend";

    /// Offset of (line, character), and back if the position is a true one.
    fn check(encoding: PositionEncoding, line: u32, character: u32, offset: usize, exact: bool) {
        let position = TextPosition { line, character };
        assert_eq!(offset_at(TEXT, position, encoding), offset, "{encoding:?} {position:?}");
        if exact {
            assert_eq!(position_at(TEXT, offset, encoding), position, "{encoding:?} {offset}");
        }
    }

    #[test]
    fn offsets_and_positions() {
        use PositionEncoding::{Utf8, Utf16, Utf32};
        for encoding in [Utf8, Utf16, Utf32] {
            check(encoding, 0, 0, 0, true);
            check(encoding, 0, 1, 1, true);
            check(encoding, 1, 0, 10, true);
            check(encoding, 1, 9, 11, false); // past the line's end: before its break
            check(encoding, 2, 0, 12, true); // a lone \r ends a line
            check(encoding, 3, 0, 14, true);
            check(encoding, 3, 5, 14, false);
            check(encoding, 4, 3, 18, true);
            check(encoding, 4, 9, 18, false);
            check(encoding, 5, 0, 18, false); // past the last line
            check(encoding, u32::MAX, u32::MAX, 18, false);
        }
        check(Utf8, 0, 2, 1, false); // inside é
        check(Utf8, 0, 3, 3, true);
        check(Utf8, 0, 5, 3, false); // inside 😀
        check(Utf8, 0, 8, 8, true);
        check(Utf16, 0, 2, 3, true);
        check(Utf16, 0, 3, 3, false); // between the surrogates
        check(Utf16, 0, 4, 7, true);
        check(Utf16, 0, 5, 8, true);
        check(Utf32, 0, 3, 7, true);
        check(Utf32, 0, 99, 8, false);
    }

    #[test]
    fn an_offset_inside_a_line_break_belongs_to_its_line() {
        assert_eq!(position_at("a\r\nb", 2, PositionEncoding::Utf8), TextPosition { line: 0, character: 2 });
        assert_eq!(position_at("a\r\nb", 99, PositionEncoding::Utf8), TextPosition { line: 1, character: 1 });
        assert_eq!(position_at("", 0, PositionEncoding::Utf16), TextPosition::default());
    }

    #[test]
    fn edits() {
        let at = |line, character| TextPosition { line, character };
        let mut text = TEXT.to_owned();
        replace_range(&mut text, at(0, 2), at(0, 4), PositionEncoding::Utf16, "ü");
        assert_eq!(text, "aéüb\r\nx\ry\n\nend");
        replace_range(&mut text, at(2, 0), at(0, 4), PositionEncoding::Utf16, "");
        assert_eq!(text, "aéüby\n\nend");
        replace_range(&mut text, at(9, 0), at(9, 9), PositionEncoding::Utf16, "\n");
        assert_eq!(text, "aéüby\n\nend\n");
    }

    #[test]
    fn encodings_are_negotiated() {
        assert_eq!(PositionEncoding::negotiate(["utf-16", "utf-8"]), PositionEncoding::Utf8);
        assert_eq!(PositionEncoding::negotiate(["utf-32", "utf-16"]), PositionEncoding::Utf16);
        assert_eq!(PositionEncoding::negotiate(["utf-32", "ebcdic"]), PositionEncoding::Utf32);
        assert_eq!(PositionEncoding::negotiate([]), PositionEncoding::Utf16);
    }
}
