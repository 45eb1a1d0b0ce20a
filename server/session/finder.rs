//! The files of a workspace as searches see them: a list that is current when asked for, an index of their texts, and
//! what each is about.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;

use super::index_progress::{IndexProblem, IndexProgress};
use super::search::FileSearch;
use super::search_texts::IndexedFiles;
use super::semantic_update::RankerIntake;
use crate::base::{WorkspacePath, person};
use crate::index::lexical::entry::FileList;
use crate::index::lexical::index::LexicalIndex;
use crate::index::lexical::keeper::IndexKeeper;
use crate::index::lexical::sweep;
use crate::index::lexical::walk::{FileWalk, WalkError, walk_files};
use crate::index::semantic::SemanticIndex;
use crate::protocol::WatchStatus;
use crate::rules::{FileOpener, WorkspaceRules};
use crate::watch::{ChangeListener, FileChangeKind, FileSnapshot, FolderWatch, WatchOptions};

/// The time that a search waits for the list to be current; past that it walks for itself.
const PATIENCE: Duration = Duration::from_secs(10);

/// Fewer files than this are read as quickly as an index of them.
const INDEXED: usize = 2_000;

/// The watch and the index of a workspace's files, in a process that stays. Another process walks the files for each
/// search.
#[derive(Debug, Default)]
pub(super) struct FileFinder {
    served: OnceLock<ServedFiles>,
    /// The index that an earlier process left, where this process does not stay; else nothing.
    left: OnceLock<LexicalIndex>,
    meaning: SemanticIndex,
    taking: RankerIntake,
    asking: Mutex<Option<AskedFiles>>,
}

/// The files of a list that some rules ask about, by their places in it.
#[derive(Debug)]
struct AskedFiles {
    list: FileList,
    rules: Arc<WorkspaceRules>,
    places: Arc<[usize]>,
}

#[derive(Debug)]
struct ServedFiles {
    watch: FolderWatch,
    /// The index, where there are enough files for one.
    indexed: OnceLock<KeptIndex>,
    /// The list of a generation: the same one as long as nothing changes, since what is known of it hangs on that.
    list: Mutex<Option<(u64, FileList)>>,
}

#[derive(Debug)]
struct KeptIndex {
    index: Arc<LexicalIndex>,
    keeper: Option<IndexKeeper>,
    problem: IndexProblem,
}

impl KeptIndex {
    /// Opens what an earlier process left, and keeps it from now on.
    fn start_index(search: &Arc<FileSearch>) -> Self {
        let cache = person::cache_dir();
        let index = cache.map(|cache| LexicalIndex::open(&cache, search.workspace.root()));
        let problem = IndexProblem::default();
        let failed = |error: &std::io::Error| {
            problem.set_problem(Some(format!(
                "the search index has no place in the cache folder: {error}; searches go on without it"
            )));
        };
        let index = index.and_then(|opened| opened.inspect_err(failed).ok());
        let index = Arc::new(index.unwrap_or_else(LexicalIndex::none));
        let report = IndexProgress::new(search.editor.clone(), search.workspace.root(), problem.clone());
        let keeper = IndexKeeper::start(index.clone(), IndexedFiles(Arc::downgrade(&search.files)), report);
        Self { index, keeper: keeper.inspect_err(|error| tracing::warn!("{error}")).ok(), problem }
    }
}

/// Removes unused indexes from the person's cache, where that was not done today.
fn sweep_cache() {
    let Some(cache) = person::cache_dir() else { return };
    match sweep::sweep_cache(&cache, SystemTime::now()) {
        Ok(size) if size.indexes > 0 => {
            tracing::info!("{} indexes that nobody needs were removed, {} bytes", size.indexes, size.bytes);
        }
        Ok(_) => {}
        Err(error) => tracing::warn!("indexes that nobody needs stay in the cache folder: {error}"),
    }
}

impl FileFinder {
    /// Watches the files from now on and keeps an index of them, for as long as the session is there.
    pub(super) fn start_watching(&self, search: &Arc<FileSearch>) {
        let backend = search.workspace.settings().watch.backend;
        let options = WatchOptions { backend, ..WatchOptions::default() };
        let watch = match FolderWatch::start(Path::new(search.workspace.root()), options) {
            Ok(watch) => watch,
            Err(error) => return tracing::warn!("{error}"),
        };
        let served = ServedFiles { watch, indexed: OnceLock::new(), list: Mutex::default() };
        // A second call changes nothing.
        let _ = self.served.set(served);
        let search = Arc::downgrade(search);
        let mut changes = match self.served.get() {
            Some(served) => served.watch.subscribe(),
            None => return,
        };
        let told = move || {
            // The start of the watch may have been reported before there was a subscriber.
            if let Some(search) = search.upgrade() {
                search.finder.keep_indexed(&search);
            }
            while let Some(batch) = changes.wait() {
                let Some(search) = search.upgrade() else { return };
                for change in &batch.changes {
                    if let FileChangeKind::Renamed { from } = &change.kind {
                        search.memory.follow_rename(from, &change.path);
                    }
                }
                search.finder.keep_indexed(&search);
            }
        };
        // Without it no index is made, and searches read every file.
        let _ = std::thread::Builder::new().name("listed".to_owned()).spawn(told);
        // Without the thread, unused indexes stay until another process comes.
        let _ = std::thread::Builder::new().name("sweep".to_owned()).spawn(sweep_cache);
    }

