//! Reading the log back: entry by entry, from the beginning or the end, or as it grows.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;
use serde_json::{Map, Value};

use super::belongs;
use super::block::{Block, LARGEST};
use super::error::{JournalError, disk};
use super::file::{self, LOG};
use super::head::{Head, Keeper};
use super::key::Key;
use super::scan::{LogPlace, Piece, Rest, Scan};
use super::seal::{self, RESULTS, Seal};
use super::verify::Vouched;
use super::yaml::{self, Comments};
use crate::base::hash;
use crate::protocol::EventType;

/// Bytes of the largest stored value that is loaded.
const LOADED: u64 = 256 << 20;

/// What becomes of values that are stored beside the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// They stay references, and keys that could be taken for one keep their escape.
    Sealed,
    /// They are loaded, checked and put in their place.
    Whole,
}

/// One event, read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its number in the session, from 1.
    pub seq: u64,
    /// When, RFC 3339 in UTC.
    pub time: String,
    /// Its type, as `tool_call`.
    pub event_type: String,
    /// Its fields, without `type`.
    pub body: Map<String, Value>,
    /// The model's comments on its arguments, by path. Those that stand above no key are among them only where
    /// values are read whole; the field `comments` has them otherwise.
    pub comments: Comments,
    /// Where its block begins.
    pub place: LogPlace,
    /// Bytes of its block.
    pub length: u64,
    /// What is not as it should be: an altered block, a stored value that is missing.
    pub problems: Vec<String>,
}

impl Entry {
    /// Its type; nothing for one of a newer version.
    pub fn kind(&self) -> Option<EventType> {
        EventType::named(&self.event_type)
    }

    /// The call it belongs to.
    pub fn call_id(&self) -> Option<&str> {
        self.body.get("call_id").and_then(Value::as_str)
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

    fn new(place: LogPlace, block: &Block<'_>) -> Result<Self, String> {
        let mut body = yaml::read(block.yaml)?;
        let mut text = |key: &str| match body.shift_remove(key) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let (event_type, time) = (text("type"), text("time"));
        ["seq", "last", "prev", "hash"].iter().for_each(|key| drop(body.shift_remove(*key)));
        let comments =
            if block.yaml.contains("# ") { yaml::read_comments(block.yaml) } else { Comments::new() };
        let problems = if block.intact { Vec::new() } else { vec!["the block was altered".to_owned()] };
        let length = block.text.len() as u64;
        Ok(Self { seq: block.seq, time, event_type, body, comments, place, length, problems })
    }
}

/// One thing found in a log.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// An event.
    Entry(Entry),
    /// Bytes that are no event.
    Garbage(LogPlace, Rest),
}

/// A session's log, open for reading. The log may be written to meanwhile.
#[derive(Clone, Debug)]
pub struct Log {
    path: PathBuf,
    dir: Arc<OwnedFd>,
    /// What its hashes are checked with.
    key: Key,
    /// How far it was durable, where that is kept.
    head: Option<Head>,
}

