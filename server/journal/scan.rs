//! The parts of a log as one stream of blocks, and of bytes outside of blocks.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::io::Errno;

use super::block::MAX_BLOCK_BYTES;
use super::file::{self, LOG};
use super::split::{Fed, Splitter};

/// A position in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPlace {
    /// The part's file name.
    pub part: String,
    /// Bytes before it in that part.
    pub offset: u64,
    /// Its line, from 1; unknown if reading began in the middle.
    pub line: Option<u64>,
}

/// A piece of a log, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LogPiece {
    /// A part's title.
    Title(String),
    /// A block, by its form; nothing in it was checked.
    Block(LogPlace, Vec<u8>),
    /// Bytes outside of blocks.
    Garbage(LogPlace, ForeignBytes),
}

/// Bytes that are no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignBytes {
    /// The number of bytes.
    pub bytes: u64,
    /// True if they hold the zeros that a power cut leaves in place of unwritten data.
    pub hole: bool,
    /// True if they hold a line or an event above the largest size that is read.
    pub large: bool,
}

impl ForeignBytes {
    /// A description of the bytes, as a part of a sentence.
    pub fn describe_bytes(&self) -> String {
        let Self { bytes, hole, large } = self;
        let hole = if *hole { ", zeros among them" } else { "" };
        let large = match large {
            true => format!(", with a line or an event above the {} MB that are read", MAX_BLOCK_BYTES >> 20),
            false => String::new(),
        };
        format!("{bytes} bytes that are no event{hole}{large}")
    }
}

/// Reads pieces, part after part. It never holds more than a block of the log.
#[derive(Debug)]
pub(super) struct LogScan {
    dir: Arc<OwnedFd>,
    follow: bool,
    part: u64,
    open: Option<PartReader>,
}

#[derive(Debug)]
struct PartReader {
    name: String,
    live: bool,
    input: BufReader<File>,
    offset: u64,
    line: Option<u64>,
    splitter: Splitter,
    block: Vec<u8>,
    partial: Vec<u8>,
    garbage: Option<(LogPlace, ForeignBytes)>,
    ready: VecDeque<LogPiece>,
}

impl LogScan {
    /// Creates a scan from the first part, or from `offset` in part number `part`.
    pub(super) fn new(dir: Arc<OwnedFd>, start: Option<(u64, u64)>) -> Result<Self, Errno> {
        let mut scan = Self { dir, follow: false, part: 0, open: None };
        match start {
            None => scan.open_next_part()?,
            Some((part, offset)) => {
                scan.part = part - 1;
                scan.open_next_part()?;
                if let Some(open) = &mut scan.open {
                    open.input.seek(SeekFrom::Start(offset)).map_err(to_errno)?;
                    (open.offset, open.line) = (offset, (offset == 0).then_some(1));
                }
            }
        }
        Ok(scan)
    }

    /// Makes the end of the log temporary: an incomplete block is kept until its rest comes.
    pub(super) fn follow_growth(&mut self) {
        self.follow = true;
    }

    /// The next piece; none at the end, or for now if it follows the log.
    pub(super) fn next_piece(&mut self) -> Result<Option<LogPiece>, Errno> {
        loop {
            let Some(open) = &mut self.open else {
                if self.follow {
                    self.open_next_part()?;
                }
                if self.open.is_none() {
                    return Ok(None);
                }
                continue;
            };
            if let Some(piece) = open.ready.pop_front() {
                return Ok(Some(piece));
            }
            if open.read_line()? {
                continue;
            }
            let name = file::part_name(self.part);
            if open.live && file::open_read(&*self.dir, &name).is_ok() {
                // It was given its number meanwhile: earlier bytes are still to be read.
                (open.live, open.name) = (false, name);
                continue;
            }
            if open.live && self.follow {
                return Ok(None);
            }
            open.finish_part();
            if let Some(piece) = open.ready.pop_front() {
                return Ok(Some(piece));
            }
            let live = open.live;
            self.open = None;
            if live {
                return Ok(None);
            }
            self.open_next_part()?;
        }
    }

    /// Opens the part after the one that was read.
    fn open_next_part(&mut self) -> Result<(), Errno> {
        let next = self.part + 1;
        // The live part is opened before its number is looked for, so that it cannot be missed while it gets one.
        let live = file::open_read(&*self.dir, LOG);
        let number = file::list_parts(&self.dir)?.into_iter().find(|number| *number >= next);
        let (file, name) = match number {
            Some(number) => {
                let name = file::part_name(number);
                self.part = number;
                (file::open_read(&*self.dir, &name)?, name)
            }
            None => match live {
                Ok(file) => {
                    self.part = next;
                    (file, LOG.to_owned())
                }
                Err(Errno::NOENT) => return Ok(()),
                Err(error) => return Err(error),
            },
        };
        self.open = Some(PartReader {
            live: number.is_none(),
            name,
            input: BufReader::with_capacity(64 << 10, File::from(file)),
            offset: 0,
            line: Some(1),
            splitter: Splitter::default(),
            block: Vec::new(),
            partial: Vec::new(),
            garbage: None,
            ready: VecDeque::new(),
        });
        Ok(())
    }
}

