//! The sets of three bytes that a text holds.
//!
//! Capitals of ASCII count as small letters. A line end can only be the third byte, and the end of the text counts as
//! a line end: so any two bytes of a line begin a trigram, and none reaches from one line into the next.

/// A trigram: its three bytes, the first one highest.
pub(super) type Trigram = u32;

/// Trigrams that there could be.
const ALL: usize = 1 << 24;

/// The trigram of three bytes, as an index holds it.
pub(super) fn pack_trigram(bytes: [u8; 3]) -> Trigram {
    let [first, second, third] = bytes.map(|byte| u32::from(byte.to_ascii_lowercase()));
    first << 16 | second << 8 | third
}

/// Collects the trigrams of one text after the other.
#[derive(Debug)]
pub(super) struct TrigramExtractor {
    seen: Box<[u64]>,
    found: Vec<Trigram>,
    /// The last two bytes, as the upper bytes of the next trigram.
    last: u32,
    /// Bytes of the line so far, counted up to two.
    filled: u8,
}

impl Default for TrigramExtractor {
    fn default() -> Self {
        Self { seen: vec![0; ALL / 64].into_boxed_slice(), found: Vec::new(), last: 0, filled: 0 }
    }
}

impl TrigramExtractor {
    /// Takes a further piece of the text.
    pub(super) fn push(&mut self, piece: &[u8]) {
        let (mut last, mut filled) = (self.last, self.filled);
        for &byte in piece {
            let next = last << 8 | u32::from(byte.to_ascii_lowercase());
            if filled == 2 {
                self.note_trigram(next & 0xff_ffff);
            }
            if byte == b'\n' {
                filled = 0;
            } else if filled < 2 {
                filled += 1;
            }
            last = next & 0xffff;
        }
        (self.last, self.filled) = (last, filled);
    }

    /// The trigrams of the text, each once, in no order. What follows is another text.
    pub(super) fn finish(&mut self) -> Vec<Trigram> {
        self.push(b"\n");
        let found = std::mem::take(&mut self.found);
        for trigram in &found {
            if let Some(word) = self.seen.get_mut(*trigram as usize / 64) {
                *word = 0;
            }
        }
        found
    }

    fn note_trigram(&mut self, trigram: Trigram) {
        let bit = 1 << (trigram % 64);
        if let Some(word) = self.seen.get_mut(trigram as usize / 64)
            && *word & bit == 0
        {
            *word |= bit;
            self.found.push(trigram);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pieces: &[&str]) -> Vec<String> {
        let mut extractor = TrigramExtractor::default();
        pieces.iter().for_each(|piece| extractor.push(piece.as_bytes()));
        let letters = |trigram: &Trigram| String::from_utf8(trigram.to_be_bytes()[1..].to_vec()).unwrap();
        extractor.finish().iter().map(letters).collect()
    }

    #[test]
    fn lines_stand_alone_and_end_in_a_line_end() {
        assert_eq!(of(&["aBc\nd\nef"]), ["abc", "bc\n", "ef\n"]);
        assert_eq!(of(&["a", "b", "", "c"]), ["abc", "bc\n"]);
        assert!(of(&[""]).is_empty());
    }

    #[test]
    fn texts_do_not_run_into_each_other() {
        let mut extractor = TrigramExtractor::default();
        extractor.push(b"ab");
        extractor.finish();
        extractor.push(b"cd");
        assert_eq!(extractor.finish(), [super::pack_trigram(*b"cd\n")]);
    }
}
