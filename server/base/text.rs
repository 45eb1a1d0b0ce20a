//! Bytes as text and back: encodings, byte order marks, line ends, binary files.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

mod sniff;
#[cfg(test)]
mod tests;

pub use sniff::Sniffer;

/// How a file's bytes hold its text. Reading and writing with the same one gives back the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Encoding {
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
    /// Each byte is the character of the same number. It stands for every 8-bit encoding: whichever was
    /// meant, each byte survives.
    #[serde(rename = "latin-1")]
    Latin1,
}

/// A text and how its bytes held it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text, without its byte order mark; line ends as they stand.
    pub text: String,
    /// How the bytes held it.
    pub encoding: Encoding,
}

/// The text in `bytes`; nothing where they are not text: a NUL with no UTF-16 mark, broken UTF-16, or bytes
/// that are not UTF-8 and hold many control characters. Bytes that are given away are not copied where they are UTF-8.
pub fn decode<'b>(bytes: impl Into<Cow<'b, [u8]>>) -> Option<Decoded> {
    let bytes = bytes.into();
    let mut sniffer = Sniffer::new(&bytes);
    sniffer.feed(&bytes);
    let encoding = sniffer.finish()?;
    let text = match (encoding, bytes) {
        (Encoding::Utf8, Cow::Owned(bytes)) => String::from_utf8(bytes).ok()?,
        (_, bytes) => encoding.text(bytes.get(encoding.mark().len()..)?)?,
    };
    Some(Decoded { text, encoding })
}

impl Encoding {
    /// Its name, as results carry it.
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
    pub fn mark(self) -> &'static [u8] {
        match self {
            Self::Utf8 | Self::Latin1 => b"",
            Self::Utf8Bom => b"\xef\xbb\xbf",
            Self::Utf16Le => b"\xff\xfe",
            Self::Utf16Be => b"\xfe\xff",
        }
    }

    /// The encoding whose mark stands at the start of `head`.
    fn marked(head: &[u8]) -> Option<Self> {
        [Self::Utf8Bom, Self::Utf16Le, Self::Utf16Be]
            .into_iter()
            .find(|encoding| head.starts_with(encoding.mark()))
    }

    /// The text in bytes that hold no mark; nothing where they are not in this encoding.
    pub fn text(self, bytes: &[u8]) -> Option<String> {
        match self {
            Self::Utf8 | Self::Utf8Bom => simdutf8::basic::from_utf8(bytes).ok().map(str::to_owned),
            Self::Latin1 => Some(bytes.iter().map(|byte| char::from(*byte)).collect()),
            Self::Utf16Le | Self::Utf16Be => {
                let (pairs, rest) = bytes.as_chunks::<2>();
                let units = pairs.iter().map(|pair| self.unit(*pair));
                rest.is_empty().then(|| char::decode_utf16(units).collect::<Result<_, _>>().ok()).flatten()
            }
        }
    }

    /// The UTF-16 unit in two bytes.
    pub fn unit(self, pair: [u8; 2]) -> u16 {
        if self == Self::Utf16Be { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    }

    /// The bytes of a file that holds `text`, mark first.
    ///
    /// # Errors
    /// The first character that this encoding cannot hold (only Latin-1 has such).
    pub fn encode(self, text: &str) -> Result<Cow<'_, [u8]>, char> {
        let mut bytes = self.mark().to_vec();
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
pub enum Eol {
    /// `\n` everywhere.
    Lf,
    /// `\r\n` everywhere.
    Crlf,
    /// Some of both.
    Mixed,
    /// It has no line end.
    #[default]
    None,
}

impl Eol {
    /// The line ends of `text`.
    pub fn of(text: &str) -> Self {
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

    /// What a new line of such a text ends with.
    pub fn as_str(self) -> &'static str {
        if self == Self::Crlf { "\r\n" } else { "\n" }
    }
}
