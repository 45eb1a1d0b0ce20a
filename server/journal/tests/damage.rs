//! Crashes, other programs and forgers: what is lost, what is kept, what is said.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use super::super::block::LogBlock;
use super::super::key::LogKey;
use super::{call, entries, items, open, report, result, some_calls, sound, starts};
use crate::{LOG, LogItem};

/// The log's title, then its blocks.
fn pieces(text: &[u8]) -> Vec<Vec<u8>> {
    let mut starts = starts(text);
    starts.insert(0, 0);
    starts.push(text.len());
    starts.windows(2).map(|pair| text[pair[0]..pair[1]].to_vec()).collect()
}

fn log_of(calls: u64) -> Vec<u8> {
    let dir = TempDir::new().unwrap();
    some_calls(&dir, calls);
    fs::read(dir.path().join(LOG)).unwrap()
}

fn with(log: &[u8]) -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join(LOG), log).unwrap();
    dir
}

#[test]
fn a_log_cut_anywhere_loses_only_what_was_cut() {
    let log = log_of(4);
    let pieces = pieces(&log);
    let ends: Vec<usize> = pieces.iter().scan(0, |end, piece| Some((*end += piece.len(), *end).1)).collect();
    for cut in ends[ends.len() - 3]..log.len() {
        let dir = with(&log[..cut]);
        let journal = open(dir.path());
        journal.append(call(9, json!({}))).unwrap();
        drop(journal);
        let whole = ends.iter().filter(|end| **end <= cut).count() as u64 - 1;
        let torn = !ends.contains(&cut);
        sound(dir.path(), whole + u64::from(torn) + 1);
        let kept = fs::read(dir.path().join("recovered-1.bin")).ok();
        let expected = torn.then(|| log[*ends.iter().rfind(|end| **end <= cut).unwrap()..cut].to_vec());
        assert_eq!(kept, expected, "cut at {cut}");
    }
}

#[test]
fn a_log_cut_in_its_beginning_starts_anew() {
    let log = log_of(1);
    let first = pieces(&log)[0].len() + pieces(&log)[1].len();
    for cut in (0..first).step_by(13) {
        let dir = with(&log[..cut]);
        drop(open(dir.path()));
        sound(dir.path(), if cut == 0 { 1 } else { 2 });
    }
}

#[test]
fn garbage_at_the_end_is_set_aside() {
    let log = log_of(2);
    let forged = "## 12:00:00 — Session end\n\n```yaml\ntype: session_end\nseq: 4\nlast: {}\nprev: \"0\"\nhash: \"0\"\n```\n\n";
    let garbage: [&[u8]; 7] = [
        b"\n",
        b"hello",
        &[0; 5000],
        forged.as_bytes(),
        b"## \n## \n## 12\n\n```yaml\n",
        &[0xff, 0xfe, b'\n', b'#', b'#', b' '],
        &log[log.len() - 300..],
    ];
    for garbage in garbage {
        let dir = with(&[&log, garbage].concat());
        drop(open(dir.path()));
        sound(dir.path(), 4);
        assert_eq!(fs::read(dir.path().join("recovered-1.bin")).unwrap(), garbage);
        let last = entries(dir.path()).pop().unwrap();
        assert_eq!(
            (last.body["kept"].as_str(), last.body["bytes"].as_u64()),
            (Some("recovered-1.bin"), Some(garbage.len() as u64))
        );
    }
}

#[test]
fn a_file_that_is_no_log_is_set_aside() {
    let dir = with(b"---\ntitle: notes\n---\n\n# Notes\n");
    drop(open(dir.path()));
    sound(dir.path(), 2);
    assert_eq!(fs::read(dir.path().join("recovered-1.bin")).unwrap(), b"---\ntitle: notes\n---\n\n# Notes\n");
}

#[test]
fn garbage_inside_is_reported_and_stepped_over() {
    let pieces = pieces(&log_of(3));
    for garbage in [
        "hello\n",
        "## not a block\n\nat all\n",
        "```\n",
        "\n",
        "## 12:00:00 — x\n\n```yaml\ntype: a\n",
        "# Session x\n",
    ] {
        let log = [&pieces[..3].concat()[..], garbage.as_bytes(), &pieces[3..].concat()].concat();
        let dir = with(&log);
        let at = pieces[..3].concat().len() as u64;
        let found = items(dir.path());
        assert_eq!(found.len(), 5, "{garbage:?}");
        let LogItem::Garbage(place, rest) = &found[2] else { panic!("{garbage:?}: {found:?}") };
        assert_eq!((place.offset, rest.bytes), (at, garbage.len() as u64), "{garbage:?}");
        let damage = report(dir.path()).damage;
        assert_eq!((damage.len(), damage[0].place.offset), (1, at));
        drop(open(dir.path()));
        assert!(!dir.path().join("recovered-1.bin").exists());
    }
}

#[test]
fn any_altered_byte_is_found_where_it_is() {
    let log = log_of(2);
    let pieces = pieces(&log);
    let mut start = 0;
    for (number, piece) in pieces.iter().enumerate() {
        for at in 0..piece.len() {
            let flip = [0x01, 0x20, 0x80][at % 3];
            let mut altered = log.clone();
            altered[start + at] ^= flip;
            let damage = report(with(&altered).path()).damage;
            let Some(first) = damage.first() else { panic!("byte {at} of piece {number} ^ {flip:#x}") };
            let offset = first.place.offset as usize;
            // An altered title shows at the event after it, at the latest.
            let right = if number == 0 { offset <= piece.len() } else { offset == start };
            assert!(right, "byte {at} of piece {number}: {first:?}");
        }
        start += piece.len();
    }
}

