//! Runs of four characters: what a request shares with a name that is written together, or nearly right.

use super::Map;
use super::words::each;

/// Characters of a run.
const LENGTH: usize = 4;

/// A run of characters, packed.
type Gram = u64;

/// The runs of every name, and what each is worth.
#[derive(Debug, Default)]
pub(super) struct Grams {
    weights: Map<Gram, f64>,
    /// The runs of each name, sorted, and the length of their vector.
    names: Vec<(Vec<Gram>, f64)>,
}

/// The runs of a request.
pub(super) struct Asked {
    grams: Map<Gram, f64>,
    norm: f64,
}

impl Grams {
    /// The runs of these names.
    pub(super) fn new(names: &[String]) -> Self {
        let all: Vec<Vec<Gram>> = names
            .iter()
            .map(|name| {
                let mut grams = runs(name);
                grams.sort_unstable();
                grams.dedup();
                grams
            })
            .collect();
        let mut counts: Map<Gram, u32> = Map::default();
        for gram in all.iter().flatten() {
            *counts.entry(*gram).or_default() += 1;
        }
        let total = all.len() as f64;
        let weights: Map<Gram, f64> =
            counts.into_iter().map(|(gram, count)| (gram, (1.0 + total / f64::from(count)).ln())).collect();
        let norm = |grams: &[Gram]| grams.iter().map(|gram| weights[gram].powi(2)).sum::<f64>().sqrt();
        let names =
            all.into_iter().map(|grams| (norm(&grams), grams)).map(|(norm, grams)| (grams, norm)).collect();
        Self { weights, names }
    }

    /// The runs of a request.
    pub(super) fn asked(&self, text: &str) -> Asked {
        let grams: Map<Gram, f64> = runs(text)
            .into_iter()
            .filter_map(|gram| Some((gram, self.weights.get(&gram)?.powi(2))))
            .collect();
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

/// The runs of a text's words with one blank between, before and behind them.
fn runs(text: &str) -> Vec<Gram> {
    let mut runs = Vec::with_capacity(text.len());
    let (mut packed, mut seen) = (0, 0);
    let mut push = |c: char| {
        packed = packed << 16 | u64::from(u32::from(c)) & 0xffff;
        seen += 1;
        if seen >= LENGTH {
            runs.push(packed);
        }
    };
    push(' ');
    each(text, |word| {
        word.chars().for_each(&mut push);
        push(' ');
    });
    runs
}
