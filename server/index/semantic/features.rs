//! The evidence for each file that shares terms with a query.

use std::cmp::Ordering;

use super::definitions::DefinitionKind;
use super::digest::{IN_FOLDERS, IN_HEAD, IN_NAME, IN_PARENT, IndexedFile, TermCounts};
use super::parsed_query::{ParsedQuery, WantedTerm};
use super::prior::{DATA, DECLARES, EXAMPLE, FOREIGN, PROSE, SECONDARY, TEST};
use super::related::RelatedFiles;
use super::similarity::SimilarFiles;
use super::store::{FileId, TermStore};
use super::words::{Term, TermForm};
use crate::base::bm25::{length_norm, saturate_count};

/// Files that are looked at more closely.
const BEST: usize = 120;
/// Files that are because they are near, whatever terms they share.
const NEAREST: usize = 40;
/// The saturation of BM25: lower if repetitions of a term count less.
pub(super) const SATURATION: f32 = 1.2;
/// The effect of a file's length on the weight of a term in it: little, and much.
const LENGTH: [f32; 2] = [0.5, 0.9];
/// That effect in a piece.
const PIECE_LENGTH: f32 = 0.4;
/// The weight of a term in the name of a definition, relative to one in the code.
pub(super) const DEFINED: f32 = 2.0;
/// The weight of a definition whose name is exactly as in the query, as a share of the whole query.
pub(super) const NAMED: f32 = 0.07;
/// The first files, whose shared terms stand for what is near the query in this repository.
const SHARING: usize = 4;
/// The number of those terms that count.
const SHARED: usize = 20;

/// The number of features.
pub(super) const FEATURES: usize = 34;
/// The evidence for a file, each feature between 0 and about 1: see [`WeighedQuery::compute_features`].
pub(super) type Features = [f32; FEATURES];

/// A file on its way through the ranking.
#[derive(Clone, Debug)]
pub(super) struct FileCandidate {
    pub(super) file: FileId,
    /// Its best piece.
    pub(super) chunk: usize,
    pub(super) features: Features,
}

/// The evidence for a file in the postings.
#[derive(Clone, Copy, Debug, Default)]
struct TermSums {
    /// BM25 with each [`LENGTH`].
    body: [f32; 2],
    held: f32,
    told: f32,
    defined: f32,
    head: f32,
    name: f32,
    name_count: f32,
    name_joined: f32,
    folders: f32,
    parent: f32,
    topic: f32,
    /// The quality of its definitions of the names that the query writes as code, and of those that it may name.
    exact: f32,
    exact_word: f32,
    /// The number of the piece that defines the name, plus one.
    exact_chunk: u16,
    is_seen: bool,
}

/// A term of a query, and what finding it is worth.
struct TermWorth {
    form: TermForm,
    worth: f32,
    /// The term's part of the query's topic.
    topic: f32,
}

/// The evidence for a file outside of the postings.
struct FileEvidence {
    /// The score of its best piece.
    top: f32,
    /// The mean score of its best three pieces.
    three: f32,
    /// The weight of the terms that it shares with the first files.
    shared: f32,
    /// The model's similarity of it to the query.
    similarity: f32,
    /// The evidence of related words.
    related: f32,
}

/// A query with what its terms are worth.
struct WeighedQuery<'a> {
    store: &'a TermStore,
    asked: &'a ParsedQuery,
    worth: Vec<f32>,
    /// The weights of all words together, of all joined terms, and of both.
    parts: f32,
    joined: f32,
    all: f32,
    sums: Vec<TermSums>,
    seen: Vec<FileId>,
}

/// The measures of a ranking beside the words of the query.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RankingAids<'a> {
    /// The similarity of files, by a model.
    pub(super) near: Option<&'a SimilarFiles>,
    /// True if words that mean the same count, by the carried vectors.
    pub(super) related: bool,
}