    /// The changes of the files from now on, where they are watched.
    pub(super) fn subscribe_changes(&self) -> Option<ChangeListener> {
        self.served.get().map(|served| served.watch.subscribe())
    }

    /// The files that the watch lists, current as of now; none where they are not watched, or not read in time.
    pub(super) fn settled_files(&self) -> Option<Arc<FileSnapshot>> {
        self.served.get()?.watch.current_snapshot(Instant::now() + PATIENCE).ok()
    }

    /// The files that the watch lists, by its knowledge so far; none where they are not watched.
    pub(super) fn watched_files(&self) -> Option<Arc<FileSnapshot>> {
        self.served.get().map(|served| served.watch.known_snapshot())
    }

    /// Updates the index in the background.
    fn keep_indexed(&self, search: &Arc<FileSearch>) {
        let Some(served) = self.served.get() else { return };
        let list = served.current_list(PATIENCE).filter(|list| list.len() >= INDEXED);
        let Some(list) = list else { return };
        if let Some(keeper) = &served.indexed.get_or_init(|| KeptIndex::start_index(search)).keeper {
            keeper.set_list(list);
        }
    }

    /// Returns the status of the watch, where there is one, with the problems of the index.
    pub(super) fn watch_status(&self) -> Option<WatchStatus> {
        let served = self.served.get()?;
        let mut status = served.watch.status();
        status.problems.extend(served.indexed.get().and_then(|indexed| indexed.problem.current_problem()));
        Some(status)
    }

    /// The index that searches go by, of the folder `root`.
    pub(super) fn search_index(&self, root: &str) -> &LexicalIndex {
        match self.served.get().map(|served| served.indexed.get()) {
            Some(Some(indexed)) => &indexed.index,
            Some(None) => self.left.get_or_init(LexicalIndex::none),
            None => self.left.get_or_init(|| match person::cache_dir() {
                Some(cache) => LexicalIndex::read_only(&cache, root),
                None => LexicalIndex::none(),
            }),
        }
    }

    /// The semantic index of the files.
    pub(super) fn semantic_index(&self) -> &SemanticIndex {
        &self.meaning
    }

    /// The intake of files into that index.
    pub(super) fn ranker_intake(&self) -> &RankerIntake {
        &self.taking
    }

    /// The files of a list that the rules ask about, by their places in it. Worked out once for a list and its rules.
    pub(super) fn asked_places(&self, list: &FileList, rules: &Arc<WorkspaceRules>) -> Arc<[usize]> {
        let mut known = self.asking.lock();
        if let Some(known) = &*known
            && Arc::ptr_eq(&known.list, list)
            && Arc::ptr_eq(&known.rules, rules)
        {
            return known.places.clone();
        }
        let asks = |path: &str| {
            WorkspacePath::from_relative(path)
                .and_then(|path| rules.paths().asking_rule(&path, &FileOpener::NoConsent))
        };
        let places = list.iter().enumerate().filter(|(_, entry)| asks(&entry.path).is_some());
        let places: Arc<[usize]> = places.map(|(at, _)| at).collect();
        *known = Some(AskedFiles { list: list.clone(), rules: rules.clone(), places: places.clone() });
        places
    }

    /// The files as they are on the disk now, those below a folder or a file at least. A glob counts more than what is
    /// ignored, and a folder that is named may itself be ignored: these are walked.
    ///
    /// # Errors
    /// For a glob that does not parse, a folder that cannot be walked, and where `go_on` stops it.
    pub(super) fn list_files(
        &self,
        root: &Path,
        scope: &str,
        glob: &str,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<FileList, WalkError> {
        if glob.is_empty()
            && let Some(list) = self.served.get().and_then(|served| served.current_list(PATIENCE))
        {
            let below = |path: &str| {
                path.strip_prefix(scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            if scope.is_empty()
                || list[list.partition_point(|entry| &*entry.path < scope)..]
                    .first()
                    .is_some_and(|entry| below(&entry.path))
            {
                return Ok(list);
            }
        }
        walk_files(root, &FileWalk { scope, glob, stamps: true }, go_on)
    }

    /// Ends what runs in the background.
    pub(super) fn stop_watching(&self) {
        if let Some(served) = self.served.get() {
            served.watch.end_watch();
        }
    }
}

impl ServedFiles {
    /// The list with every change that is on the disk now; none where that takes too long.
    fn current_list(&self, patience: Duration) -> Option<FileList> {
        let snapshot = self.watch.current_snapshot(Instant::now() + patience).ok()?;
        let mut kept = self.list.lock();
        match &*kept {
            Some((generation, list)) if *generation == snapshot.generation() => Some(list.clone()),
            _ => {
                let list: FileList = snapshot.iter().cloned().collect();
                *kept = Some((snapshot.generation(), list.clone()));
                Some(list)
            }
        }
    }
}
