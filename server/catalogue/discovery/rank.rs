//! The order of what was found, and how sure it is.
//!
//! BM25F finds; a linear model over what else speaks for a tool ranks the best again; a logistic function of the share
//! that a tool has in the model's mind, and of how much of the request it holds, is its confidence. Where the
//! similarity of the tools to the request is known, its nearest neighbours are ranked too, by weights of their own.
//!
//! The weights were fitted on public tool sets with requests (8,080 tools, 1,543 requests). Features were chosen by what
//! they gain for a fifth of the requests kept out of the fit, and for a whole source of them kept out, each in turn.

use super::index::{
    ARGUMENT_TEXTS, ARGUMENTS, FIELDS, FIRST, Index, NAME, NODES, REST, ToolFeatures, Word, bits, bits_of,
    pairs,
};
use super::item::ToolItem;
use super::similarity::SimilarityScores;
use super::synonyms::ACTIONS;
use super::words::{is_asking, meaning, split, written_together};
use crate::base::bm25::{length_norm, saturated};

/// Tools that are ranked again.
const BEST: usize = 60;
/// What a word is worth in each field.
const WEIGHT: [f64; FIELDS] = [3.0, 1.61, 1.5, 0.73, 0.8, 0.3];
/// How far a field's length counts against a word in it.
const LENGTH: [f64; FIELDS] = [0.25, 0.42, 0.43, 0.77, 0.38, 0.6];
/// How soon one more of the same word stops to count.
const SATURATION: f64 = 0.74;
/// The same for a word in a node's name alone.
const NODE_SATURATION: f64 = 1.2;
/// What a word is worth that says more about the asking than about what is asked for, beside any other.
const ASKING: f64 = 0.25;
/// Nearest neighbours that are ranked, whatever words they hold.
const NEIGHBOURS: usize = 30;
/// What the three tools after a node's best one add to it.
const NEXT: f64 = 0.25;

/// What speaks for a tool: see [`Index::features_of`].
const FEATURES: usize = 16;
/// Where among the features the part of the request stands that a tool holds.
const HELD: usize = 2;

/// What makes an order and a confidence of the features.
#[derive(Debug)]
struct Model {
    /// What each feature is worth.
    weights: [f64; FEATURES],
    /// Where confidence begins, what a tool's share is worth, and what the part of the request that it holds.
    confidence: [f64; 3],
}

/// Where words are all that is known.
const WORDS: Model = Model {
    weights: [
        4.724, 1.035, 6.716, 1.286, 0.686, -2.867, 2.028, 1.147, 2.983, -0.209, -0.644, 4.366, 1.315, -1.427,
        1.571, 0.0,
    ],
    confidence: [-0.467, 0.742, 1.245],
};
/// Where the similarity of the tools is known as well.
const WORDS_AND_SIMILARITY: Model = Model {
    weights: [
        1.221, 0.884, 5.838, 1.253, 0.686, -2.393, 0.996, 0.844, 2.599, 0.074, -0.503, 2.717, 1.393, -1.395,
        1.06, 0.859,
    ],
    confidence: [-0.305, 0.782, 1.214],
};

/// A tool that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Its place among [`Index::items`].
    pub item: usize,
    /// The chance that it is what was asked for, 0 to 1.
    pub confidence: f64,
}

/// A node that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundNode<'a> {
    /// From the root.
    pub path: &'a [String],
    /// The chance that what was asked for stands under it, 0 to 1.
    pub confidence: f64,
}

/// A tool on its way through the ranking.
struct Candidate {
    item: usize,
    score: f64,
    features: [f64; FEATURES],
    share: f64,
}

/// What a request asks for.
struct ToolQuery {
    /// All its words, those of no meaning too, as they are written.
    written: Vec<String>,
    words: Vec<Word>,
    /// The different words that are known or belong to a group of synonyms.
    different: Vec<RequestWord>,
    /// What those are worth together that some tool holds.
    worth: f64,
    /// The groups of synonyms of all of them, a bit each.
    groups: u64,
}

