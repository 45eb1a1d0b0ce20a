//! The log's folder is removed while it is used: calls are still logged, and the log records the gap.

use std::fs;

use serde_json::json;

use super::{Machine, call, standing};
use crate::{LogEnding, LogVoucher};

fn after(gone: impl Fn(&Machine), back: impl Fn(&Machine)) -> (Machine, Vec<String>) {
    let machine = Machine::new();
    let journal = machine.open();
    for number in 1..=3 {
        let mark = journal.append(call(number, json!({ "text": "x".repeat(5000) }))).unwrap();
        journal.sync(mark).unwrap();
    }
    gone(&machine);
    for number in 4..=5 {
        let mark = journal.append(call(number, json!({ "text": "x".repeat(5000) }))).unwrap();
        journal.sync(mark).unwrap();
    }
    back(&machine);
    let mark = journal.append(call(6, json!({ "text": "x".repeat(5000) }))).unwrap();
    journal.sync(mark).unwrap();
    let troubles = journal.troubles();
    assert!(journal.troubles().is_empty(), "it is told once");
    drop(journal);
    (machine, troubles)
}

fn remove(machine: &Machine) {
    fs::remove_dir_all(machine.folder()).unwrap();
}

#[test]
fn a_log_whose_folder_was_removed_is_begun_anew() {
    for times in [1, 2] {
        let (machine, troubles) = after(remove, |machine| {
            if times == 2 {
                remove(machine)
            }
        });
        assert_eq!(troubles.len(), times);
        let report = machine.report();
        assert_eq!(standing(&report), (LogVoucher::Here, LogEnding::Whole, false, true), "{report:?}");
        let expected: &[&str] = if times == 1 { &["c-0004", "c-0005", "c-0006"] } else { &["c-0006"] };
        assert_eq!(machine.ids(), expected);
        assert_eq!(machine.open().last_number("c"), 6, "no number is given out twice");
    }
}

#[test]
fn a_folder_that_is_renamed_away_and_back_is_taken_up_again() {
    let aside = |machine: &Machine| machine.dir.path().join("aside");
    let (machine, troubles) = after(
        |machine| fs::rename(machine.folder(), aside(machine)).unwrap(),
        |machine| {
            remove(machine);
            fs::rename(aside(machine), machine.dir.path().join("s-1")).unwrap();
        },
    );
    assert_eq!(troubles.len(), 2, "{troubles:?}");
    assert_eq!(machine.ids(), ["c-0001", "c-0002", "c-0003", "c-0006"]);
    assert_eq!(standing(&machine.report()), (LogVoucher::Here, LogEnding::Whole, false, true));
}

#[test]
fn stored_values_that_went_away_are_stored_again() {
    let (machine, _) = after(remove, |_| {});
    let report = machine.report();
    assert_eq!((report.values, report.damages), (1, 0));
}

#[test]
fn a_log_removed_between_two_processes_is_begun_anew_and_says_so() {
    let machine = Machine::new();
    machine.calls(1..=3);
    remove(&machine);
    let journal = machine.open();
    assert_eq!(journal.last_number("c"), 3);
    drop(journal);
    let report = machine.report();
    assert_eq!(standing(&report), (LogVoucher::Here, LogEnding::Whole, false, true));
    assert!(report.recovered[0].what.contains("4 events"), "{report:?}");
}
