//! The log as a whole: written, read back, cut, altered.

mod damage;
mod forge;
mod posting;
mod reading;
mod writing;

use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::{Entry, Item, Journal, LOG, Log, Report, Values, verify};
use crate::ports::Clock;
use crate::protocol::{Code, Event, Fault, LogEvent, LogSettings, Origin, Status};

/// A clock that stands.
#[derive(Debug)]
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        "2026-07-01T12:00:05.123456Z".parse().unwrap()
    }
}

fn open_with(dir: &Path, settings: &LogSettings) -> Result<Journal, Fault> {
    let fd = OwnedFd::from(std::fs::File::open(dir).unwrap());
    Journal::open(fd, "s-1", "/w/project", settings, Arc::new(Still))
}

/// Opens it once no other has it: a process that another test starts holds what is open here until it has become its
/// program.
fn open(dir: &Path) -> Journal {
    open_free(dir, &LogSettings::default())
}

/// The same with these settings.
fn open_free(dir: &Path, settings: &LogSettings) -> Journal {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        match open_with(dir, settings) {
            Err(fault) if fault.code == Code::NotAuthorized && Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(5));
            }
            opened => return opened.unwrap(),
        }
    }
}

fn call(number: u64, args: Value) -> LogEvent {
    let Value::Object(args) = args else { panic!("arguments are an object") };
    LogEvent::from(Event::ToolCall {
        call_id: format!("c-{number:04}"),
        origin: Origin { agent: Some("claude-code/2.1".to_owned()), ..Origin::default() },
        tool: "fs.read".to_owned(),
        args,
        follows: None,
        warnings: Vec::new(),
    })
}

fn result(number: u64, result: Value) -> LogEvent {
    LogEvent::from(Event::ToolResult {
        call_id: format!("c-{number:04}"),
        tool: "fs.read".to_owned(),
        status: Status::Ok,
        result: Arc::new(result),
        duration_ms: 1.5,
    })
}

fn items(dir: &Path) -> Vec<Item> {
    Log::open(dir).unwrap().items(Values::Whole).unwrap().map(Result::unwrap).collect()
}

fn entries(dir: &Path) -> Vec<Entry> {
    let entry = |item| match item {
        Item::Entry(entry) => entry,
        Item::Garbage(place, bytes) => panic!("{bytes} bytes of garbage at {place:?}"),
    };
    items(dir).into_iter().map(entry).collect()
}

fn bodies(dir: &Path) -> Vec<Map<String, Value>> {
    entries(dir).into_iter().map(|entry| entry.body).collect()
}

fn report(dir: &Path) -> Report {
    verify(&Log::open(dir).unwrap()).unwrap()
}

fn sound(dir: &Path, blocks: u64) {
    let report = report(dir);
    assert_eq!((report.blocks, report.damage), (blocks, Vec::new()));
}

fn text(dir: &Path) -> String {
    std::fs::read_to_string(dir.join(LOG)).unwrap()
}

fn some_calls(dir: &TempDir, count: u64) {
    let journal = open(dir.path());
    for number in 1..=count {
        journal.append(call(number, json!({ "path": "a.rs", "why": "Look at it" }))).unwrap();
    }
}
