//! A log's parts as one stream of blocks, and of what is no block.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::io::Errno;

use super::block::{Fed, LARGEST, Splitter};
use super::file::{self, LOG};

/// A place in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPlace {
    /// The part's file name.
    pub part: String,
    /// Bytes before it in that part.
    pub offset: u64,
    /// Its line, from 1; unknown where reading began in the middle.
    pub line: Option<u64>,
}

/// One piece of a log, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A part's title.
    Title(String),
    /// A block, by its form; nothing in it was checked.
    Block(LogPlace, Vec<u8>),
    /// Bytes that are neither.
    Garbage(LogPlace, Rest),
}

/// Bytes that are no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest {
    /// How many.
    pub bytes: u64,
    /// Whether they hold what a power cut leaves in place of data that did not reach the disk.
    pub hole: bool,
    /// Whether a line or an event of them is larger than any that is read.
    pub large: bool,
}

impl Rest {
    /// What they are, as a part of a sentence.
    pub fn says(&self) -> String {
        let Self { bytes, hole, large } = self;
        let hole = if *hole { ", zeros among them" } else { "" };
        let large = match large {
            true => format!(", with a line or an event above the {} MB that are read", LARGEST >> 20),
            false => String::new(),
        };
        format!("{bytes} bytes that are no event{hole}{large}")
    }
}

/// Reads pieces, part after part. It never holds more than a block of the log.
#[derive(Debug)]
pub(super) struct Scan {
    dir: Arc<OwnedFd>,
    follow: bool,
    part: u64,
    open: Option<Part>,
}

#[derive(Debug)]
struct Part {
    name: String,
    live: bool,
    input: BufReader<File>,
    offset: u64,
    line: Option<u64>,
    splitter: Splitter,
    block: Vec<u8>,
    partial: Vec<u8>,
    garbage: Option<(LogPlace, Rest)>,
    ready: VecDeque<Piece>,
}

impl Scan {
    /// From the first part, or from `offset` in part number `part`.
    pub(super) fn new(dir: Arc<OwnedFd>, start: Option<(u64, u64)>) -> Result<Self, Errno> {
        let mut scan = Self { dir, follow: false, part: 0, open: None };
        match start {
            None => scan.advance()?,
            Some((part, offset)) => {
                scan.part = part - 1;
                scan.advance()?;
                if let Some(open) = &mut scan.open {
                    open.input.seek(SeekFrom::Start(offset)).map_err(errno)?;
                    (open.offset, open.line) = (offset, (offset == 0).then_some(1));
                }
            }
        }
        Ok(scan)
    }

    /// From now on the end of the log is not the end: what is there of a block is kept until the rest comes.
    pub(super) fn follow(&mut self) {
        self.follow = true;
    }

    /// The next piece; nothing at the end, for now where it follows.
    pub(super) fn next(&mut self) -> Result<Option<Piece>, Errno> {
        loop {
            let Some(open) = &mut self.open else {
                if self.follow {
                    self.advance()?;
                }
                if self.open.is_none() {
                    return Ok(None);
                }
                continue;
            };
            if let Some(piece) = open.ready.pop_front() {
                return Ok(Some(piece));
            }
            if open.read()? {
                continue;
            }
            let name = file::part_name(self.part);
            if open.live && file::open_read(&*self.dir, &name).is_ok() {
                // It was given its number meanwhile: what came before that is still to be read.
                (open.live, open.name) = (false, name);
                continue;
            }
            if open.live && self.follow {
                return Ok(None);
            }
            open.finish();
            if let Some(piece) = open.ready.pop_front() {
                return Ok(Some(piece));
            }
            let live = open.live;
            self.open = None;
            if live {
                return Ok(None);
            }
            self.advance()?;
        }
    }

    /// Opens the part after the one that was read.
    fn advance(&mut self) -> Result<(), Errno> {
        let next = self.part + 1;
        // The live part is opened before its number is looked for: so it cannot slip by while it gets one.
        let live = file::open_read(&*self.dir, LOG);
        let number = file::parts(&self.dir)?.into_iter().find(|number| *number >= next);
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
        self.open = Some(Part {
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

impl Part {
    /// Reads one line; false at the end.
    fn read(&mut self) -> Result<bool, Errno> {
        let left = (LARGEST - self.partial.len().min(LARGEST)) as u64 + 1;
        let count = (&mut self.input).take(left).read_until(b'\n', &mut self.partial).map_err(errno)?;
        if count == 0 {
            return Ok(false);
        }
        if self.partial.ends_with(b"\n") || self.partial.len() > LARGEST {
            let line = std::mem::take(&mut self.partial);
            self.take(&line);
            self.partial = line;
            self.partial.clear();
        }
        Ok(true)
    }

    fn place(&self) -> LogPlace {
        LogPlace { part: self.name.clone(), offset: self.offset, line: self.line }
    }

    fn take(&mut self, line: &[u8]) {
        if self.offset == 0 && line.starts_with(b"# Session ") {
            self.ready.push_back(Piece::Title(String::from_utf8_lossy(line).into_owned()));
            return self.pass(line);
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
                self.waste(place, &begun, length + line.len() > LARGEST);
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
                self.flush();
                self.ready.push_back(Piece::Block(place, bytes));
            }
            // The line feed after the title belongs to it.
            Fed::Other if line == b"\n" && self.line == Some(2) && self.ready.is_empty() => {
                self.ready.push_back(Piece::Title("\n".to_owned()));
            }
            Fed::Other | Fed::Broken(_) => self.waste(self.place(), line, line.len() > LARGEST),
        }
        self.pass(line);
    }

    fn pass(&mut self, line: &[u8]) {
        self.offset += line.len() as u64;
        if line.ends_with(b"\n") {
            self.line = self.line.map(|line| line + 1);
        }
    }

    /// Notes bytes that are no block; a run of them is one piece.
    fn waste(&mut self, place: LogPlace, bytes: &[u8], large: bool) {
        let none = Rest { bytes: 0, hole: false, large: false };
        let (_, rest) = self.garbage.get_or_insert((place, none));
        rest.bytes += bytes.len() as u64;
        rest.hole = rest.hole || file::has_hole(bytes);
        rest.large |= large;
    }

    fn flush(&mut self) {
        if let Some((place, rest)) = self.garbage.take() {
            self.ready.push_back(Piece::Garbage(place, rest));
        }
    }

    /// At the end: what is left is no block.
    fn finish(&mut self) {
        let partial = std::mem::take(&mut self.partial);
        if !partial.is_empty() {
            self.take(&partial);
        }
        let begun = std::mem::take(&mut self.block);
        self.splitter = Splitter::default();
        if !begun.is_empty() {
            let lines = begun.iter().filter(|b| **b == b'\n').count() as u64;
            let offset = self.offset - begun.len() as u64;
            let line = self.line.map(|line| line - lines);
            self.waste(LogPlace { part: self.name.clone(), offset, line }, &begun, false);
        }
        self.flush();
    }
}

fn errno(error: std::io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}
