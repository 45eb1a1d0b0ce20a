//! The log as a whole: written, read back, cut, altered.

mod damage;
mod forge;
mod former;
mod keyed;
mod posting;
mod reading;
mod torn;
mod vanished;
mod writing;

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::{
    ForeignReason, Journal, JournalEntry, JournalError, JournalOptions, LOG, LogEnding, LogItem, LogKeeper,
    LogReader, LogReport, LogVoucher, ValueMode, verify_log,
};
use crate::base::clock::Clock;
use crate::protocol::{Event, Fault, LogEvent, LogSettings, Origin, Status};

/// A clock that does not advance.
#[derive(Debug)]
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        "2026-07-01T12:00:05.123456Z".parse().unwrap()
    }
}

fn open_with(dir: &Path, settings: &LogSettings) -> Result<Journal, JournalError> {
    open_kept(dir, settings, LogKeeper::none(None))
}

/// Opens a log with the data that vouches for it.
fn open_kept(dir: &Path, settings: &LogSettings, keeper: LogKeeper) -> Result<Journal, JournalError> {
    Journal::open(opening(dir, settings, keeper))
}

fn opening(dir: &Path, settings: &LogSettings, keeper: LogKeeper) -> JournalOptions {
    let folder = dir.to_owned();
    JournalOptions {
        session: "s-1".to_owned(),
        root: "/w/project".to_owned(),
        folder: Box::new(move || {
            let opened = std::fs::create_dir_all(&folder).and_then(|()| std::fs::File::open(&folder));
            opened
                .map(OwnedFd::from)
                .map_err(|error| JournalError::Folder(Box::new(Fault::internal(error.to_string()))))
        }),
        settings: settings.clone(),
        clock: Arc::new(Still),
        keeper,
    }
}

/// Opens it once no other has it: a process that another test starts holds what is open here until it has become its
/// program.
fn open(dir: &Path) -> Journal {
    open_free(dir, &LogSettings::default())
}

/// Opens a log with these settings.
fn open_free(dir: &Path, settings: &LogSettings) -> Journal {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        match open_with(dir, settings) {
            Err(JournalError::Locked { .. } | JournalError::Foreign { .. }) if Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(5));
            }
            opened => return opened.unwrap(),
        }
    }
}

/// A place for logs that a machine vouches for: its state folder, and the session's.
struct Machine {
    state: TempDir,
    dir: TempDir,
}

impl Machine {
    fn new() -> Self {
        Self { state: TempDir::new().unwrap(), dir: TempDir::new().unwrap() }
    }

    fn keeper(&self) -> LogKeeper {
        LogKeeper::open(Some(self.state.path()), "/w/project")
    }

    /// The session's folder: it is called as the session.
    fn folder(&self) -> PathBuf {
        let folder = self.dir.path().join("s-1");
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn log(&self) -> PathBuf {
        self.folder().join(LOG)
    }

    /// The path of the log's head.
    fn head(&self) -> PathBuf {
        let heads = std::fs::read_dir(self.state.path().join("logs")).unwrap().next().unwrap().unwrap();
        heads.path().join("s-1")
    }

    fn opening(&self) -> JournalOptions {
        opening(&self.folder(), &LogSettings::default(), self.keeper())
    }

    fn try_open(&self) -> Result<Journal, JournalError> {
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            match Journal::open(self.opening()) {
                Err(JournalError::Locked { .. }) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                opened => return opened,
            }
        }
    }

    fn open(&self) -> Journal {
        self.try_open().unwrap()
    }

    /// Makes calls with these numbers in a process of their own.
    fn calls(&self, numbers: std::ops::RangeInclusive<u64>) {
        let journal = self.open();
        for number in numbers {
            journal.append(call(number, json!({ "path": "a.rs", "why": "Look at it — genau" }))).unwrap();
        }
    }

    fn report(&self) -> LogReport {
        verify_log(&LogReader::open(&self.folder(), &self.keeper()).unwrap()).unwrap()
    }

    /// The ids of the calls that are in the log.
    fn ids(&self) -> Vec<String> {
        let log = LogReader::open(&self.folder(), &self.keeper()).unwrap();
        let items = log.items(ValueMode::Whole).unwrap().map(Result::unwrap);
        items
            .filter_map(|item| match item {
                LogItem::Entry(entry) if entry.event_type == "tool_call" => {
                    entry.call_id().map(str::to_owned)
                }
                _ => None,
            })
            .collect()
    }
}

/// The state of a log: its voucher, its end, and whether there is damage and recovery.
fn standing(report: &LogReport) -> (LogVoucher, LogEnding, bool, bool) {
    (report.vouched, report.ending, report.damages > 0, !report.recovered.is_empty())
}

/// Returns the reason why a log is not continued.
fn foreign(error: &JournalError) -> Option<ForeignReason> {
    match error {
        JournalError::Foreign { reason, .. } => Some(reason.clone()),
        _ => None,
    }
}

fn call(number: u64, args: Value) -> LogEvent {
    let Value::Object(args) = args else { panic!("arguments are an object") };
    LogEvent::from(Event::ToolCall {
        call_id: format!("c-{number:04}").into(),
        origin: Origin { agent: Some("claude-code/2.1".to_owned()), ..Origin::default() },
        tool: "fs.read".to_owned(),
        args,
        follows: None,
        environment: None,
        warnings: Vec::new(),
    })
}

fn result(number: u64, result: Value) -> LogEvent {
    LogEvent::from(Event::ToolResult {
        call_id: format!("c-{number:04}").into(),
        tool: "fs.read".to_owned(),
        status: Status::Ok,
        result: Arc::new(result),
        activity: None,
        duration_ms: 1.5,
    })
}

fn items(dir: &Path) -> Vec<LogItem> {
    LogReader::open(dir, &LogKeeper::none(None))
        .unwrap()
        .items(ValueMode::Whole)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

fn entries(dir: &Path) -> Vec<JournalEntry> {
    let entry = |item| match item {
        LogItem::Entry(entry) => entry,
        LogItem::Garbage(place, rest) => panic!("{rest:?} at {place:?}"),
    };
    items(dir).into_iter().map(entry).collect()
}

fn bodies(dir: &Path) -> Vec<Map<String, Value>> {
    entries(dir).into_iter().map(|entry| entry.body).collect()
}

fn report(dir: &Path) -> LogReport {
    verify_log(&LogReader::open(dir, &LogKeeper::none(None)).unwrap()).unwrap()
}

fn sound(dir: &Path, blocks: u64) {
    let report = report(dir);
    assert_eq!((report.blocks, report.damage), (blocks, Vec::new()));
}

fn text(dir: &Path) -> String {
    std::fs::read_to_string(dir.join(LOG)).unwrap()
}

/// Where the blocks of a log begin.
fn starts(text: &[u8]) -> Vec<usize> {
    let of = |mark| memchr::memmem::find_iter(text, mark).map(|at| at + 1).collect::<Vec<_>>();
    let mut starts: Vec<usize> = super::split::STARTS.into_iter().flat_map(of).collect();
    starts.sort_unstable();
    starts
}

fn some_calls(dir: &TempDir, count: u64) {
    let journal = open(dir.path());
    for number in 1..=count {
        journal.append(call(number, json!({ "path": "a.rs", "why": "Look at it" }))).unwrap();
    }
}
