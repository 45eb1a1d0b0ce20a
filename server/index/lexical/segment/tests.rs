//! Tests of segments: what is written is read back, and no bytes are trusted.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::builder::SegmentBuilder;
use super::merge::merge_segments;
use super::{IndexSegment, SegmentError};
use crate::lexical::entry::StatStamp;
use crate::lexical::trigrams::{TrigramExtractor, pack_trigram};

fn write(at: &Path, texts: &[(String, String)]) {
    let (mut builder, mut extractor) = (SegmentBuilder::default(), TrigramExtractor::default());
    for (path, text) in texts {
        for block in text.split_inclusive('\n') {
            extractor.push(block.as_bytes());
            builder.add_block(&extractor.finish());
        }
        builder.add_file(path, Some(StatStamp { size: text.len() as u64, ..StatStamp::default() }));
    }
    builder.write_segment(at, "/root").unwrap();
}

/// The paths that hold the trigram.
fn holders(segment: &IndexSegment, bytes: [u8; 3]) -> BTreeSet<String> {
    let (mut room, mut numbers) = (Vec::new(), Vec::new());
    if let Some(term) = segment.find_term(pack_trigram(bytes)) {
        segment.postings(term, &mut room, &mut numbers).unwrap();
    }
    let holds = |number: &usize| {
        let blocks = segment.files().blocks_of(*number);
        numbers.iter().any(|block| blocks.contains(block))
    };
    (0..segment.files().len()).filter(holds).map(|number| segment.files().path(number).to_owned()).collect()
}

fn expected(texts: &[(String, String)], bytes: [u8; 3]) -> BTreeSet<String> {
    let holds = |text: &str| text.to_ascii_lowercase().as_bytes().windows(3).any(|window| window == bytes);
    texts.iter().filter(|(_, text)| holds(text)).map(|(path, _)| path.clone()).collect()
}

fn texts(count: usize) -> Vec<(String, String)> {
    // Each third text holds a common word, each 50th a rarer word, and one text a word of its own.
    let text = |number: usize| {
        let common = if number.is_multiple_of(3) { "common" } else { "" };
        let rare = if number.is_multiple_of(50) { "Rare" } else { "" };
        format!("{common}\n {rare} w{number}x\n{}", "more\n".repeat(number % 4))
    };
    (0..count).map(|number| (format!("folder/file{number:05}"), text(number))).collect()
}

#[test]
fn what_is_written_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("one");
    let texts = texts(3000);
    write(&at, &texts);
    let segment = IndexSegment::open(&at, "/root").unwrap();
    for bytes in [*b"com", *b"rar", *b"00x", *b"w29", *b"zzz"] {
        assert_eq!(holders(&segment, bytes), expected(&texts, bytes), "{bytes:?}");
    }
    assert_eq!(segment.files().len(), 3000);
    assert!(matches!(IndexSegment::open(&at, "/other"), Err(SegmentError::Foreign)));
    assert!(segment.terms_of(u16::from_be_bytes(*b"co")).all(|term| term.count == 1000));
}

#[test]
fn merged_segments_hold_what_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let all = texts(600);
    let (first, second) = all.split_at(350);
    let names = ["one", "two", "both"].map(|name| folder.path().join(name));
    write(&names[0], second);
    write(&names[1], first);
    let open = |index: usize| IndexSegment::open(&names[index], "/root").unwrap();
    let (one, two) = (open(0), open(1));
    let keep =
        |segment: &IndexSegment| (0..segment.files().len() as u32).filter(|number| number % 7 != 0).collect();
    let done =
        merge_segments(&[(&one, keep(&one)), (&two, keep(&two))], &names[2], "/root", || true).unwrap();
    assert!(done);
    let both = open(2);
    let kept = [first, second].map(|part| {
        part.iter()
            .enumerate()
            .filter(|(number, _)| number % 7 != 0)
            .map(|(_, one)| one.clone())
            .collect::<Vec<_>>()
    });
    let kept = kept.concat();
    assert_eq!(
        both.files().iter().map(|(path, _)| path.to_owned()).collect::<Vec<_>>(),
        kept.iter().map(|one| one.0.clone()).collect::<Vec<_>>()
    );
    for bytes in [*b"com", *b"rar", *b"00x", *b"w29"] {
        assert_eq!(holders(&both, bytes), expected(&kept, bytes), "{bytes:?}");
    }
    assert!(!merge_segments(&[(&one, vec![1])], &names[2], "/root", || false).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_are_found_out(flips in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 0..4), cut in prop::option::of(any::<prop::sample::Index>())) {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("one");
        let texts = texts(40);
        write(&at, &texts);
        let mut bytes = fs::read(&at).unwrap();
        let whole = bytes.clone();
        for (index, mask) in flips {
            let index = index.index(bytes.len());
            bytes[index] ^= mask;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        fs::write(&at, &bytes).unwrap();
        let Ok(segment) = IndexSegment::open(&at, "/root") else {
            prop_assert_ne!(bytes, whole);
            return Ok(());
        };
        let (mut room, mut numbers) = (Vec::new(), Vec::new());
        for wanted in [*b"com", *b"rar", *b"30x", *b"w29"] {
            if let Some(term) = segment.find_term(pack_trigram(wanted))
                && segment.postings(term, &mut room, &mut numbers).is_ok()
            {
                prop_assert_eq!(holders(&segment, wanted), expected(&texts, wanted));
            }
        }
    }

    #[test]
    fn rubbish_is_no_segment(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("one");
        fs::write(&at, [b"wfindex\x01".as_slice(), &bytes].concat()).unwrap();
        prop_assert!(IndexSegment::open(&at, "/root").is_err());
    }
}
