//! The order of what was found, and how sure it is.
//!
//! BM25F finds; a linear model over what else speaks for a tool ranks the best again; a logistic function of the share
//! that a tool has in the model's mind, and of how much of the request it holds, is its confidence. The weights were
//! fitted on public tool sets with requests (8,080 tools, 1,543 requests); four parts of them in turn were kept out
//! of the fit to choose the features.

use super::index::{
    ARGUMENT_TEXTS, ARGUMENTS, FIELDS, FIRST, Features, Index, NAME, NODES, REST, Word, bits, pairs,
};
use super::item::Item;
use super::near::Near;
use super::words::{meaning, split};

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
/// What each of [`features`] is worth.
const MODEL: [f64; 11] = [4.721, 1.367, 4.532, 1.054, 0.768, -2.34, 1.819, 1.444, 1.091, -0.406, -0.485];
/// Confidence: where it begins, what a tool's share is worth, and what the part of the request that it holds.
const CONFIDENCE: [f64; 3] = [-0.181, 0.802, 1.354];
/// Tools that are ranked because they are near, whatever words they hold.
const NEAREST: usize = 30;
/// What being near is worth in the model, where it is known.
const NEARNESS: f64 = 3.0;
/// What the three tools after a node's best one add to it.
const NEXT: f64 = 0.25;

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
    features: [f64; 11],
    share: f64,
}

/// What a request asks for.
struct Request {
    words: Vec<Word>,
    /// The different words, with how often each is there.
    counts: Vec<(Word, f64)>,
    worth: f64,
}

/// Sums over the words of a request that a tool holds.
#[derive(Clone, Copy, Default)]
struct Sums {
    score: f64,
    nodes: f64,
    held: f64,
    in_name: f64,
    in_first: f64,
}

impl Index {
    /// The tools that answer a request best, best first; only those under the node `within` where one is given.
    /// `nearness` is what a model knows of that: the cosine of the request with each of [`Index::items`], NaN where
    /// there is none.
    pub fn search(
        &self,
        request: &str,
        nearness: Option<&[f32]>,
        within: &[String],
        limit: usize,
    ) -> Vec<Found> {
        self.search_among(request, nearness, limit, |item| item.is_under(within))
    }

    /// [`Index::search`] among the tools that `meant` picks.
    pub fn search_among(
        &self,
        request: &str,
        nearness: Option<&[f32]>,
        limit: usize,
        meant: impl Fn(&Item) -> bool,
    ) -> Vec<Found> {
        let ranked = self.rank(request, nearness, meant);
        let found =
            ranked.iter().take(limit).map(|one| Found { item: one.item, confidence: one.confidence() });
        // What stands behind another is no surer than that.
        let fall = |sure: &mut f64, mut found: Found| {
            *sure = sure.min(found.confidence);
            found.confidence = *sure;
            Some(found)
        };
        found.scan(1.0, fall).collect()
    }

    /// The nodes that hold what a request asks for, likeliest first; `nearness` as for [`Index::search`].
    pub fn search_nodes(&self, request: &str, nearness: Option<&[f32]>, limit: usize) -> Vec<FoundNode<'_>> {
        let mut nodes: Vec<(&[String], f64, usize, f64)> = Vec::new();
        for one in self.rank(request, nearness, |_| true) {
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
        let found =
            |(path, share, _, held): (_, f64, _, _)| FoundNode { path, confidence: confidence(share, held) };
        nodes.into_iter().take(limit).map(found).collect()
    }

