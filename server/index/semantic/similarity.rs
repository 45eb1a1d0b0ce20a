//! The similarity of files to a query, from a model's vectors of their pieces.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::digest::Key;
use super::store::{FileId, TermStore};

/// The most pieces that a model gets: those of the files that were added first.
const MOST: usize = 100_000;

/// The pieces of the main code at the time of the call; of all files if there are none of it. Tests, examples and
/// pages use a person's words for their subjects, so a model finds them nearer than the sought code.
#[derive(Debug)]
pub struct ModelPieces {
    keys: Arc<[Key]>,
    /// The file of each piece, and the piece's place there.
    places: Vec<(FileId, u16)>,
    distinct: usize,
    version: u64,
}

impl ModelPieces {
    pub(super) fn from_store(store: &TermStore) -> Self {
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

    /// Returns the key of each piece: the hash of its text for a model.
    pub fn keys(&self) -> &Arc<[Key]> {
        &self.keys
    }

    /// Returns the number of texts for a model: pieces with equal texts count once.
    pub fn distinct_count(&self) -> usize {
        self.distinct
    }

    /// The path and the lines of the piece at a place, if its file is still as it was.
    pub(super) fn lines_at<'a>(&self, place: usize, store: &'a TermStore) -> Option<(&'a str, u32, u32)> {
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

/// The similarity of a query to the pieces of files, by a model.
#[derive(Clone, Copy, Debug)]
pub struct QuerySimilarity<'a> {
    /// The model's name.
    pub model: &'a str,
    /// True if its vectors are means of those of words.
    pub is_static: bool,
    /// The pieces.
    pub pieces: &'a ModelPieces,
    /// The cosine for each of them, NaN if it is not known.
    pub cosines: &'a [f32],
}

/// The similarity of each file, in standard deviations above the mean, with its nearest piece.
#[derive(Debug)]
pub(super) struct SimilarFiles(HashMap<FileId, (f32, usize), RandomState>);

impl SimilarFiles {
    /// `None` if too little is known to compare.
    pub(super) fn from_similarity(similarity: &QuerySimilarity<'_>, store: &TermStore) -> Option<Self> {
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

    /// Returns a file's similarity, and its nearest piece.
    pub(super) fn of_file(&self, id: FileId) -> Option<(f32, usize)> {
        self.0.get(&id).copied()
    }

    /// The files from the nearest on.
    pub(super) fn nearest_files(&self, count: usize) -> Vec<FileId> {
        let mut all: Vec<(f32, FileId)> = self.0.iter().map(|(id, (near, _))| (*near, *id)).collect();
        all.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        all.iter().take(count).map(|(_, id)| *id).collect()
    }
}
