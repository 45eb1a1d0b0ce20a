//! Power cuts: whatever follows the durable blocks, they are kept and the log continues.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::super::file;
use super::{Machine, entries, open, report, sound, standing};
use crate::{Journal, LOG, LogEnding, LogVoucher};

/// The possible states of non-durable bytes after a power cut.
fn torn(rest: &[u8], at: usize) -> Vec<Vec<u8>> {
    let zeros = |count: usize| vec![0; count];
    let middle = at + (rest.len() - at) / 2;
    let noise = |count: usize| (0..count).map(|at| (at * 131 % 251) as u8).collect::<Vec<u8>>();
    let pages = rest[..at].len().next_multiple_of(512).min(rest.len());
    vec![
        rest[..at].to_vec(),
        [&rest[..at], &zeros(rest.len() - at)[..]].concat(),
        [&rest[..at], &zeros(5000)[..]].concat(),
        [&rest[..at], &noise(rest.len() - at)[..]].concat(),
        // A page is missing in the middle, and what was written later is there.
        [&rest[..at], &zeros(middle - at)[..], &rest[middle..]].concat(),
        [&rest[..at], &zeros(pages - at)[..], &rest[pages..]].concat(),
        [&rest[..at], &rest[middle..]].concat(),
        // Half a character.
        [&rest[..at], "—".as_bytes()[..2].as_ref()].concat(),
    ]
}

fn recovers(before: &Path, head: &[u8], log: &[u8], durable: usize, calls: u64) {
    let machine = Machine::new();
    fs::copy(before.join("log.key"), machine.state.path().join("log.key")).unwrap();
    drop(machine.open());
    fs::write(machine.head(), head).unwrap();
    fs::write(machine.log(), log).unwrap();
    let told = machine.report();
    assert_eq!((told.ending, told.damages), (LogEnding::Whole, 0), "before it is opened: {told:?}");
    let journal = machine.open();
    assert_eq!(journal.session(), "s-1");
    drop(journal);
    machine.calls(90..=90);
    let report = machine.report();
    assert_eq!(
        (report.vouched, report.ending, report.damages),
        (LogVoucher::Here, LogEnding::Whole, 0),
        "{report:?}"
    );
    let ids = machine.ids();
    let expected: Vec<String> = (1..=calls).map(|number| format!("c-{number:04}")).collect();
    assert_eq!(ids[..expected.len()], expected, "what was durable is there");
    assert_eq!(ids.last().map(String::as_str), Some("c-0090"));
    let now = fs::read(machine.log()).unwrap();
    assert_eq!(now[..durable], log[..durable]);
    if let Ok(kept) = fs::read(machine.folder().join("recovered-1.bin")) {
        assert!(log.ends_with(&kept) && !report.recovered.is_empty());
    }
}

#[test]
fn whatever_a_power_cut_leaves_behind_the_durable_events_is_recovered() {
    let machine = Machine::new();
    machine.calls(1..=3);
    let (head, durable) =
        (fs::read(machine.head()).unwrap(), fs::metadata(machine.log()).unwrap().len() as usize);
    machine.calls(4..=6);
    let log = fs::read(machine.log()).unwrap();
    let rest = &log[durable..];
    for at in (0..rest.len()).step_by(97).chain([1, rest.len() - 1]) {
        for torn in torn(rest, at) {
            recovers(machine.state.path(), &head, &[&log[..durable], &torn].concat(), durable, 3);
        }
    }
}

#[test]
fn an_end_of_zeros_is_recovered_also_where_nothing_says_how_far_the_log_was_durable() {
    let dir = TempDir::new().unwrap();
    super::some_calls(&dir, 6);
    let log = fs::read(dir.path().join(LOG)).unwrap();
    let starts = super::starts(&log);
    let from = starts[4] + 20;
    let hole = |to: usize| [&log[..from], &vec![0; to - from][..], &log[to..]].concat();
    for (name, torn) in [("to the end", hole(log.len())), ("in the middle", hole(starts[5] + 40))] {
        fs::write(dir.path().join(LOG), &torn).unwrap();
        let _ = fs::remove_file(dir.path().join("recovered-1.bin"));
        drop(open(dir.path()));
        sound(dir.path(), 5);
        assert_eq!(entries(dir.path())[4].event_type, "recovery", "{name}");
        assert_eq!(fs::read(dir.path().join("recovered-1.bin")).unwrap(), torn[starts[4]..], "{name}");
    }
    // Before anybody opens it, zeros at the end are no alteration.
    fs::write(dir.path().join(LOG), [&log[..], &[0; 4096]].concat()).unwrap();
    let told = report(dir.path());
    assert_eq!((told.damages, told.recovered.len()), (0, 1), "{told:?}");
}

#[test]
fn a_new_part_that_a_power_cut_emptied_is_begun_again() {
    let machine = Machine::new();
    machine.calls(1..=3);
    let folder = machine.folder();
    fs::rename(folder.join(LOG), folder.join(file::part_name(1))).unwrap();
    for torn in [vec![], vec![0; 4096], b"# Session s-1, pa".to_vec()] {
        fs::write(folder.join(LOG), torn).unwrap();
        machine.calls(4..=4);
        let report = machine.report();
        assert_eq!(
            (report.vouched, report.ending, report.damages),
            (LogVoucher::Here, LogEnding::Whole, 0),
            "{report:?}"
        );
        let written = fs::metadata(folder.join(LOG)).unwrap().len();
        assert!(written > 0);
        fs::remove_file(folder.join(LOG)).unwrap();
        fs::remove_file(machine.head()).unwrap();
    }
}

#[test]
fn a_torn_log_that_nobody_opens_again_is_mended_and_a_whole_one_left_alone() {
    let machine = Machine::new();
    machine.calls(1..=3);
    let whole = fs::read(machine.log()).unwrap();
    assert!(!Journal::mend_log(machine.opening()).unwrap());
    assert_eq!(fs::read(machine.log()).unwrap(), whole);
    fs::write(machine.log(), [&whole[..], &[0; 3000]].concat()).unwrap();
    assert!(Journal::mend_log(machine.opening()).unwrap());
    assert!(!Journal::mend_log(machine.opening()).unwrap());
    let report = machine.report();
    assert_eq!((report.ending, report.damages, report.recovered.len()), (LogEnding::Whole, 0, 1));
    assert_eq!(fs::read(machine.folder().join("recovered-1.bin")).unwrap(), [0; 3000]);
    // Of a log that was cut nothing is touched.
    fs::write(machine.log(), &whole[..whole.len() - 9]).unwrap();
    assert!(
        Journal::mend_log(machine.opening()).is_err()
            || fs::read(machine.log()).unwrap() == whole[..whole.len() - 9]
    );
    assert_eq!(fs::read(machine.log()).unwrap(), whole[..whole.len() - 9]);
}

#[test]
fn an_altered_durable_event_is_no_torn_end() {
    let machine = Machine::new();
    machine.calls(1..=3);
    let mut log = fs::read(machine.log()).unwrap();
    let at = log.len() - 400;
    log[at..].fill(0);
    fs::write(machine.log(), &log).unwrap();
    assert!(matches!(standing(&machine.report()).1, LogEnding::Cut(4)));
    assert!(machine.try_open().is_err());
    assert_eq!(fs::read(machine.log()).unwrap(), log);
}
