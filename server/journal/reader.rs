//! Reading the log back: entry by entry, from the beginning or the end, or as it grows.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;
use serde_json::{Map, Value};

use super::block::{LogBlock, MAX_BLOCK_BYTES};
use super::continuation;
use super::error::{JournalError, disk_error};
use super::file::{self, LOG};
use super::head::{LogHead, LogKeeper};
use super::key::LogKey;
use super::scan::{ForeignBytes, LogPiece, LogPlace, LogScan};
use super::seal::{self, RESULTS, ValueReference};
use super::verify::LogVoucher;
use super::yaml::{self, KeyComments};
use crate::base::hash;
use crate::protocol::{EventType, FIXED_ANSWER};

/// Bytes of the largest stored value that is loaded.
const LOADED: u64 = 256 << 20;

/// The handling of values that are stored in their own files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueMode {
    /// They stay references, and keys that could be taken for one keep their escape.
    Sealed,
    /// They are loaded, checked and put in their place.
    Whole,
}

/// An event, read back.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalEntry {
    /// Its number in the session, from 1.
    pub seq: u64,
    /// When, RFC 3339 in UTC.
    pub time: String,
    /// Its type, such as `tool_call`.
    pub event_type: String,
    /// Its fields, without `type`.
    pub body: Map<String, Value>,
    /// The model's comments on its arguments, by path. Comments above no key are included only if values are read
    /// whole; otherwise the field `comments` holds them.
    pub comments: KeyComments,
    /// The position of its block.
    pub place: LogPlace,
    /// Bytes of its block.
    pub length: u64,
    /// Problems: an altered block, a missing stored value.
    pub problems: Vec<String>,
}

impl JournalEntry {
    /// Returns its type; `None` for one of a newer version.
    pub fn kind(&self) -> Option<EventType> {
        EventType::from_name(&self.event_type)
    }

    /// The call it belongs to.
    pub fn call_id(&self) -> Option<&str> {
        self.body.get("call_id").and_then(Value::as_str)
    }

    /// Returns whether it ends a call that no code ran: the caller filled the result, which is no evidence of any effect.
    pub fn is_latent(&self) -> bool {
        self.body.get("activity").and_then(Value::as_str) == Some("latent")
    }

    /// Returns whether it begins a call that the environment answers by a fixed result: the tool's own work is not done.
    pub fn is_fixed_answer(&self) -> bool {
        let words = self.body.get("environment").and_then(Value::as_str);
        words.is_some_and(|words| words.ends_with(FIXED_ANSWER))
    }

    /// Returns whether it ends a call whose caller filled the result that no code made; one that still asks for it is not.
    pub fn is_filled(&self) -> bool {
        self.is_latent() && self.body.get("status").and_then(Value::as_str) != Some("latent")
    }

    /// The entry as one object: `seq`, `time`, `type`, then its fields.
    pub fn to_json(&self) -> Value {
        let mut all = Map::new();
        all.insert("seq".to_owned(), self.seq.into());
        all.insert("time".to_owned(), self.time.clone().into());
        all.insert("type".to_owned(), self.event_type.clone().into());
        all.extend(self.body.clone());
        if !self.comments.is_empty() {
            let comments = self.comments.iter().map(|(path, text)| (path.clone(), text.clone().into()));
            all.insert("comments".to_owned(), Value::Object(comments.collect()));
        }
        Value::Object(all)
    }

    fn new(place: LogPlace, block: &LogBlock<'_>) -> Result<Self, String> {
        let mut body = block.fields()?;
        let mut text = |key: &str| match body.shift_remove(key) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let (event_type, time) = (text("type"), text("time"));
        ["seq", "last", "prev", "hash"].iter().for_each(|key| drop(body.shift_remove(*key)));
        let comments =
            if block.yaml.contains("# ") { yaml::read_comments(block.yaml) } else { KeyComments::new() };
        let problems = if block.intact { Vec::new() } else { vec!["the block was altered".to_owned()] };
        let length = block.text.len() as u64;
        Ok(Self { seq: block.seq, time, event_type, body, comments, place, length, problems })
    }
}

/// An item of a log.
#[derive(Clone, Debug, PartialEq)]
pub enum LogItem {
    /// An event.
    Entry(JournalEntry),
    /// Bytes that are no event.
    Garbage(LogPlace, ForeignBytes),
}

/// A session's log, open for reading. The log may be written to meanwhile.
#[derive(Clone, Debug)]
pub struct LogReader {
    path: PathBuf,
    dir: Arc<OwnedFd>,
    /// The key that checks its hashes.
    key: LogKey,
    /// The last durable block, if that is kept.
    head: Option<LogHead>,
}

