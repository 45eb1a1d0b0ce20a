//! Large values beside the log: stored by hash, referenced in the block, checked when read back.
//!
//! A reference is a mapping with the key `sealed`. A mapping of a caller's own that has this key is written
//! with `=` before it (and `=sealed` with one more), so that nobody can pass off a value as a reference.

use std::collections::HashSet;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::fs;
use serde_json::{Map, Value, json};

use super::error::{JournalError, disk};
use super::file;
use super::yaml::DEPTH;

use crate::base::hash;
use crate::redact::{names_value, redact, redact_argument, redact_named, redact_value};

/// The folder of stored values, in the session's folder.
pub(super) const RESULTS: &str = "results";
/// The key of a reference.
const SEALED: &str = "sealed";
/// Bytes that all of one field may have in the log; a part of it that is larger is stored.
const FIELD: usize = 64 << 10;
/// Characters of a stored text that are shown in the log.
const HEAD: usize = 200;
/// Hashes of stored values that are remembered, so that the same one again costs no system call.
const RECENT: usize = 4096;

/// The folder where large values are stored.
#[derive(Debug)]
pub(super) struct Store {
    session: Mutex<Arc<OwnedFd>>,
    recent: Mutex<HashSet<String>>,
    /// Values whose sync failed.
    doubtful: Mutex<HashSet<String>>,
}

impl Store {
    /// The store of the session whose folder this is.
    pub(super) fn new(session: OwnedFd) -> Self {
        Self { session: Mutex::new(Arc::new(session)), recent: Mutex::default(), doubtful: Mutex::default() }
    }

    fn session(&self) -> Arc<OwnedFd> {
        self.session.lock().clone()
    }

    /// The session's folder is another one now: nothing is stored in it yet.
    pub(super) fn moved(&self, session: OwnedFd) {
        *self.session.lock() = Arc::new(session);
        self.recent.lock().clear();
    }

    /// These values may not be on the disk as they were stored: who needs one again stores it again.
    pub(super) fn distrust(&self, names: &[String]) {
        let mut recent = self.recent.lock();
        names.iter().for_each(|name| {
            recent.remove(name);
        });
        drop(recent);
        self.doubtful.lock().extend(names.iter().cloned());
    }

    fn knows(&self, name: &str) -> bool {
        self.recent.lock().contains(name)
    }

    /// Stores a value under its hash, and says whether it was not there before.
    ///
    /// # Errors
    /// Those of the disk.
    fn put(&self, name: &str, bytes: &[u8]) -> Result<bool, JournalError> {
        if self.knows(name) {
            return Ok(false);
        }
        let failed = disk("store a value beside the log");
        let dir = file::again(|| file::subfolder(&self.session(), RESULTS)).map_err(failed)?;
        let there = fs::statat(&dir, name, fs::AtFlags::SYMLINK_NOFOLLOW);
        let doubtful = self.doubtful.lock().contains(name);
        let whole = there.is_ok_and(|stat| {
            fs::FileType::from_raw_mode(stat.st_mode).is_file() && stat.st_size == bytes.len() as i64
        });
        let whole = whole && !doubtful;
        if !whole {
            file::again(|| file::replace(&dir, name, bytes)).map_err(failed)?;
            self.doubtful.lock().remove(name);
        }
        let mut recent = self.recent.lock();
        if recent.len() >= RECENT {
            recent.clear();
        }
        recent.insert(name.to_owned());
        Ok(!whole)
    }
}

/// Replaces what is secret and what is too large in one event.
#[derive(Debug)]
pub(super) struct Sealer<'a> {
    store: &'a Store,
    inline: usize,
    /// Hashes of the values it stored, which are to be synced before the event counts as durable.
    pub fresh: Vec<String>,
}

impl<'a> Sealer<'a> {
    /// Strings of more than `inline` bytes are stored.
    pub(super) fn new(store: &'a Store, inline: usize) -> Self {
        Self { store, inline, fresh: Vec::new() }
    }

    /// What stands in the log for a value: a copy with the secrets taken out, what is too large or too deep
    /// replaced, and keys escaped.
    ///
    /// # Errors
    /// Those of the disk.
    pub(super) fn seal(&mut self, value: &Value) -> Result<Value, JournalError> {
        let mut copy = self.copy(value, 0)?;
        self.shrink(&mut copy, FIELD)?;
        Ok(copy)
    }

    /// What stands in the log for a value that is not kept.
    pub(super) fn omit(&self, value: &Value) -> Value {
        let mut clean = value.clone();
        redact_value(&mut clean);
        let (bytes, form) = bytes(&clean);
        let mut mark = json!({ "sealed": hash::full(&bytes), "bytes": bytes.len(), "kept": false });
        if form {
            mark["form"] = "json".into();
        }
        mark
    }

