//! Lines of a file of any size, in memory that does not grow with it.

use std::io::Read;

use crate::base::hash;
use crate::base::text::{EncodingSniffer, LineEnding, TextEncoding};

/// Bytes read at one time.
const PIECE: usize = 256 << 10;

/// The part of a file that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadWindow {
    /// The first and the last line, counted from 1, both included; all lines when absent.
    pub range: Option<(u64, u64)>,
    /// Bytes of text at most. Whole lines where at least one fits.
    pub max_bytes: usize,
    /// The size up to which a file is hashed: those that can be edited.
    pub hash_bytes: u64,
}

/// Lines of a file, and what is known of the whole of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileLines {
    /// The text of the lines, ends included, no byte order mark.
    pub content: String,
    /// The first line in `content`, counted from 1.
    pub start: u64,
    /// The last line in `content`, 0 where there is none.
    pub end: u64,
    /// The number of lines in the file.
    pub total_lines: u64,
    /// True where lines asked for are missing in `content`; they go on after `end`.
    pub truncated: bool,
    /// True where the last line in `content` is itself cut, since it alone is too large.
    pub cut: bool,
    /// The encoding of the text.
    pub encoding: TextEncoding,
    /// The line ends of the whole file.
    pub eol: LineEnding,
    /// The hash of the whole file; absent for one larger than `hash_bytes`.
    pub hash: Option<String>,
    /// The size of the whole file in bytes.
    pub size: u64,
}

/// Reads the lines of `window` from `file`, whose position is at its start and which holds `size` bytes. Nothing where
/// the file is not text.
///
/// # Errors
/// As reading the file.
pub(crate) fn read_lines(
    mut file: impl Read,
    size: u64,
    window: ReadWindow,
) -> std::io::Result<Option<FileLines>> {
    let mut piece = vec![0; PIECE.min(usize::try_from(size).unwrap_or(PIECE).saturating_add(4))];
    let mut filled = fill_piece(&mut file, &mut piece)?;
    let mut sniffer = EncodingSniffer::new(&piece[..filled]);
    let mut scan = LineScan::new(sniffer.mark_encoding().unwrap_or_default(), window);
    let mut hash = (size <= window.hash_bytes).then(hash::HashStream::default);
    let mut skip = scan.encoding.byte_order_mark().len();
    while filled > 0 {
        let bytes = &piece[..filled];
        sniffer.feed(bytes);
        if sniffer.is_binary() {
            return Ok(None);
        }
        if let Some(hash) = &mut hash {
            hash.update(bytes);
        }
        scan.size += filled as u64;
        scan.feed_bytes(&bytes[skip.min(filled)..]);
        skip = 0;
        filled = fill_piece(&mut file, &mut piece)?;
    }
    let Some(encoding) = sniffer.finish() else { return Ok(None) };
    if encoding == TextEncoding::Latin1 && scan.encoding == TextEncoding::Utf8Bom {
        // The assumed mark is text; only the first line has lost it.
        scan.give_back(TextEncoding::Utf8Bom.byte_order_mark());
    }
    scan.encoding = encoding;
    Ok(scan.into_lines(hash.map(|hash| hash.short_hash())))
}