impl LogReader {
    /// Opens the log in a session's folder; `keeper` has the evidence for it.
    ///
    /// # Errors
    /// [`JournalError::Missing`] if there is none; errors of the disk.
    pub fn open(dir: &Path, keeper: &LogKeeper) -> Result<Self, JournalError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let missing = || JournalError::Missing(dir.to_owned());
        let fd = match fs::open(dir, flags, Mode::empty()) {
            Err(Errno::NOENT | Errno::NOTDIR) => return Err(missing()),
            opened => opened.map_err(disk_error("open the session's folder"))?,
        };
        let parts = file::list_parts(&fd).map_err(disk_error("list the session's folder"))?;
        if parts.is_empty() && fs::statat(&fd, LOG, fs::AtFlags::SYMLINK_NOFOLLOW).is_err() {
            return Err(missing());
        }
        let session = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let head = keeper.head(session).filter(|head| head.seq > 0);
        // A log whose path is not a file is reported when it is read.
        let first = continuation::read_first_event(&fd, &LogKey::Elsewhere).ok().flatten();
        let key = match first.as_ref().map(continuation::FirstEvent::key_name) {
            Some(name) if name == keeper.key().name() => keeper.key().clone(),
            Some(Some(_)) => LogKey::Elsewhere,
            Some(None) => LogKey::None,
            None => keeper.key().clone(),
        };
        Ok(Self { path: dir.to_owned(), dir: Arc::new(fd), key, head })
    }

    /// The key that checks its hashes.
    pub(super) fn key(&self) -> &LogKey {
        &self.key
    }

    /// The last durable block, if that is kept.
    pub(super) fn head(&self) -> Option<&LogHead> {
        self.head.as_ref()
    }

    /// The authority for the log, as its last event shows.
    pub fn voucher(&self) -> LogVoucher {
        match self.key {
            LogKey::None => LogVoucher::Nobody,
            LogKey::Elsewhere => LogVoucher::Elsewhere,
            LogKey::Ours(..) => match self.read_tail() {
                Ok(Some(_)) => LogVoucher::Here,
                _ => LogVoucher::Elsewhere,
            },
        }
    }

    fn read_tail(&self) -> Result<Option<file::LogTail>, Errno> {
        let part = match file::open_read(&*self.dir, LOG) {
            Err(Errno::NOENT) => {
                let last = file::list_parts(&self.dir)?.last().copied().ok_or(Errno::NOENT)?;
                file::open_read(&*self.dir, &file::part_name(last))?
            }
            part => part?,
        };
        file::find_tail(file::file_length(&part)?, &self.key, &mut |from, to| {
            file::read_range(&part, from, to)
        })
    }

    /// The last number given out of the ids with this prefix (`c` for calls), 0 where there is none.
    pub fn last_number(&self, prefix: &str) -> u64 {
        let tail = self.read_tail().ok().flatten();
        tail.and_then(|tail| tail.numbers.get(prefix).copied()).unwrap_or_default()
    }

    /// The session's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns every item of the log, in order.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn items(&self, values: ValueMode) -> Result<LogItems, JournalError> {
        self.items_from(None, values)
    }

    /// The last `count` events, and the items between them. It reads the log from its end.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn last_items(&self, count: usize, values: ValueMode) -> Result<LogItems, JournalError> {
        let start = self.start_of_last(count).map_err(disk_error("read the session log"))?;
        self.items_from(start, values)
    }

    fn items_from(&self, start: Option<(u64, u64)>, values: ValueMode) -> Result<LogItems, JournalError> {
        let scan = self.scan(start).map_err(disk_error("read the session log"))?;
        Ok(LogItems { log: self.clone(), scan, values, failed: false })
    }

    /// The pieces of the log.
    pub(super) fn scan(&self, start: Option<(u64, u64)>) -> Result<LogScan, Errno> {
        LogScan::new(self.dir.clone(), start)
    }

    /// The part and the offset where the last `count` blocks begin; none if there are no more than that.
    fn start_of_last(&self, count: usize) -> Result<Option<(u64, u64)>, Errno> {
        let parts = file::list_parts(&self.dir)?;
        let live = parts.last().copied().unwrap_or(0) + 1;
        let mut left = count;
        for part in parts.into_iter().chain([live]).rev() {
            let name = if part == live { LOG.to_owned() } else { file::part_name(part) };
            let fd = match file::open_read(&*self.dir, &name) {
                Err(Errno::NOENT) => continue,
                opened => opened?,
            };
            let end = file::file_length(&fd)?;
            if left == 0 {
                return Ok(Some((part, end)));
            }
            let mut read = |from, to| file::read_range(&fd, from, to);
            let mut limit = end;
            while let Some(start) = file::block_start(limit, &mut read)? {
                let end = limit.min(start + MAX_BLOCK_BYTES as u64);
                left -= usize::from(LogBlock::parse(&read(start, end)?, &self.key).is_some());
                if left == 0 {
                    return Ok(Some((part, start)));
                }
                limit = start;
            }
        }
        Ok(None)
    }

    /// Puts the stored values of an entry that was read with [`ValueMode::Sealed`] in their places.
    pub fn fill_values(&self, entry: &mut JournalEntry) {
        let load = |seal: &ValueReference| self.load_value(seal);
        entry.body.values_mut().for_each(|value| seal::open_references(value, &load, &mut entry.problems));
        if let Some(Value::Object(rest)) = entry.body.shift_remove("comments") {
            let texts = rest.into_iter().filter_map(|(path, text)| Some((path, text.as_str()?.to_owned())));
            entry.comments.extend(texts);
        }
    }

    /// A stored value, checked against its hash.
    ///
    /// # Errors
    /// A description of the problem; a value of more than 256 MB is not loaded.
    pub(super) fn load_value(&self, seal: &ValueReference) -> Result<Vec<u8>, String> {
        if seal.bytes > LOADED {
            return Err(format!(
                "the stored value {} has {} bytes, more than the {} MB that are read",
                seal.hash,
                seal.bytes,
                LOADED >> 20
            ));
        }
        let mut bytes = Vec::new();
        self.read_value(seal, &mut |piece| bytes.extend_from_slice(piece)).map(|()| bytes)
    }

    /// Checks a stored value against its hash.
    ///
    /// # Errors
    /// A description of the problem.
    pub(super) fn check_value(&self, seal: &ValueReference) -> Result<(), String> {
        self.read_value(seal, &mut |_| {})
    }

    fn read_value(&self, seal: &ValueReference, take: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        let hash = &seal.hash;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = fs::openat(&*self.dir, RESULTS, flags, Mode::empty())
            .and_then(|results| file::open_read(&results, hash));
        let file =
            File::from(opened.map_err(|error| format!("the stored value {hash} is missing: {error}"))?);
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        let altered = || format!("the stored value {hash} was altered");
        if size != seal.bytes {
            return Err(format!("{}: {size} bytes instead of {}", altered(), seal.bytes));
        }
        let unread = |error: std::io::Error| format!("the stored value {hash} does not read: {error}");
        let mut input = BufReader::with_capacity(64 << 10, file.take(size));
        let mut stream = hash::HashStream::default();
        loop {
            let piece = input.fill_buf().map_err(unread)?;
            if piece.is_empty() {
                break;
            }
            stream.update(piece);
            take(piece);
            let length = piece.len();
            input.consume(length);
        }
        if stream.full_hash() == *hash { Ok(()) } else { Err(altered()) }
    }
}

