//! What speaks for each file that shares terms with a query.

use std::cmp::Ordering;

use super::asked::{Asked, WantedTerm};
use super::definitions::Kind;
use super::digest::{Counts, File, IN_FOLDERS, IN_HEAD, IN_NAME, IN_PARENT};
use super::prior::{DATA, DECLARES, EXAMPLE, FOREIGN, PROSE, SECONDARY, TEST};
use super::similarity::SimilarFiles;
use super::store::{FileId, TermStore};
use super::words::{Form, Term};
use crate::base::bm25::{length_norm, saturated};

/// Files that are looked at more closely.
const BEST: usize = 120;
/// Files that are because they are near, whatever terms they share.
const NEAREST: usize = 40;
/// How soon one more of the same term stops to count.
pub(super) const SATURATION: f32 = 1.2;
/// How far a file's length counts against a term in it: little, and much.
const LENGTH: [f32; 2] = [0.5, 0.9];
/// The same in a piece.
const PIECE_LENGTH: f32 = 0.4;
/// What a term in the name of a definition is worth beside one in the code.
pub(super) const DEFINED: f32 = 2.0;
/// What it is worth, of a whole query, that a name is defined as the query has it.
pub(super) const NAMED: f32 = 0.07;
/// The first files, whose shared terms stand for what is near the query in this repository.
const SHARING: usize = 4;
/// How many of those terms count.
const SHARED: usize = 20;

/// How many features there are.
pub(super) const FEATURES: usize = 33;
/// What speaks for a file, each between 0 and 1 or so: see [`Gathered::features`].
pub(super) type Features = [f32; FEATURES];

/// A file on its way through the ranking.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) file: FileId,
    /// Its best piece.
    pub(super) chunk: usize,
    pub(super) features: Features,
}

/// What the postings tell of a file.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
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
    /// How well it defines what the query names as code does, and what it may name.
    exact: f32,
    exact_word: f32,
    /// One more than the piece that the name is defined in.
    exact_chunk: u16,
    is_seen: bool,
}

/// A term of a query, and what finding it is worth.
struct TermWorth {
    form: Form,
    worth: f32,
    /// The term's part of the query's topic.
    topic: f32,
}

/// What speaks for a file beside the postings.
struct Evidence {
    /// The score of its best piece.
    top: f32,
    /// The mean score of its best three pieces.
    three: f32,
    /// What it shares with the first files.
    shared: f32,
    /// How similar a model finds it to the query.
    similarity: f32,
}

/// A query with what its terms are worth.
struct Gathered<'a> {
    store: &'a TermStore,
    asked: &'a Asked,
    worth: Vec<f32>,
    /// What the words are worth together, what is written together, and all.
    parts: f32,
    joined: f32,
    all: f32,
    sums: Vec<Sums>,
    seen: Vec<FileId>,
}

