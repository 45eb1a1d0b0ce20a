//! The order of what was found, and how sure it is.
//!
//! BM25F finds; a linear model over what else speaks for a tool (`evidence`, `rank_model`) ranks the best again; a logistic
//! function of the share that a tool has in the model's mind, and of how much of the request it holds, is its confidence. It is
//! lower where the tool meets little of the request at all, however far the others are behind.
//! Where the similarity of the tools to the request is known, its nearest neighbours are ranked too, by weights of their own.

use super::centroid::RequestCentroid;
use super::index::ToolIndex;
use super::item::ToolItem;
use super::rank_model::{FEATURES, HELD, RankModel, SYNONYMS, ToolEvidence};
use super::similarity::SimilarityScores;
use super::synonyms::without_phrases;

/// Tools that are ranked again.
const BEST: usize = 60;
/// Nearest neighbours that are ranked, whatever words they hold.
const NEIGHBOURS: usize = 30;
/// The cosine from which on a tool counts as about what a request is about.
const RELATED: f64 = 0.25;
/// The weight of the three tools after a node's best one.
const NEXT: f64 = 0.25;

/// A tool that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundTool {
    /// The index of the tool in [`ToolIndex::items`].
    pub item: usize,
    /// The chance that it is what was asked for, 0 to 1.
    pub confidence: f64,
}

/// A node that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundNode<'a> {
    /// From the root.
    pub path: &'a [String],
    /// The chance that the requested tool is under it, 0 to 1.
    pub confidence: f64,
}

/// A tool on its way through the ranking.
struct RankCandidate {
    item: usize,
    score: f64,
    features: [f64; FEATURES],
    /// Its share in the model's mind, relative to the others that were found.
    share: f64,
    /// The degree to which it meets the request, itself or by synonyms, whatever the others do.
    met: f64,
}

impl RankCandidate {
    fn evidence(&self) -> ToolEvidence {
        ToolEvidence { share: self.share, held: self.features[HELD], met: self.met, score: self.score }
    }
}

impl ToolIndex {
    /// The tools that answer a request best, best first; only those under the node `within` where one is given.
    /// `cosines` holds the cosine similarity of the request to each of [`ToolIndex::items`], NaN where a model
    /// has none.
    pub fn search_under(
        &self,
        request: &str,
        cosines: Option<&[f32]>,
        within: &[String],
        limit: usize,
    ) -> Vec<FoundTool> {
        self.search_among(request, cosines, limit, |item| item.is_under(within))
    }

    /// Searches like [`ToolIndex::search_under`], among the tools that `meant` picks.
    pub fn search_among(
        &self,
        request: &str,
        cosines: Option<&[f32]>,
        limit: usize,
        meant: impl Fn(&ToolItem) -> bool,
    ) -> Vec<FoundTool> {
        let similarity = cosines.and_then(SimilarityScores::new);
        let model = RankModel::for_similarity(similarity.as_ref());
        let ranked = self.rank_candidates(request, similarity.as_ref(), meant);
        let confidence = |one: &RankCandidate| model.tool_confidence(one.evidence());
        let found =
            ranked.iter().take(limit).map(|one| FoundTool { item: one.item, confidence: confidence(one) });
        // A later result is never more certain than an earlier one.
        let fall = |sure: &mut f64, mut found: FoundTool| {
            *sure = sure.min(found.confidence);
            found.confidence = *sure;
            Some(found)
        };
        found.scan(1.0, fall).collect()
    }

    /// The nodes that hold what a request asks for, likeliest first; `cosines` as for [`ToolIndex::search_under`].
    pub fn search_nodes(&self, request: &str, cosines: Option<&[f32]>, limit: usize) -> Vec<FoundNode<'_>> {
        let mut nodes: Vec<(&[String], f64, usize, ToolEvidence)> = Vec::new();
        let similarity = cosines.and_then(SimilarityScores::new);
        let model = RankModel::for_similarity(similarity.as_ref());
        for one in self.rank_candidates(request, similarity.as_ref(), |_| true) {
            for path in &self.items[one.item].nodes {
                match nodes.iter_mut().find(|node| node.0 == path.as_slice()) {
                    Some(node) if node.2 < 4 => {
                        node.1 += NEXT * one.share;
                        node.2 += 1;
                    }
                    Some(_) => {}
                    None => nodes.push((path, one.share, 1, one.evidence())),
                }
            }
        }
        nodes.sort_by(|one, other| other.1.total_cmp(&one.1));
        let found = |(path, share, _, best): (_, f64, _, ToolEvidence)| FoundNode {
            path,
            confidence: model.tool_confidence(ToolEvidence { share, ..best }),
        };
        nodes.into_iter().take(limit).map(found).collect()
    }

    /// The nodes whose tools are about the nearest to a request, by the vectors of its words, though no tool holds one.
    pub fn related_nodes(&self, request: &str) -> Vec<&[String]> {
        let centroid = RequestCentroid::new(&self.tool_query(&without_phrases(request)));
        let all = self.items.iter().zip(&self.features);
        let mut near: Vec<(f64, &ToolItem)> = all
            .map(|(item, own)| (centroid.cosine(self, own), item))
            .filter(|(cosine, _)| *cosine >= RELATED)
            .collect();
        near.sort_by(|one, other| other.0.total_cmp(&one.0));
        near.into_iter().filter_map(|(_, item)| item.nodes.first()).map(Vec::as_slice).collect()
    }

    fn rank_candidates(
        &self,
        request: &str,
        similarity: Option<&SimilarityScores<'_>>,
        meant: impl Fn(&ToolItem) -> bool,
    ) -> Vec<RankCandidate> {
        let request = &without_phrases(request);
        let asked = self.tool_query(request);
        let sums = self.word_sums(&asked);
        let held = (0..sums.len()).filter(|item| sums[*item].score > 0.0);
        let mut best: Vec<usize> = held.filter(|item| meant(&self.items[*item])).collect();
        let order =
            |one: &usize, other: &usize| sums[*other].score.total_cmp(&sums[*one].score).then(one.cmp(other));
        if best.len() > BEST {
            best.select_nth_unstable_by(BEST, order);
            best.truncate(BEST);
        }
        if let Some(similarity) = similarity {
            best.extend(
                similarity.nearest_neighbours(NEIGHBOURS, |item| self.items.get(item).is_some_and(&meant)),
            );
            best.sort_unstable();
            best.dedup();
        }
        best.sort_unstable_by(order);
        let weights = RankModel::for_similarity(similarity).weights;
        let features = self.features_of(request, &asked, &best, &sums, similarity);
        let candidate = |(item, features): (usize, [f64; FEATURES])| {
            let score = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
            let met = asked.met_by((features[HELD] + features[SYNONYMS]) * asked.worth);
            RankCandidate { item, score, features, share: 0.0, met }
        };
        let mut ranked: Vec<RankCandidate> = best.iter().copied().zip(features).map(candidate).collect();
        ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
        let top = ranked.first().map_or(0.0, |one| one.score);
        let sum: f64 = ranked.iter().map(|one| (one.score - top).exp()).sum();
        ranked.iter_mut().for_each(|one| one.share = (one.score - top).exp() / sum);
        ranked
    }
}
