//! Sorts the hits of texts that are searched concurrently, and decides when there are enough.

use std::collections::BTreeMap;

use super::hit::LineHit;

/// Hits by the number of their text.
#[derive(Debug)]
pub(super) struct HitCollector {
    found: BTreeMap<usize, Vec<LineHit>>,
    /// The most hits and bytes that are kept.
    limit: usize,
    bytes: usize,
    hits: usize,
    held: usize,
    /// The texts from this number on are not needed: those before have enough.
    end: usize,
    more: bool,
}

impl HitCollector {
    /// Gathers at most `limit` hits with at most `bytes` bytes, of `texts` texts.
    pub(super) fn new(texts: usize, limit: usize, bytes: usize) -> Self {
        Self { found: BTreeMap::new(), limit, bytes, hits: 0, held: 0, end: texts, more: false }
    }

    /// The first text that is not needed.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// Adds the hits of a text; the texts may come in any order. Once a limit is passed, drops the hits of all later texts.
    pub(super) fn add_hits(&mut self, text: usize, hits: Vec<LineHit>) {
        if hits.is_empty() || text >= self.end {
            return;
        }
        self.hits += hits.len();
        self.held += hits.iter().map(LineHit::bytes).sum::<usize>();
        self.found.insert(text, hits);
        if self.hits <= self.limit && self.held <= self.bytes {
            return;
        }
        // Texts that are not searched yet can only push what is behind them further back.
        let (mut hits, mut held) = (0, 0);
        for (&text, found) in &self.found {
            hits += found.len();
            held += found.iter().map(LineHit::bytes).sum::<usize>();
            if hits > self.limit || held > self.bytes {
                self.end = text + 1;
                break;
            }
        }
        self.found.split_off(&self.end);
        (self.hits, self.held) = (hits, held);
        self.more = true;
    }

    /// The hits in the order of their texts, and whether there are more.
    pub(super) fn finish(self) -> (Vec<(usize, LineHit)>, bool) {
        let (mut bytes, mut more) = (self.bytes, self.more);
        let mut all = Vec::with_capacity(self.hits.min(self.limit));
        for (text, hit) in
            self.found.into_iter().flat_map(|(text, hits)| hits.into_iter().map(move |hit| (text, hit)))
        {
            // At least one hit is always shown, so that a search that goes on from place to place comes to its end.
            if all.len() >= self.limit || (hit.bytes() > bytes && !all.is_empty()) {
                more = true;
                break;
            }
            bytes = bytes.saturating_sub(hit.bytes());
            all.push((text, hit));
        }
        (all, more)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_order_gives_the_first_hits(
            (counts, order) in prop::collection::vec(0..4_usize, 0..20)
                .prop_flat_map(|counts| { let texts: Vec<usize> = (0..counts.len()).collect(); (Just(counts), Just(texts).prop_shuffle()) }),
            limit in 1..12_usize,
            bytes in 1..12_usize,
        ) {
            let hit = |line| LineHit { line, text: "x".into(), before: Vec::new(), after: Vec::new() };
            let mut gather = HitCollector::new(counts.len(), limit, bytes);
            for text in order {
                if text < gather.end() {
                    gather.add_hits(text, (0..counts[text] as u64).take(limit + 1).map(hit).collect());
                }
            }
            let all: Vec<_> = counts.iter().enumerate().flat_map(|(text, &count)| (0..count as u64).map(move |line| (text, hit(line)))).collect();
            let (found, more) = gather.finish();
            let expected = limit.min(bytes).min(all.len());
            prop_assert_eq!(&found, &all[..expected]);
            prop_assert_eq!(more, all.len() > expected);
        }
    }
}
