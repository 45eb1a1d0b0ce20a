//! Texts behind escapes: the text with each escape replaced by its character, and the positions in the original.

/// Bytes before and behind an escape that are looked at with it.
const AROUND: (usize, usize) = (256, 640);

/// A part of a text with its escapes undone.
#[derive(Debug)]
pub(super) struct UnescapedText {
    pub(super) text: Vec<u8>,
    /// For each byte, the start and the end of its escape in the original.
    places: Vec<(usize, usize)>,
}

impl UnescapedText {
    /// The parts of a text that hold escapes, without them.
    pub(super) fn unescape_parts(text: &[u8]) -> Vec<Self> {
        let mut parts: Vec<(usize, usize)> = Vec::new();
        for at in escape_places(text) {
            let (from, to) = (at.saturating_sub(AROUND.0), text.len().min(at + AROUND.1));
            match parts.last_mut() {
                Some(last) if from <= last.1 => last.1 = to,
                _ => parts.push((from, to)),
            }
        }
        parts.into_iter().map(|(from, to)| Self::unescape_part(text, from, to)).collect()
    }

    fn unescape_part(text: &[u8], from: usize, to: usize) -> Self {
        let mut decoded = Self { text: Vec::with_capacity(to - from), places: Vec::with_capacity(to - from) };
        let mut at = from;
        while at < to {
            let (length, byte) = read_escape(text, at).unwrap_or((1, Some(text[at])));
            if let Some(byte) = byte {
                decoded.text.push(byte);
                decoded.places.push((at, at + length));
            }
            at += length;
        }
        decoded
    }

    /// Returns the original position of a part of the text without escapes.
    pub(super) fn original_place(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        Some((self.places.get(start)?.0, self.places.get(end.checked_sub(1)?)?.1))
    }
}

/// Returns the positions of escapes, in order.
fn escape_places(text: &[u8]) -> Vec<usize> {
    let is_escape = |at: &usize| read_escape(text, *at).is_some();
    let mut marks: Vec<usize> = memchr::memchr3_iter(b'\\', b'%', b'&', text).filter(is_escape).collect();
    marks.extend(memchr::memchr3_iter(0xc2, 0xe2, 0xef, text).filter(is_escape));
    // A quote before a sign that joins two strings.
    let quote = |sign: usize| text[..sign].iter().rposition(|b| !b.is_ascii_whitespace());
    marks.extend(memchr::memchr_iter(b'+', text).filter_map(quote).filter(is_escape));
    marks.sort_unstable();
    marks
}

/// Returns the length of the escape at `at`, and the byte that it represents, if there is one.
fn read_escape(text: &[u8], at: usize) -> Option<(usize, Option<u8>)> {
    let rest = &text[at..];
    let printable = |code: u32| u8::try_from(code).ok().filter(|b| (b' '..0x7f).contains(b));
    let hex = |from: usize, to: usize| {
        let digits = rest.get(from..to)?;
        let plain = digits.iter().all(u8::is_ascii_hexdigit);
        u32::from_str_radix(str::from_utf8(digits).ok().filter(|_| plain)?, 16).ok().and_then(printable)
    };
    match rest {
        [b'\\', b'u', b'{', ..] => {
            let close = rest.iter().take(10).position(|b| *b == b'}')?;
            Some((close + 1, Some(hex(3, close)?)))
        }
        [b'\\', b'u', ..] => Some((6, Some(hex(2, 6)?))),
        [b'\\', b'x', ..] => Some((4, Some(hex(2, 4)?))),
        [b'\\', b'/', ..] => Some((2, Some(b'/'))),
        [b'\\', b'\n', ..] => {
            Some((2 + rest[2..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count(), None))
        }
        [b'%', ..] => Some((3, Some(hex(1, 3)?))),
        [b'&', b'#', b'x' | b'X', ..] => {
            let close = rest.iter().take(9).position(|b| *b == b';')?;
            Some((close + 1, Some(hex(3, close)?)))
        }
        [b'&', b'#', ..] => {
            let close = rest.iter().take(8).position(|b| *b == b';')?;
            let code = str::from_utf8(&rest[2..close]).ok()?.parse().ok()?;
            Some((close + 1, Some(printable(code)?)))
        }
        [b'&', ..] => {
            let names = [
                (&b"&quot;"[..], b'"'),
                (b"&amp;", b'&'),
                (b"&apos;", b'\''),
                (b"&lt;", b'<'),
                (b"&gt;", b'>'),
            ];
            names
                .iter()
                .find(|(name, _)| rest.starts_with(name))
                .map(|(name, byte)| (name.len(), Some(*byte)))
        }
        // Two strings that a sign makes one.
        [quote @ (b'"' | b'\''), ..] => {
            let blank =
                |from: usize| rest[from..].iter().take(16).take_while(|b| b.is_ascii_whitespace()).count();
            let sign = 1 + blank(1);
            let next = sign + 1 + blank((sign + 1).min(rest.len()));
            (rest.get(sign) == Some(&b'+') && rest.get(next) == Some(quote)).then_some((next + 1, None))
        }
        // Invisible characters.
        [0xc2, 0xad, ..] => Some((2, None)),
        [0xe2, 0x80, 0x8b..=0x8d, ..] | [0xe2, 0x81, 0xa0, ..] | [0xef, 0xbb, 0xbf, ..] => Some((3, None)),
        _ => None,
    }
}