/// The entries of a log, one by one.
#[derive(Debug)]
pub struct LogItems {
    log: LogReader,
    scan: LogScan,
    values: ValueMode,
    failed: bool,
}

impl LogItems {
    /// Continues at the end: `None` then means that there is nothing yet, and later calls return new items, also from
    /// new parts.
    pub fn follow_growth(mut self) -> Self {
        self.scan.follow_growth();
        self
    }
}

impl Iterator for LogItems {
    type Item = Result<LogItem, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            match self.scan.next_piece() {
                Ok(None) => return None,
                Ok(Some(LogPiece::Title(_))) => {}
                Ok(Some(LogPiece::Garbage(place, rest))) => return Some(Ok(LogItem::Garbage(place, rest))),
                Ok(Some(LogPiece::Block(place, bytes))) => return Some(Ok(self.parse_item(place, &bytes))),
                Err(error) => {
                    self.failed = true;
                    return Some(Err(disk_error("read the session log")(error)));
                }
            }
        }
        None
    }
}

impl LogItems {
    fn parse_item(&self, place: LogPlace, bytes: &[u8]) -> LogItem {
        let read = LogBlock::parse(bytes, &self.log.key)
            .and_then(|block| JournalEntry::new(place.clone(), &block).ok());
        let Some(mut entry) = read else {
            let rest = ForeignBytes { bytes: bytes.len() as u64, hole: false, large: false };
            return LogItem::Garbage(place, rest);
        };
        if self.values == ValueMode::Whole {
            self.log.fill_values(&mut entry);
        }
        LogItem::Entry(entry)
    }
}