    fn rank(&self, request: &str, nearness: Option<&[f32]>, meant: impl Fn(&Item) -> bool) -> Vec<Candidate> {
        let near = nearness.and_then(Near::new);
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
        if let Some(near) = &near {
            let nearest = near.nearest(NEAREST, |item| self.items.get(item).is_some_and(&meant));
            best.extend(nearest);
            best.sort_unstable();
            best.dedup();
        }
        best.sort_unstable_by(order);
        let Some(first) = best.first() else { return Vec::new() };
        let most = sums[*first].score.max(1e-9);
        let most_in_nodes = best.iter().map(|item| sums[*item].nodes).fold(0.0, f64::max);
        let (grams, groups, side_by_side) = (self.grams.asked(request), bits(request), pairs(&asked.words));
        let candidate = |item: usize| {
            let sums = &sums[item];
            let own = &self.features[item];
            let features = [
                sums.score / most,
                if most_in_nodes > 0.0 { sums.nodes / most_in_nodes } else { 0.0 },
                sums.held / asked.worth,
                sums.in_first / (own.first_worth + 1e-9),
                shared_pairs(&side_by_side, own),
                own.lengths[NAME].ln_1p(),
                sums.in_name / asked.worth,
                self.shared_groups(groups & own.groups),
                self.grams.likeness(&grams, item),
                (own.lengths[FIRST] + own.lengths[REST]).ln_1p(),
                own.lengths[ARGUMENTS].ln_1p(),
            ];
            let score: f64 = features.iter().zip(MODEL).map(|(feature, weight)| feature * weight).sum();
            let score = score + near.as_ref().map_or(0.0, |near| NEARNESS * near.of(item));
            Candidate { item, score, features, share: 0.0 }
        };
        let mut ranked: Vec<Candidate> = best.into_iter().map(candidate).collect();
        ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
        let top = ranked.first().map_or(0.0, |one| one.score);
        let sum: f64 = ranked.iter().map(|one| (one.score - top).exp()).sum();
        ranked.iter_mut().for_each(|one| one.share = (one.score - top).exp() / sum);
        ranked
    }

    fn asked(&self, request: &str) -> Request {
        let words: Vec<Word> =
            split(request).iter().filter_map(|word| self.words.get(&meaning(word)?)).copied().collect();
        let mut counts: Vec<(Word, f64)> = Vec::new();
        for word in &words {
            match counts.iter_mut().find(|(known, _)| known == word) {
                Some((_, count)) => *count += 1.0,
                None => counts.push((*word, 1.0)),
            }
        }
        let worth: f64 = counts.iter().map(|(word, _)| self.worth[*word as usize]).sum();
        Request { words, counts, worth: worth + 1e-9 }
    }

    fn sums(&self, asked: &Request) -> Vec<Sums> {
        let mut all = vec![Sums::default(); self.items.len()];
        for (word, count) in &asked.counts {
            let worth = self.worth[*word as usize];
            for posting in &self.postings[*word as usize] {
                let own = &self.features[posting.item as usize];
                let part = |field: usize| {
                    let length = own.lengths[field] / self.average[field];
                    f64::from(posting.counts[field]) / (1.0 - LENGTH[field] + LENGTH[field] * length)
                };
                let weighted: f64 = (0..=ARGUMENT_TEXTS)
                    .filter(|field| posting.counts[*field] > 0)
                    .map(|field| part(field) * WEIGHT[field])
                    .sum();
                let sums = &mut all[posting.item as usize];
                sums.score += worth * weighted / (SATURATION + weighted) * count.min(2.0);
                sums.held += worth;
                if posting.counts[NODES] > 0 {
                    let nodes = part(NODES);
                    sums.nodes += worth * nodes / (NODE_SATURATION + nodes);
                }
                sums.in_name += if posting.counts[NAME] > 0 { worth } else { 0.0 };
                sums.in_first += if posting.counts[FIRST] > 0 { worth } else { 0.0 };
            }
        }
        all
    }

    fn shared_groups(&self, groups: u64) -> f64 {
        let worth = self.group_worth.iter().enumerate().filter(|(group, _)| groups >> group & 1 == 1);
        worth.map(|(_, worth)| worth).sum::<f64>() / 8.0
    }
}

/// Where among the features the part of the request stands that a tool holds.
const HELD: usize = 2;

impl Candidate {
    fn confidence(&self) -> f64 {
        confidence(self.share, self.features[HELD])
    }
}

fn confidence(share: f64, held: f64) -> f64 {
    let share = share.clamp(1e-6, 1.0 - 1e-6);
    let [begin, of_share, of_held] = CONFIDENCE;
    let odds = begin + of_share * (share / (1.0 - share)).ln() + of_held * held;
    1.0 / (1.0 + (-odds).exp())
}

/// Words side by side in the request that are so in a tool: most in its name.
fn shared_pairs(asked: &[(Word, Word)], own: &Features) -> f64 {
    let shared =
        |pairs: &[(Word, Word)]| asked.iter().filter(|pair| pairs.binary_search(pair).is_ok()).count() as f64;
    let [name, first, rest] = &own.pairs;
    (1.5 * shared(name) + shared(first) + 0.5 * shared(rest)).min(4.0)
}