/// The files that may be meant, each with what speaks for it, in no order. `is_wanted` says of a path whether it is
/// looked for at all.
pub(super) fn candidates(
    store: &TermStore,
    asked: &Asked,
    near: Option<&SimilarFiles>,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Candidate> {
    let mut gathered = Gathered::of(store, asked);
    gathered.seen.retain(|id| store.file(*id).is_some_and(|file| is_wanted(&file.path)));
    // Of equals by their paths: a file's number tells when it came, which must not decide what is found.
    let path = |id: FileId| store.file(id).map(|file| file.path.as_str());
    let by_first = |a: &FileId, b: &FileId| {
        gathered.first(*b).total_cmp(&gathered.first(*a)).then_with(|| path(*a).cmp(&path(*b)))
    };
    let mut files = gathered.seen.clone();
    if files.len() > BEST {
        files.select_nth_unstable_by(BEST - 1, by_first);
        files.truncate(BEST);
    }
    files.sort_unstable_by(by_first);
    let shared = gathered.shared(&files);
    for id in near.iter().flat_map(|near| near.nearest(NEAREST)) {
        let is_wanted = store.file(id).is_some_and(|file| is_wanted(&file.path));
        if is_wanted && !files.contains(&id) {
            files.push(id);
        }
    }
    let mut scores = Scores::default();
    let of = |id: &FileId| gathered.candidate(*id, &shared, near, &mut scores);
    let mut all: Vec<Candidate> = files.iter().filter_map(of).collect();
    normalise(&mut all);
    all
}

/// What each term of a query is worth: the more the rarer it is.
pub(super) fn worth(store: &TermStore, asked: &Asked) -> Vec<f32> {
    let rarity = |one: &WantedTerm| match store.postings(one.term).is_empty() {
        true => 0.0,
        false => store.rarity(one.term) * one.weight,
    };
    asked.wanted.iter().map(rarity).collect()
}

impl<'a> Gathered<'a> {
    fn of(store: &'a TermStore, asked: &'a Asked) -> Self {
        let worth = worth(store, asked);
        let sum = |form: Form| {
            let those = asked.wanted.iter().zip(&worth).filter(|(one, _)| one.form == form);
            those.map(|(_, worth)| worth).sum::<f32>() + 1e-6
        };
        let (parts, joined) = (sum(Form::Part), sum(Form::Joined));
        let (sums, seen) = (vec![Sums::default(); store.bound()], Vec::new());
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
            sum.add(&term, posting.counts, file.length as f32 / average);
        }
    }

    fn add_names(&mut self) {
        for name in &self.asked.names {
            let places = self.store.places(name.folded);
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
    fn first(&self, id: FileId) -> f32 {
        let sum = &self.sums[id as usize];
        let name = (sum.name / self.parts).min(1.0);
        sum.body[0] / self.all
            + 0.6 * name
            + 0.4 * sum.defined / self.all
            + 0.8 * sum.exact
            + 0.15 * sum.folders / self.parts
    }

    /// The terms that the first files share, with what each is worth.
    fn shared(&self, files: &[FileId]) -> Vec<(Term, f32)> {
        let first: Vec<&File> = files.iter().take(SHARING).filter_map(|id| self.store.file(*id)).collect();
        // The term, which of the files, and how often it stands there, as one number: so they are sorted soonest.
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
                saturated(held, halves[at]) / (at as f32 + 2.0)
            };
            let (term, sum) = ((same[0] >> 32) as Term, same.iter().map(part).sum::<f32>());
            all.push((term, sum * self.store.rarity(term)));
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

    fn candidate(
        &self,
        id: FileId,
        shared: &[(Term, f32)],
        near: Option<&SimilarFiles>,
        scores: &mut Scores,
    ) -> Option<Candidate> {
        let file = self.store.file(id)?;
        let sum = &self.sums[id as usize];
        scores.score(self, file);
        let (best, top) = scores.best();
        let near = near.and_then(|near| near.of_file(id));
        let is_named = sum.exact_chunk > 0 && (self.asked.is_symbol || sum.exact > 0.0);
        let chunk = match near {
            _ if is_named => usize::from(sum.exact_chunk - 1),
            // Where no word is shared, the nearest piece is what there is to show.
            Some((_, chunk)) if top == 0.0 => chunk,
            _ => best,
        };
        let evidence = Evidence {
            top,
            three: scores.three(),
            shared: shared.iter().map(|(term, worth)| worth * saturated(file.held(*term) as f32, 2.0)).sum(),
            similarity: near.map_or(0.0, |(similarity, _)| similarity),
        };
        let features = self.features(file, sum, &evidence);
        Some(Candidate { file: id, chunk, features })
    }

    fn features(&self, file: &File, sum: &Sums, evidence: &Evidence) -> Features {
        let flag = |is: bool| f32::from(u8::from(is));
        let prior = |what: usize| file.prior.has(what) && self.store.is_told_apart(what);
        let symbol = flag(self.asked.is_symbol);
        let precision = (sum.name_count / f32::from(file.name_words.max(1))).min(1.0);
        let name = (sum.name / self.all).min(1.0);
        let depth = file.path.matches('/').count() as f32 / 10.0;
        [
            name,
            // Of the best; see `normalise`.
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
        ]
    }
}

/// The features that are measured by the best among the files.
const OF_BEST: [usize; 6] = [1, 9, 14, 18, 19, 20];

fn normalise(all: &mut [Candidate]) {
    for at in OF_BEST {
        let most = all.iter().map(|one| one.features[at]).fold(1e-6, f32::max);
        all.iter_mut().for_each(|one| one.features[at] /= most);
    }
}

fn weight_of(kind: Kind) -> f32 {
    match kind {
        Kind::Mention => 0.15,
        Kind::Value => 0.4,
        Kind::Method => 0.5,
        Kind::Function => 0.9,
        Kind::Type => 1.0,
    }
}

impl Sums {
    /// Adds a term of a file; `length` is the file's, in units of the average.
    fn add(&mut self, term: &TermWorth, counts: Counts, length: f32) {
        let TermWorth { form, worth, topic } = *term;
        let count = f32::from(counts.code) + f32::from(counts.told) + DEFINED * f32::from(counts.defined);
        for (body, by_length) in self.body.iter_mut().zip(LENGTH) {
            *body += worth * saturated(count, SATURATION * length_norm(by_length, length));
        }
        let is_in = |place: u8| if counts.places & place != 0 { worth } else { 0.0 };
        self.name += is_in(IN_NAME);
        self.defined += worth * saturated(f32::from(counts.defined), 1.0);
        if form == Form::Joined {
            self.name_joined += is_in(IN_NAME);
            return;
        }
        self.held += worth;
        self.told += worth * saturated(f32::from(counts.told), 2.0);
        self.name_count += f32::from(u8::from(counts.places & IN_NAME != 0));
        self.folders += is_in(IN_FOLDERS);
        self.parent += is_in(IN_PARENT);
        self.head += is_in(IN_HEAD);
        if counts.places & (IN_NAME | IN_FOLDERS) != 0 {
            self.topic += topic;
        }
    }
}

/// How much of a query each piece of a file holds.
#[derive(Debug, Default)]
struct Scores(Vec<f32>);

impl Scores {
    fn score(&mut self, query: &Gathered<'_>, file: &File) {
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
                *score += worth * saturated(f32::from(held), SATURATION * length_norm(PIECE_LENGTH, length));
            });
        }
        // The piece that defines what is named is the one to show.
        let is_named = |folded: u32| query.asked.names.iter().any(|name| name.folded == folded);
        for name in file.names.iter().filter(|name| name.kind > Kind::Mention && is_named(name.folded)) {
            if let Some(score) = self.0.get_mut(usize::from(name.chunk)) {
                *score += NAMED * query.all;
            }
        }
    }

    /// The first of the best pieces, and its score.
    fn best(&self) -> (usize, f32) {
        let better = |best: (usize, f32), (at, score): (usize, &f32)| match score.total_cmp(&best.1) {
            Ordering::Greater => (at, *score),
            _ => best,
        };
        self.0.iter().enumerate().fold((0, 0.0), better)
    }

    /// The mean of the best three.
    fn three(&self) -> f32 {
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