/// A word of a request.
struct RequestWord {
    /// None where no tool holds it: another of its group may still be held.
    word: Option<Word>,
    count: f64,
    worth: f64,
    /// Its groups of synonyms, a bit each.
    groups: u64,
}

/// Sums over the words of a request that a tool holds.
#[derive(Clone, Copy, Default)]
struct Sums {
    score: f64,
    nodes: f64,
    held: f64,
    in_name: f64,
    in_first: f64,
    in_arguments: f64,
    /// Which of the first 64 words its name, its nodes or its first sentence hold, a bit each.
    told: u64,
}

impl Index {
    /// The tools that answer a request best, best first; only those under the node `within` where one is given.
    /// `cosines` holds the cosine similarity of the request to each of [`Index::items`], NaN where a model
    /// has none.
    pub fn search(
        &self,
        request: &str,
        cosines: Option<&[f32]>,
        within: &[String],
        limit: usize,
    ) -> Vec<Found> {
        self.search_among(request, cosines, limit, |item| item.is_under(within))
    }

    /// [`Index::search`] among the tools that `meant` picks.
    pub fn search_among(
        &self,
        request: &str,
        cosines: Option<&[f32]>,
        limit: usize,
        meant: impl Fn(&ToolItem) -> bool,
    ) -> Vec<Found> {
        let similarity = cosines.and_then(SimilarityScores::new);
        let model = Model::of(similarity.as_ref());
        let ranked = self.rank(request, similarity.as_ref(), meant);
        let confidence = |one: &Candidate| model.confidence(one.share, one.features[HELD]);
        let found =
            ranked.iter().take(limit).map(|one| Found { item: one.item, confidence: confidence(one) });
        // What stands behind another is no surer than that.
        let fall = |sure: &mut f64, mut found: Found| {
            *sure = sure.min(found.confidence);
            found.confidence = *sure;
            Some(found)
        };
        found.scan(1.0, fall).collect()
    }

