//! The weight of each feature.
//!
//! The weights were fitted to a listwise loss over 1,029 queries on 84 projects: descriptions of what files are for, names
//! of definitions, and subjects of patches with the files that they changed. Features were dropped while the halves of the
//! projects, each ranked by weights that were fitted to the other, lost nothing.

use super::features::{FEATURES, Features};

/// Weights of the features, in their order.
#[derive(Debug)]
pub(super) struct RankingModel([f32; FEATURES]);

/// The weight of the evidence of related words. Any weight from 4 to 8 finds paraphrases equally well.
const RELATED: f32 = 8.0;

/// The model without similarity.
pub(super) const WORDS: RankingModel = RankingModel([
    0.71, 0.78, 0.18, 0.77, 1.10, 0.43, 2.15, 2.15, 2.24, 0.62, 2.02, 2.12, 1.30, 0.90, 0.60, 0.24, 1.24,
    1.03, 1.41, 1.83, 0.94, -4.70, -3.18, -3.05, -4.63, -2.63, 0.10, -1.63, -1.75, -1.33, 0.32, 0.41, 0.00,
    RELATED,
]);
/// The model with the similarity of a model that reads texts. Any weight from 0.3 to 1 ranks equally well.
pub(super) const WORDS_AND_SIMILARITY: RankingModel = RankingModel::with_similarity(0.5);
/// The model with the similarity of vectors of single words, which mostly repeat the evidence of the words.
pub(super) const WORDS_AND_STATIC_SIMILARITY: RankingModel = RankingModel::with_similarity(0.2);

impl RankingModel {
    /// Returns the model with this weight of a standard deviation nearer than the mean.
    const fn with_similarity(worth: f32) -> Self {
        let Self(mut weights) = WORDS;
        weights[FEATURES - 2] = worth;
        Self(weights)
    }

    /// Returns the likelihood that a file is sought, relative to others.
    pub(super) fn score(&self, features: &Features) -> f32 {
        features.iter().zip(&self.0).map(|(feature, weight)| feature * weight).sum()
    }
}
