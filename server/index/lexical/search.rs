//! A search: the files that may hold the query are looked through side by side, and its lines given in their order.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;

use super::gather::Gather;
use super::hit::{Hit, Place};
use super::query::Query;
use super::source::Source;
use super::verify::{LONGEST_LINE, Text, Verifier, Wanted};
use super::view::View;

/// The most threads that one search takes.
const MOST_THREADS: usize = 8;

/// Files for which a further thread is worth its start.
const FILES_A_THREAD: usize = 24;

/// What is wanted of a search.
#[derive(Clone, Debug)]
pub struct Options {
    /// A folder or a file relative to the root, `/`-separated; empty for the whole.
    pub scope: String,
    /// Lines around each hit, on each side.
    pub context: usize,
    /// The most hits.
    pub limit: usize,
    /// The most bytes of text in them.
    pub bytes: usize,
    /// Only what comes after this place.
    pub after: Option<Place>,
    /// Bytes of the longest line that is searched.
    pub longest_line: usize,
}

impl Default for Options {
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

/// What a search found.
#[derive(Debug, Default)]
pub struct Found {
    /// The hits with their files, ordered by the bytes of the path, then by line.
    pub hits: Vec<(Arc<str>, Hit)>,
    /// There are more than the limits let through. The place of the last hit is where to go on.
    pub more: bool,
    /// It was stopped before it had looked everywhere.
    pub stopped: bool,
    /// Files that were to be looked through.
    pub candidates: usize,
    /// Files that could not be searched to their end, as one with a line that is too long.
    pub unfinished: Vec<Arc<str>>,
    /// The index is damaged: it has to be built anew. What was found is right.
    pub damaged: bool,
}

impl Found {
    /// Where a further search goes on, where there are more.
    pub fn next(&self) -> Option<Place> {
        let last = self.hits.last().filter(|_| self.more);
        last.map(|(path, hit)| Place { path: Arc::clone(path), line: hit.line })
    }
}

/// Searches the files of a view, or, where it is given, those that `admits` lets through, until `go_on` says no.
pub fn search(
    view: &View,
    source: &dyn Source,
    query: &Query,
    options: &Options,
    admits: Option<&dyn Fn(&str) -> bool>,
    go_on: &(impl Fn() -> bool + Sync),
) -> Found {
    let unsaved: BTreeSet<Arc<str>> = source.unsaved_paths().into_iter().collect();
    let (texts, damaged) = texts(view, query, options, admits, &unsaved);
    let gather = Mutex::new(Gather::new(texts.len(), options.limit, options.bytes));
    let unfinished = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let end = AtomicUsize::new(texts.len());
    let work = || {
        let mut verifier = Verifier::new(query, go_on);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(&path) = texts.get(number).filter(|_| number < end.load(Ordering::Relaxed)) else {
                break;
            };
            if !go_on() {
                break;
            }
            let after_line =
                options.after.as_ref().filter(|after| after.path == *path).map_or(0, |after| after.line);
            // One more than is wanted tells whether there are more.
            let limit = options.limit.saturating_add(1);
            let longest_line = options.longest_line;
            let wanted = Wanted { context: options.context, limit, after_line, longest_line };
            let mut hits = Vec::new();
            let text = if unsaved.contains(path) { source.unsaved(path) } else { None };
            // A file that cannot be read to its end keeps the hits found so far.
            let searched = match text {
                Some(text) => verifier.search(Text::Bytes(text.as_bytes()), wanted, &mut hits),
                None => match source.open(path) {
                    Some(file) => verifier.search(Text::File(file), wanted, &mut hits),
                    None => continue,
                },
            };
            if searched.is_err() && go_on() {
                unfinished.lock().push(Arc::clone(path));
            }
            if !hits.is_empty() {
                let mut gather = gather.lock();
                gather.push(number, hits);
                end.store(gather.end(), Ordering::Relaxed);
            }
        }
    };
    let helpers = threads(texts.len()) - 1;
    thread::scope(|scope| {
        for _ in 0..helpers {
            // Where the system gives no further thread, this one does it all.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let (hits, more) = gather.into_inner().finish();
    let hits =
        hits.into_iter().filter_map(|(number, hit)| texts.get(number).map(|path| (Arc::clone(path), hit)));
    let mut unfinished = unfinished.into_inner();
    unfinished.sort_unstable();
    Found { hits: hits.collect(), more, stopped: !go_on(), candidates: texts.len(), unfinished, damaged }
}

/// The paths to look through, in order, and whether the index is damaged.
fn texts<'a>(
    view: &'a View,
    query: &Query,
    options: &Options,
    admits: Option<&dyn Fn(&str) -> bool>,
    unsaved: &'a BTreeSet<Arc<str>>,
) -> (Vec<&'a Arc<str>>, bool) {
    let (candidates, damaged) = view.candidates(query.plan(), &view.scope(&options.scope));
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

fn threads(texts: usize) -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    cores.min(MOST_THREADS).min(texts / FILES_A_THREAD + 1)
}
