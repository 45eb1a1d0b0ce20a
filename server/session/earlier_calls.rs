//! The calls of earlier processes of a session, read back from its log: a process of the command line lives for one
//! call.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Once};

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::log::SessionLog;
use super::open_log::shared_name;
use super::presence::Presence;
use crate::base::OWN_DIR;
use crate::journal::{JournalEntry, LogItem, LogKeeper, LogReader, ValueMode};
use crate::memory::{HeatTouch, TouchCause, WorkspaceMemory};
use crate::protocol::{EventType, Origin};

/// The arguments that name files which a call reads.
const PATHS: [&str; 3] = ["path", "paths", "file"];

/// The calls of earlier processes: they are counted, and the files that they touched are noted.
#[derive(Debug)]
pub(super) struct EarlierCalls {
    log: Arc<SessionLog>,
    memory: Arc<WorkspaceMemory>,
    presence: Arc<Presence>,
    /// The time when this process began: later entries are its own.
    began: Timestamp,
    read: Once,
}

impl EarlierCalls {
    /// Nothing is read yet.
    pub(super) fn new(log: Arc<SessionLog>, memory: Arc<WorkspaceMemory>, presence: Arc<Presence>) -> Self {
        let began = log.clock.now();
        Self { log, memory, presence, began, read: Once::new() }
    }

    /// Takes them in, once. A process with a log of its own has none, and neither has one whose log cannot be read.
    pub(super) fn take_in(&self) {
        if self.log.shared {
            self.read.call_once(|| self.read_log());
        }
    }

    fn read_log(&self) {
        let (root, state) = (self.log.workspace.root(), self.log.workspace.state().folder().base_folder());
        let dir = Path::new(root).join(OWN_DIR).join("sessions").join(shared_name(&self.log, 1));
        let items = LogReader::open(&dir, &LogKeeper::open_existing(state, root))
            .and_then(|log| log.items(ValueMode::Sealed));
        let Ok(items) = items else { return };
        let mut calls = HashMap::new();
        for item in items {
            let Ok(LogItem::Entry(entry)) = item else { continue };
            let Ok(time) = entry.time.parse::<Timestamp>() else { continue };
            if time >= self.began {
                break;
            }
            self.take_entry(&entry, time.as_millisecond(), &mut calls);
        }
    }

    fn take_entry(&self, entry: &JournalEntry, ms: i64, calls: &mut HashMap<String, EarlierCall>) {
        let id = entry.call_id().unwrap_or_default();
        match entry.kind() {
            Some(EventType::ToolCall) => {
                let call = EarlierCall::from_entry(entry);
                self.presence.count_call(&call.origin);
                calls.insert(id.to_owned(), call);
            }
            Some(EventType::ToolResult) => {
                let Some(call) = calls.remove(id) else { return };
                if entry.is_filled() {
                    self.presence.count_latent();
                }
                if entry.is_latent() {
                    return;
                }
                call.paths.iter().for_each(|path| self.touch_file(path, HeatTouch::Read, &call, ms));
            }
            Some(EventType::Proposal) => {
                let Some(call) = calls.remove(id) else { return };
                let files = entry.body.get("files").and_then(Value::as_object);
                let paths = files.into_iter().flat_map(|files| files.keys());
                paths.for_each(|path| self.touch_file(path, HeatTouch::Write, &call, ms));
            }
            Some(EventType::Hint) => {
                let paths = entry.body.get("paths").and_then(Value::as_array).into_iter().flatten();
                let dropped = paths.filter(|path| path["outcome"] == "dropped");
                self.memory.forget_files(dropped.filter_map(|path| path["path"].as_str()));
            }
            _ => {}
        }
    }

    fn touch_file(&self, path: &str, touch: HeatTouch, call: &EarlierCall, ms: i64) {
        self.memory.touch_at(path, touch, TouchCause { by: call.origin.display_name(), why: &call.why }, ms);
    }
}

/// A call whose end is not read yet.
#[derive(Debug)]
struct EarlierCall {
    origin: Origin,
    why: String,
    /// The files that it names.
    paths: Vec<String>,
}

impl EarlierCall {
    fn from_entry(entry: &JournalEntry) -> Self {
        let arg = |name: &str| entry.body.get("args").and_then(|args| args.get(name));
        let texts = PATHS.iter().filter_map(|name| arg(name)).flat_map(|value| match value {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            value => value.as_str().into_iter().collect::<Vec<_>>(),
        });
        let origin = entry.body.get("origin").and_then(|origin| Origin::deserialize(origin).ok());
        Self {
            origin: origin.unwrap_or_default(),
            why: arg("why").and_then(Value::as_str).unwrap_or_default().to_owned(),
            paths: texts.map(|path| path.trim_start_matches("./").to_owned()).collect(),
        }
    }
}