/// Returns the files that may be sought, each with its evidence, in no order; and whether related words counted.
/// `is_wanted` returns whether a path is searched at all.
pub(super) fn find_candidates(
    store: &TermStore,
    asked: &ParsedQuery,
    aids: RankingAids<'_>,
    is_wanted: impl Fn(&str) -> bool,
) -> (Vec<FileCandidate>, bool) {
    let near = aids.near;
    let mut gathered = WeighedQuery::from_query(store, asked);
    gathered.seen.retain(|id| store.file(*id).is_some_and(|file| is_wanted(&file.path)));
    // Equals are sorted by their paths: a file's number depends on the time when it came, which must not decide the
    // results.
    let path = |id: FileId| store.file(id).map(|file| file.path.as_str());
    let by_first = |a: &FileId, b: &FileId| {
        gathered.first_score(*b).total_cmp(&gathered.first_score(*a)).then_with(|| path(*a).cmp(&path(*b)))
    };
    let mut files = gathered.seen.clone();
    if files.len() > BEST {
        files.select_nth_unstable_by(BEST - 1, by_first);
        files.truncate(BEST);
    }
    files.sort_unstable_by(by_first);
    let shared = gathered.shared_terms(&files);
    for id in near.iter().flat_map(|near| near.nearest_files(NEAREST)) {
        let is_wanted = store.file(id).is_some_and(|file| is_wanted(&file.path));
        if is_wanted && !files.contains(&id) {
            files.push(id);
        }
    }
    let related = (aids.related && near.is_none()).then(|| gathered.related_files(&files));
    let is_open = |id: &FileId| store.file(*id).is_some_and(|file| is_wanted(&file.path));
    for id in
        related.iter().flat_map(|related| related.best_files(store.id_bound())).filter(is_open).take(NEAREST)
    {
        if !files.contains(&id) {
            files.push(id);
        }
    }
    let mut scores = PieceScores::default();
    let is_related = related.as_ref().is_some_and(RelatedFiles::is_telling);
    let near = NearFiles { near, related: related.as_ref() };
    let of = |id: &FileId| gathered.score_candidate(*id, &shared, near, &mut scores);
    let mut all: Vec<FileCandidate> = files.iter().filter_map(of).collect();
    normalise_features(&mut all);
    (all, is_related)
}

/// The nearness of files by vectors: of a model, or of words.
#[derive(Clone, Copy)]
struct NearFiles<'a> {
    near: Option<&'a SimilarFiles>,
    related: Option<&'a RelatedFiles>,
}

/// Returns the weight of each term of a query: the higher the rarer it is.
pub(super) fn term_weights(store: &TermStore, asked: &ParsedQuery) -> Vec<f32> {
    let rarity = |one: &WantedTerm| match store.postings(one.term).is_empty() {
        true => 0.0,
        false => store.term_rarity(one.term) * one.weight,
    };
    asked.wanted.iter().map(rarity).collect()
}

impl<'a> WeighedQuery<'a> {
    fn from_query(store: &'a TermStore, asked: &'a ParsedQuery) -> Self {
        let worth = term_weights(store, asked);
        let sum = |form: TermForm| {
            let those = asked.wanted.iter().zip(&worth).filter(|(one, _)| one.form == form);
            those.map(|(_, worth)| worth).sum::<f32>() + 1e-6
        };
        let (parts, joined) = (sum(TermForm::Part), sum(TermForm::Joined));
        let (sums, seen) = (vec![TermSums::default(); store.id_bound()], Vec::new());
        let mut gathered = Self { store, asked, parts, joined, all: parts + joined, sums, seen, worth };
        for at in 0..asked.wanted.len() {
            gathered.add_term(at);
        }
        gathered.add_names();
        gathered
    }

    fn add_term(&mut self, at: usize) {
        let (wanted, worth) = (&self.asked.wanted[at], self.worth[at]);
        let average = self.store.file_length();
        let topic = match self.asked.topic.contains(&wanted.term) {
            true => 1.0 / self.asked.topic.len() as f32,
            false => 0.0,
        };
        let term = TermWorth { form: wanted.form, worth, topic };
        for posting in self.store.postings(wanted.term) {
            let Some(file) = self.store.file(posting.file) else { continue };
            let sum = &mut self.sums[posting.file as usize];
            if !sum.is_seen {
                sum.is_seen = true;
                self.seen.push(posting.file);
            }
            sum.add_counts(&term, posting.counts, file.length as f32 / average);
        }
    }

    fn add_names(&mut self) {
        for name in &self.asked.names {
            let places = self.store.definition_places(name.folded);
            let rarity = 1.0 / (1.0 + 0.3 * (1.0 + places.len() as f32).ln());
            for place in places {
                let sum = &mut self.sums[place.file as usize];
                if !sum.is_seen {
                    sum.is_seen = true;
                    self.seen.push(place.file);
                }
                let case = if place.exact == name.exact { 1.0 } else { 0.6 };
                let value = weight_of(place.kind) * case * rarity;
                let is_first = name.is_code || sum.exact == 0.0;
                let best = if name.is_code { &mut sum.exact } else { &mut sum.exact_word };
                if value > *best {
                    *best = value;
                    if is_first {
                        sum.exact_chunk = place.chunk.saturating_add(1);
                    }
                }
            }
        }
    }

    /// A first order, by the postings alone.
    fn first_score(&self, id: FileId) -> f32 {
        let sum = &self.sums[id as usize];
        let name = (sum.name / self.parts).min(1.0);
        sum.body[0] / self.all
            + 0.6 * name
            + 0.4 * sum.defined / self.all
            + 0.8 * sum.exact
            + 0.15 * sum.folders / self.parts
    }

