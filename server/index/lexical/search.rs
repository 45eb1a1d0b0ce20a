//! A search: the files that may hold the query are looked through side by side, and its lines given in their order.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;

use super::gather::HitCollector;
use super::hit::{HitPlace, LineHit};
use super::query::LineQuery;
use super::source::TextSource;
use super::verify::{HitLimits, LONGEST_LINE, LineVerifier, SearchText};
use super::view::IndexView;

/// The most threads that one search takes.
const MOST_THREADS: usize = 8;

/// Files for which a further thread is worth its start.
const FILES_A_THREAD: usize = 24;

/// The options of a search.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// A folder or a file relative to the root, `/`-separated; empty for the whole.
    pub scope: String,
    /// Lines around each hit, on each side.
    pub context: usize,
    /// The most hits.
    pub limit: usize,
    /// The most bytes of text in them.
    pub bytes: usize,
    /// The place after which hits count.
    pub after: Option<HitPlace>,
    /// Bytes of the longest line that is searched.
    pub longest_line: usize,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            scope: String::new(),
            context: 0,
            limit: usize::MAX,
            bytes: usize::MAX,
            after: None,
            longest_line: LONGEST_LINE,
        }
    }
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct FoundLines {
    /// The hits with their files, ordered by the bytes of the path, then by line.
    pub hits: Vec<(Arc<str>, LineHit)>,
    /// There are more than the limits let through. The place of the last hit is where to go on.
    pub more: bool,
    /// True if it was stopped before it had searched everything.
    pub stopped: bool,
    /// Files that were to be looked through.
    pub candidates: usize,
    /// Files that could not be searched to their end, as one with a line that is too long.
    pub unfinished: Vec<Arc<str>>,
    /// The index is damaged: it has to be built again. The hits are right.
    pub damaged: bool,
}

impl FoundLines {
    /// Returns the place where a further search goes on, if there are more hits.
    pub fn next_place(&self) -> Option<HitPlace> {
        let last = self.hits.last().filter(|_| self.more);
        last.map(|(path, hit)| HitPlace { path: Arc::clone(path), line: hit.line })
    }
}

/// A search for lines: what to look for, in which files, and how much of it.
#[derive(Clone, Copy)]
pub struct LineSearch<'a> {
    /// The pattern.
    pub query: &'a LineQuery,
    /// The scope of the search, and the limits.
    pub options: &'a SearchOptions,
    /// Returns whether a path is searched; all are if it is `None`.
    pub admits: Option<&'a dyn Fn(&str) -> bool>,
}

impl<'a> LineSearch<'a> {
    /// A search in all files that the options let in.
    pub fn new(query: &'a LineQuery, options: &'a SearchOptions) -> Self {
        Self { query, options, admits: None }
    }
}

/// Searches the files of a view while `go_on` returns true.
pub fn search_files(
    view: &IndexView,
    source: &dyn TextSource,
    search: LineSearch<'_>,
    go_on: &(impl Fn() -> bool + Sync),
) -> FoundLines {
    let LineSearch { query, options, .. } = search;
    let unsaved: BTreeSet<Arc<str>> = source.unsaved_paths().into_iter().collect();
    let (texts, damaged) = texts_to_search(view, search, &unsaved);
    let work = SearchWork {
        source,
        query,
        options,
        go_on,
        unsaved: &unsaved,
        next: AtomicUsize::new(0),
        end: AtomicUsize::new(texts.len()),
        gather: Mutex::new(HitCollector::new(texts.len(), options.limit, options.bytes)),
        unfinished: Mutex::new(Vec::new()),
        texts,
    };
    let helpers = thread_count(work.texts.len()) - 1;
    thread::scope(|scope| {
        for _ in 0..helpers {
            // If the system cannot start another thread, this one does all the work.
            let _ = thread::Builder::new().spawn_scoped(scope, || work.run_search());
        }
        work.run_search();
    });
    work.into_found(damaged)
}

