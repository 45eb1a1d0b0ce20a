//! Searches in a workspace: lines that match a pattern, and files that are about something.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use memchr::memchr_iter;

use super::error::{CallCancelled, SearchError};
use super::file_similarity::ModelAnswer;
use super::search::FileSearch;
use super::search_texts::SearchTexts;
use crate::base::WorkspacePath;
use crate::index::lexical::entry::{FileEntry, FileList};
use crate::index::lexical::query::LineQuery;
use crate::index::lexical::search::{FoundLines, LineSearch, SearchOptions};
use crate::index::lexical::source::TextSource;
use crate::index::lexical::walk::GlobFilter;
use crate::index::semantic::{self, EmptyReason};
use crate::protocol::PathAccess;
use crate::workspace::{FileKind, WorkspaceError, WorkspaceFiles};

/// Bytes of a file that the ranker is shown: it takes no more than this in.
pub(super) const MOST: u64 = (1 << 20) + 1;

/// Bytes of a snippet.
const SNIPPET: usize = 16 << 10;

/// The scope of a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchScope<'a> {
    /// A folder or a file, as a caller writes it; the whole workspace where it is empty.
    pub scope: &'a str,
    /// Only files that match; all where it is empty.
    pub glob: &'a str,
}

/// Lines that are wanted.
#[derive(Clone, Debug)]
pub struct WantedLines<'a> {
    /// The pattern that they match.
    pub query: &'a LineQuery,
    /// The scope that they are searched in.
    pub place: SearchScope<'a>,
    /// The number of matches and the context lines. The search sets `scope` itself.
    pub options: SearchOptions,
}

/// Files that are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct WantedFiles<'a> {
    /// The subject of the files, in words.
    pub text: &'a str,
    /// A folder or a file, as a caller writes it; the whole workspace where it is empty.
    pub scope: &'a str,
    /// The most files.
    pub limit: usize,
    /// The time to wait for vectors that are not made yet, where the person set a model.
    pub wait: Duration,
}

/// Files that were found.
#[derive(Clone, Debug, PartialEq)]
pub struct MeaningMatches {
    /// Best first, one for a file.
    pub hits: Vec<semantic::FileHit>,
    /// The ranker: `words`, or `words+` and the model's name.
    pub ranker: String,
    /// The share of the files' pieces that have a vector, where a model is set.
    pub embedded: Option<f32>,
    /// The reason why that model was not used, where it failed or the settings are wrong.
    pub trouble: Option<String>,
    /// The reason why there are no hits.
    pub empty: Option<&'static str>,
}

impl FileSearch {
    /// Returns the lines that match, until `go_on` stops it.
    ///
    /// # Errors
    /// NOT_FOUND and PERMISSION_DENIED for the scope, INVALID_ARGS for a glob; CANCELLED where `go_on` stopped it.
    pub fn search_lines(
        &self,
        files: &WorkspaceFiles,
        wanted: WantedLines<'_>,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<FoundLines, SearchError> {
        let WantedLines { query, place, mut options } = wanted;
        let scope = self.scope_of(files, place.scope)?;
        let list = self.list_scope(&scope, place.glob, go_on)?;
        options.scope = scope;
        // An unsaved file may be in no list.
        let globs = GlobFilter::new(Path::new(self.workspace.root()), place.glob)?;
        let admits = |path: &str| globs.admits(path);
        let admits = (!place.glob.is_empty()).then_some(&admits as &dyn Fn(&str) -> bool);
        let texts = SearchTexts::new(self.files.documents(), files);
        let search = LineSearch { query, options: &options, admits };
        let found = self.finder.search_index(self.workspace.root()).search(&list, &texts, search, go_on);
        if found.stopped { Err(CallCancelled.into()) } else { Ok(found) }
    }

