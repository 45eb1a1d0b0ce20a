//! The voucher of a log: cut, forged, planted and foreign logs are told apart.

use std::fs;

use serde_json::json;

use super::super::block::LogBlock;
use super::super::key::LogKey;
use super::{Machine, call, foreign, open_kept, standing, starts};
use crate::protocol::{Fault, LogSettings};
use crate::{ForeignReason, LOG, LogEnding, LogKeeper, LogReader, LogVoucher, verify_log};

/// The end of the event of number `count`.
fn end_of(text: &str, count: usize) -> usize {
    starts(text.as_bytes()).get(count).copied().unwrap_or(text.len())
}

/// Forges a log whose hashes anyone can make: with no key, or as if with one that it names.
fn forged(text: &str, keep_name: bool) -> String {
    let mut out = String::new();
    let end = end_of(text, 0);
    out.push_str(&text[..end]);
    let mut prev = LogKey::None.hash_bytes(out.as_bytes());
    let mut rest = &text.as_bytes()[end..];
    let named = regex::Regex::new(",\"key\":\"[0-9a-f]*\"").unwrap();
    while let Some(block) = LogBlock::parse(rest, &LogKey::Elsewhere) {
        rest = &rest[block.text.len()..];
        let text = block.text.replace(block.prev, &prev).replace("a.rs", "b.rs");
        let text = if keep_name { text } else { named.replace(&text, "").into_owned() };
        let body = &text[..text.rfind(",\"hash\":").unwrap()];
        let hash = LogKey::None.hash_bytes(body.as_bytes());
        out.push_str(&format!("{body},\"hash\":\"{hash}\"}} -->\n\n"));
        prev = hash;
    }
    out
}

#[test]
fn what_this_machine_wrote_is_vouched_for_by_several_processes_of_a_day() {
    let machine = Machine::new();
    for round in 0..3 {
        machine.calls(round * 5 + 1..=round * 5 + 5);
        let report = machine.report();
        assert_eq!(standing(&report), (LogVoucher::Here, LogEnding::Whole, false, false));
        assert_eq!(report.blocks, round * 5 + 6);
    }
    assert_eq!(LogReader::open(&machine.folder(), &machine.keeper()).unwrap().voucher(), LogVoucher::Here);
}

#[test]
fn events_cut_off_the_end_are_missed_and_the_log_is_left_as_it_is() {
    let machine = Machine::new();
    machine.calls(1..=10);
    let text = fs::read_to_string(machine.log()).unwrap();
    for kept in [1, 2, 5, 10] {
        let cut = &text[..end_of(&text, kept)];
        fs::write(machine.log(), cut).unwrap();
        let report = machine.report();
        assert_eq!(
            standing(&report),
            (LogVoucher::Here, LogEnding::Cut(11), false, false),
            "{kept} events kept"
        );
        assert_eq!(report.blocks, kept as u64);
        let error = machine.try_open().unwrap_err();
        assert_eq!(foreign(&error), Some(ForeignReason::EndAltered { events: 11 }), "{error:?}");
        let fault = Fault::from(error);
        assert_eq!(fault.details, Some(json!({ "taken": true, "foreign": true })));
        assert_eq!(fs::read_to_string(machine.log()).unwrap(), cut, "the evidence stays");
    }
    fs::write(machine.log(), &text).unwrap();
    assert_eq!(standing(&machine.report()), (LogVoucher::Here, LogEnding::Whole, false, false));
}

#[test]
fn a_log_made_anew_without_the_key_does_not_pass() {
    let machine = Machine::new();
    machine.calls(1..=4);
    let text = fs::read_to_string(machine.log()).unwrap();
    for keep_name in [false, true] {
        fs::write(machine.log(), forged(&text, keep_name)).unwrap();
        let report = machine.report();
        let told = report.damages > 0 || matches!(report.ending, LogEnding::Cut(5));
        assert!(told, "{keep_name}: {report:?}");
        assert!(foreign(&machine.try_open().unwrap_err()).is_some());
    }
}