/// Reads until `piece` is full or the file ends.
fn fill_piece(file: &mut impl Read, piece: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < piece.len() {
        match file.read(&mut piece[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// A pass over a file's bytes that keeps those of the wanted lines.
struct LineScan {
    encoding: TextEncoding,
    window: ReadWindow,
    first: u64,
    last: u64,
    /// The line that the next byte belongs to, counted from 1.
    line: u64,
    /// True where that line has a byte already.
    begun: bool,
    crlf: u64,
    size: u64,
    /// The unit before, for CRLF over a border, and half a unit.
    before: u16,
    half: Option<u8>,
    kept: Vec<u8>,
    /// Bytes of wanted lines came that were not kept.
    dropped: bool,
}

impl LineScan {
    fn new(encoding: TextEncoding, window: ReadWindow) -> Self {
        let (first, last) = window.range.unwrap_or((1, u64::MAX));
        Self {
            encoding,
            window,
            first: first.max(1),
            last,
            line: 1,
            begun: false,
            crlf: 0,
            size: 0,
            before: 0,
            half: None,
            kept: Vec::new(),
            dropped: false,
        }
    }

    fn feed_bytes(&mut self, bytes: &[u8]) {
        match self.encoding {
            TextEncoding::Utf16Le | TextEncoding::Utf16Be => self.feed_wide(bytes),
            _ => self.feed_narrow(bytes),
        }
    }

    /// Keeps bytes of the current line, if it is wanted and there is room.
    fn keep_bytes(&mut self, bytes: &[u8]) {
        self.begun |= !bytes.is_empty();
        if (self.first..=self.last).contains(&self.line) {
            let room = self.room_left();
            self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
            self.dropped |= bytes.len() > room;
        }
    }

    fn is_wanted(&self) -> bool {
        !self.dropped && self.line <= self.last
    }

    /// Returns whether every line of `bytes` is wanted and there is room for them: then they need not be split.
    fn takes_all(&self, bytes: &[u8]) -> bool {
        let room = self.room_left();
        self.first <= self.line && self.last == u64::MAX && !self.dropped && bytes.len() <= room
    }

    /// Bytes that may still be kept: twice what is asked for, as a character of UTF-16 or Latin-1 may be smaller
    /// in the file than in the text, or larger.
    fn room_left(&self) -> usize {
        (self.window.max_bytes * 2 + 8).saturating_sub(self.kept.len())
    }

    fn feed_narrow(&mut self, mut bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.crlf += u64::from(self.before == u16::from(b'\r') && bytes[0] == b'\n');
        let returns = memchr::memchr_iter(b'\r', bytes).filter(|at| bytes.get(at + 1) == Some(&b'\n'));
        self.crlf += returns.count() as u64;
        self.before = bytes.last().copied().map_or(0, u16::from);
        if self.takes_all(bytes) {
            self.kept.extend_from_slice(bytes);
            self.line += memchr::memchr_iter(b'\n', bytes).count() as u64;
            self.begun = bytes.last() != Some(&b'\n');
            return;
        }
        while self.is_wanted() && !bytes.is_empty() {
            match memchr::memchr(b'\n', bytes) {
                Some(at) => {
                    self.keep_bytes(&bytes[..=at]);
                    self.line += 1;
                    self.begun = false;
                    bytes = &bytes[at + 1..];
                }
                None => {
                    self.keep_bytes(bytes);
                    return;
                }
            }
        }
        // Past what is wanted lines are only counted.
        if !bytes.is_empty() {
            self.line += memchr::memchr_iter(b'\n', bytes).count() as u64;
            self.begun = bytes.last() != Some(&b'\n');
        }
    }

    fn feed_wide(&mut self, mut bytes: &[u8]) {
        if let (Some(half), Some((first, rest))) = (self.half.take(), bytes.split_first()) {
            self.feed_unit([half, *first]);
            bytes = rest;
        }
        let (pairs, rest) = bytes.as_chunks::<2>();
        pairs.iter().for_each(|pair| self.feed_unit(*pair));
        self.half = rest.first().copied().or(self.half);
    }

    fn feed_unit(&mut self, pair: [u8; 2]) {
        let unit = self.encoding.utf16_unit(pair);
        self.keep_bytes(&pair);
        if unit == u16::from(b'\n') {
            self.crlf += u64::from(self.before == u16::from(b'\r'));
            self.line += 1;
            self.begun = false;
        }
        self.before = unit;
    }

    /// Puts the bytes of what was no mark before the first line.
    fn give_back(&mut self, mark: &[u8]) {
        self.begun |= self.line == 1;
        if self.first == 1 {
            self.kept.splice(0..0, mark.iter().copied());
        }
    }

    fn into_lines(self, hash: Option<String>) -> Option<FileLines> {
        let ends = self.line - 1;
        let total_lines = ends + u64::from(self.begun);
        let mut content = self.kept_text()?;
        let whole = content.len() <= self.window.max_bytes && !self.dropped;
        let mut cut = false;
        if !whole {
            let room = self.window.max_bytes.min(content.len());
            let end = (0..=room).rev().find(|at| content.is_char_boundary(*at));
            content.truncate(end.unwrap_or(0));
            match content.rfind('\n') {
                Some(at) => content.truncate(at + 1),
                None => cut = !content.is_empty(),
            }
        }
        let shown = memchr::memchr_iter(b'\n', content.as_bytes()).count() as u64;
        let shown = shown + u64::from(!content.is_empty() && !content.ends_with('\n'));
        let end = if shown == 0 { 0 } else { self.first + shown - 1 };
        Some(FileLines {
            content,
            start: self.first,
            end,
            total_lines,
            truncated: !whole,
            cut,
            encoding: self.encoding,
            eol: LineEnding::from_counts(ends, self.crlf),
            hash,
            size: self.size,
        })
    }

    /// Returns the kept bytes as text; a character that the end of the room cut is left out.
    fn kept_text(&self) -> Option<String> {
        let mut kept = self.kept.as_slice();
        if self.dropped {
            kept = match self.encoding {
                TextEncoding::Utf8 | TextEncoding::Utf8Bom => match std::str::from_utf8(kept) {
                    Err(error) if error.error_len().is_none() => &kept[..error.valid_up_to()],
                    _ => kept,
                },
                TextEncoding::Utf16Le | TextEncoding::Utf16Be => {
                    let even = kept.len() & !1;
                    let high = kept[..even].last_chunk::<2>().map(|pair| self.encoding.utf16_unit(*pair));
                    let split = high.is_some_and(|unit| (0xd800..0xdc00).contains(&unit));
                    &kept[..even - if split { 2 } else { 0 }]
                }
                TextEncoding::Latin1 => kept,
            };
        }
        self.encoding.decode_unmarked(kept)
    }
}
