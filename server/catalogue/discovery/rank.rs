//! The order of what was found, and how sure it is.
//!
//! BM25F finds; a linear model over what else speaks for a tool ranks the best again; a logistic function of the share
//! that a tool has in the model's mind, and of how much of the request it holds, is its confidence. Where the
//! similarity of the tools to the request is known, its nearest neighbours are ranked too, by weights of their own.
//!
//! The weights were fitted on public tool sets with requests (8,080 tools, 1,543 requests). Features were chosen by what
//! they gain for a fifth of the requests kept out of the fit, and for a whole source of them kept out, each in turn.

use super::index::{
    ARGUMENT_TEXTS, ARGUMENTS, FIELDS, FIRST, FormNumber, NAME, NODES, REST, ToolFeatures, ToolIndex,
    WordNumber, bits_of, group_bits, word_pairs,
};
use super::item::ToolItem;
use super::related::RelatedWords;
use super::similarity::SimilarityScores;
use super::synonyms::{ACTIONS, without_phrases};
use super::words::{is_asking, meaningful_stem, split_words, written_together};
use crate::base::bm25::{inverse_document_frequency, length_norm, saturate_count};
use crate::words::carried_vectors;

/// Tools that are ranked again.
const BEST: usize = 60;
/// The weight of a word in each field.
const WEIGHT: [f64; FIELDS] = [3.0, 1.61, 1.5, 0.73, 0.8, 0.3];
/// The degree to which a field's length counts against a word in it.
const LENGTH: [f64; FIELDS] = [0.25, 0.42, 0.43, 0.77, 0.38, 0.6];
/// The saturation of repeated words.
const SATURATION: f64 = 0.74;
/// The saturation of a word in a node's name alone.
const NODE_SATURATION: f64 = 1.2;
/// The weight of a word of the request itself (as "find", "tool"), relative to a word of its subject.
const ASKING: f64 = 0.25;
/// Nearest neighbours that are ranked, whatever words they hold.
const NEIGHBOURS: usize = 30;
/// The weight of the three tools after a node's best one.
const NEXT: f64 = 0.25;

/// The number of features of a tool: see [`ToolIndex::features_of`].
const FEATURES: usize = 19;
/// The index of the feature that holds the matched part of the request.
const HELD: usize = 2;

/// The weights from which the order and the confidence are computed.
#[derive(Debug)]
struct RankModel {
    /// The weight of each feature.
    weights: [f64; FEATURES],
    /// The intercept of the confidence, the weight of a tool's share, and the weight of the matched part of the
    /// request.
    confidence: [f64; 3],
}

/// The model where only the words are known.
const WORDS: RankModel = RankModel {
    weights: [
        3.84, 1.57, 6.21, 1.04, 0.75, -2.84, 2.65, 0.98, 1.35, -0.25, -0.73, 4.14, 1.57, -0.71, 2.29, 0.0,
        2.99, 8.13, -0.67,
    ],
    confidence: [-0.218, 0.734, 1.187],
};
/// The model where the similarity of the tools is known as well: a model that reads the texts. The last three features add
/// nothing to it.
const WORDS_AND_SIMILARITY: RankModel = RankModel {
    weights: [
        1.221, 0.884, 5.838, 1.253, 0.686, -2.393, 0.996, 0.844, 2.599, 0.074, -0.503, 2.717, 1.393, -1.395,
        1.06, 0.859, 0.0, 0.0, 0.0,
    ],
    confidence: [-0.305, 0.782, 1.214],
};

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
    share: f64,
}

/// A request, split into its words.
pub(super) struct ToolQuery {
    /// All its words, those of no meaning too, as they are written.
    written: Vec<String>,
    words: Vec<WordNumber>,
    /// The different words that are known, belong to a group of synonyms, or have a vector.
    pub(super) different: Vec<RequestWord>,
    /// The summed worth of the words that some tool holds.
    worth: f64,
    /// The groups of synonyms of all of them, a bit each.
    groups: u64,
    /// The groups of its first word that is an action, a bit each.
    first_action: u64,
}

/// A word of a request.
pub(super) struct RequestWord {
    /// None where no tool holds it: another of its group, or a related one, may still be held.
    pub(super) word: Option<WordNumber>,
    /// The word with its ending; none where no tool holds it so.
    form: Option<FormNumber>,
    /// Its place among the carried vectors.
    pub(super) place: Option<usize>,
    count: f64,
    pub(super) worth: f64,
    /// Its groups of synonyms, a bit each.
    groups: u64,
}

