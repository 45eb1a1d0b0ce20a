//! Finds the encoding of a stream of bytes, in one pass.

use super::TextEncoding;

/// Bytes in which control characters are counted: enough to tell an old text from a program.
const SAMPLE_BYTES: usize = 64 << 10;
/// A text that is not UTF-8 has at most one control character in this many bytes.
const BYTES_PER_CONTROL: usize = 50;

/// Reads a file's bytes piece by piece and determines their encoding at the end.
#[derive(Clone, Debug)]
pub struct EncodingSniffer {
    marked: Option<TextEncoding>,
    /// True if the bytes cannot be text.
    binary: bool,
    /// True if the bytes are not UTF-8.
    foreign: bool,
    /// The incomplete character at the end of the last piece.
    carry: Vec<u8>,
    /// The last UTF-16 unit was the first half of a pair.
    high: bool,
    /// The first bytes. Only of what is not UTF-8 are their control characters counted.
    sample: Vec<u8>,
}

impl EncodingSniffer {
    /// Begins with the first bytes of the file, at least four if it has so many. They are not fed yet.
    pub fn new(head: &[u8]) -> Self {
        let marked = TextEncoding::from_mark(head);
        // The mark of UTF-32, low byte first, begins like that of UTF-16.
        let binary = head.starts_with(b"\xff\xfe\0\0");
        Self { marked, binary, foreign: false, carry: Vec::new(), high: false, sample: Vec::new() }
    }

    /// Returns whether the bytes are already known to be no text; the rest need not be read.
    pub fn is_binary(&self) -> bool {
        self.binary
    }

    /// The encoding that the mark at the start names.
    pub fn mark_encoding(&self) -> Option<TextEncoding> {
        self.marked
    }

    /// Takes the next bytes of the file; the first ones include the byte order mark.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.binary {
            return;
        }
        match self.marked {
            Some(wide @ (TextEncoding::Utf16Le | TextEncoding::Utf16Be)) => self.feed_wide(wide, bytes),
            _ => self.feed_narrow(bytes),
        }
    }

    fn feed_narrow(&mut self, bytes: &[u8]) {
        self.binary = memchr::memchr(0, bytes).is_some();
        let room = SAMPLE_BYTES - self.sample.len();
        self.sample.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if !self.foreign {
            self.feed_utf8(bytes);
        }
    }

    fn feed_utf8(&mut self, mut bytes: &[u8]) {
        while let (false, Some((first, rest))) = (self.carry.is_empty(), bytes.split_first()) {
            self.carry.push(*first);
            bytes = rest;
            match std::str::from_utf8(&self.carry) {
                Ok(_) => self.carry.clear(),
                Err(error) if error.error_len().is_none() => {}
                Err(_) => self.foreign = true,
            }
            if self.foreign {
                return;
            }
        }
        if let Err(error) = simdutf8::compat::from_utf8(bytes) {
            self.foreign = error.error_len().is_some();
            self.carry = bytes[error.valid_up_to()..].to_vec();
        }
    }

    fn feed_wide(&mut self, encoding: TextEncoding, mut bytes: &[u8]) {
        if let (Some(low), Some((first, rest))) = (self.carry.pop(), bytes.split_first()) {
            self.check_unit(encoding.utf16_unit([low, *first]));
            bytes = rest;
        }
        let (pairs, rest) = bytes.as_chunks::<2>();
        for pair in pairs {
            self.check_unit(encoding.utf16_unit(*pair));
        }
        self.carry.extend_from_slice(rest);
    }

    fn check_unit(&mut self, unit: u16) {
        let low = (0xdc00..0xe000).contains(&unit);
        self.binary |= low != self.high;
        self.high = (0xd800..0xdc00).contains(&unit);
    }

    /// The encoding of all that was fed; `None` if it is not text.
    pub fn finish(&self) -> Option<TextEncoding> {
        let cut = !self.carry.is_empty();
        match self.marked {
            _ if self.binary => None,
            Some(wide @ (TextEncoding::Utf16Le | TextEncoding::Utf16Be)) => {
                (!cut && !self.high).then_some(wide)
            }
            marked if !self.foreign && !cut => Some(marked.unwrap_or_default()),
            _ => {
                let controls = self.sample.iter().filter(|byte| is_control(**byte)).count();
                (controls * BYTES_PER_CONTROL <= self.sample.len()).then_some(TextEncoding::Latin1)
            }
        }
    }
}

fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b)
}
