//! Searches in a workspace: lines that match a pattern, and files that are about something.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use memchr::memchr_iter;

use super::error::{CallCancelled, SearchError};
use super::file_similarity::ModelAnswer;
use super::search::FileSearch;
use super::texts::Texts;
use crate::base::WorkspacePath;
use crate::index::lexical::entry::{FileEntry, FileList};
use crate::index::lexical::query::Query;
use crate::index::lexical::search::{Found, LineSearch, Options};
use crate::index::lexical::source::Source;
use crate::index::lexical::walk::Globs;
use crate::index::semantic;
use crate::protocol::Access;
use crate::workspace::{FileKind, Files};

/// Bytes of a file that the ranker is shown: it takes no more than this in.
pub(super) const MOST: u64 = (1 << 20) + 1;

/// Bytes of a snippet.
const SNIPPET: usize = 16 << 10;

/// Where to search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Where<'a> {
    /// A folder or a file, as a caller writes it; the whole workspace where it is empty.
    pub scope: &'a str,
    /// Only files that match; all where it is empty.
    pub glob: &'a str,
}

/// Lines that are wanted.
#[derive(Clone, Debug)]
pub struct WantedLines<'a> {
    /// What they match.
    pub query: &'a Query,
    /// Where they stand.
    pub place: Where<'a>,
    /// How many, and what is shown around them. The search sets `scope` itself.
    pub options: Options,
}

/// Files that are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct WantedFiles<'a> {
    /// What they are about.
    pub text: &'a str,
    /// A folder or a file, as a caller writes it; the whole workspace where it is empty.
    pub scope: &'a str,
    /// How many.
    pub limit: usize,
    /// How long to wait for vectors that are not made yet, where the person set a model.
    pub wait: Duration,
}

/// Files that were found.
#[derive(Clone, Debug, PartialEq)]
pub struct Meant {
    /// Best first, one for a file.
    pub hits: Vec<semantic::FileHit>,
    /// What ranked them: `words`, or `words+` and the model's name.
    pub ranker: String,
    /// The share of the files' pieces that have a vector, where a model is set.
    pub embedded: Option<f32>,
    /// Why that model was not heard, where it failed or the settings are wrong.
    pub trouble: Option<String>,
}

impl FileSearch {
    /// The lines that match, until `go_on` says no.
    ///
    /// # Errors
    /// NOT_FOUND and PERMISSION_DENIED for the scope, INVALID_ARGS for a glob; CANCELLED where `go_on` said no.
    pub fn lines(
        &self,
        files: &Files,
        wanted: WantedLines<'_>,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<Found, SearchError> {
        let WantedLines { query, place, mut options } = wanted;
        let scope = self.scope_of(files, place.scope)?;
        let list = self.listed(&scope, place.glob, go_on)?;
        options.scope = scope;
        // What is unsaved may stand in no list.
        let globs = Globs::new(Path::new(self.workspace.root()), place.glob)?;
        let admits = |path: &str| globs.admits(path);
        let admits = (!place.glob.is_empty()).then_some(&admits as &dyn Fn(&str) -> bool);
        let texts = Texts::new(self.files.documents(), files);
        let search = LineSearch { query, options: &options, admits };
        let found = self.finder.index(self.workspace.root()).search(&list, &texts, search, go_on);
        if found.stopped { Err(CallCancelled.into()) } else { Ok(found) }
    }