#[test]
fn a_planted_log_is_not_of_this_machine_and_never_continued() {
    let (here, elsewhere) = (Machine::new(), Machine::new());
    elsewhere.calls(1..=3);
    let text = fs::read_to_string(elsewhere.log()).unwrap();
    let unkeyed = forged(&text, false);
    for (text, vouched) in [(&text, LogVoucher::Elsewhere), (&unkeyed, LogVoucher::Nobody)] {
        fs::write(here.log(), text).unwrap();
        let report = here.report();
        assert_eq!(standing(&report), (vouched, LogEnding::Unknown, false, false));
        assert_eq!(LogReader::open(&here.folder(), &here.keeper()).unwrap().voucher(), vouched);
        assert!(foreign(&here.try_open().unwrap_err()).is_some());
        assert_eq!(fs::read_to_string(here.log()).unwrap(), *text);
    }
    // An altered event of another machine's log may look right, but the order of its events does not.
    let moved = [&text[..end_of(&text, 1)], &text[end_of(&text, 2)..]].concat();
    fs::write(here.log(), moved).unwrap();
    assert_eq!(here.report().damages, 1);
}

#[test]
fn a_log_of_an_earlier_version_reads_as_before_and_is_called_not_keyed() {
    let machine = Machine::new();
    let keyless = || open_kept(&machine.folder(), &LogSettings::default(), LogKeeper::none(None));
    keyless().unwrap().append(call(1, json!({}))).unwrap();
    assert_eq!(standing(&machine.report()), (LogVoucher::Nobody, LogEnding::Unknown, false, false));
    assert_eq!(foreign(&machine.try_open().unwrap_err()), Some(ForeignReason::NoKey));
    // Without any key it continues.
    keyless().unwrap().append(call(2, json!({}))).unwrap();
    assert_eq!((machine.report().blocks, machine.report().damages), (3, 0));
}

#[test]
fn a_log_without_its_head_is_ours_but_its_end_is_unknown() {
    let machine = Machine::new();
    machine.calls(1..=3);
    fs::remove_file(machine.head()).unwrap();
    assert_eq!(standing(&machine.report()), (LogVoucher::Here, LogEnding::Unknown, false, false));
    machine.calls(4..=4);
    assert_eq!(standing(&machine.report()), (LogVoucher::Here, LogEnding::Whole, false, false));
}

#[test]
fn a_log_of_another_folder_is_not_continued() {
    let machine = Machine::new();
    machine.calls(1..=3);
    let moved = machine.dir.path().join("copy");
    fs::create_dir(&moved).unwrap();
    fs::write(moved.join(LOG), fs::read_to_string(machine.log()).unwrap().replace("/w/project", "/w/other"))
        .unwrap();
    let error = open_kept(&moved, &LogSettings::default(), machine.keeper()).unwrap_err();
    assert_eq!(foreign(&error), Some(ForeignReason::FirstAltered), "{error:?}");
}

#[test]
fn the_head_is_never_ahead_of_the_log() {
    let machine = Machine::new();
    let journal = machine.open();
    let mut seen = 0;
    for number in 1..=60 {
        let mark = journal.append(call(number, json!({ "why": "w" }))).unwrap();
        if number % 3 == 0 {
            journal.sync(mark).unwrap();
        }
        // The head first: the log may only have grown since.
        let head = machine.keeper().head("s-1");
        let text = fs::read_to_string(machine.log()).unwrap();
        if let Some(head) = head {
            assert!(text.contains(&format!("\"hash\":\"{}\"", head.hash)), "{head:?}");
            assert!(head.seq >= seen && head.seq <= number + 1);
            seen = head.seq;
        }
    }
    drop(journal);
    assert_eq!(machine.keeper().head("s-1").unwrap().seq, 61);
}

#[test]
fn any_altered_byte_of_a_keyed_log_is_told() {
    let machine = Machine::new();
    machine.calls(1..=2);
    let log = fs::read(machine.log()).unwrap();
    for at in 0..log.len() {
        let mut altered = log.clone();
        altered[at] ^= [0x01, 0x20, 0x80][at % 3];
        fs::write(machine.log(), &altered).unwrap();
        let report = verify_log(&LogReader::open(&machine.folder(), &machine.keeper()).unwrap()).unwrap();
        let told =
            report.damages > 0 || report.ending != LogEnding::Whole || report.vouched != LogVoucher::Here;
        assert!(told, "byte {at} of {}: {report:?}", log.len());
    }
}
