//! Files found by words: without a model, or with a model's similarity as a further feature.

mod chunks;
mod definitions;
mod digest;
mod features;
mod language;
mod line;
mod model;
mod parsed_query;
mod prior;
mod related;
mod runs;
mod similarity;
mod store;
mod words;

use std::sync::Arc;

use digest::FileDigest;
pub use digest::Key;
use features::RankingAids;
use model::{RankingModel, WORDS, WORDS_AND_SIMILARITY, WORDS_AND_STATIC_SIMILARITY};
use parking_lot::{Mutex, RwLock};
use parsed_query::ParsedQuery;
use similarity::SimilarFiles;
pub use similarity::{ModelPieces, QuerySimilarity};
use store::TermStore;

/// A semantic search.
#[derive(Clone, Copy, Debug, Default)]
pub struct SemanticQuery<'a> {
    /// The query: words, a name, a sentence.
    pub text: &'a str,
    /// Files and folders below this path alone; all if it is empty.
    pub scope: &'a str,
    /// The number of wanted files.
    pub limit: usize,
    /// True if words that mean the same as the query's count too, by the vectors of words that the program carries.
    pub related: bool,
}

/// A file that was found, with its best piece.
#[derive(Clone, Debug, PartialEq)]
pub struct FileHit {
    /// The path under which it was added.
    pub path: String,
    /// The first line of the piece, from 1.
    pub start: u32,
    /// The last line of it.
    pub end: u32,
    /// The line of it that holds most of what is asked for.
    pub line: u32,
    /// The likelihood that the file is sought, relative to the others of the search.
    pub score: f32,
    /// The text of the piece, as the reader gave it.
    pub snippet: String,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundFiles {
    /// Best first, one for a file.
    pub hits: Vec<FileHit>,
    /// The source of the ranking: `words`, or `words+` and the model's name.
    pub ranker: String,
}

/// The reason why a search finds no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyReason {
    /// None are wanted.
    NoLimit,
    /// The query holds no word.
    NoWords,
    /// No file is known in the scope.
    NoFiles,
    /// No file there shares a word with the query, nor one that means the same where these count.
    NoMatch,
}

/// The files of a workspace, to be found by what they are about. Texts are not kept. Any number of threads may search
/// while others put files: a file is read into words before the lock is taken.
#[derive(Debug, Default)]
pub struct SemanticIndex {
    store: RwLock<TermStore>,
    pieces: Mutex<Option<Arc<ModelPieces>>>,
}

impl SemanticIndex {
    /// Creates an index of no files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a file in, in place of the one of the same path. Of what is not text, is longer than a megabyte or was not
    /// written by a person, only the path is known.
    pub fn put_file(&self, path: &str, text: &[u8]) {
        let digest = FileDigest::from_file(path, text);
        self.store.write().put_file(digest);
    }

    /// Forgets a file; whether it was known.
    pub fn remove_file(&self, path: &str) -> bool {
        self.store.write().remove_file(path)
    }

    /// Forgets the files for which `is_kept` is false: those below a folder, those that are ignored now.
    pub fn retain_files(&self, is_kept: impl Fn(&str) -> bool) {
        let mut store = self.store.write();
        let gone: Vec<String> = store.paths().filter(|path| !is_kept(path)).map(str::to_owned).collect();
        gone.iter().for_each(|path| {
            store.remove_file(path);
        });
    }

    /// Gives back memory that was set aside for more files: to be called once many were put.
    pub fn shrink_memory(&self) {
        self.store.write().shrink_memory();
    }

    /// Returns the number of known files.
    pub fn len(&self) -> usize {
        self.store.read().file_count()
    }

    /// Returns whether no file is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pieces whose similarity a model is asked for, as they are now: see [`ModelPieces`]. They stay the same until
    /// a file changes.
    pub fn pieces(&self) -> Arc<ModelPieces> {
        let store = self.store.read();
        let mut known = self.pieces.lock();
        match &*known {
            Some(pieces) if pieces.version() == store.version() => pieces.clone(),
            _ => known.insert(Arc::new(ModelPieces::from_store(&store))).clone(),
        }
    }

