//! Tests of searching one text: what is in memory and what is read in pieces give the same.

use std::io::Write;

use super::*;
use crate::lexical::query::CaseSensitivity;

const ALL: HitLimits = HitLimits { context: 2, limit: usize::MAX, after_line: 0, longest_line: LONGEST_LINE };

fn search(pattern: &str, bytes: &[u8], wanted: HitLimits) -> (Vec<LineHit>, Vec<LineHit>) {
    let query = LineQuery::new(pattern, CaseSensitivity::Sensitive, false).unwrap();
    let go_on = || true;
    let mut verifier = LineVerifier::new(&query, &go_on);
    let (mut whole, mut read) = (Vec::new(), Vec::new());
    verifier.search(SearchText::Bytes(bytes), wanted, &mut whole).unwrap();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    verifier.search(SearchText::File(file), wanted, &mut read).unwrap();
    (whole, read)
}

#[test]
fn hits_have_their_context() {
    let (whole, read) = search("x", b"a\nb\nc\nx1\nd\nx2\r\n", ALL);
    assert_eq!(whole, read);
    let [first, second] = whole.as_slice() else { panic!("{whole:?}") };
    assert_eq!((first.line, first.text.as_str()), (4, "x1"));
    assert_eq!(
        (first.before.as_slice(), first.after.as_slice()),
        (["b", "c"].map(str::to_owned).as_slice(), ["d", "x2"].map(str::to_owned).as_slice())
    );
    assert_eq!((second.line, second.text.as_str()), (6, "x2"));
    assert_eq!((second.before.len(), second.after.len()), (2, 0));
}

#[test]
fn marked_and_long_texts_have_the_same_context() {
    let text = "a\nb\nc\nx1\nd\nx2\n";
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let (plain, _) = search("x", text.as_bytes(), ALL);
    assert_eq!(search("x", &utf16, ALL), (plain.clone(), plain.clone()));
    let long = format!("{text}{}", "more text\n".repeat(WHOLE / 5));
    let (whole, read) = search("x[12]", long.as_bytes(), ALL);
    assert_eq!(whole, read);
    assert_eq!(whole[0], plain[0]);
}

#[test]
fn limits_and_places_hold() {
    let text = "x\n".repeat(100);
    let (hits, read) =
        search("x", text.as_bytes(), HitLimits { context: 0, limit: 3, after_line: 50, ..ALL });
    assert_eq!(hits.iter().map(|hit| hit.line).collect::<Vec<_>>(), [51, 52, 53]);
    assert_eq!(hits, read);
}

#[test]
fn a_long_file_can_be_stopped() {
    let query = LineQuery::new("x", CaseSensitivity::Sensitive, false).unwrap();
    let left = std::cell::Cell::new(5);
    let go_on = || left.replace(left.get() - 1) > 0;
    let mut verifier = LineVerifier::new(&query, &go_on);
    let mut file = tempfile::tempfile().unwrap();
    file.set_len(1 << 40).unwrap();
    file.write_all(&b"x\n".repeat(WHOLE)).unwrap();
    file.rewind().unwrap();
    let mut hits = Vec::new();
    assert!(verifier.search(SearchText::File(file), HitLimits { context: 0, ..ALL }, &mut hits).is_err());
    assert!(!hits.is_empty());
}
