//! Searches one text, just as ripgrep searches a file that it comes across.

mod around;
mod sink;

use std::fs::File;
use std::io::{self, Read, Seek};

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use memchr::memchr;

use super::hit::LineHit;
use super::query::LineQuery;
use super::text::StoppableReader;
use sink::HitSink;

/// Bytes of a file that are taken into memory at once. A longer one is read in pieces, between which a search can stop.
const WHOLE: usize = 1 << 18;

/// Bytes of the longest line that is searched. ripgrep has no such bound.
pub const LONGEST_LINE: usize = 1 << 28;

/// The limits of the search in each text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HitLimits {
    /// Lines around each hit, on each side.
    pub context: usize,
    /// The most hits.
    pub limit: usize,
    /// Only lines after this one; lines count from 1.
    pub after_line: u64,
    /// Bytes of the longest line that is searched.
    pub longest_line: usize,
}

/// A text that is searched.
#[derive(Debug)]
pub enum SearchText<'a> {
    /// A file.
    File(File),
    /// A text in memory.
    Bytes(&'a [u8]),
}

/// Searches texts one after the other, with the same room in memory.
#[derive(Debug)]
pub struct LineVerifier<'a, F> {
    query: &'a LineQuery,
    /// A copy, since threads that share one wait for each other's room in it.
    matcher: RegexMatcher,
    go_on: &'a F,
    /// The searcher of texts without a NUL and a byte order mark.
    plain: Searcher,
    room: Vec<u8>,
}

impl<'a, F: Fn() -> bool> LineVerifier<'a, F> {
    /// Creates a search for the query that ends when `go_on` returns false.
    pub fn new(query: &'a LineQuery, go_on: &'a F) -> Self {
        let mut builder = SearcherBuilder::new();
        let plain =
            builder.line_number(true).binary_detection(BinaryDetection::none()).bom_sniffing(false).build();
        Self { query, matcher: query.matcher().clone(), go_on, plain, room: vec![0; WHOLE] }
    }

    /// The matching lines of a text, ascending.
    ///
    /// # Errors
    /// Fails if it cannot be read to its end or the search is to stop; the hits until then are in `hits`.
    pub fn search(
        &mut self,
        text: SearchText<'_>,
        wanted: HitLimits,
        hits: &mut Vec<LineHit>,
    ) -> io::Result<()> {
        match text {
            SearchText::Bytes(bytes) => self.search_bytes(bytes, wanted, hits),
            SearchText::File(mut file) => {
                let mut room = std::mem::take(&mut self.room);
                let searched = match fill_buffer(&mut file, &mut room) {
                    Ok(length) if length < room.len() => {
                        self.search_bytes(room.get(..length).unwrap_or_default(), wanted, hits)
                    }
                    Ok(length) => {
                        self.search_long(room.get(..length).unwrap_or_default(), &file, wanted, hits)
                    }
                    Err(error) => Err(error),
                };
                self.room = room;
                searched
            }
        }
    }

    fn search_bytes(&mut self, bytes: &[u8], wanted: HitLimits, hits: &mut Vec<LineHit>) -> io::Result<()> {
        let marked = matches!(bytes, [0xef, 0xbb, 0xbf, ..] | [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
        if marked || memchr(0, bytes).is_some() {
            let sink = HitSink::new(self.query, wanted, false, hits);
            let searched = careful_searcher(wanted).search_reader(&self.matcher, bytes, sink);
            return searched.and_then(|()| around::fill_context(bytes, wanted.context, hits));
        }
        let sink = HitSink::new(self.query, wanted, true, hits);
        self.plain.search_slice(&self.matcher, bytes, sink)
    }

    fn search_long(
        &mut self,
        begin: &[u8],
        file: &File,
        wanted: HitLimits,
        hits: &mut Vec<LineHit>,
    ) -> io::Result<()> {
        let whole = StoppableReader::new(ResumedFile { begin, file }, self.go_on);
        let sink = HitSink::new(self.query, wanted, false, hits);
        let searched = careful_searcher(wanted).search_reader(&self.matcher, whole, sink);
        if wanted.context > 0 && !hits.is_empty() && searched.is_ok() {
            let mut again = file;
            again.rewind()?;
            around::fill_context(StoppableReader::new(again, self.go_on), wanted.context, hits)?;
        }
        searched
    }
}

/// Returns the searcher of texts that may hold a NUL or a byte order mark. Each one is new: its buffer grows with the
/// lines it meets, and the size of the buffer decides which lines before a NUL are searched.
fn careful_searcher(wanted: HitLimits) -> Searcher {
    let mut builder = SearcherBuilder::new();
    builder
        .line_number(true)
        .heap_limit(Some(wanted.longest_line))
        .binary_detection(BinaryDetection::quit(0))
        .build()
}

/// Reads until `room` is full or the file ends.
fn fill_buffer(file: &mut File, room: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while let Some(free) = room.get_mut(length..).filter(|free| !free.is_empty()) {
        match file.read(free) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// A file whose begin was read already. It is read in the same pieces as one that was not, since where a piece ends
/// decides which lines before a NUL are searched.
struct ResumedFile<'a> {
    begin: &'a [u8],
    file: &'a File,
}

impl Read for ResumedFile<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let had = self.begin.read(into)?;
        match into.get_mut(had..) {
            Some(free) if !free.is_empty() => Ok(had + self.file.read(free)?),
            _ => Ok(had),
        }
    }
}

#[cfg(test)]
mod tests;
