//! The features by which the found tools are ranked: evidence for a tool, and against it.

use super::centroid::RequestCentroid;
use super::index::{
    ARGUMENT_TEXTS, ARGUMENTS, FIELDS, FIRST, NAME, NODES, REST, ToolFeatures, ToolIndex, WordNumber,
    word_pairs,
};
use super::rank_model::FEATURES;
use super::related::RelatedWords;
use super::similarity::SimilarityScores;
use super::synonyms::ACTIONS;
use super::tool_query::{RequestWord, ToolQuery};
use super::words::{split_words, written_together};
use crate::base::bm25::{length_norm, saturate_count};

/// The weight of a word in each field.
const WEIGHT: [f64; FIELDS] = [3.0, 1.61, 1.5, 0.73, 0.8, 0.3];
/// The degree to which a field's length counts against a word in it.
const LENGTH: [f64; FIELDS] = [0.25, 0.42, 0.43, 0.77, 0.38, 0.6];
/// The saturation of repeated words.
const SATURATION: f64 = 0.74;
/// The saturation of a word in a node's name alone.
const NODE_SATURATION: f64 = 1.2;

/// Sums over the words of a request that a tool holds.
#[derive(Clone, Copy, Default)]
pub(super) struct WordSums {
    pub(super) score: f64,
    nodes: f64,
    held: f64,
    in_name: f64,
    in_first: f64,
    in_arguments: f64,
    /// A bit for each of the first 64 words: set where its name, its nodes or its first sentence hold the word.
    mentioned: u64,
}

impl ToolIndex {
    /// Returns the features of each of the `best` tools, which come best first.
    pub(super) fn features_of(
        &self,
        request: &str,
        asked: &ToolQuery,
        best: &[usize],
        sums: &[WordSums],
        similarity: Option<&SimilarityScores<'_>>,
    ) -> Vec<[f64; FEATURES]> {
        let most = best.first().map_or(0.0, |item| sums[*item].score).max(1e-9);
        let most_in_nodes = best.iter().map(|item| sums[*item].nodes).fold(1e-9, f64::max);
        let (grams, side_by_side) = (self.grams.request_grams(request), word_pairs(&asked.words));
        let mut related = RelatedWords::of_request(asked, &self.places);
        let centroid = RequestCentroid::new(asked);
        let features = |item: &usize| {
            let (sums, own) = (&sums[*item], &self.features[*item]);
            let other = own.action != 0 && asked.groups & ACTIONS != 0 && own.action & asked.groups == 0;
            let named = own.groups & ACTIONS;
            let name = split_words(&self.items[*item].name);
            let together = written_together(&name, &asked.written) + written_together(&asked.written, &name);
            [
                sums.score / most,
                sums.nodes / most_in_nodes,
                sums.held / asked.worth,
                sums.in_first / (own.first_worth + 1e-9),
                shared_pairs(&side_by_side, own),
                own.lengths[NAME].ln_1p(),
                sums.in_name / asked.worth,
                self.shared_groups(asked.groups & own.groups),
                self.grams.name_likeness(&grams, *item),
                (own.lengths[FIRST] + own.lengths[REST]).ln_1p(),
                own.lengths[ARGUMENTS].ln_1p(),
                (asked.worth_of_synonyms(sums.mentioned, own.mentioned) / asked.worth).min(1.0),
                sums.in_arguments / asked.worth,
                // It begins with something else to do.
                f64::from(u8::from(other)),
                together.min(2) as f64,
                similarity.map_or(0.0, |similarity| similarity.standard_score(*item)),
                asked.share_in_forms(&own.main_forms),
                related.share_in(own),
                // Its name says something else to do than the request's first action.
                f64::from(u8::from(asked.first_action != 0 && named != 0 && named & asked.first_action == 0)),
                centroid.cosine(self, own),
                related.share_among(&own.main_words),
                related.share_among(&own.main_words).max(related.share_among(&own.rest_words)),
                related.share_among(&own.node_words),
                sums.nodes / (self.summed_worth(&own.node_words) + 1e-9),
                own.lengths[NODES].ln_1p(),
                asked.object_share(&own.name_words),
                related.object_share_among(&own.main_words),
                // Its name says what nobody asked for, where this is low.
                related.asked_share_of(&own.name_words, &self.worth),
                asked.share_in_forms(&own.name_forms),
            ]
        };
        best.iter().map(features).collect()
    }

    /// Returns what each tool holds of a request.
    pub(super) fn word_sums(&self, asked: &ToolQuery) -> Vec<WordSums> {
        let mut all = vec![WordSums::default(); self.items.len()];
        for (at, RequestWord { word, count, worth, .. }) in asked.different.iter().enumerate() {
            let Some(word) = word else { continue };
            let bit = 1_u64.checked_shl(u32::try_from(at).unwrap_or(u32::MAX)).unwrap_or(0);
            for posting in &self.postings[*word as usize] {
                let own = &self.features[posting.item as usize];
                let part = |field: usize| {
                    let length = own.lengths[field] / self.average[field];
                    f64::from(posting.counts[field]) / length_norm(LENGTH[field], length)
                };
                let weighted: f64 = (0..=ARGUMENT_TEXTS)
                    .filter(|field| posting.counts[*field] > 0)
                    .map(|field| part(field) * WEIGHT[field])
                    .sum();
                let sums = &mut all[posting.item as usize];
                sums.score += worth * saturate_count(weighted, SATURATION) * count.min(2.0);
                sums.held += worth;
                let worth_in = |field: usize| if posting.counts[field] > 0 { *worth } else { 0.0 };
                if posting.counts[NODES] > 0 {
                    let nodes = part(NODES);
                    sums.nodes += worth * saturate_count(nodes, NODE_SATURATION);
                }
                sums.in_name += worth_in(NAME);
                sums.in_first += worth_in(FIRST);
                sums.in_arguments += worth_in(ARGUMENTS);
                if posting.counts[..=FIRST].iter().any(|count| *count > 0) {
                    sums.mentioned |= bit;
                }
            }
        }
        all
    }

    fn summed_worth(&self, words: &[WordNumber]) -> f64 {
        words.iter().map(|word| self.worth[*word as usize]).sum()
    }

    fn shared_groups(&self, groups: u64) -> f64 {
        let worth = self.group_worth.iter().enumerate().filter(|(group, _)| groups >> group & 1 == 1);
        worth.map(|(_, worth)| worth).sum::<f64>() / 8.0
    }
}

/// Words side by side in the request that are so in a tool: most in its name.
fn shared_pairs(asked: &[(WordNumber, WordNumber)], own: &ToolFeatures) -> f64 {
    let shared = |pairs: &[(WordNumber, WordNumber)]| {
        asked.iter().filter(|pair| pairs.binary_search(pair).is_ok()).count() as f64
    };
    let [name, first, rest] = &own.pairs;
    (1.5 * shared(name) + shared(first) + 0.5 * shared(rest)).min(4.0)
}