    /// The nodes that hold what a request asks for, likeliest first; `cosines` as for [`Index::search`].
    pub fn search_nodes(&self, request: &str, cosines: Option<&[f32]>, limit: usize) -> Vec<FoundNode<'_>> {
        let mut nodes: Vec<(&[String], f64, usize, f64)> = Vec::new();
        let similarity = cosines.and_then(SimilarityScores::new);
        let model = Model::of(similarity.as_ref());
        for one in self.rank(request, similarity.as_ref(), |_| true) {
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
            confidence: model.confidence(share, held),
        };
        nodes.into_iter().take(limit).map(found).collect()
    }

    fn rank(
        &self,
        request: &str,
        similarity: Option<&SimilarityScores<'_>>,
        meant: impl Fn(&ToolItem) -> bool,
    ) -> Vec<Candidate> {
        let asked = self.asked(request);
        let sums = self.sums(&asked);
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
        let weights = Model::of(similarity).weights;
        let features = self.features_of(request, &asked, &best, &sums, similarity);
        let candidate = |(item, features): (usize, [f64; FEATURES])| {
            let score = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
            Candidate { item, score, features, share: 0.0 }
        };
        let mut ranked: Vec<Candidate> = best.iter().copied().zip(features).map(candidate).collect();
        ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
        let top = ranked.first().map_or(0.0, |one| one.score);
        let sum: f64 = ranked.iter().map(|one| (one.score - top).exp()).sum();
        ranked.iter_mut().for_each(|one| one.share = (one.score - top).exp() / sum);
        ranked
    }

    /// What speaks for each of the `best` tools, which come best first.
    fn features_of(
        &self,
        request: &str,
        asked: &ToolQuery,
        best: &[usize],
        sums: &[Sums],
        similarity: Option<&SimilarityScores<'_>>,
    ) -> Vec<[f64; FEATURES]> {
        let most = best.first().map_or(0.0, |item| sums[*item].score).max(1e-9);
        let most_in_nodes = best.iter().map(|item| sums[*item].nodes).fold(1e-9, f64::max);
        let (grams, side_by_side) = (self.grams.asked(request), pairs(&asked.words));
        let features = |item: &usize| {
            let (sums, own) = (&sums[*item], &self.features[*item]);
            let other = own.action != 0 && asked.groups & ACTIONS != 0 && own.action & asked.groups == 0;
            let name = split(&self.items[*item].name);
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
                self.grams.likeness(&grams, *item),
                (own.lengths[FIRST] + own.lengths[REST]).ln_1p(),
                own.lengths[ARGUMENTS].ln_1p(),
                (asked.told_otherwise(sums.told, own.told) / asked.worth).min(1.0),
                sums.in_arguments / asked.worth,
                // It begins with something else to do.
                f64::from(u8::from(other)),
                together.min(2) as f64,
                similarity.map_or(0.0, |similarity| similarity.standard_score(*item)),
            ]
        };
        best.iter().map(features).collect()
    }

    fn asked(&self, request: &str) -> ToolQuery {
        let written = split(request);
        let stems: Vec<String> = written.iter().filter_map(|word| meaning(word)).collect();
        let (mut words, mut different) = (Vec::new(), Vec::<RequestWord>::new());
        for stem in &stems {
            let (word, groups) = (self.words.get(stem).copied(), bits_of(stem));
            words.extend(word);
            let same = |one: &&mut RequestWord| one.word == word && (word.is_some() || one.groups == groups);
            if let Some(known) = different.iter_mut().find(same) {
                known.count += 1.0;
            } else if word.is_some() || groups != 0 {
                let of_group = || self.group_worth[groups.trailing_zeros() as usize];
                let worth = word.map_or_else(of_group, |word| self.worth[word as usize]);
                let worth = worth * if is_asking(stem) { ASKING } else { 1.0 };
                different.push(RequestWord { word, count: 1.0, worth, groups });
            }
        }
        let known = different.iter().filter(|one| one.word.is_some());
        let worth = known.map(|one| one.worth).sum::<f64>() + 1e-9;
        ToolQuery { groups: bits(&written), written, words, different, worth }
    }

    fn sums(&self, asked: &ToolQuery) -> Vec<Sums> {
        let mut all = vec![Sums::default(); self.items.len()];
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
                sums.score += worth * saturated(weighted, SATURATION) * count.min(2.0);
                sums.held += worth;
                let worth_in = |field: usize| if posting.counts[field] > 0 { *worth } else { 0.0 };
                if posting.counts[NODES] > 0 {
                    let nodes = part(NODES);
                    sums.nodes += worth * saturated(nodes, NODE_SATURATION);
                }
                sums.in_name += worth_in(NAME);
                sums.in_first += worth_in(FIRST);
                sums.in_arguments += worth_in(ARGUMENTS);
                if posting.counts[..=FIRST].iter().any(|count| *count > 0) {
                    sums.told |= bit;
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
    /// What those of its words are worth that a tool tells of only in others of the same group; `told` are the words it
    /// tells of, `groups` the groups.
    fn told_otherwise(&self, told: u64, groups: u64) -> f64 {
        let words = self.different.iter().take(64).enumerate();
        let otherwise = words.filter(|(at, one)| told >> at & 1 == 0 && one.groups & groups != 0);
        otherwise.map(|(_, one)| one.worth).sum()
    }
}

impl Model {
    fn of(similarity: Option<&SimilarityScores<'_>>) -> &'static Self {
        if similarity.is_some() { &WORDS_AND_SIMILARITY } else { &WORDS }
    }

    fn confidence(&self, share: f64, held: f64) -> f64 {
        let share = share.clamp(1e-6, 1.0 - 1e-6);
        let [begin, of_share, of_held] = self.confidence;
        let odds = begin + of_share * (share / (1.0 - share)).ln() + of_held * held;
        1.0 / (1.0 + (-odds).exp())
    }
}

/// Words side by side in the request that are so in a tool: most in its name.
fn shared_pairs(asked: &[(Word, Word)], own: &ToolFeatures) -> f64 {
    let shared =
        |pairs: &[(Word, Word)]| asked.iter().filter(|pair| pairs.binary_search(pair).is_ok()).count() as f64;
    let [name, first, rest] = &own.pairs;
    (1.5 * shared(name) + shared(first) + 0.5 * shared(rest)).min(4.0)
}
