//! The pieces that hold each term of a file, packed.

/// Terms between two places that are known: the others are found by reading on from there.
const STEP: usize = 8;

/// For each term, in order: the number of bytes that follow, and its count in all pieces; then for each piece that
/// holds it, the distance from the one before, and its count there. Numbers are in groups of seven bits.
#[derive(Debug, Default)]
pub(super) struct TermRuns {
    bytes: Box<[u8]>,
    /// The starts of every eighth term.
    starts: Box<[u32]>,
}

impl TermRuns {
    /// Calls `found` with each piece that holds the term at a place, and its count.
    pub(super) fn for_each(&self, place: usize, mut found: impl FnMut(usize, u8)) {
        let Some((mut at, end)) = self.term_range(place) else { return };
        self.read_number(&mut at);
        let mut piece = 0;
        while at < end {
            piece += self.read_number(&mut at) as usize;
            found(piece, self.bytes.get(at).copied().unwrap_or(0));
            at += 1;
        }
    }

    /// Returns the count of the term at a place in all pieces.
    pub(super) fn total_count(&self, place: usize) -> u32 {
        self.term_range(place).map_or(0, |(mut at, _)| self.read_number(&mut at))
    }

    /// Returns the counts of all terms, in order.
    pub(super) fn all_held(&self) -> impl Iterator<Item = u32> {
        let mut next = 0;
        std::iter::from_fn(move || {
            (next < self.bytes.len()).then(|| {
                let (mut at, end) = self.span_at(next);
                next = end;
                self.read_number(&mut at)
            })
        })
    }

    /// Returns the start and the end of the data on the term at a place.
    fn term_range(&self, place: usize) -> Option<(usize, usize)> {
        let mut at = *self.starts.get(place / STEP)? as usize;
        for _ in 0..place % STEP {
            at = self.span_at(at).1;
        }
        (at < self.bytes.len()).then(|| self.span_at(at))
    }

    /// Returns the start and the end of the term whose length is at `at`.
    fn span_at(&self, mut at: usize) -> (usize, usize) {
        let length = self.read_number(&mut at) as usize;
        (at, at + length)
    }

    fn read_number(&self, at: &mut usize) -> u32 {
        if let Some(byte) = self.bytes.get(*at).filter(|byte| **byte < 128) {
            *at += 1;
            return u32::from(*byte);
        }
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

/// Packs [`TermRuns`].
#[derive(Debug, Default)]
pub(super) struct RunsBuilder {
    bytes: Vec<u8>,
    starts: Vec<u32>,
    terms: usize,
    /// The pieces of the term that was begun.
    open: Vec<(u32, u8)>,
    packed: Vec<u8>,
}

impl RunsBuilder {
    /// Begins the next term.
    pub(super) fn begin_term(&mut self) {
        self.end_term();
        if self.terms.is_multiple_of(STEP) {
            self.starts.push(self.bytes.len() as u32);
        }
        self.terms += 1;
    }

    /// Adds a piece that holds it, later than the one before, and the count.
    pub(super) fn put_piece(&mut self, piece: u32, held: u8) {
        self.open.push((piece, held));
    }

    /// Returns the packed runs.
    pub(super) fn build(mut self) -> TermRuns {
        self.end_term();
        TermRuns { bytes: self.bytes.into(), starts: self.starts.into() }
    }

    fn end_term(&mut self) {
        if self.terms == 0 {
            return;
        }
        self.packed.clear();
        put_number(&mut self.packed, self.open.iter().map(|(_, held)| u32::from(*held)).sum());
        let mut before = 0;
        for (piece, held) in self.open.drain(..) {
            put_number(&mut self.packed, piece - before);
            self.packed.push(held);
            before = piece;
        }
        put_number(&mut self.bytes, self.packed.len() as u32);
        self.bytes.append(&mut self.packed);
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
                builder.begin_term();
                term.iter().for_each(|(piece, held)| builder.put_piece(*piece, *held));
            }
            let runs = builder.build();
            let held: Vec<u32> = all.iter().map(|term| term.values().map(|held| u32::from(*held)).sum()).collect();
            proptest::prop_assert_eq!(runs.all_held().collect::<Vec<_>>(), held.clone());
            for (place, term) in all.iter().enumerate() {
                proptest::prop_assert_eq!(runs.total_count(place), held[place]);
                let mut found = Vec::new();
                runs.for_each(place, |piece, held| found.push((piece as u32, held)));
                proptest::prop_assert_eq!(found, term.iter().map(|(piece, held)| (*piece, *held)).collect::<Vec<_>>());
            }
            runs.for_each(all.len() + 8, |_, _| panic!("no such term"));
        }
    }
}
