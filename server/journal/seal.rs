//! Large values outside of the log: stored by hash, referenced in the block, checked when read back.
//!
//! A reference is a mapping with the key `sealed`. A caller's mapping with this key is written with `=` before it
//! (and `=sealed` with one more), so that no caller can forge a reference.

use std::collections::HashSet;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::fs;
use serde_json::{Map, Value, json};

use super::error::{JournalError, disk_error};
use super::file;
use super::yaml::{self, MAX_DEPTH};

use crate::base::hash;
use crate::redact::{names_value, redact, redact_argument, redact_named, redact_value};

/// The folder of stored values, in the session's folder.
pub(super) const RESULTS: &str = "results";
/// The key of a reference.
pub(super) const SEALED: &str = "sealed";
/// Bytes that all of one field may have in the log; a part of it that is larger is stored.
const FIELD: usize = 64 << 10;
/// Characters of a stored text that are shown in the log.
const HEAD: usize = 200;
/// Hashes of stored values that are remembered, so that the same one again costs no system call.
const RECENT: usize = 4096;

/// The folder where large values are stored.
#[derive(Debug)]
pub(super) struct ValueStore {
    session: Mutex<Arc<OwnedFd>>,
    recent: Mutex<HashSet<String>>,
    /// Values whose sync failed.
    doubtful: Mutex<HashSet<String>>,
}

impl ValueStore {
    /// The store of the session whose folder this is.
    pub(super) fn new(session: OwnedFd) -> Self {
        Self { session: Mutex::new(Arc::new(session)), recent: Mutex::default(), doubtful: Mutex::default() }
    }

    fn session_dir(&self) -> Arc<OwnedFd> {
        self.session.lock().clone()
    }

    /// Switches to another folder of the session: nothing is stored in it yet.
    pub(super) fn move_to(&self, session: OwnedFd) {
        *self.session.lock() = Arc::new(session);
        self.recent.lock().clear();
    }

    /// Marks values that may not be on the disk as they were stored: they are stored again when needed again.
    pub(super) fn forget_values(&self, names: &[String]) {
        let mut recent = self.recent.lock();
        names.iter().for_each(|name| {
            recent.remove(name);
        });
        drop(recent);
        self.doubtful.lock().extend(names.iter().cloned());
    }

    fn is_recent(&self, name: &str) -> bool {
        self.recent.lock().contains(name)
    }

