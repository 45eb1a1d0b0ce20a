//! Reads a file as ripgrep sees it: by its byte order mark, up to a NUL.

use std::io::{self, Read};

use encoding_rs_io::{DecodeReaderBytes, DecodeReaderBytesBuilder};
use memchr::memchr;

use super::trigrams::{Trigram, TrigramExtractor};

/// Bytes that are read at a time.
const PIECE: usize = 1 << 16;

/// Bytes that a block takes at least, unless its file ends. Less makes an index larger and leaves fewer files to look
/// through.
const BLOCK: usize = 1 << 13;

/// The text behind a byte order mark as UTF-8, or the bytes as they are if there is none.
pub(super) fn decoding_reader<R: Read>(file: R) -> DecodeReaderBytes<R, Vec<u8>> {
    DecodeReaderBytesBuilder::new().utf8_passthru(true).strip_bom(true).bom_override(true).build(file)
}

/// Ends with an error once it is stopped, so that one long file cannot hold a search or a build.
#[derive(Debug)]
pub(super) struct StoppableReader<'a, R, F> {
    inner: R,
    go_on: &'a F,
}

impl<'a, R: Read, F: Fn() -> bool> StoppableReader<'a, R, F> {
    /// Creates a reader that ends when `go_on` returns false.
    pub(super) fn new(inner: R, go_on: &'a F) -> Self {
        Self { inner, go_on }
    }
}

impl<R: Read, F: Fn() -> bool> Read for StoppableReader<'_, R, F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if (self.go_on)() { self.inner.read(into) } else { Err(io::Error::other("stopped")) }
    }
}

/// Gives an extractor all that a search could see of a file, in blocks of whole lines; `ended` gets the trigrams of each.
/// There is at least one.
///
/// # Errors
/// Fails if it cannot be read to its end.
pub(super) fn extract_trigrams<R: Read>(
    file: R,
    into: &mut TrigramExtractor,
    mut ended: impl FnMut(Vec<Trigram>),
) -> io::Result<()> {
    let mut text = decoding_reader(file);
    let mut piece = vec![0; PIECE];
    // Bytes of the block so far.
    let mut filled = 0;
    loop {
        let length = match text.read(&mut piece) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let read = piece.get(..length).unwrap_or_default();
        let nul = memchr(0, read);
        let mut rest = read.get(..nul.unwrap_or(length)).unwrap_or_default();
        while let Some(end) = memchr(b'\n', rest.get(BLOCK.saturating_sub(filled)..).unwrap_or_default()) {
            let (block, after) = rest.split_at(BLOCK.saturating_sub(filled) + end + 1);
            into.push(block);
            ended(into.finish());
            (rest, filled) = (after, 0);
        }
        into.push(rest);
        filled += rest.len();
        if nul.is_some() || length == 0 {
            ended(into.finish());
            return Ok(());
        }
    }
}