    /// Returns the texts for a model of the pieces at some places; nothing for a piece that has changed. `read` gives
    /// the text of a file's lines, both ends included, and is called with no lock held.
    pub fn texts_for_model(
        &self,
        pieces: &ModelPieces,
        places: &[usize],
        mut read: impl FnMut(&str, u32, u32) -> Option<String>,
    ) -> Vec<Option<String>> {
        let store = self.store.read();
        let found = |place: &usize| {
            let (path, start, end) = pieces.lines_at(*place, &store)?;
            Some((path.to_owned(), start, end))
        };
        let found: Vec<_> = places.iter().map(found).collect();
        drop(store);
        let mut told = |(place, found): (&usize, Option<(String, u32, u32)>)| {
            let (path, start, end) = found?;
            let told = digest::model_text(&path, &read(&path, start, end)?);
            (pieces.keys().get(*place) == Some(&digest::key_of(&told))).then_some(told)
        };
        places.iter().zip(found).map(&mut told).collect()
    }

    /// Returns the files that are most likely sought. `read` gives the text of a file's lines, both ends included, in
    /// the form that may be shown; a file for which it gives nothing is left out. It is called with no lock held.
    pub fn search(
        &self,
        query: &SemanticQuery<'_>,
        similarity: Option<&QuerySimilarity<'_>>,
        mut read: impl FnMut(&str, u32, u32) -> Option<String>,
    ) -> FoundFiles {
        let asked = ParsedQuery::from_query(query.text);
        let ranked = self.rank_files(query, &asked, similarity);
        let ranker = match similarity {
            Some(similarity) if ranked.is_near => format!("words+{}", similarity.model),
            _ if ranked.is_related => format!("words+{}", crate::words::MODEL),
            _ => "words".to_owned(),
        };
        let shown = |mut hit: FileHit| {
            hit.snippet = read(&hit.path, hit.start, hit.end)?;
            hit.line += line::best_line(&hit.path, &hit.snippet, &asked, &ranked.worth);
            Some(hit)
        };
        FoundFiles { hits: ranked.hits.into_iter().filter_map(shown).take(query.limit).collect(), ranker }
    }

    /// Returns the reason why a search found nothing.
    pub fn explain_empty(&self, query: &SemanticQuery<'_>) -> EmptyReason {
        let store = self.store.read();
        if query.limit == 0 {
            return EmptyReason::NoLimit;
        }
        if ParsedQuery::from_query(query.text).is_empty() {
            return EmptyReason::NoWords;
        }
        match store.paths().any(|path| is_below(path, query.scope)) {
            true => EmptyReason::NoMatch,
            false => EmptyReason::NoFiles,
        }
    }

    fn rank_files(
        &self,
        query: &SemanticQuery<'_>,
        asked: &ParsedQuery,
        similarity: Option<&QuerySimilarity<'_>>,
    ) -> FileRanking {
        if asked.is_empty() {
            return FileRanking::default();
        }
        let store = self.store.read();
        let near = similarity.and_then(|similarity| SimilarFiles::from_similarity(similarity, &store));
        let model: &RankingModel = match similarity.filter(|_| near.is_some()) {
            Some(QuerySimilarity { is_static: true, .. }) => &WORDS_AND_STATIC_SIMILARITY,
            Some(_) => &WORDS_AND_SIMILARITY,
            None => &WORDS,
        };
        let aids = RankingAids { near: near.as_ref(), related: query.related };
        let (found, is_related) =
            features::find_candidates(&store, asked, aids, |path| is_below(path, query.scope));
        let mut ranked: Vec<FileHit> = found
            .iter()
            .filter_map(|candidate| {
                let file = store.file(candidate.file)?;
                let (start, end) =
                    file.pieces.get(candidate.chunk).map_or((1, 1), |piece| (piece.start, piece.end));
                let score = model.score(&candidate.features);
                Some(FileHit {
                    path: file.path.clone(),
                    start,
                    end,
                    line: start,
                    score,
                    snippet: String::new(),
                })
            })
            .collect();
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
        let worth = features::term_weights(&store, asked);
        FileRanking { hits: ranked, worth, is_near: near.is_some(), is_related }
    }
}

/// All files that may be sought.
#[derive(Debug, Default)]
struct FileRanking {
    /// Best first, each with its piece and no snippet.
    hits: Vec<FileHit>,
    /// The weight of each term of the query.
    worth: Vec<f32>,
    /// True if their similarity counts.
    is_near: bool,
    /// True if related words count.
    is_related: bool,
}

/// Returns whether a path is that of a scope, or below it.
fn is_below(path: &str, scope: &str) -> bool {
    let scope = scope.trim_end_matches('/');
    let rest = path.strip_prefix(scope);
    scope.is_empty() || scope == "." || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests;