fn said(pieces: &[&Vec<u8>]) -> Vec<String> {
    let log: Vec<u8> = pieces.iter().flat_map(|piece| piece.iter().copied()).collect();
    report(with(&log).path()).damage.into_iter().map(|damage| damage.what).collect()
}

#[test]
fn missing_moved_and_repeated_events_are_named() {
    let all = pieces(&log_of(4));
    let pick = |order: &[usize]| said(&order.iter().map(|at| &all[*at]).collect::<Vec<_>>());
    assert_eq!(pick(&[0, 1, 2, 3, 4, 5]), Vec::<String>::new());
    assert_eq!(pick(&[0, 1, 2, 4, 5]), ["event 4 stands where event 3 is missing"]);
    assert_eq!(pick(&[0, 2, 3, 4, 5]), ["event 2 stands where event 1 is missing"]);
    assert_eq!(
        pick(&[0, 1, 3, 2, 4, 5]),
        [
            "event 3 stands where event 2 is missing",
            "event 2 stands behind event 3: it was moved or repeated",
            "event 4 stands where event 3 is missing"
        ]
    );
    assert_eq!(pick(&[0, 1, 2, 2, 3, 4, 5]), ["event 2 stands behind event 2: it was moved or repeated"]);
}

#[test]
fn an_event_replaced_by_another_of_the_same_number_is_named() {
    let other = TempDir::new().unwrap();
    let journal = open(other.path());
    journal.append(call(1, json!({ "why": "another" }))).unwrap();
    drop(journal);
    let others = pieces(&fs::read(other.path().join(LOG)).unwrap());
    let all = pieces(&log_of(3));
    assert_eq!(
        said(&[&all[0], &all[1], &others[2], &all[3], &all[4]]),
        ["event 3 does not continue event 2: one of them was replaced"]
    );
}

#[test]
fn altered_and_missing_stored_values_are_named() {
    let dir = TempDir::new().unwrap();
    let journal = open(dir.path());
    journal.append(result(1, json!({ "content": "x".repeat(5000) }))).unwrap();
    drop(journal);
    let stored = fs::read_dir(dir.path().join("results")).unwrap().next().unwrap().unwrap().path();
    let damage = |dir: &Path| {
        report(dir).damage.into_iter().map(|damage| (damage.seq, damage.what)).collect::<Vec<_>>()
    };
    fs::write(&stored, "x".repeat(4999) + "y").unwrap();
    assert!(damage(dir.path())[0].1.ends_with("was altered"), "{:?}", damage(dir.path()));
    assert_eq!(entries(dir.path())[1].problems.len(), 1);
    fs::remove_file(&stored).unwrap();
    assert_eq!(damage(dir.path())[0].0, Some(2));
    assert!(damage(dir.path())[0].1.contains("is missing"));
}

#[test]
fn what_another_program_appends_meanwhile_is_set_aside() {
    let dir = TempDir::new().unwrap();
    let journal = open(dir.path());
    journal.append(call(1, json!({}))).unwrap();
    fs::OpenOptions::new().append(true).open(dir.path().join(LOG)).unwrap().write_all(b"mine\n").unwrap();
    journal.append(call(2, json!({}))).unwrap();
    drop(journal);
    sound(dir.path(), 4);
    assert_eq!(fs::read(dir.path().join("recovered-1.bin")).unwrap(), b"mine\n");
}

#[test]
fn a_log_removed_or_cut_meanwhile_goes_on_and_shows_it() {
    let cut: [&dyn Fn(&Path); 3] =
        [&|log| fs::remove_file(log).unwrap(), &|log| fs::write(log, "").unwrap(), &|log| {
            let text = fs::read(log).unwrap();
            fs::write(log, &text[..text.len() - 600]).unwrap();
        }];
    for cut in cut {
        let dir = TempDir::new().unwrap();
        let journal = open(dir.path());
        for number in 1..=3 {
            journal.append(call(number, json!({}))).unwrap();
        }
        cut(&dir.path().join(LOG));
        journal.append(call(4, json!({}))).unwrap();
        drop(journal);
        let report = report(dir.path());
        assert!(report.damage[0].what.contains("is missing"), "{:?}", report.damage);
        assert_eq!(entries(dir.path()).pop().unwrap().call_id(), Some("c-0004"));
        assert_eq!(open(dir.path()).last_number("c"), 4);
    }
}

#[test]
fn a_block_is_taken_apart_exactly() {
    let log = log_of(1);
    let pieces = pieces(&log);
    let block = LogBlock::parse(&pieces[2], &LogKey::None).unwrap();
    assert_eq!((block.seq, block.intact, block.id_numbers()), (2, true, [("c".to_owned(), 1)].into()));
    assert_eq!(LogBlock::parse(&pieces[1], &LogKey::None).unwrap().hash, block.prev);
    assert_eq!(LogBlock::parse(&pieces[0], &LogKey::None), None);
}
