//! The pieces that each term of a file stands in, packed.

/// Terms between two places that are known: the others are found by reading on from there.
const STEP: usize = 8;

/// For each term, in order: how many pieces it stands in, then for each of them how many after the one before, and how
/// often it stands there. Numbers are in groups of seven bits.
#[derive(Debug, Default)]
pub(super) struct Runs {
    bytes: Box<[u8]>,
    /// Where every eighth term begins.
    starts: Box<[u32]>,
}

impl Runs {
    /// Calls `found` with each piece that the term at a place stands in, and how often.
    pub(super) fn each(&self, place: usize, mut found: impl FnMut(usize, u8)) {
        let Some(start) = self.starts.get(place / STEP) else { return };
        let mut at = *start as usize;
        for _ in 0..place % STEP {
            for _ in 0..self.number(&mut at) {
                self.number(&mut at);
                at += 1;
            }
        }
        let mut piece = 0;
        for _ in 0..self.number(&mut at) {
            piece += self.number(&mut at) as usize;
            found(piece, self.bytes.get(at).copied().unwrap_or(0));
            at += 1;
        }
    }

    fn number(&self, at: &mut usize) -> u32 {
        let (mut number, mut shift) = (0, 0);
        while let Some(byte) = self.bytes.get(*at) {
            *at += 1;
            number |= u32::from(byte & 127) << shift;
            shift += 7;
            if byte & 128 == 0 || shift > 28 {
                break;
            }
        }
        number
    }
}

/// Packs [`Runs`].
#[derive(Debug, Default)]
pub(super) struct RunsBuilder {
    bytes: Vec<u8>,
    starts: Vec<u32>,
    terms: usize,
    /// Those of the term that was begun.
    open: Vec<(u32, u8)>,
}

impl RunsBuilder {
    /// Begins the next term.
    pub(super) fn begin(&mut self) {
        self.end();
        if self.terms.is_multiple_of(STEP) {
            self.starts.push(self.bytes.len() as u32);
        }
        self.terms += 1;
    }

    /// A piece that it stands in, later than the one before, and how often.
    pub(super) fn put(&mut self, piece: u32, held: u8) {
        self.open.push((piece, held));
    }

    /// What was packed.
    pub(super) fn built(mut self) -> Runs {
        self.end();
        Runs { bytes: self.bytes.into(), starts: self.starts.into() }
    }

    fn end(&mut self) {
        if self.terms == 0 {
            return;
        }
        put_number(&mut self.bytes, self.open.len() as u32);
        let mut before = 0;
        for (piece, held) in self.open.drain(..) {
            put_number(&mut self.bytes, piece - before);
            self.bytes.push(held);
            before = piece;
        }
    }
}

fn put_number(to: &mut Vec<u8>, mut number: u32) {
    while number >= 128 {
        to.push(number as u8 | 128);
        number >>= 7;
    }
    to.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn what_was_put_is_found(all in proptest::collection::vec(proptest::collection::btree_map(0_u32..4_000, 1_u8.., 0..9), 0..40)) {
            let mut builder = RunsBuilder::default();
            for term in &all {
                builder.begin();
                term.iter().for_each(|(piece, held)| builder.put(*piece, *held));
            }
            let runs = builder.built();
            for (place, term) in all.iter().enumerate() {
                let mut found = Vec::new();
                runs.each(place, |piece, held| found.push((piece as u32, held)));
                proptest::prop_assert_eq!(found, term.iter().map(|(piece, held)| (*piece, *held)).collect::<Vec<_>>());
            }
            runs.each(all.len() + 8, |_, _| panic!("no such term"));
        }
    }
}
