//! The linear model that ranks tools by what speaks for them, with its weights.
//!
//! The weights were fitted on public tool sets with requests (8,080 tools, 1,543 requests): to the likelihood of the tools that
//! answer, and among weights of about the same likelihood to the share of requests whose first tool answers. Features were
//! chosen by what they gain for requests that are kept out of the fit.

use super::similarity::SimilarityScores;

/// The number of features of a tool: see [`super::evidence`].
pub(super) const FEATURES: usize = 29;
/// The index of the feature that holds the matched part of the request.
pub(super) const HELD: usize = 2;

/// The weights from which the order and the confidence are computed.
#[derive(Debug)]
pub(super) struct RankModel {
    /// The weight of each feature.
    pub(super) weights: [f64; FEATURES],
    /// The intercept of the confidence, the weight of a tool's share, and the weight of the matched part of the
    /// request.
    confidence: [f64; 3],
}

/// The model where only the words are known.
const WORDS: RankModel = RankModel {
    weights: [
        3.83, 0.55, 5.4, 1.38, 0.61, -2.6, -1.16, 1.31, 1.46, -0.01, -0.58, 4.58, 0.91, -0.78, 2.09, 0.0,
        2.99, 7.4, -1.07, 2.58, -2.54, 3.03, 7.03, -2.28, -1.07, 1.11, 1.45, 0.87, 1.97,
    ],
    confidence: [-0.461, 0.691, 1.335],
};
/// The model where the similarity of the tools is known as well: a model that reads the texts. The features behind that
/// similarity add nothing to it.
const WORDS_AND_SIMILARITY: RankModel = RankModel {
    weights: [
        1.221, 0.884, 5.838, 1.253, 0.686, -2.393, 0.996, 0.844, 2.599, 0.074, -0.503, 2.717, 1.393, -1.395,
        1.06, 0.859, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    ],
    confidence: [-0.305, 0.782, 1.214],
};

impl RankModel {
    /// Returns the model for what is known.
    pub(super) fn for_similarity(similarity: Option<&SimilarityScores<'_>>) -> &'static Self {
        if similarity.is_some() { &WORDS_AND_SIMILARITY } else { &WORDS }
    }

    /// Returns the confidence of a tool with this share in the whole, and the matched part of the request.
    pub(super) fn tool_confidence(&self, share: f64, held: f64) -> f64 {
        let share = share.clamp(1e-6, 1.0 - 1e-6);
        let [begin, of_share, of_held] = self.confidence;
        let odds = begin + of_share * (share / (1.0 - share)).ln() + of_held * held;
        1.0 / (1.0 + (-odds).exp())
    }
}
