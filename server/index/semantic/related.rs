//! Files by words that mean what a query's words mean, for a query of which no file holds much.
//!
//! Each word of the query counts in a file by the nearest word there, by the vectors of words that the program carries.
//! How much this weighs falls with the share of the query that the best file holds as it is written: where words alone
//! say enough, nothing changes.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use super::digest::{IN_FOLDERS, IN_NAME, IndexedFile};
use super::features::{DEFINED, SATURATION};
use super::parsed_query::ParsedQuery;
use super::store::{FileId, TermPosting, TermStore};
use super::words::{Term, TermForm, WordStem};
use crate::base::bm25::{self, length_norm, saturate_count};
use crate::words::carried_vectors;

/// The least cosine of two words that count as related.
const NEAR: f32 = 0.2;
/// The related words of each word of the query.
const WORDS: usize = 16;
/// The weight of a term in a path, relative to one in the code.
const IN_PATH: f32 = 3.0;
/// The effect of a file's length on the weight of a term in it.
const LENGTH: f32 = 0.5;
/// The part of the greatest worth that counts as about as much.
const ABOUT: f32 = 0.9;
/// The share of a query from which on it counts as not held.
const OPEN: f32 = 0.02;
/// The rarity from which on a related word has its full weight.
const RARE: f32 = 3.0;

/// The evidence of related words.
#[derive(Debug, Default)]
pub(super) struct RelatedFiles {
    /// The share of the query that each file holds in related words, 0 to 1.
    shares: HashMap<FileId, f32, RandomState>,
    /// The words that count, each with its weight.
    terms: Vec<(Term, f32)>,
    /// The share of the query that no file holds as it is written, 0 to 1.
    open: f32,
    /// The worth of the words that the best file holds as they are written.
    held: f32,
    /// The greatest of the shares.
    most: f32,
}

/// The place of each term among the carried stems.
fn carried_terms() -> &'static HashMap<Term, usize, RandomState> {
    static TERMS: LazyLock<HashMap<Term, usize, RandomState>> = LazyLock::new(|| {
        let stems = carried_vectors().stems().iter().enumerate();
        stems.map(|(place, stem)| (WordStem::from_letters(stem.as_bytes()).to_term(), place)).collect()
    });
    &TERMS
}

impl RelatedFiles {
    /// Finds the files with words related to those of the query; none if one file holds nearly the whole query. `held` is the
    /// greatest worth of the query's words in one file.
    pub(super) fn find_related(store: &TermStore, asked: &ParsedQuery, held: f32) -> Self {
        let rarity = |term: Term| {
            let holders = store.postings(term).len().max(1);
            bm25::inverse_document_frequency(store.file_count() as f32, holders as f32)
        };
        let words = asked.wanted.iter().filter(|one| one.form == TermForm::Part);
        let words: Vec<(Term, f32)> = words.map(|one| (one.term, one.weight * rarity(one.term))).collect();
        let all = words.iter().map(|(_, worth)| worth).sum::<f32>();
        let open = if all > 0.0 { (1.0 - held / all).clamp(0.0, 1.0) } else { 0.0 };
        let mut found = Self { open, held, ..Self::default() };
        if open < OPEN {
            return Self::default();
        }
        let present: Vec<(Term, usize)> = carried_terms()
            .iter()
            .filter(|(term, _)| !store.postings(**term).is_empty())
            .map(|(term, place)| (*term, *place))
            .collect();
        let mut best: HashMap<FileId, f32, RandomState> = HashMap::default();
        for (term, worth) in words {
            best.clear();
            let mut related = nearest_terms(term, &present);
            related.iter_mut().for_each(|(near, weight)| {
                *weight *= 0.5 + 0.5 * (rarity(*near) / RARE).min(1.0);
            });
            related.push((term, 1.0));
            for (near, weight) in related {
                for posting in store.postings(near) {
                    let Some(file) = store.file(posting.file) else { continue };
                    let share = weight * posting_share(posting, file, store);
                    let best = best.entry(posting.file).or_default();
                    *best = best.max(share);
                }
                found.terms.push((near, weight * worth));
            }
            for (file, share) in &best {
                *found.shares.entry(*file).or_default() += share * worth / all;
            }
        }
        found.most = found.shares.values().copied().fold(0.0, f32::max);
        found
    }

    /// Returns whether they say anything.
    pub(super) fn is_telling(&self) -> bool {
        self.most > 0.0
    }

    /// The files with the greatest shares.
    pub(super) fn best_files(&self, count: usize) -> Vec<FileId> {
        let mut files: Vec<(f32, FileId)> = self.shares.iter().map(|(id, share)| (*share, *id)).collect();
        files.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        files.iter().take(count).map(|(_, id)| *id).collect()
    }

    /// The evidence for a file that holds words of the query of this worth as they are written: its share, less where
    /// these say much. A file that holds about as much as any other is no less related than the most related one.
    pub(super) fn evidence_for(&self, id: FileId, held: f32) -> f32 {
        let is_held = held > 0.0 && held >= ABOUT * self.held;
        let share = if is_held { self.most } else { self.shares.get(&id).copied().unwrap_or_default() };
        self.open * share
    }

    /// The piece of a file that holds most of the related words.
    pub(super) fn best_piece(&self, file: &IndexedFile) -> usize {
        let mut scores = vec![0.0_f32; file.pieces.len()];
        for (term, weight) in &self.terms {
            file.each_run(*term, |piece, count| {
                if let Some(score) = scores.get_mut(piece) {
                    *score += weight * saturate_count(f32::from(count), SATURATION);
                }
            });
        }
        let better = |best: (usize, f32), (at, score): (usize, &f32)| {
            if *score > best.1 { (at, *score) } else { best }
        };
        scores.iter().enumerate().fold((0, 0.0), better).0
    }
}

/// The terms of the store that are nearest to a term, each with a weight from 0 to 1.
fn nearest_terms(term: Term, present: &[(Term, usize)]) -> Vec<(Term, f32)> {
    let Some(place) = carried_terms().get(&term) else { return Vec::new() };
    let vectors = carried_vectors();
    let cosines = present.iter().filter(|(near, _)| *near != term).filter_map(|(near, at)| {
        let cosine = vectors.cosine(*place, *at);
        (cosine > NEAR).then_some((*near, (cosine - NEAR) / (1.0 - NEAR)))
    });
    let mut nearest: Vec<(Term, f32)> = cosines.collect();
    nearest.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    nearest.truncate(WORDS);
    nearest
}

/// The weight of a term in a file, 0 to 1.
fn posting_share(posting: &TermPosting, file: &IndexedFile, store: &TermStore) -> f32 {
    let counts = posting.counts;
    let in_path = if counts.places & (IN_NAME | IN_FOLDERS) != 0 { IN_PATH } else { 0.0 };
    let count =
        f32::from(counts.code) + f32::from(counts.told) + DEFINED * f32::from(counts.defined) + in_path;
    saturate_count(count, SATURATION * length_norm(LENGTH, file.length as f32 / store.file_length()))
}