    /// The files that are most likely meant, with their best piece. The first search takes every file in, and
    /// `progress` hears how many of how many; later ones what changed.
    ///
    /// # Errors
    /// NOT_FOUND and PERMISSION_DENIED for the scope; TIMEOUT where an earlier search takes the files in for too long;
    /// CANCELLED where `go_on` said no.
    pub fn meant(
        self: &Arc<Self>,
        files: &Files,
        wanted: &WantedFiles<'_>,
        progress: &dyn Fn(usize, usize),
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<Meant, SearchError> {
        let scope = self.scope_of(files, wanted.scope)?;
        // The ranker and the model know no file that a rule asks about, whoever searches.
        let texts = Texts::new(self.files.documents(), &self.files.unasked());
        self.take_in(&texts, progress, go_on)?;
        let ModelAnswer { heard, embedded, trouble } = self.similarity.of(self, wanted);
        let similarity = heard.as_ref().map(|heard| semantic::QuerySimilarity {
            model: heard.model.model(),
            is_static: heard.model.is_static(),
            pieces: &heard.pieces,
            cosines: &heard.cosines,
        });
        let query = semantic::SemanticQuery { text: wanted.text, scope: &scope, limit: wanted.limit };
        let read = |path: &str, start, end| piece(&texts, path, start, end);
        let found = self.finder.meaning().search(&query, similarity.as_ref(), read);
        Ok(Meant { hits: found.hits, ranker: found.ranker, embedded, trouble })
    }

    /// The files of the workspace, or of a folder in it, as they are now.
    ///
    /// # Errors
    /// As [`FileSearch::lines`].
    pub fn list(
        &self,
        files: &Files,
        place: Where<'_>,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<Vec<FileEntry>, SearchError> {
        let scope = self.scope_of(files, place.scope)?;
        let list = self.listed(&scope, place.glob, go_on)?;
        let below = |entry: &&FileEntry| {
            entry
                .path
                .strip_prefix(scope.as_str())
                .is_some_and(|rest| scope.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        let open = |entry: &&FileEntry| {
            WorkspacePath::clean(&entry.path)
                .is_some_and(|path| files.rules().permit(Access::Read, &path).is_ok())
        };
        Ok(list.iter().filter(below).filter(open).cloned().collect())
    }

    /// How many files of a search are left out, as the person would have to be asked about them first, as a sentence
    /// for the caller. It goes by the list of files alone: nothing of their texts shows in it.
    ///
    /// # Errors
    /// As [`FileSearch::lines`].
    pub fn left_out(
        &self,
        files: &Files,
        place: Where<'_>,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<Option<String>, SearchError> {
        if !files.rules().ask_at_all() {
            return Ok(None);
        }
        let scope = self.scope_of(files, place.scope)?;
        let list = self.listed(&scope, place.glob, go_on)?;
        let asking = self.finder.asking(&list, files.rules());
        let inside = |path: &str| {
            let rest = path.strip_prefix(scope.as_str());
            scope.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let entries = asking.iter().filter_map(|at| list.get(*at)).filter(|entry| inside(&entry.path));
        let mut asked = entries.filter_map(|entry| files.asks(&WorkspacePath::clean(&entry.path)?));
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

    pub(super) fn listed(
        &self,
        scope: &str,
        glob: &str,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<FileList, SearchError> {
        Ok(self.finder.files(Path::new(self.workspace.root()), scope, glob, go_on)?)
    }

    /// The path of what is to be searched; empty for the whole.
    fn scope_of(&self, files: &Files, scope: &str) -> Result<String, SearchError> {
        let path = WorkspacePath::parse(self.workspace.root(), if scope.is_empty() { "." } else { scope })?;
        let found = files.stat(&path)?.ok_or(SearchError::NoScope { path })?;
        if found.kind != FileKind::Folder {
            // One that is named and cannot be read is a fault; one that is come across is passed over.
            files.open(&found.path)?;
        }
        Ok(if found.path.is_root() { String::new() } else { found.path.to_string() })
    }
}

/// Some lines of a file as they are shown, both ends included.
fn piece(texts: &Texts, path: &str, start: u32, end: u32) -> Option<String> {
    let text = lines_of(texts, path, start, end)?;
    Some(String::from_utf8_lossy(&text).trim_end().to_owned())
}

/// Some lines of a file, both ends included; not much more than is ever shown.
pub(super) fn lines_of(texts: &Texts, path: &str, start: u32, end: u32) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let text = match texts.unsaved().get(path) {
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
