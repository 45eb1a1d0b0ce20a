//! Files found by what is asked for in words: with no model, and with one that says what is near as one more feature.

mod asked;
mod chunks;
mod definitions;
mod digest;
mod features;
mod language;
mod line;
mod model;
mod prior;
mod runs;
mod similarity;
mod store;
mod words;

use std::sync::Arc;

use asked::Asked;
use digest::Digest;
pub use digest::Key;
use model::{Model, WORDS, WORDS_AND_SIMILARITY, WORDS_AND_STATIC_SIMILARITY};
use parking_lot::{Mutex, RwLock};
use similarity::SimilarFiles;
pub use similarity::{Pieces, QuerySimilarity};
use store::TermStore;

/// What a search is for.
#[derive(Clone, Copy, Debug, Default)]
pub struct SemanticQuery<'a> {
    /// What is asked for: words, a name, a sentence.
    pub text: &'a str,
    /// Files and folders below this path alone; all where it is empty.
    pub scope: &'a str,
    /// How many files are wanted.
    pub limit: usize,
}

/// A file that was found, with its best piece.
#[derive(Clone, Debug, PartialEq)]
pub struct FileHit {
    /// As it was put.
    pub path: String,
    /// The first line of the piece, from 1.
    pub start: u32,
    /// The last line of it.
    pub end: u32,
    /// The line of it that holds most of what is asked for.
    pub line: u32,
    /// How likely the file is meant, beside the others of the same search.
    pub score: f32,
    /// The text of the piece, as the reader gave it.
    pub snippet: String,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundFiles {
    /// Best first, one for a file.
    pub hits: Vec<FileHit>,
    /// What ranked them: `words`, or `words+` and the model's name.
    pub ranker: String,
}

/// The files of a workspace, to be found by what they are about. Texts are not kept. Any number of threads may search
/// while others put files: a file is read into words before the lock is taken.
#[derive(Debug, Default)]
pub struct SemanticIndex {
    store: RwLock<TermStore>,
    pieces: Mutex<Option<Arc<Pieces>>>,
}

impl SemanticIndex {
    /// Of no files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a file in, in place of the one of the same path. Of what is not text, is longer than a megabyte or was not
    /// written by a person, only the path is known.
    pub fn put(&self, path: &str, text: &[u8]) {
        let digest = Digest::of(path, text);
        self.store.write().put(digest);
    }

    /// Forgets a file; whether it was known.
    pub fn remove(&self, path: &str) -> bool {
        self.store.write().remove(path)
    }

    /// Forgets the files for which `is_kept` is false: those below a folder, those that are ignored now.
    pub fn retain(&self, is_kept: impl Fn(&str) -> bool) {
        let mut store = self.store.write();
        let gone: Vec<String> = store.paths().filter(|path| !is_kept(path)).map(str::to_owned).collect();
        gone.iter().for_each(|path| {
            store.remove(path);
        });
    }

    /// Gives back memory that was set aside for more files: to be called once many were put.
    pub fn settle(&self) {
        self.store.write().settle();
    }

    /// How many files are known.
    pub fn len(&self) -> usize {
        self.store.read().count()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pieces that a model is to say the similarity of, as they are now: see [`Pieces`]. The same until a file changes.
    pub fn pieces(&self) -> Arc<Pieces> {
        let store = self.store.read();
        let mut known = self.pieces.lock();
        match &*known {
            Some(pieces) if pieces.version() == store.version() => pieces.clone(),
            _ => known.insert(Arc::new(Pieces::of(&store))).clone(),
        }
    }

    /// What a model is told of the pieces at some places; nothing for one that is no more as it was. `read` gives the
    /// text of a file's lines, both ends included, and is called with no lock held.
    pub fn told(
        &self,
        pieces: &Pieces,
        places: &[usize],
        mut read: impl FnMut(&str, u32, u32) -> Option<String>,
    ) -> Vec<Option<String>> {
        let store = self.store.read();
        let found = |place: &usize| {
            let (path, start, end) = pieces.lines(*place, &store)?;
            Some((path.to_owned(), start, end))
        };
        let found: Vec<_> = places.iter().map(found).collect();
        drop(store);
        let mut told = |(place, found): (&usize, Option<(String, u32, u32)>)| {
            let (path, start, end) = found?;
            let told = digest::told(&path, &read(&path, start, end)?);
            (pieces.keys().get(*place) == Some(&digest::key_of(&told))).then_some(told)
        };
        places.iter().zip(found).map(&mut told).collect()
    }

    /// The files that are most likely meant. `read` gives the text of a file's lines, both ends included, as it may be
    /// shown; a file for which it gives nothing is left out. It is called with no lock held.
    pub fn search(
        &self,
        query: &SemanticQuery<'_>,
        similarity: Option<&QuerySimilarity<'_>>,
        mut read: impl FnMut(&str, u32, u32) -> Option<String>,
    ) -> FoundFiles {
        let asked = Asked::of(query.text);
        let ranked = self.ranked(query.scope, &asked, similarity);
        let ranker = match similarity {
            Some(similarity) if ranked.is_near => format!("words+{}", similarity.model),
            _ => "words".to_owned(),
        };
        let shown = |mut hit: FileHit| {
            hit.snippet = read(&hit.path, hit.start, hit.end)?;
            hit.line += line::best(&hit.path, &hit.snippet, &asked, &ranked.worth);
            Some(hit)
        };
        FoundFiles { hits: ranked.hits.into_iter().filter_map(shown).take(query.limit).collect(), ranker }
    }

    fn ranked(&self, scope: &str, asked: &Asked, similarity: Option<&QuerySimilarity<'_>>) -> Ranked {
        if asked.is_empty() {
            return Ranked::default();
        }
        let store = self.store.read();
        let near = similarity.and_then(|similarity| SimilarFiles::of(similarity, &store));
        let model: &Model = match similarity.filter(|_| near.is_some()) {
            Some(QuerySimilarity { is_static: true, .. }) => &WORDS_AND_STATIC_SIMILARITY,
            Some(_) => &WORDS_AND_SIMILARITY,
            None => &WORDS,
        };
        let found = features::candidates(&store, asked, near.as_ref(), |path| is_below(path, scope));
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
        Ranked { hits: ranked, worth: features::worth(&store, asked), is_near: near.is_some() }
    }
}

/// All that may be meant.
#[derive(Debug, Default)]
struct Ranked {
    /// Best first, each with its piece and no snippet.
    hits: Vec<FileHit>,
    /// What each term of the query is worth.
    worth: Vec<f32>,
    /// Whether it counts how near they are.
    is_near: bool,
}

/// Whether a path is that of a scope, or below it.
fn is_below(path: &str, scope: &str) -> bool {
    let scope = scope.trim_end_matches('/');
    let rest = path.strip_prefix(scope);
    scope.is_empty() || scope == "." || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests;