    fn copy(&mut self, value: &Value, depth: usize) -> Result<Value, JournalError> {
        let copy = match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => return Ok(value.clone()),
            Value::String(text) => return self.text(text),
            Value::Array(items) => {
                let copy = |at: usize| match redact_argument(items, at) {
                    Some(mark) => Ok(mark),
                    None => self.copy(&items[at], depth + 1),
                };
                (0..items.len()).map(copy).collect::<Result<Vec<_>, _>>()?.into()
            }
            Value::Object(map) => {
                let mut copy = Map::with_capacity(map.len());
                let named = names_value(map);
                for (key, value) in map {
                    let value = match redact_named(key, value, named) {
                        Some(mark) => mark,
                        None => self.copy(value, depth + 1)?,
                    };
                    let key = redact(key);
                    let escape = if is_reserved(&key) { "=" } else { "" };
                    copy.insert(format!("{escape}{key}"), value);
                }
                Value::Object(copy)
            }
        };
        if depth >= DEPTH { self.keep(&copy) } else { Ok(copy) }
    }

    fn text(&mut self, text: &str) -> Result<Value, JournalError> {
        if text.len() > self.inline {
            let name = hash::full(text.as_bytes());
            // What was stored was redacted before: it holds no secret.
            if self.store.knows(&name) {
                return Ok(mark(&name, text, text.len()));
            }
        }
        let clean = redact(text);
        if clean.len() > self.inline {
            return self.keep(&Value::String(clean.into_owned()));
        }
        Ok(Value::String(clean.into_owned()))
    }

    /// Stores the largest parts, innermost first, until the rest has at most `limit` bytes.
    fn shrink(&mut self, value: &mut Value, limit: usize) -> Result<(), JournalError> {
        if size(value) <= limit {
            return Ok(());
        }
        let part = limit / 4;
        match value {
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.shrink(item, part))?,
            Value::Object(map) => map.values_mut().try_for_each(|value| self.shrink(value, part))?,
            _ => return Ok(()),
        }
        if size(value) > limit {
            *value = self.keep(value)?;
        }
        Ok(())
    }

    fn keep(&mut self, value: &Value) -> Result<Value, JournalError> {
        let (bytes, form) = bytes(value);
        let name = hash::full(&bytes);
        if self.store.put(&name, &bytes)? {
            self.fresh.push(name.clone());
        }
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * HEAD)]);
        let mut mark = mark(&name, &head, bytes.len());
        if form {
            mark["form"] = "json".into();
        }
        Ok(mark)
    }
}

/// The reference to a stored value of so many bytes, with its first characters.
fn mark(name: &str, text: &str, bytes: usize) -> Value {
    let end = text.char_indices().nth(HEAD).map_or(text.len(), |(at, _)| at);
    json!({ "sealed": name, "bytes": bytes, "head": &text[..end] })
}

/// A value as it is stored, and whether that is JSON.
fn bytes(value: &Value) -> (std::borrow::Cow<'_, [u8]>, bool) {
    match value {
        Value::String(text) => (text.as_bytes().into(), false),
        value => (value.to_string().into_bytes().into(), true),
    }
}

/// About how many bytes a value has in a block.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 4,
        Value::Array(items) => items.iter().map(|item| size(item) + 8).sum(),
        Value::Object(map) => map.iter().map(|(key, value)| key.len() + size(value) + 8).sum(),
        _ => 8,
    }
}

/// Whether a key is `sealed`, with any number of `=` before it.
fn is_reserved(key: &str) -> bool {
    key.trim_start_matches('=') == SEALED
}

fn rename(map: &mut Map<String, Value>, name: impl Fn(&str) -> Option<String>) {
    if map.keys().any(|key| name(key).is_some()) {
        let old = std::mem::take(map);
        map.extend(old.into_iter().map(|(key, value)| (name(&key).unwrap_or(key), value)));
    }
}

/// A reference to a stored value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seal {
    /// The value's hash, the name of its file.
    pub hash: String,
    /// Its size.
    pub bytes: u64,
    /// Whether it was stored; with the least verbosity it was not.
    pub kept: bool,
    json: bool,
}

impl Seal {
    /// The reference that a mapping of the log is, if it is one.
    pub(super) fn of(map: &Map<String, Value>) -> Option<Self> {
        let hash = map.get(SEALED)?.as_str()?;
        let name = hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        name.then(|| Self {
            hash: hash.to_owned(),
            bytes: map.get("bytes").and_then(Value::as_u64).unwrap_or_default(),
            kept: map.get("kept") != Some(&Value::Bool(false)),
            json: map.contains_key("form"),
        })
    }

    /// Every reference in a value of the log.
    pub(super) fn all(value: &Value, found: &mut Vec<Self>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| Self::all(item, found)),
            Value::Object(map) => match Self::of(map) {
                Some(seal) => found.push(seal),
                None => map.values().for_each(|value| Self::all(value, found)),
            },
            _ => {}
        }
    }

    /// The value, from the stored bytes.
    fn value(&self, bytes: Vec<u8>) -> Option<Value> {
        if self.json {
            return serde_json::from_slice(&bytes).ok();
        }
        String::from_utf8(bytes).ok().map(Value::String)
    }
}

/// Puts stored values in the place of their references and takes the escapes off keys. `load` gives the bytes
/// of a hash, checked. What cannot be loaded stays a reference, and why is added to `problems`.
pub(super) fn open(
    value: &mut Value,
    load: &dyn Fn(&Seal) -> Result<Vec<u8>, String>,
    problems: &mut Vec<String>,
) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| open(item, load, problems)),
        Value::Object(map) => match Seal::of(map) {
            None => {
                map.values_mut().for_each(|value| open(value, load, problems));
                rename(map, |key| is_reserved(key).then(|| key.replacen('=', "", 1)));
            }
            Some(seal) if !seal.kept => {}
            Some(seal) => match load(&seal).map(|bytes| seal.value(bytes)) {
                Ok(Some(mut whole)) => {
                    open(&mut whole, load, problems);
                    *value = whole;
                }
                Ok(None) => problems.push(format!("the stored value {} does not read", seal.hash)),
                Err(problem) => problems.push(problem),
            },
        },
        _ => {}
    }
}