impl PartReader {
    /// Reads one line; false at the end.
    fn read_line(&mut self) -> Result<bool, Errno> {
        let left = (MAX_BLOCK_BYTES - self.partial.len().min(MAX_BLOCK_BYTES)) as u64 + 1;
        let count = (&mut self.input).take(left).read_until(b'\n', &mut self.partial).map_err(to_errno)?;
        if count == 0 {
            return Ok(false);
        }
        if self.partial.ends_with(b"\n") || self.partial.len() > MAX_BLOCK_BYTES {
            let line = std::mem::take(&mut self.partial);
            self.take_line(&line);
            self.partial = line;
            self.partial.clear();
        }
        Ok(true)
    }

    fn current_place(&self) -> LogPlace {
        LogPlace { part: self.name.clone(), offset: self.offset, line: self.line }
    }

    fn take_line(&mut self, line: &[u8]) {
        if self.offset == 0 && line.starts_with(b"# Session ") {
            self.ready.push_back(LogPiece::Title(String::from_utf8_lossy(line).into_owned()));
            return self.advance_past(line);
        }
        let fed = match self.splitter.feed(line) {
            Fed::Broken(length) => {
                let begun = std::mem::take(&mut self.block);
                let lines = begun.iter().filter(|b| **b == b'\n').count() as u64;
                let place = LogPlace {
                    part: self.name.clone(),
                    offset: self.offset - length as u64,
                    line: self.line.map(|line| line - lines),
                };
                self.add_foreign(place, &begun, length + line.len() > MAX_BLOCK_BYTES);
                self.splitter.feed(line)
            }
            fed => fed,
        };
        match fed {
            Fed::More => self.block.extend_from_slice(line),
            Fed::Block(_) => {
                self.block.extend_from_slice(line);
                let bytes = std::mem::take(&mut self.block);
                let lines = bytes.iter().filter(|b| **b == b'\n').count() as u64;
                let offset = self.offset + line.len() as u64 - bytes.len() as u64;
                let place =
                    LogPlace { part: self.name.clone(), offset, line: self.line.map(|at| at + 1 - lines) };
                self.flush_foreign();
                self.ready.push_back(LogPiece::Block(place, bytes));
            }
            // The line feed after the title belongs to it.
            Fed::Other if line == b"\n" && self.line == Some(2) && self.ready.is_empty() => {
                self.ready.push_back(LogPiece::Title("\n".to_owned()));
            }
            Fed::Other | Fed::Broken(_) => {
                self.add_foreign(self.current_place(), line, line.len() > MAX_BLOCK_BYTES)
            }
        }
        self.advance_past(line);
    }

    fn advance_past(&mut self, line: &[u8]) {
        self.offset += line.len() as u64;
        if line.ends_with(b"\n") {
            self.line = self.line.map(|line| line + 1);
        }
    }

    /// Notes bytes that are no block; a run of them is one piece.
    fn add_foreign(&mut self, place: LogPlace, bytes: &[u8], large: bool) {
        let none = ForeignBytes { bytes: 0, hole: false, large: false };
        let (_, rest) = self.garbage.get_or_insert((place, none));
        rest.bytes += bytes.len() as u64;
        rest.hole = rest.hole || file::has_hole(bytes);
        rest.large |= large;
    }

    fn flush_foreign(&mut self) {
        if let Some((place, rest)) = self.garbage.take() {
            self.ready.push_back(LogPiece::Garbage(place, rest));
        }
    }

    /// At the end, treats the rest as bytes outside of blocks.
    fn finish_part(&mut self) {
        let partial = std::mem::take(&mut self.partial);
        if !partial.is_empty() {
            self.take_line(&partial);
        }
        let begun = std::mem::take(&mut self.block);
        self.splitter = Splitter::default();
        if !begun.is_empty() {
            let lines = begun.iter().filter(|b| **b == b'\n').count() as u64;
            let offset = self.offset - begun.len() as u64;
            let line = self.line.map(|line| line - lines);
            self.add_foreign(LogPlace { part: self.name.clone(), offset, line }, &begun, false);
        }
        self.flush_foreign();
    }
}

fn to_errno(error: std::io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}
