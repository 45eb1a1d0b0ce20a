//! The words of a request that a tool holds only by words of a related meaning, by the vectors that the program carries.

use super::FoldMap;
use super::index::{ToolFeatures, WordNumber};
use super::tool_query::ToolQuery;
use crate::words::carried_vectors;

/// The words of a request, and how near the words of tools are to each.
pub(super) struct RelatedWords<'a> {
    asked: &'a ToolQuery,
    whole: f64,
    /// The place of each word of the tools among the carried vectors.
    places: &'a [Option<usize>],
    /// For each word of a tool that was met, its likeness to each word of the request: 1 for the word itself, else the cosine.
    met: FoldMap<WordNumber, Box<[f32]>>,
}

impl<'a> RelatedWords<'a> {
    /// Returns the words of a request; `places` holds the place of each word of the tools among the carried vectors.
    pub(super) fn of_request(asked: &'a ToolQuery, places: &'a [Option<usize>]) -> Self {
        Self { asked, whole: asked.whole_worth(), places, met: FoldMap::default() }
    }

    /// Returns the share of the request that a tool's name, nodes or first sentence hold by related words alone: each
    /// word that they lack counts by the cosine of the nearest one there.
    pub(super) fn share_in(&mut self, own: &ToolFeatures) -> f64 {
        let nearest = self.nearest_among(&own.main_words);
        let is_held =
            |word: Option<WordNumber>| word.is_some_and(|word| own.main_words.binary_search(&word).is_ok());
        let lacking = self.asked.different.iter().zip(nearest).filter(|(one, _)| !is_held(one.word));
        lacking.map(|(one, nearest)| one.worth * f64::from(nearest)).sum::<f64>() / self.whole
    }

    /// Returns the share of the request that these words hold: each of its words counts by its likeness to the nearest one.
    pub(super) fn share_among(&mut self, words: &[WordNumber]) -> f64 {
        let nearest = self.nearest_among(words);
        let held =
            self.asked.different.iter().zip(nearest).map(|(one, nearest)| one.worth * f64::from(nearest));
        held.sum::<f64>() / self.whole
    }

    /// Returns the share of the request's object that these words hold, counted alike.
    pub(super) fn object_share_among(&mut self, words: &[WordNumber]) -> f64 {
        let nearest = self.nearest_among(words);
        let (mut held, mut whole) = (0.0, 1e-9);
        for (at, one) in self.asked.object() {
            whole += one.worth;
            held += one.worth * f64::from(nearest[at]);
        }
        held / whole
    }

    /// Returns the share of these words that was asked for: each counts by its likeness to the nearest word of the request.
    pub(super) fn asked_share_of(&mut self, words: &[WordNumber], worth: &[f64]) -> f64 {
        let (mut asked, mut whole) = (0.0, 1e-9);
        for word in words {
            let nearest = self.likeness(*word).iter().copied().fold(0.0, f32::max);
            asked += worth[*word as usize] * f64::from(nearest);
            whole += worth[*word as usize];
        }
        asked / whole
    }

    /// The likeness of each word of the request to the nearest of these words.
    fn nearest_among(&mut self, words: &[WordNumber]) -> Vec<f32> {
        let mut nearest = vec![0.0_f32; self.asked.different.len()];
        for word in words {
            let likeness = self.likeness(*word);
            nearest.iter_mut().zip(likeness).for_each(|(nearest, one)| *nearest = nearest.max(*one));
        }
        nearest
    }

    fn likeness(&mut self, word: WordNumber) -> &[f32] {
        let (asked, places) = (self.asked, self.places);
        self.met.entry(word).or_insert_with(|| {
            let place = places.get(word as usize).copied().flatten();
            let cosine = |other: Option<usize>| Some(carried_vectors().cosine(place?, other?));
            let one = |one: &super::tool_query::RequestWord| match one.word == Some(word) {
                true => 1.0,
                false => cosine(one.place).unwrap_or_default(),
            };
            asked.different.iter().map(one).collect()
        })
    }
}