    /// The evidence of words related to those of the query, as far as none of these files holds them.
    fn related_files(&self, files: &[FileId]) -> RelatedFiles {
        let held = files.iter().map(|id| self.sums[*id as usize].held).fold(0.0, f32::max);
        RelatedFiles::find_related(self.store, self.asked, held)
    }

    /// The terms that the first files share, with what each is worth.
    fn shared_terms(&self, files: &[FileId]) -> Vec<(Term, f32)> {
        let first: Vec<&IndexedFile> =
            files.iter().take(SHARING).filter_map(|id| self.store.file(*id)).collect();
        // The term, the index of the file, and the count, as one number: they are sorted fastest so.
        let packed = |at: usize, (term, held): (Term, u32)| {
            u64::from(term) << 32 | (at as u64) << 24 | u64::from(held.min(0xFF_FFFF))
        };
        let held = first.iter().enumerate();
        let mut held: Vec<u64> =
            held.flat_map(|(at, file)| file.all_held().map(move |one| packed(at, one))).collect();
        held.sort_unstable();
        let halves: Vec<f32> =
            first.iter().map(|file| 2.0 + file.length as f32 / self.store.file_length()).collect();
        let mut all: Vec<(Term, f32)> = Vec::new();
        for same in held.chunk_by(|a, b| a >> 32 == b >> 32).filter(|same| same.len() > 1) {
            let part = |one: &u64| {
                let (at, held) = ((one >> 24 & 0xFF) as usize, (one & 0xFF_FFFF) as f32);
                saturate_count(held, halves[at]) / (at as f32 + 2.0)
            };
            let (term, sum) = ((same[0] >> 32) as Term, same.iter().map(part).sum::<f32>());
            all.push((term, sum * self.store.term_rarity(term)));
        }
        all.retain(|(term, _)| !self.asked.wanted.iter().any(|one| one.term == *term));
        let by_worth = |a: &(Term, f32), b: &(Term, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if all.len() > SHARED {
            all.select_nth_unstable_by(SHARED - 1, by_worth);
            all.truncate(SHARED);
        }
        all.sort_unstable_by(by_worth);
        all
    }

    fn score_candidate(
        &self,
        id: FileId,
        shared: &[(Term, f32)],
        NearFiles { near, related }: NearFiles<'_>,
        scores: &mut PieceScores,
    ) -> Option<FileCandidate> {
        let file = self.store.file(id)?;
        let sum = &self.sums[id as usize];
        scores.score_pieces(self, file);
        let (best, top) = scores.best_piece();
        let near = near.and_then(|near| near.of_file(id));
        let is_named = sum.exact_chunk > 0 && (self.asked.is_symbol || sum.exact > 0.0);
        let chunk = match near {
            _ if is_named => usize::from(sum.exact_chunk - 1),
            // If no word is shared, the nearest piece is shown.
            Some((_, chunk)) if top == 0.0 => chunk,
            _ if top == 0.0 => related.map_or(best, |related| related.best_piece(file)),
            _ => best,
        };
        let evidence = FileEvidence {
            top,
            three: scores.mean_of_best(),
            shared: shared
                .iter()
                .map(|(term, worth)| worth * saturate_count(file.term_count(*term) as f32, 2.0))
                .sum(),
            similarity: near.map_or(0.0, |(similarity, _)| similarity),
            related: related.map_or(0.0, |related| related.evidence_for(id, sum.held)),
        };
        let features = self.compute_features(file, sum, &evidence);
        Some(FileCandidate { file: id, chunk, features })
    }

    fn compute_features(&self, file: &IndexedFile, sum: &TermSums, evidence: &FileEvidence) -> Features {
        let flag = |is: bool| f32::from(u8::from(is));
        let prior = |what: usize| file.prior.has(what) && self.store.is_told_apart(what);
        let symbol = flag(self.asked.is_symbol);
        let precision = (sum.name_count / f32::from(file.name_words.max(1))).min(1.0);
        let name = (sum.name / self.all).min(1.0);
        let depth = file.path.matches('/').count() as f32 / 10.0;
        [
            name,
            // Of the best; see `normalise_features`.
            name,
            precision,
            flag(precision >= 1.0),
            symbol * precision,
            sum.name_joined / self.joined,
            sum.folders / self.parts,
            sum.parent / self.parts,
            sum.topic.min(1.0),
            sum.defined / self.all,
            sum.exact,
            symbol * sum.exact,
            sum.exact_word,
            sum.body[1] / self.all,
            sum.body[1] / self.all,
            sum.held / self.parts,
            sum.told / self.parts,
            sum.head / self.parts,
            evidence.top / self.all,
            evidence.three / self.all,
            evidence.shared,
            flag(prior(TEST) && !self.asked.tests),
            flag(prior(TEST) && self.asked.tests),
            flag(prior(EXAMPLE) && !self.asked.examples),
            flag(prior(PROSE) && !self.asked.prose),
            flag(prior(FOREIGN)),
            flag(prior(DATA)),
            flag(prior(DECLARES)),
            flag(prior(SECONDARY)),
            depth,
            (1.0 + file.length as f32).ln() / 10.0,
            (1.0 + file.names.len() as f32).ln() / 5.0,
            evidence.similarity,
            evidence.related,
        ]
    }
}

/// The features that are measured by the best among the files.
const OF_BEST: [usize; 6] = [1, 9, 14, 18, 19, 20];

fn normalise_features(all: &mut [FileCandidate]) {
    for at in OF_BEST {
        let most = all.iter().map(|one| one.features[at]).fold(1e-6, f32::max);
        all.iter_mut().for_each(|one| one.features[at] /= most);
    }
}

fn weight_of(kind: DefinitionKind) -> f32 {
    match kind {
        DefinitionKind::Mention => 0.15,
        DefinitionKind::Value => 0.4,
        DefinitionKind::Method => 0.5,
        DefinitionKind::Function => 0.9,
        DefinitionKind::Type => 1.0,
    }
}

impl TermSums {
    /// Adds a term of a file; `length` is the file's, in units of the average.
    fn add_counts(&mut self, term: &TermWorth, counts: TermCounts, length: f32) {
        let TermWorth { form, worth, topic } = *term;
        let count = f32::from(counts.code) + f32::from(counts.told) + DEFINED * f32::from(counts.defined);
        for (body, by_length) in self.body.iter_mut().zip(LENGTH) {
            *body += worth * saturate_count(count, SATURATION * length_norm(by_length, length));
        }
        let is_in = |place: u8| if counts.places & place != 0 { worth } else { 0.0 };
        self.name += is_in(IN_NAME);
        self.defined += worth * saturate_count(f32::from(counts.defined), 1.0);
        if form == TermForm::Joined {
            self.name_joined += is_in(IN_NAME);
            return;
        }
        self.held += worth;
        self.told += worth * saturate_count(f32::from(counts.told), 2.0);
        self.name_count += f32::from(u8::from(counts.places & IN_NAME != 0));
        self.folders += is_in(IN_FOLDERS);
        self.parent += is_in(IN_PARENT);
        self.head += is_in(IN_HEAD);
        if counts.places & (IN_NAME | IN_FOLDERS) != 0 {
            self.topic += topic;
        }
    }
}

/// The share of a query that each piece of a file holds.
#[derive(Debug, Default)]
struct PieceScores(Vec<f32>);

impl PieceScores {
    fn score_pieces(&mut self, query: &WeighedQuery<'_>, file: &IndexedFile) {
        self.0.clear();
        self.0.resize(file.pieces.len(), 0.0);
        let average = query.store.piece_length();
        for (wanted, worth) in query.asked.wanted.iter().zip(&query.worth).filter(|(_, worth)| **worth > 0.0)
        {
            file.each_run(wanted.term, |chunk, held| {
                let (Some(piece), Some(score)) = (file.pieces.get(chunk), self.0.get_mut(chunk)) else {
                    return;
                };
                let length = f32::from(piece.length) / average;
                *score +=
                    worth * saturate_count(f32::from(held), SATURATION * length_norm(PIECE_LENGTH, length));
            });
        }
        // The piece that defines what is named is the one to show.
        let is_named = |folded: u32| query.asked.names.iter().any(|name| name.folded == folded);
        for name in
            file.names.iter().filter(|name| name.kind > DefinitionKind::Mention && is_named(name.folded))
        {
            if let Some(score) = self.0.get_mut(usize::from(name.chunk)) {
                *score += NAMED * query.all;
            }
        }
    }

    /// The first of the best pieces, and its score.
    fn best_piece(&self) -> (usize, f32) {
        let better = |best: (usize, f32), (at, score): (usize, &f32)| match score.total_cmp(&best.1) {
            Ordering::Greater => (at, *score),
            _ => best,
        };
        self.0.iter().enumerate().fold((0, 0.0), better)
    }

    /// The mean of the best three.
    fn mean_of_best(&self) -> f32 {
        let mut best = [0.0_f32; 3];
        for score in &self.0 {
            if *score > best[2] {
                best[2] = *score;
                best.sort_unstable_by(|a, b| b.total_cmp(a));
            }
        }
        best.iter().sum::<f32>() / 3.0
    }
}
