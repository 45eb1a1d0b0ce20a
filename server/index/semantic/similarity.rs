//! How near files are to a query, by what a model says of their pieces.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::digest::Key;
use super::store::{FileId, TermStore};

/// The most pieces that a model is told of: those of the files that were taken in first.
const MOST: usize = 100_000;

/// The pieces of the files that are sought most, as they were when asked for; of all where there are no such files. Tests,
/// examples and pages speak of the same things in a person's words, so a model finds them nearer than the code meant.
#[derive(Debug)]
pub struct Pieces {
    keys: Arc<[Key]>,
    /// Of each piece: the file that it is of, and its place there.
    places: Vec<(FileId, u16)>,
    distinct: usize,
    version: u64,
}

impl Pieces {
    pub(super) fn of(store: &TermStore) -> Self {
        let mut keys = Vec::new();
        let mut places = Vec::new();
        let is_all = store.files().filter(|(_, file)| file.prior.is_sought()).nth(1).is_none();
        for (id, file) in store.files().filter(|(_, file)| is_all || file.prior.is_sought()) {
            if keys.len() >= MOST {
                break;
            }
            for (chunk, piece) in file.pieces.iter().enumerate() {
                keys.push(piece.key);
                places.push((id, chunk as u16));
            }
        }
        let distinct = keys.iter().collect::<HashSet<_>>().len();
        Self { keys: keys.into(), places, distinct, version: store.version() }
    }

    /// What each piece is known by: the hash of what a model is told of it.
    pub fn keys(&self) -> &Arc<[Key]> {
        &self.keys
    }

    /// How many texts a model is told: pieces that read alike are one.
    pub fn distinct(&self) -> usize {
        self.distinct
    }

    /// The path and the lines of the piece at a place, where its file is still as it was.
    pub(super) fn lines<'a>(&self, place: usize, store: &'a TermStore) -> Option<(&'a str, u32, u32)> {
        let (id, chunk) = self.places.get(place)?;
        let file = store.file(*id)?;
        let piece =
            file.pieces.get(usize::from(*chunk)).filter(|piece| self.keys.get(place) == Some(&piece.key))?;
        Some((&file.path, piece.start, piece.end))
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }
}

/// How near a query is to the pieces of files, as a model has it.
#[derive(Clone, Copy, Debug)]
pub struct QuerySimilarity<'a> {
    /// The model's name.
    pub model: &'a str,
    /// Whether its vectors are means of those of words.
    pub is_static: bool,
    /// The pieces.
    pub pieces: &'a Pieces,
    /// The cosine for each of them, NaN where it is not known.
    pub cosines: &'a [f32],
}

/// How near each file is, in standard deviations above the mean, with its nearest piece.
#[derive(Debug)]
pub(super) struct SimilarFiles(HashMap<FileId, (f32, usize), RandomState>);

impl SimilarFiles {
    /// Nothing where too little is known to compare.
    pub(super) fn of(similarity: &QuerySimilarity<'_>, store: &TermStore) -> Option<Self> {
        let mut files: HashMap<FileId, (f32, usize), RandomState> = HashMap::default();
        for (at, (cosine, (id, chunk))) in
            similarity.cosines.iter().zip(&similarity.pieces.places).enumerate()
        {
            let piece = store.file(*id).and_then(|file| file.pieces.get(usize::from(*chunk)));
            // A file that changed since is as one without vectors.
            let is_same = piece.is_some_and(|piece| similarity.pieces.keys.get(at) == Some(&piece.key));
            if is_same && cosine.is_finite() {
                let best = files.entry(*id).or_insert((*cosine, usize::from(*chunk)));
                if *cosine > best.0 {
                    *best = (*cosine, usize::from(*chunk));
                }
            }
        }
        let count = files.len() as f32;
        let mean = files.values().map(|(cosine, _)| cosine).sum::<f32>() / count;
        let spread = (files.values().map(|(cosine, _)| (cosine - mean).powi(2)).sum::<f32>() / count).sqrt();
        if files.len() < 2 || spread <= f32::EPSILON {
            return None;
        }
        files.values_mut().for_each(|(cosine, _)| *cosine = ((*cosine - mean) / spread).clamp(-3.0, 6.0));
        Some(Self(files))
    }

    /// How near a file is, and its nearest piece.
    pub(super) fn of_file(&self, id: FileId) -> Option<(f32, usize)> {
        self.0.get(&id).copied()
    }

    /// The files from the nearest on.
    pub(super) fn nearest(&self, count: usize) -> Vec<FileId> {
        let mut all: Vec<(f32, FileId)> = self.0.iter().map(|(id, (near, _))| (*near, *id)).collect();
        all.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        all.iter().take(count).map(|(_, id)| *id).collect()
    }
}