impl Log {
    /// Opens the log in a session's folder; `keeper` has what vouches for it.
    ///
    /// # Errors
    /// [`JournalError::Missing`] where there is none; those of the disk.
    pub fn open(dir: &Path, keeper: &Keeper) -> Result<Self, JournalError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let missing = || JournalError::Missing(dir.to_owned());
        let fd = match fs::open(dir, flags, Mode::empty()) {
            Err(Errno::NOENT | Errno::NOTDIR) => return Err(missing()),
            opened => opened.map_err(disk("open the session's folder"))?,
        };
        let parts = file::parts(&fd).map_err(disk("list the session's folder"))?;
        if parts.is_empty() && fs::statat(&fd, LOG, fs::AtFlags::SYMLINK_NOFOLLOW).is_err() {
            return Err(missing());
        }
        let session = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let head = keeper.head(session).filter(|head| head.seq > 0);
        // A log in whose place something else stands is told of where it is read.
        let first = belongs::first(&fd, &Key::Elsewhere).ok().flatten();
        let key = match first.as_ref().map(belongs::First::key) {
            Some(name) if name == keeper.key().name() => keeper.key().clone(),
            Some(Some(_)) => Key::Elsewhere,
            Some(None) => Key::None,
            None => keeper.key().clone(),
        };
        Ok(Self { path: dir.to_owned(), dir: Arc::new(fd), key, head })
    }

    /// What its hashes are checked with.
    pub(super) fn key(&self) -> &Key {
        &self.key
    }

    /// How far it was durable, where that is kept.
    pub(super) fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// Who vouches for it, as far as its last event shows.
    pub fn vouched(&self) -> Vouched {
        match self.key {
            Key::None => Vouched::Nobody,
            Key::Elsewhere => Vouched::Elsewhere,
            Key::Ours(..) => match self.tail() {
                Ok(Some(_)) => Vouched::Here,
                _ => Vouched::Elsewhere,
            },
        }
    }

    fn tail(&self) -> Result<Option<file::Tail>, Errno> {
        let part = match file::open_read(&*self.dir, LOG) {
            Err(Errno::NOENT) => {
                let last = file::parts(&self.dir)?.last().copied().ok_or(Errno::NOENT)?;
                file::open_read(&*self.dir, &file::part_name(last))?
            }
            part => part?,
        };
        file::tail(file::length(&part)?, &self.key, &mut |from, to| file::read(&part, from, to))
    }

    /// The session's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Everything in it, in order.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn items(&self, values: Values) -> Result<Items, JournalError> {
        self.from(None, values)
    }

    /// The last `count` events, and what stands between them. Reads the log from its end.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn last(&self, count: usize, values: Values) -> Result<Items, JournalError> {
        let start = self.start_of_last(count).map_err(disk("read the session log"))?;
        self.from(start, values)
    }

    fn from(&self, start: Option<(u64, u64)>, values: Values) -> Result<Items, JournalError> {
        let scan = self.scan(start).map_err(disk("read the session log"))?;
        Ok(Items { log: self.clone(), scan, values, failed: false })
    }

    /// The pieces of the log.
    pub(super) fn scan(&self, start: Option<(u64, u64)>) -> Result<Scan, Errno> {
        Scan::new(self.dir.clone(), start)
    }

    /// The part and the offset where the last `count` blocks begin; nothing where there are no more than that.
    fn start_of_last(&self, count: usize) -> Result<Option<(u64, u64)>, Errno> {
        let parts = file::parts(&self.dir)?;
        let live = parts.last().copied().unwrap_or(0) + 1;
        let mut left = count;
        for part in parts.into_iter().chain([live]).rev() {
            let name = if part == live { LOG.to_owned() } else { file::part_name(part) };
            let fd = match file::open_read(&*self.dir, &name) {
                Err(Errno::NOENT) => continue,
                opened => opened?,
            };
            let end = file::length(&fd)?;
            if left == 0 {
                return Ok(Some((part, end)));
            }
            let mut read = |from, to| file::read(&fd, from, to);
            let mut limit = end;
            while let Some(start) = file::block_start(limit, &mut read)? {
                let end = limit.min(start + LARGEST as u64);
                left -= usize::from(Block::parse(&read(start, end)?, &self.key).is_some());
                if left == 0 {
                    return Ok(Some((part, start)));
                }
                limit = start;
            }
        }
        Ok(None)
    }

    /// Puts the stored values of an entry that was read with [`Values::Sealed`] in their places.
    pub fn fill(&self, entry: &mut Entry) {
        let load = |seal: &Seal| self.load(seal);
        entry.body.values_mut().for_each(|value| seal::open(value, &load, &mut entry.problems));
        if let Some(Value::Object(rest)) = entry.body.shift_remove("comments") {
            let texts = rest.into_iter().filter_map(|(path, text)| Some((path, text.as_str()?.to_owned())));
            entry.comments.extend(texts);
        }
    }

    /// A stored value, checked against its hash.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence; one of more than 256 MB is not loaded.
    pub(super) fn load(&self, seal: &Seal) -> Result<Vec<u8>, String> {
        if seal.bytes > LOADED {
            return Err(format!(
                "the stored value {} has {} bytes, more than the {} MB that are read",
                seal.hash,
                seal.bytes,
                LOADED >> 20
            ));
        }
        let mut bytes = Vec::new();
        self.read(seal, &mut |piece| bytes.extend_from_slice(piece)).map(|()| bytes)
    }

    /// Checks a stored value against its hash.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence.
    pub(super) fn check(&self, seal: &Seal) -> Result<(), String> {
        self.read(seal, &mut |_| {})
    }

    fn read(&self, seal: &Seal, take: &mut dyn FnMut(&[u8])) -> Result<(), String> {
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
        let mut stream = hash::Stream::default();
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
        if stream.full() == *hash { Ok(()) } else { Err(altered()) }
    }
}

/// The entries of a log, one by one.
#[derive(Debug)]
pub struct Items {
    log: Log,
    scan: Scan,
    values: Values,
    failed: bool,
}

impl Items {
    /// Goes on at the end: nothing then means nothing yet, and asking again later gives what came since, over
    /// new parts too.
    pub fn follow(mut self) -> Self {
        self.scan.follow();
        self
    }
}

impl Iterator for Items {
    type Item = Result<Item, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            match self.scan.next() {
                Ok(None) => return None,
                Ok(Some(Piece::Title(_))) => {}
                Ok(Some(Piece::Garbage(place, rest))) => return Some(Ok(Item::Garbage(place, rest))),
                Ok(Some(Piece::Block(place, bytes))) => return Some(Ok(self.item(place, &bytes))),
                Err(error) => {
                    self.failed = true;
                    return Some(Err(disk("read the session log")(error)));
                }
            }
        }
        None
    }
}

impl Items {
    fn item(&self, place: LogPlace, bytes: &[u8]) -> Item {
        let read =
            Block::parse(bytes, &self.log.key).and_then(|block| Entry::new(place.clone(), &block).ok());
        let Some(mut entry) = read else {
            let rest = Rest { bytes: bytes.len() as u64, hole: false, large: false };
            return Item::Garbage(place, rest);
        };
        if self.values == Values::Whole {
            self.log.fill(&mut entry);
        }
        Item::Entry(entry)
    }
}
