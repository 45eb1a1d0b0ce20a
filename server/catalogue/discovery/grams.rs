//! Runs of four characters: what a request shares with a name that is written together, or nearly right.

use std::collections::{HashMap, HashSet};

use super::words::split;

/// Characters of a run.
const LENGTH: usize = 4;

/// A run of characters, packed.
type Gram = u64;

/// The runs of every name, and what each is worth.
#[derive(Debug, Default)]
pub(super) struct Grams {
    weights: HashMap<Gram, f64>,
    /// The runs of each name, sorted, and the length of their vector.
    names: Vec<(Vec<Gram>, f64)>,
}

/// The runs of a request.
pub(super) struct Asked {
    grams: HashMap<Gram, f64>,
    norm: f64,
}

impl Grams {
    /// The runs of these names.
    pub(super) fn new(names: &[String]) -> Self {
        let all: Vec<Vec<Gram>> = names
            .iter()
            .map(|name| {
                let mut grams: Vec<Gram> = runs(name).collect();
                grams.sort_unstable();
                grams
            })
            .collect();
        let mut counts: HashMap<Gram, u32> = HashMap::new();
        for grams in &all {
            for gram in grams.iter().collect::<HashSet<_>>() {
                *counts.entry(*gram).or_default() += 1;
            }
        }
        let total = all.len() as f64;
        let weights: HashMap<Gram, f64> =
            counts.into_iter().map(|(gram, count)| (gram, (1.0 + total / f64::from(count)).ln())).collect();
        let norm = |grams: &[Gram]| distinct(grams).map(|gram| weights[&gram].powi(2)).sum::<f64>().sqrt();
        let names = all.iter().map(|grams| (distinct(grams).collect(), norm(grams))).collect();
        Self { weights, names }
    }

    /// The runs of a request.
    pub(super) fn asked(&self, text: &str) -> Asked {
        let grams: HashMap<Gram, f64> =
            runs(text).filter_map(|gram| Some((gram, self.weights.get(&gram)?.powi(2)))).collect();
        let norm = grams.values().sum::<f64>().sqrt();
        Asked { grams, norm }
    }

    /// How alike a request and a name are, 0 to 1.
    pub(super) fn likeness(&self, asked: &Asked, name: usize) -> f64 {
        let (grams, norm) = &self.names[name];
        let shared: f64 = grams.iter().filter_map(|gram| asked.grams.get(gram)).sum();
        if shared > 0.0 { shared / (asked.norm * norm) } else { 0.0 }
    }
}

fn distinct(sorted: &[Gram]) -> impl Iterator<Item = Gram> {
    sorted.iter().enumerate().filter(|(at, gram)| *at == 0 || sorted[at - 1] != **gram).map(|(_, gram)| *gram)
}

fn runs(text: &str) -> impl Iterator<Item = Gram> {
    let words = split(text).join(" ");
    let chars: Vec<u64> = format!(" {words} ").chars().map(|c| u64::from(u32::from(c)) & 0xffff).collect();
    let packed = |run: &[u64]| run.iter().fold(0, |packed, c| packed << 16 | c);
    chars.windows(LENGTH).map(packed).collect::<Vec<_>>().into_iter()
}
