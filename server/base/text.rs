//! Bytes as text and back: encodings, byte order marks, line ends, binary files.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

mod sniff;
#[cfg(test)]
mod tests;

pub use sniff::EncodingSniffer;

/// The encoding of a file's text. Reading and writing with the same encoding gives back the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TextEncoding {
    /// UTF-8 with no byte order mark.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// UTF-8 after a byte order mark.
    #[serde(rename = "utf-8-bom")]
    Utf8Bom,
    /// UTF-16, low byte first, after a byte order mark.
    #[serde(rename = "utf-16le")]
    Utf16Le,
    /// UTF-16, high byte first, after a byte order mark.
    #[serde(rename = "utf-16be")]
    Utf16Be,
    /// Each byte is the character of its number. It is used for every 8-bit encoding: each byte survives, even if the
    /// real encoding is another one.
    #[serde(rename = "latin-1")]
    Latin1,
}

/// A text with its encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedText {
    /// The text, without its byte order mark; line ends as they stand.
    pub text: String,
    /// The encoding of the bytes.
    pub encoding: TextEncoding,
}

/// The text in `bytes`; `None` if they are not text: a NUL with no UTF-16 mark, broken UTF-16, or bytes
/// that are not UTF-8 and hold many control characters. Bytes that are given away are not copied if they are UTF-8.
pub fn decode_text<'b>(bytes: impl Into<Cow<'b, [u8]>>) -> Option<DecodedText> {
    let bytes = bytes.into();
    let mut sniffer = EncodingSniffer::new(&bytes);
    sniffer.feed(&bytes);
    let encoding = sniffer.finish()?;
    let text = match (encoding, bytes) {
        (TextEncoding::Utf8, Cow::Owned(bytes)) => String::from_utf8(bytes).ok()?,
        (_, bytes) => encoding.decode_unmarked(bytes.get(encoding.byte_order_mark().len()..)?)?,
    };
    Some(DecodedText { text, encoding })
}

impl TextEncoding {
    /// Returns its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf8Bom => "utf-8-bom",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Latin1 => "latin-1",
        }
    }

    /// The byte order mark that its files begin with.
    pub fn byte_order_mark(self) -> &'static [u8] {
        match self {
            Self::Utf8 | Self::Latin1 => b"",
            Self::Utf8Bom => b"\xef\xbb\xbf",
            Self::Utf16Le => b"\xff\xfe",
            Self::Utf16Be => b"\xfe\xff",
        }
    }

    /// The encoding whose byte order mark `head` begins with.
    fn from_mark(head: &[u8]) -> Option<Self> {
        [Self::Utf8Bom, Self::Utf16Le, Self::Utf16Be]
            .into_iter()
            .find(|encoding| head.starts_with(encoding.byte_order_mark()))
    }

    /// The text in bytes that hold no mark; `None` if they are not in this encoding.
    pub fn decode_unmarked(self, bytes: &[u8]) -> Option<String> {
        match self {
            Self::Utf8 | Self::Utf8Bom => simdutf8::basic::from_utf8(bytes).ok().map(str::to_owned),
            Self::Latin1 => Some(bytes.iter().map(|byte| char::from(*byte)).collect()),
            Self::Utf16Le | Self::Utf16Be => {
                let (pairs, rest) = bytes.as_chunks::<2>();
                let units = pairs.iter().map(|pair| self.utf16_unit(*pair));
                rest.is_empty().then(|| char::decode_utf16(units).collect::<Result<_, _>>().ok()).flatten()
            }
        }
    }

    /// The UTF-16 unit in two bytes.
    pub fn utf16_unit(self, pair: [u8; 2]) -> u16 {
        if self == Self::Utf16Be { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    }

    /// The bytes of a file that holds `text`, mark first.
    ///
    /// # Errors
    /// The first character that this encoding cannot hold (only Latin-1 has such).
    pub fn encode_text(self, text: &str) -> Result<Cow<'_, [u8]>, char> {
        let mut bytes = self.byte_order_mark().to_vec();
        match self {
            Self::Utf8 => return Ok(Cow::Borrowed(text.as_bytes())),
            Self::Utf8Bom => bytes.extend_from_slice(text.as_bytes()),
            Self::Utf16Le => bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            Self::Utf16Be => bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
            Self::Latin1 => {
                for char in text.chars() {
                    bytes.push(u8::try_from(char).map_err(|_| char)?);
                }
            }
        }
        Ok(Cow::Owned(bytes))
    }
}

/// The line ends of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineEnding {
    /// `\n` everywhere.
    Lf,
    /// `\r\n` everywhere.
    Crlf,
    /// Both `\n` and `\r\n`.
    Mixed,
    /// It has no line end.
    #[default]
    None,
}

impl LineEnding {
    /// The line ends of `text`.
    pub fn detect(text: &str) -> Self {
        let bytes = text.as_bytes();
        let all = memchr::memchr_iter(b'\n', bytes).count() as u64;
        let crlf = memchr::memchr_iter(b'\r', bytes).filter(|at| bytes.get(at + 1) == Some(&b'\n')).count();
        Self::from_counts(all, crlf as u64)
    }

    /// The line ends of a text with `all` line ends of which `crlf` are `\r\n`.
    pub fn from_counts(all: u64, crlf: u64) -> Self {
        match (all, crlf) {
            (0, _) => Self::None,
            (_, 0) => Self::Lf,
            (all, crlf) if all == crlf => Self::Crlf,
            _ => Self::Mixed,
        }
    }

    /// The line end for a new line of such a text.
    pub fn as_str(self) -> &'static str {
        if self == Self::Crlf { "\r\n" } else { "\n" }
    }
}
