//! Posted events: written soon, in order, and never lost while the process lives.

use std::sync::Barrier;

use serde_json::json;
use tempfile::TempDir;

use super::{bodies, call, open, result, sound, text};
use crate::JournalError;

#[test]
fn what_was_posted_stands_before_what_is_appended_after_it() {
    let dir = TempDir::new().unwrap();
    let journal = open(dir.path());
    for number in 0..200 {
        journal.post(call(2 * number, json!({ "path": "a.rs" })));
        journal.post(result(2 * number, json!("x".repeat(3000))));
        journal.append(call(2 * number + 1, json!({}))).unwrap();
    }
    let found: Vec<_> = bodies(dir.path()).into_iter().skip(1).map(|body| body["call_id"].clone()).collect();
    let expected = (0..200).flat_map(|number| [2 * number, 2 * number, 2 * number + 1]);
    assert_eq!(found, expected.map(|number| json!(format!("c-{number:04}"))).collect::<Vec<_>>());
    drop(journal);
    sound(dir.path(), 601);
}

#[test]
fn a_posted_event_is_in_the_file_once_that_is_said() {
    let dir = TempDir::new().unwrap();
    let journal = open(dir.path());
    for number in 1..=300 {
        let posted = journal.post(call(number, json!({})));
        let mark = journal.ensure_written(&posted).unwrap();
        assert!(text(dir.path()).contains(&format!("\"call_id\":\"c-{number:04}\"")), "{number}");
        assert_eq!(journal.ensure_written(&posted).unwrap(), mark, "it is written once");
    }
    sound(dir.path(), 301);
}

#[test]
fn each_thread_finds_its_events_in_its_own_order() {
    const THREADS: u64 = 6;
    const EVENTS: u64 = 200;
    let dir = TempDir::new().unwrap();
    let journal = open(dir.path());
    let together = Barrier::new(usize::try_from(THREADS).unwrap());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (journal, together) = (&journal, &together);
            scope.spawn(move || {
                together.wait();
                for number in 0..EVENTS {
                    let event = call(thread * 1000 + number, json!({}));
                    match number % 3 {
                        0 => drop(journal.append(event).unwrap()),
                        1 => drop(journal.post(event)),
                        _ => drop(journal.ensure_written(&journal.post(event)).unwrap()),
                    }
                }
            });
        }
    });
    drop(journal);
    let mut last = [None; 6];
    for body in bodies(dir.path()).iter().skip(1) {
        let number: u64 = body["call_id"].as_str().unwrap().trim_start_matches("c-").parse().unwrap();
        let own = &mut last[usize::try_from(number / 1000).unwrap()];
        assert_eq!(number % 1000, own.map_or(0, |last: u64| last + 1));
        *own = Some(number % 1000);
    }
    sound(dir.path(), THREADS * EVENTS + 1);
}

#[test]
fn a_log_that_is_dropped_has_all_that_was_posted() {
    let dir = TempDir::new().unwrap();
    let journal = open(dir.path());
    for number in 1..=50 {
        journal.post(call(number, json!({})));
    }
    drop(journal);
    sound(dir.path(), 51);
}

#[test]
fn what_cannot_be_written_says_so() {
    let dir = TempDir::new().unwrap();
    let journal = open(dir.path());
    journal.close(Default::default()).unwrap();
    let posted = journal.post(call(1, json!({})));
    assert!(matches!(journal.ensure_written(&posted), Err(JournalError::Closed { .. })));
}