    /// Returns the files that most likely match by meaning, with their best piece. The first search takes every file
    /// in, and `progress` is called with the number done and the total; later ones take in the changes.
    ///
    /// # Errors
    /// NOT_FOUND and PERMISSION_DENIED for the scope; TIMEOUT where an earlier search takes the files in for too long;
    /// CANCELLED where `go_on` stopped it.
    pub fn search_meaning(
        self: &Arc<Self>,
        files: &WorkspaceFiles,
        wanted: &WantedFiles<'_>,
        progress: &dyn Fn(usize, usize),
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<MeaningMatches, SearchError> {
        let scope = self.scope_of(files, wanted.scope)?;
        // The ranker and the model know no file that a rule asks about, for any searcher.
        let texts = SearchTexts::new(self.files.documents(), &self.files.unasked_files());
        self.take_in(&texts, progress, go_on)?;
        let ModelAnswer { similarity: heard, embedded, trouble } =
            self.similarity.piece_similarity(self, wanted);
        let similarity = heard.as_ref().map(|heard| semantic::QuerySimilarity {
            model: heard.model.model(),
            is_static: heard.model.is_static(),
            pieces: &heard.pieces,
            cosines: &heard.cosines,
        });
        let related = self.similarity.has_carried_words();
        let query =
            semantic::SemanticQuery { text: wanted.text, scope: &scope, limit: wanted.limit, related };
        let read = |path: &str, start, end| read_snippet(&texts, path, start, end);
        let found = self.finder.semantic_index().search(&query, similarity.as_ref(), read);
        let empty = found.hits.is_empty().then(|| match self.finder.semantic_index().explain_empty(&query) {
            EmptyReason::NoLimit => "the number of wanted files is 0",
            EmptyReason::NoWords => "the query holds no word; ask in words, as `where are passwords checked`",
            EmptyReason::NoFiles => {
                "no file there may be searched; widen the scope, or look with fs.ls at what there is"
            }
            EmptyReason::NoMatch if related => {
                "no file holds a word of the query or one that means the same; ask in other words, or for a name in the \
                 code with search.lexical"
            }
            EmptyReason::NoMatch => {
                "no file holds a word of the query, and words that mean the same do not count by the settings \
                 (`[embeddings] words`); ask in words that the code uses"
            }
        });
        Ok(MeaningMatches { hits: found.hits, ranker: found.ranker, embedded, trouble, empty })
    }

    /// The files of the workspace, or of a folder in it, as they are now.
    ///
    /// # Errors
    /// As [`FileSearch::search_lines`].
    pub fn list_files(
        &self,
        files: &WorkspaceFiles,
        place: SearchScope<'_>,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<Vec<FileEntry>, SearchError> {
        let scope = self.scope_of(files, place.scope)?;
        let list = self.list_scope(&scope, place.glob, go_on)?;
        let below = |entry: &&FileEntry| {
            entry
                .path
                .strip_prefix(scope.as_str())
                .is_some_and(|rest| scope.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        let open = |entry: &&FileEntry| {
            WorkspacePath::from_relative(&entry.path).is_some_and(|path| {
                files.paths().rules().paths().permit_access(PathAccess::Read, &path).is_ok()
            })
        };
        Ok(list.iter().filter(below).filter(open).cloned().collect())
    }

    /// Describes how many files of a search are left out because the person would have to be asked about them first. It
    /// uses the list of files alone: nothing of their texts shows in it.
    ///
    /// # Errors
    /// As [`FileSearch::search_lines`].
    pub fn left_out(
        &self,
        files: &WorkspaceFiles,
        place: SearchScope<'_>,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<Option<String>, SearchError> {
        if !files.paths().rules().paths().ask_at_all() {
            return Ok(None);
        }
        let scope = self.scope_of(files, place.scope)?;
        let list = self.list_scope(&scope, place.glob, go_on)?;
        let asking = self.finder.asked_places(&list, files.paths().rules());
        let inside = |path: &str| {
            let rest = path.strip_prefix(scope.as_str());
            scope.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let entries = asking.iter().filter_map(|at| list.get(*at)).filter(|entry| inside(&entry.path));
        let mut asked = entries
            .filter_map(|entry| files.paths().asking_rule(&WorkspacePath::from_relative(&entry.path)?));
        let Some(rule) = asked.next() else { return Ok(None) };
        let (count, verb) = match 1 + asked.count() {
            1 => ("1 file".to_owned(), "is"),
            count => (format!("{count} files"), "are"),
        };
        Ok(Some(format!(
            "{count} {verb} left out: {rule} asks first. Name one, as the `path` of fs.read or the `scope` of \
             search.lexical, and the person is asked"
        )))
    }

    pub(super) fn list_scope(
        &self,
        scope: &str,
        glob: &str,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<FileList, SearchError> {
        Ok(self.finder.list_files(Path::new(self.workspace.root()), scope, glob, go_on)?)
    }

    /// The path of what is to be searched; empty for the whole.
    fn scope_of(&self, files: &WorkspaceFiles, scope: &str) -> Result<String, SearchError> {
        let path = WorkspacePath::parse(self.workspace.root(), if scope.is_empty() { "." } else { scope })?;
        let Some(found) = files.stat(&path)? else {
            let near = match files.open(&path) {
                Err(WorkspaceError::Missing { near, .. }) => near,
                _ => Vec::new(),
            };
            return Err(SearchError::NoScope { path, near });
        };
        if found.kind != FileKind::Folder {
            // A named file that cannot be read is a fault; one that the search comes across is passed over.
            files.open(&found.path)?;
        }
        Ok(if found.path.is_root() { String::new() } else { found.path.to_string() })
    }
}

/// Returns lines of a file as they are shown, both ends included.
fn read_snippet(texts: &SearchTexts, path: &str, start: u32, end: u32) -> Option<String> {
    let text = lines_of(texts, path, start, end)?;
    Some(String::from_utf8_lossy(&text).trim_end().to_owned())
}

/// Returns lines of a file, both ends included; not much more than is ever shown.
pub(super) fn lines_of(texts: &SearchTexts, path: &str, start: u32, end: u32) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let text = match texts.unsaved_texts().get(path) {
        Some(text) => text.as_bytes(),
        None => {
            texts.open(path)?.take(MOST).read_to_end(&mut bytes).ok()?;
            &bytes
        }
    };
    let (skip, count) = (start.saturating_sub(1) as usize, (end + 1).saturating_sub(start) as usize);
    let mut ends = memchr_iter(b'\n', text).map(|at| at + 1);
    let from = if skip == 0 { 0 } else { ends.nth(skip - 1).unwrap_or(text.len()) };
    let to = if count == 0 { from } else { ends.nth(count - 1).unwrap_or(text.len()) };
    text.get(from..to.min(from + SNIPPET)).map(<[u8]>::to_vec)
}