/// Sums over the words of a request that a tool holds.
#[derive(Clone, Copy, Default)]
struct WordSums {
    score: f64,
    nodes: f64,
    held: f64,
    in_name: f64,
    in_first: f64,
    in_arguments: f64,
    /// A bit for each of the first 64 words: set where its name, its nodes or its first sentence hold the word.
    mentioned: u64,
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
        let confidence = |one: &RankCandidate| model.tool_confidence(one.share, one.features[HELD]);
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
        let mut nodes: Vec<(&[String], f64, usize, f64)> = Vec::new();
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
                    None => nodes.push((path, one.share, 1, one.features[HELD])),
                }
            }
        }
        nodes.sort_by(|one, other| other.1.total_cmp(&one.1));
        let found = |(path, share, _, held): (_, f64, _, _)| FoundNode {
            path,
            confidence: model.tool_confidence(share, held),
        };
        nodes.into_iter().take(limit).map(found).collect()
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
            RankCandidate { item, score, features, share: 0.0 }
        };
        let mut ranked: Vec<RankCandidate> = best.iter().copied().zip(features).map(candidate).collect();
        ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
        let top = ranked.first().map_or(0.0, |one| one.score);
        let sum: f64 = ranked.iter().map(|one| (one.score - top).exp()).sum();
        ranked.iter_mut().for_each(|one| one.share = (one.score - top).exp() / sum);
        ranked
    }

    /// Returns the features of each of the `best` tools, which come best first.
    fn features_of(
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
                asked.share_in_form(own),
                related.share_in(own),
                // Its name says something else to do than the request's first action.
                f64::from(u8::from(asked.first_action != 0 && named != 0 && named & asked.first_action == 0)),
            ]
        };
        best.iter().map(features).collect()
    }

    fn tool_query(&self, request: &str) -> ToolQuery {
        let written = split_words(request);
        let stems = written.iter().filter_map(|word| Some((word, meaningful_stem(word)?)));
        let (mut words, mut different) = (Vec::new(), Vec::<RequestWord>::new());
        for (form, stem) in stems {
            let (word, groups) = (self.words.get(&stem).copied(), bits_of(&stem));
            let place = carried_vectors().find_stem(&stem);
            words.extend(word);
            let same = |one: &&mut RequestWord| {
                one.word == word && (word.is_some() || (one.groups, one.place) == (groups, place))
            };
            if let Some(known) = different.iter_mut().find(same) {
                known.count += 1.0;
            } else if word.is_some() || groups != 0 || place.is_some() {
                let of_none = || match self.group_worth.get(groups.trailing_zeros() as usize) {
                    Some(of_group) => *of_group,
                    None => inverse_document_frequency(self.items.len() as f64, 0.0),
                };
                let worth = word.map_or_else(of_none, |word| self.worth[word as usize]);
                let worth = worth * if is_asking(&stem) { ASKING } else { 1.0 };
                let form = self.forms.get(form).copied();
                different.push(RequestWord { word, form, place, count: 1.0, worth, groups });
            }
        }
        let known = different.iter().filter(|one| one.word.is_some());
        let worth = known.map(|one| one.worth).sum::<f64>() + 1e-9;
        let mut actions = different.iter().map(|one| one.groups & ACTIONS);
        let first_action = actions.find(|action| *action != 0).unwrap_or(0);
        ToolQuery { groups: group_bits(&written), first_action, written, words, different, worth }
    }

    fn word_sums(&self, asked: &ToolQuery) -> Vec<WordSums> {
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

    fn shared_groups(&self, groups: u64) -> f64 {
        let worth = self.group_worth.iter().enumerate().filter(|(group, _)| groups >> group & 1 == 1);
        worth.map(|(_, worth)| worth).sum::<f64>() / 8.0
    }
}

impl ToolQuery {
    /// Returns the share of the request that a tool's name, nodes or first sentence hold with the same endings.
    fn share_in_form(&self, own: &ToolFeatures) -> f64 {
        let held =
            |one: &&RequestWord| one.form.is_some_and(|form| own.main_forms.binary_search(&form).is_ok());
        self.different.iter().filter(held).map(|one| one.worth).sum::<f64>() / self.whole_worth()
    }

    /// The summed worth of all its words.
    pub(super) fn whole_worth(&self) -> f64 {
        self.different.iter().map(|one| one.worth).sum::<f64>() + 1e-9
    }

    /// Returns the worth of those of its words that a tool mentions only by others of the same group; `told` has a bit for each
    /// mentioned word, `groups` are the groups.
    fn worth_of_synonyms(&self, told: u64, groups: u64) -> f64 {
        let words = self.different.iter().take(64).enumerate();
        let otherwise = words.filter(|(at, one)| told >> at & 1 == 0 && one.groups & groups != 0);
        otherwise.map(|(_, one)| one.worth).sum()
    }
}

impl RankModel {
    fn for_similarity(similarity: Option<&SimilarityScores<'_>>) -> &'static Self {
        if similarity.is_some() { &WORDS_AND_SIMILARITY } else { &WORDS }
    }

    fn tool_confidence(&self, share: f64, held: f64) -> f64 {
        let share = share.clamp(1e-6, 1.0 - 1e-6);
        let [begin, of_share, of_held] = self.confidence;
        let odds = begin + of_share * (share / (1.0 - share)).ln() + of_held * held;
        1.0 / (1.0 + (-odds).exp())
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
