//! Reading from the end and as the log grows, and how little is read to open it.

use std::cell::Cell;
use std::fs;

use serde_json::json;
use tempfile::TempDir;

use super::super::file;
use super::super::key::LogKey;
use super::{call, entries, open_free, some_calls};
use crate::protocol::{Code, Fault, LogSettings};
use crate::{JournalError, LOG, LogItem, LogKeeper, LogReader, ValueMode};

fn seqs(items: impl Iterator<Item = Result<LogItem, JournalError>>) -> Vec<u64> {
    let seq = |item| match item {
        LogItem::Entry(entry) => entry.seq,
        LogItem::Garbage(..) => 0,
    };
    items.map(|item| seq(item.unwrap())).collect()
}

#[test]
fn the_last_ones_are_read_from_the_end() {
    let dir = TempDir::new().unwrap();
    let settings = LogSettings { rotate_bytes: 2500, ..LogSettings::default() };
    let journal = open_free(dir.path(), &settings);
    for number in 1..=12 {
        journal.append(call(number, json!({ "why": "Look" }))).unwrap();
    }
    let log = LogReader::open(dir.path(), &LogKeeper::none(None)).unwrap();
    let all = seqs(log.items(ValueMode::Whole).unwrap());
    for count in 0..all.len() + 3 {
        let last = seqs(log.last_items(count, ValueMode::Whole).unwrap());
        assert_eq!(last, all[all.len().saturating_sub(count)..], "the last {count}");
    }
}

#[test]
fn a_followed_log_goes_on_over_parts() {
    let dir = TempDir::new().unwrap();
    let settings = LogSettings { rotate_bytes: 2500, ..LogSettings::default() };
    let journal = open_free(dir.path(), &settings);
    let log = LogReader::open(dir.path(), &LogKeeper::none(None)).unwrap();
    let mut items = log.items(ValueMode::Whole).unwrap().follow_growth();
    assert_eq!(seqs(items.by_ref()), [1]);
    let mut seen = 1;
    for round in 1..12 {
        for number in 0..round {
            journal.append(call(number, json!({ "why": "Look" }))).unwrap();
        }
        for seq in seqs(items.by_ref()) {
            seen += 1;
            assert_eq!(seq, seen);
        }
    }
    assert_eq!(entries(dir.path()).len() as u64, seen);
}

#[test]
fn a_block_that_comes_in_pieces_is_waited_for() {
    let dir = TempDir::new().unwrap();
    some_calls(&dir, 2);
    let whole = fs::read(dir.path().join(LOG)).unwrap();
    fs::write(dir.path().join(LOG), "").unwrap();
    let mut items = LogReader::open(dir.path(), &LogKeeper::none(None))
        .unwrap()
        .items(ValueMode::Whole)
        .unwrap()
        .follow_growth();
    let mut seen = Vec::new();
    for byte in whole.chunks(7) {
        use std::io::Write;
        fs::OpenOptions::new().append(true).open(dir.path().join(LOG)).unwrap().write_all(byte).unwrap();
        seen.extend(seqs(items.by_ref()));
    }
    assert_eq!(seen, [1, 2, 3]);
}

#[test]
fn opening_reads_the_end_only() {
    let cost = |calls: u64| {
        let dir = TempDir::new().unwrap();
        some_calls(&dir, calls);
        let log = fs::File::open(dir.path().join(LOG)).unwrap();
        let read = Cell::new(0);
        let end = log.metadata().unwrap().len();
        let tail = file::find_tail(end, &LogKey::None, &mut |from, to| {
            read.set(read.get() + to - from);
            file::read_range(&log, from, to)
        });
        assert_eq!(tail.unwrap().unwrap().seq, calls + 1);
        (read.get(), end)
    };
    let (few, _) = cost(100);
    let (many, size) = cost(1500);
    assert!(many <= few + 16 && many * 10 < size, "{few} bytes of a short log, {many} of {size}");
}

#[test]
fn no_log_is_said_plainly() {
    let dir = TempDir::new().unwrap();
    let opened = LogReader::open(dir.path(), &LogKeeper::none(None));
    assert_eq!(opened.map_err(Fault::from).unwrap_err().code, Code::NotFound);
    let opened = LogReader::open(&dir.path().join("none"), &LogKeeper::none(None));
    assert!(matches!(opened, Err(JournalError::Missing(_))));
}