    /// Stores a value under its hash, and returns whether it is new.
    ///
    /// # Errors
    /// Errors of the disk.
    fn put_value(&self, name: &str, bytes: &[u8]) -> Result<bool, JournalError> {
        if self.is_recent(name) {
            return Ok(false);
        }
        let failed = disk_error("store a value beside the log");
        let dir =
            file::retry_interrupted(|| file::open_subfolder(&self.session_dir(), RESULTS)).map_err(failed)?;
        let there = fs::statat(&dir, name, fs::AtFlags::SYMLINK_NOFOLLOW);
        let doubtful = self.doubtful.lock().contains(name);
        let whole = there.is_ok_and(|stat| {
            fs::FileType::from_raw_mode(stat.st_mode).is_file() && stat.st_size == bytes.len() as i64
        });
        let whole = whole && !doubtful;
        if !whole {
            file::retry_interrupted(|| file::replace_file(&dir, name, bytes)).map_err(failed)?;
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

/// Replaces secrets and large values in one event.
#[derive(Debug)]
pub(super) struct EventSealer<'a> {
    store: &'a ValueStore,
    inline: usize,
    /// Hashes of the values it stored, which are to be synced before the event counts as durable.
    pub fresh: Vec<String>,
}

impl<'a> EventSealer<'a> {
    /// Strings of more than `inline` bytes are stored.
    pub(super) fn new(store: &'a ValueStore, inline: usize) -> Self {
        Self { store, inline, fresh: Vec::new() }
    }

    /// The log's form of a value: a copy without secrets, with too large or too deep parts replaced, and with escaped
    /// keys.
    ///
    /// # Errors
    /// Errors of the disk.
    pub(super) fn seal_value(&mut self, value: &Value) -> Result<Value, JournalError> {
        let mut copy = self.copy_value(value, 0)?;
        self.shrink_value(&mut copy, FIELD)?;
        Ok(copy)
    }

    /// Seals a mapping and stores each of its values, however small it is.
    ///
    /// # Errors
    /// An error of the disk.
    pub(super) fn store_each(&mut self, value: &Value) -> Result<Value, JournalError> {
        let mut copy = self.copy_value(value, 0)?;
        for part in copy.as_object_mut().into_iter().flat_map(Map::values_mut) {
            if part.is_string() {
                *part = self.store_value(part)?;
            }
        }
        Ok(copy)
    }

    /// Stores the parts with the most lines of a value that was sealed, until it takes no more than `limit` lines of YAML.
    /// The output of a command stays.
    ///
    /// # Errors
    /// An error of the disk.
    pub(super) fn shorten(&mut self, value: &mut Value, limit: usize) -> Result<(), JournalError> {
        const STREAMS: [&str; 3] = ["stdout", "stderr", "output"];
        while yaml::lines(value) > limit {
            let Value::Object(map) = value else {
                *value = self.store_value(value)?;
                return Ok(());
            };
            let parts = map.iter_mut().filter(|(key, _)| !STREAMS.contains(&key.as_str()));
            let Some((lines, part)) =
                parts.map(|(_, part)| (yaml::lines(part), part)).max_by_key(|(lines, _)| *lines)
            else {
                return Ok(());
            };
            if lines < 2 {
                return Ok(());
            }
            *part = self.store_value(part)?;
        }
        Ok(())
    }

    /// Returns the mark that replaces, in the log, a value that is not kept.
    pub(super) fn omit_value(&self, value: &Value) -> Value {
        let mut clean = value.clone();
        redact_value(&mut clean);
        let (bytes, form) = value_bytes(&clean);
        let mut mark = json!({ "sealed": hash::full_hash(&bytes), "bytes": bytes.len(), "kept": false });
        if form {
            mark["form"] = "json".into();
        }
        mark
    }

    fn copy_value(&mut self, value: &Value, depth: usize) -> Result<Value, JournalError> {
        let copy = match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => return Ok(value.clone()),
            Value::String(text) => return self.seal_text(text),
            Value::Array(items) => {
                let copy = |at: usize| match redact_argument(items, at) {
                    Some(mark) => Ok(mark),
                    None => self.copy_value(&items[at], depth + 1),
                };
                (0..items.len()).map(copy).collect::<Result<Vec<_>, _>>()?.into()
            }
            Value::Object(map) => {
                let mut copy = Map::with_capacity(map.len());
                let named = names_value(map);
                for (key, value) in map {
                    let value = match redact_named(key, value, named) {
                        Some(mark) => mark,
                        None => self.copy_value(value, depth + 1)?,
                    };
                    let key = redact(key);
                    let escape = if is_reserved(&key) { "=" } else { "" };
                    copy.insert(format!("{escape}{key}"), value);
                }
                Value::Object(copy)
            }
        };
        if depth >= MAX_DEPTH { self.store_value(&copy) } else { Ok(copy) }
    }

    fn seal_text(&mut self, text: &str) -> Result<Value, JournalError> {
        if text.len() > self.inline {
            let name = hash::full_hash(text.as_bytes());
            // The stored value was redacted before: it holds no secret.
            if self.store.is_recent(&name) {
                return Ok(reference_to(&name, text, text.len()));
            }
        }
        let clean = redact(text);
        if clean.len() > self.inline {
            return self.store_value(&Value::String(clean.into_owned()));
        }
        Ok(Value::String(clean.into_owned()))
    }

    /// Stores the largest parts, innermost first, until the rest has at most `limit` bytes.
    fn shrink_value(&mut self, value: &mut Value, limit: usize) -> Result<(), JournalError> {
        if value_size(value) <= limit {
            return Ok(());
        }
        let part = limit / 4;
        match value {
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.shrink_value(item, part))?,
            Value::Object(map) => map.values_mut().try_for_each(|value| self.shrink_value(value, part))?,
            _ => return Ok(()),
        }
        if value_size(value) > limit {
            *value = self.store_value(value)?;
        }
        Ok(())
    }

