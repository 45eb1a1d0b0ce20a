//! The pieces that each term of a file stands in, packed.

/// Terms between two places that are known: the others are found by reading on from there.
const STEP: usize = 8;

/// For each term, in order: how many bytes follow, and how often it stands in all pieces; then for each piece that it stands
/// in how many after the one before, and how often it stands there. Numbers are in groups of seven bits.
#[derive(Debug, Default)]
pub(super) struct Runs {
    bytes: Box<[u8]>,
    /// Where every eighth term begins.
    starts: Box<[u32]>,
}

impl Runs {
    /// Calls `found` with each piece that the term at a place stands in, and how often.
    pub(super) fn each(&self, place: usize, mut found: impl FnMut(usize, u8)) {
        let Some((mut at, end)) = self.term(place) else { return };
        self.number(&mut at);
        let mut piece = 0;
        while at < end {
            piece += self.number(&mut at) as usize;
            found(piece, self.bytes.get(at).copied().unwrap_or(0));
            at += 1;
        }
    }

    /// How often the term at a place stands in all pieces.
    pub(super) fn held(&self, place: usize) -> u32 {
        self.term(place).map_or(0, |(mut at, _)| self.number(&mut at))
    }

    /// The same of each term, in order.
    pub(super) fn all_held(&self) -> impl Iterator<Item = u32> {
        let mut next = 0;
        std::iter::from_fn(move || {
            (next < self.bytes.len()).then(|| {
                let (mut at, end) = self.span(next);
                next = end;
                self.number(&mut at)
            })
        })
    }

    /// Where what is known of the term at a place begins, and where it ends.
    fn term(&self, place: usize) -> Option<(usize, usize)> {
        let mut at = *self.starts.get(place / STEP)? as usize;
        for _ in 0..place % STEP {
            at = self.span(at).1;
        }
        (at < self.bytes.len()).then(|| self.span(at))
    }

    /// The same of the term whose length stands there.
    fn span(&self, mut at: usize) -> (usize, usize) {
        let length = self.number(&mut at) as usize;
        (at, at + length)
    }

    fn number(&self, at: &mut usize) -> u32 {
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

/// Packs [`Runs`].
#[derive(Debug, Default)]
pub(super) struct RunsBuilder {
    bytes: Vec<u8>,
    starts: Vec<u32>,
    terms: usize,
    /// Those of the term that was begun.
    open: Vec<(u32, u8)>,
    packed: Vec<u8>,
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
                builder.begin();
                term.iter().for_each(|(piece, held)| builder.put(*piece, *held));
            }
            let runs = builder.built();
            let held: Vec<u32> = all.iter().map(|term| term.values().map(|held| u32::from(*held)).sum()).collect();
            proptest::prop_assert_eq!(runs.all_held().collect::<Vec<_>>(), held.clone());
            for (place, term) in all.iter().enumerate() {
                proptest::prop_assert_eq!(runs.held(place), held[place]);
                let mut found = Vec::new();
                runs.each(place, |piece, held| found.push((piece as u32, held)));
                proptest::prop_assert_eq!(found, term.iter().map(|(piece, held)| (*piece, *held)).collect::<Vec<_>>());
            }
            runs.each(all.len() + 8, |_, _| panic!("no such term"));
        }
    }
}