/// The work that the threads of one search share.
struct SearchWork<'a, F> {
    source: &'a dyn TextSource,
    query: &'a LineQuery,
    options: &'a SearchOptions,
    go_on: &'a F,
    /// The files to search, in order.
    texts: Vec<&'a Arc<str>>,
    /// The paths of unsaved texts.
    unsaved: &'a BTreeSet<Arc<str>>,
    /// The number of the next file that no thread has taken.
    next: AtomicUsize,
    /// The number of the first file that cannot have a hit within the limits.
    end: AtomicUsize,
    gather: Mutex<HitCollector>,
    /// The files that could not be searched to their end.
    unfinished: Mutex<Vec<Arc<str>>>,
}

impl<F: Fn() -> bool + Sync> SearchWork<'_, F> {
    /// Searches one file after the other until none is left.
    fn run_search(&self) {
        let mut verifier = LineVerifier::new(self.query, self.go_on);
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let wanted = |_: &&&Arc<str>| number < self.end.load(Ordering::Relaxed);
            let Some(&path) = self.texts.get(number).filter(wanted) else { break };
            if !(self.go_on)() {
                break;
            }
            let hits = self.search_file(&mut verifier, path);
            if !hits.is_empty() {
                let mut gather = self.gather.lock();
                gather.add_hits(number, hits);
                self.end.store(gather.end(), Ordering::Relaxed);
            }
        }
    }

    /// The hits in one file. One that cannot be read to its end keeps the hits found so far.
    fn search_file(&self, verifier: &mut LineVerifier<'_, F>, path: &Arc<str>) -> Vec<LineHit> {
        let after = self.options.after.as_ref().filter(|after| after.path == *path);
        let wanted = HitLimits {
            context: self.options.context,
            // Another hit above the limit shows that there are more.
            limit: self.options.limit.saturating_add(1),
            after_line: after.map_or(0, |after| after.line),
            longest_line: self.options.longest_line,
        };
        let mut hits = Vec::new();
        let text = if self.unsaved.contains(path) { self.source.unsaved_text(path) } else { None };
        let searched = match text {
            Some(text) => verifier.search(SearchText::Bytes(text.as_bytes()), wanted, &mut hits),
            None => match self.source.open(path) {
                Some(file) => verifier.search(SearchText::File(file), wanted, &mut hits),
                None => return hits,
            },
        };
        if searched.is_err() && (self.go_on)() {
            self.unfinished.lock().push(Arc::clone(path));
        }
        hits
    }

    fn into_found(self, damaged: bool) -> FoundLines {
        let texts = self.texts;
        let (hits, more) = self.gather.into_inner().finish();
        let hits = hits
            .into_iter()
            .filter_map(|(number, hit)| texts.get(number).map(|path| (Arc::clone(path), hit)))
            .collect();
        let mut unfinished = self.unfinished.into_inner();
        unfinished.sort_unstable();
        FoundLines { hits, more, stopped: !(self.go_on)(), candidates: texts.len(), unfinished, damaged }
    }
}

/// The paths to look through, in order, and whether the index is damaged.
fn texts_to_search<'a>(
    view: &'a IndexView,
    search: LineSearch<'_>,
    unsaved: &'a BTreeSet<Arc<str>>,
) -> (Vec<&'a Arc<str>>, bool) {
    let LineSearch { query, options, admits } = search;
    let (candidates, damaged) = view.candidates(query.plan(), &view.scope_range(&options.scope));
    let listed =
        candidates.iter().filter_map(|&place| view.list().get(place as usize)).map(|entry| &entry.path);
    let mut texts: Vec<&Arc<str>> = listed.collect();
    if !unsaved.is_empty() {
        let inside = |path: &&Arc<str>| {
            let rest = path.strip_prefix(options.scope.as_str());
            options.scope.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        texts.extend(unsaved.iter().filter(inside));
        texts.sort_unstable();
        texts.dedup();
    }
    let from = options.after.as_ref().map_or(0, |after| texts.partition_point(|path| **path < after.path));
    texts.drain(..from);
    if let Some(admits) = admits {
        texts.retain(|path| admits(path));
    }
    (texts, damaged)
}

fn thread_count(texts: usize) -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    cores.min(MOST_THREADS).min(texts / FILES_A_THREAD + 1)
}
