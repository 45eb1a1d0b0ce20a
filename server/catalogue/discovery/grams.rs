//! Runs of four characters: what a request shares with a name that is written together, or nearly right.

use super::FoldMap;
use super::words::each_word;

/// Characters of a run.
const LENGTH: usize = 4;

/// A run of characters, packed.
type Gram = u64;

/// The runs of every name, and what each is worth.
#[derive(Debug, Default)]
pub(super) struct NameGrams {
    weights: FoldMap<Gram, f64>,
    /// The runs of each name, sorted, and the length of their vector.
    names: Vec<(Vec<Gram>, f64)>,
}

/// The runs of a request.
pub(super) struct RequestGrams {
    grams: FoldMap<Gram, f64>,
    norm: f64,
}

impl NameGrams {
    /// The runs of these names.
    pub(super) fn new(names: &[String]) -> Self {
        let all: Vec<Vec<Gram>> = names
            .iter()
            .map(|name| {
                let mut grams = text_grams(name);
                grams.sort_unstable();
                grams.dedup();
                grams
            })
            .collect();
        let mut counts: FoldMap<Gram, u32> = FoldMap::default();
        for gram in all.iter().flatten() {
            *counts.entry(*gram).or_default() += 1;
        }
        let total = all.len() as f64;
        let weights: FoldMap<Gram, f64> =
            counts.into_iter().map(|(gram, count)| (gram, (1.0 + total / f64::from(count)).ln())).collect();
        let norm = |grams: &[Gram]| grams.iter().map(|gram| weights[gram].powi(2)).sum::<f64>().sqrt();
        let names =
            all.into_iter().map(|grams| (norm(&grams), grams)).map(|(norm, grams)| (grams, norm)).collect();
        Self { weights, names }
    }

    /// The runs of a request.
    pub(super) fn request_grams(&self, text: &str) -> RequestGrams {
        let grams: FoldMap<Gram, f64> = text_grams(text)
            .into_iter()
            .filter_map(|gram| Some((gram, self.weights.get(&gram)?.powi(2))))
            .collect();
        let norm = grams.values().sum::<f64>().sqrt();
        RequestGrams { grams, norm }
    }

    /// Returns the likeness of a request and a name, 0 to 1.
    pub(super) fn name_likeness(&self, asked: &RequestGrams, name: usize) -> f64 {
        let (grams, norm) = &self.names[name];
        let shared: f64 = grams.iter().filter_map(|gram| asked.grams.get(gram)).sum();
        if shared > 0.0 { shared / (asked.norm * norm) } else { 0.0 }
    }
}

/// The runs of a text's words with one blank between, before and behind them.
fn text_grams(text: &str) -> Vec<Gram> {
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
    each_word(text, |word| {
        word.chars().for_each(&mut push);
        push(' ');
    });
    runs
}
