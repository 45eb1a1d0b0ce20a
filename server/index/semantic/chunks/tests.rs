//! Texts cut into pieces.

use proptest::prelude::*;

use super::*;

#[test]
fn comments_and_attributes_go_with_what_follows() {
    let long = "    let a = 1;\n".repeat(50);
    let text = format!("fn one() {{\n{long}}}\n\n/// Says two.\n#[inline]\nfn two() {{\n{long}}}\n");
    let (chunks, defined) = cut_text(&text, SourceLanguage::Keywords);
    let starts: Vec<u32> = chunks.iter().map(|chunk| chunk.start).collect();
    assert_eq!(starts, [1, 54]);
    assert_eq!(defined.iter().map(|one| one.name).collect::<Vec<_>>(), ["one", "two"]);
}

proptest! {
    #[test]
    fn the_pieces_are_the_text(text in "((fn [a-z]{1,4}\\(\\) \\{|// [a-z ]{0,90}|    [a-z =;]{0,200}|\\}|)\r?\n){0,120}[a-z]{0,9}") {
        let (chunks, defined) = cut_text(&text, SourceLanguage::Keywords);
        let joined: String = chunks.iter().map(|chunk| &text[chunk.from..chunk.to]).collect();
        prop_assert_eq!(&joined, &text);
        let mut next = 1;
        for chunk in &chunks {
            prop_assert_eq!(chunk.start, next);
            prop_assert!(chunk.end >= chunk.start);
            let piece = &text[chunk.from..chunk.to];
            prop_assert_eq!(piece.lines().count() as u32, chunk.end - chunk.start + 1);
            prop_assert!(piece.len() <= MOST || chunk.start == chunk.end);
            next = chunk.end + 1;
        }
        for one in defined {
            prop_assert_eq!(&text[one.at..one.at + one.name.len()], one.name);
        }
    }
}
