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
/// The index of the feature that holds the part of the request that only synonyms match.
pub(super) const SYNONYMS: usize = 11;

/// The score below which it is doubtful that a tool is meant, though it has nothing beside it.
const ENOUGH_SCORE: f64 = 8.0;
/// The share beyond which it is no likelier.
const MOST_SHARE: f64 = 0.98;

/// The evidence that a tool is what was asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToolEvidence {
    /// Its share among the tools that were found.
    pub(super) share: f64,
    /// The part that it holds of the words that some tool holds.
    pub(super) held: f64,
    /// The degree to which it meets the request, itself or by synonyms, from 0 to 1.
    pub(super) met: f64,
    /// Its score.
    pub(super) score: f64,
}

/// The weights from which the order and the confidence are computed.
#[derive(Debug)]
pub(super) struct RankModel {
    /// The weight of each feature.
    pub(super) weights: [f64; FEATURES],
    /// The intercept of the confidence, the weight of a tool's share, and the weight of the matched part of the
    /// request.
    confidence: [f64; 3],
    /// True where the similarity of the texts is among the features.
    reads_texts: bool,
}

/// The model where only the words are known.
const WORDS: RankModel = RankModel {
    weights: [
        3.83, 0.55, 5.4, 1.38, 0.61, -2.6, -1.16, 1.31, 1.46, -0.01, -0.58, 4.58, 0.91, -0.78, 2.09, 0.0,
        2.99, 7.4, -1.07, 2.58, -2.54, 3.03, 7.03, -2.28, -1.07, 1.11, 1.45, 0.87, 1.97,
    ],
    confidence: [-0.461, 0.691, 1.335],
    reads_texts: false,
};
/// The model where the similarity of the tools is known as well: a model that reads the texts. The features behind that
/// similarity add nothing to it.
const WORDS_AND_SIMILARITY: RankModel = RankModel {
    weights: [
        1.221, 0.884, 5.838, 1.253, 0.686, -2.393, 0.996, 0.844, 2.599, 0.074, -0.503, 2.717, 1.393, -1.395,
        1.06, 0.859, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    ],
    confidence: [-0.305, 0.782, 1.214],
    reads_texts: true,
};

impl RankModel {
    /// Returns the model for what is known.
    pub(super) fn for_similarity(similarity: Option<&SimilarityScores<'_>>) -> &'static Self {
        if similarity.is_some() { &WORDS_AND_SIMILARITY } else { &WORDS }
    }

    /// Returns the confidence of a tool: the chance by its share among the others, less where it meets too little of the request
    /// to be meant by it. Where a model reads the texts, words that are not there are no reason to doubt.
    pub(super) fn tool_confidence(&self, evidence: ToolEvidence) -> f64 {
        let ToolEvidence { share, held, met, score } = evidence;
        let share = share.clamp(1e-6, MOST_SHARE);
        let [begin, of_share, of_held] = self.confidence;
        let odds = begin + of_share * (share / (1.0 - share)).ln() + of_held * held;
        let chance = 1.0 / (1.0 + (-odds).exp());
        match self.reads_texts {
            true => chance,
            false => chance * met.powi(2) * (score / ENOUGH_SCORE).clamp(0.0, 1.0),
        }
    }
}
