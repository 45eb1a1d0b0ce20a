//! The words of a request that a tool holds only by words of a related meaning, by the vectors that the program carries.

use super::FoldMap;
use super::index::{ToolFeatures, WordNumber};
use super::rank::ToolQuery;
use crate::words::carried_vectors;

/// The words of a request, and how near the words of tools are to each.
pub(super) struct RelatedWords<'a> {
    asked: &'a ToolQuery,
    whole: f64,
    /// The place of each word of the tools among the carried vectors.
    places: &'a [Option<usize>],
    /// For each word of a tool that was met, its cosine to each word of the request.
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
        let asked = &self.asked.different;
        let mut nearest = vec![0.0_f32; asked.len()];
        for word in &own.main_words {
            let cosines = self.met.entry(*word).or_insert_with(|| {
                let place = self.places.get(*word as usize).copied().flatten();
                let cosine = |other: Option<usize>| Some(carried_vectors().cosine(place?, other?));
                asked.iter().map(|one| cosine(one.place).unwrap_or_default()).collect()
            });
            nearest
                .iter_mut()
                .zip(cosines.iter())
                .for_each(|(nearest, cosine)| *nearest = nearest.max(*cosine));
        }
        let is_held =
            |word: Option<WordNumber>| word.is_some_and(|word| own.main_words.binary_search(&word).is_ok());
        let lacking = asked.iter().zip(nearest).filter(|(one, _)| !is_held(one.word));
        lacking.map(|(one, nearest)| one.worth * f64::from(nearest)).sum::<f64>() / self.whole
    }
}