    fn store_value(&mut self, value: &Value) -> Result<Value, JournalError> {
        let (bytes, form) = value_bytes(value);
        let name = hash::full_hash(&bytes);
        if self.store.put_value(&name, &bytes)? {
            self.fresh.push(name.clone());
        }
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * HEAD)]);
        let mut mark = reference_to(&name, &head, bytes.len());
        if form {
            mark["form"] = "json".into();
        }
        Ok(mark)
    }
}

/// The reference to a stored value of so many bytes, with its first characters.
fn reference_to(name: &str, text: &str, bytes: usize) -> Value {
    let end = text.char_indices().nth(HEAD).map_or(text.len(), |(at, _)| at);
    json!({ "sealed": name, "bytes": bytes, "head": &text[..end] })
}

/// The stored form of a value, and true if that is JSON.
fn value_bytes(value: &Value) -> (std::borrow::Cow<'_, [u8]>, bool) {
    match value {
        Value::String(text) => (text.as_bytes().into(), false),
        value => (value.to_string().into_bytes().into(), true),
    }
}

/// About how many bytes a value has in a block.
fn value_size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 4,
        Value::Array(items) => items.iter().map(|item| value_size(item) + 8).sum(),
        Value::Object(map) => map.iter().map(|(key, value)| key.len() + value_size(value) + 8).sum(),
        _ => 8,
    }
}

/// Returns whether a key is `sealed`, with any number of `=` before it.
fn is_reserved(key: &str) -> bool {
    key.trim_start_matches('=') == SEALED
}

fn rename_keys(map: &mut Map<String, Value>, name: impl Fn(&str) -> Option<String>) {
    if map.keys().any(|key| name(key).is_some()) {
        let old = std::mem::take(map);
        map.extend(old.into_iter().map(|(key, value)| (name(&key).unwrap_or(key), value)));
    }
}

/// A reference to a stored value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValueReference {
    /// The value's hash, the name of its file.
    pub hash: String,
    /// Its size.
    pub bytes: u64,
    /// True if it was stored; at the lowest verbosity it was not.
    pub kept: bool,
    json: bool,
}

impl ValueReference {
    /// The reference that a mapping of the log is, if it is one.
    pub(super) fn from_map(map: &Map<String, Value>) -> Option<Self> {
        let hash = map.get(SEALED)?.as_str()?;
        let name = hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        name.then(|| Self {
            hash: hash.to_owned(),
            bytes: map.get("bytes").and_then(Value::as_u64).unwrap_or_default(),
            kept: map.get("kept") != Some(&Value::Bool(false)),
            json: map.contains_key("form"),
        })
    }

    /// Finds every reference in a value of the log.
    pub(super) fn collect_all(value: &Value, found: &mut Vec<Self>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| Self::collect_all(item, found)),
            Value::Object(map) => match Self::from_map(map) {
                Some(seal) => found.push(seal),
                None => map.values().for_each(|value| Self::collect_all(value, found)),
            },
            _ => {}
        }
    }

    /// The value, from the stored bytes.
    fn decode_value(&self, bytes: Vec<u8>) -> Option<Value> {
        if self.json {
            return serde_json::from_slice(&bytes).ok();
        }
        String::from_utf8(bytes).ok().map(Value::String)
    }
}

/// Puts stored values in the place of their references and unescapes keys. `load` returns the bytes of a hash,
/// checked. A value that cannot be loaded stays a reference, and the problem is added to `problems`.
pub(super) fn open_references(
    value: &mut Value,
    load: &dyn Fn(&ValueReference) -> Result<Vec<u8>, String>,
    problems: &mut Vec<String>,
) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| open_references(item, load, problems)),
        Value::Object(map) => match ValueReference::from_map(map) {
            None => {
                map.values_mut().for_each(|value| open_references(value, load, problems));
                rename_keys(map, |key| is_reserved(key).then(|| key.replacen('=', "", 1)));
            }
            Some(seal) if !seal.kept => {}
            Some(seal) => match load(&seal).map(|bytes| seal.decode_value(bytes)) {
                Ok(Some(mut whole)) => {
                    open_references(&mut whole, load, problems);
                    *value = whole;
                }
                Ok(None) => problems.push(format!("the stored value {} does not read", seal.hash)),
                Err(problem) => problems.push(problem),
            },
        },
        _ => {}
    }
}
