//! The files of a workspace as searches see them: a list that is current when asked for, an index of their texts, and
//! what each is about.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;

use super::indexing::{IndexProblem, Indexing};
use super::search::FileSearch;
use super::semantic_update::Taking;
use super::texts::IndexedFiles;
use crate::base::{WorkspacePath, person};
use crate::index::lexical::entry::FileList;
use crate::index::lexical::index::Index;
use crate::index::lexical::keeper::Keeper;
use crate::index::lexical::sweep;
use crate::index::lexical::walk::{Walk, WalkError, walk};
use crate::index::semantic::SemanticIndex;
use crate::protocol::WatchStatus;
use crate::rules::{Opener, Rules};
use crate::watch::{ChangeKind, Listener, Options, Snapshot, Watch};

/// How long a search waits for the list to be current; past that it walks for itself.
const PATIENCE: Duration = Duration::from_secs(10);

/// Fewer files than this are read as quickly as an index of them.
const INDEXED: usize = 2_000;

/// What a process that stays keeps of a workspace's files. One that does not walks them for each search.
#[derive(Debug, Default)]
pub(super) struct Finder {
    served: OnceLock<Served>,
    /// What an earlier process left, where this one does not stay; else nothing.
    left: OnceLock<Index>,
    meaning: SemanticIndex,
    taking: Taking,
    asking: Mutex<Option<AskedFiles>>,
}

/// The files of a list that some rules ask about, by their places in it.
#[derive(Debug)]
struct AskedFiles {
    list: FileList,
    rules: Arc<Rules>,
    places: Arc<[usize]>,
}

#[derive(Debug)]
struct Served {
    watch: Watch,
    /// Where there are enough files for one.
    indexed: OnceLock<Indexed>,
    /// The list of a generation: the same one as long as nothing changes, since what is known of it hangs on that.
    list: Mutex<Option<(u64, FileList)>>,
}

#[derive(Debug)]
struct Indexed {
    index: Arc<Index>,
    keeper: Option<Keeper>,
    problem: IndexProblem,
}

impl Indexed {
    /// Opens what an earlier process left, and keeps it from now on.
    fn start(search: &Arc<FileSearch>) -> Self {
        let cache = person::cache();
        let index = cache.map(|cache| Index::open(&cache, search.workspace.root()));
        let problem = IndexProblem::default();
        let failed = |error: &std::io::Error| {
            problem.set(Some(format!(
                "the search index has no place in the cache folder: {error}; searches go on without it"
            )));
        };
        let index = index.and_then(|opened| opened.inspect_err(failed).ok());
        let index = Arc::new(index.unwrap_or_else(Index::none));
        let report = Indexing::new(search.editor.clone(), search.workspace.root(), problem.clone());
        let keeper = Keeper::start(index.clone(), IndexedFiles(Arc::downgrade(&search.files)), report);
        Self { index, keeper: keeper.inspect_err(|error| tracing::warn!("{error}")).ok(), problem }
    }
}

/// Removes indexes that nobody needs any more from the person's cache, where that was not done today.
fn swept() {
    let Some(cache) = person::cache() else { return };
    match sweep::sweep(&cache, SystemTime::now()) {
        Ok(size) if size.indexes > 0 => {
            tracing::info!("{} indexes that nobody needs were removed, {} bytes", size.indexes, size.bytes);
        }
        Ok(_) => {}
        Err(error) => tracing::warn!("indexes that nobody needs stay in the cache folder: {error}"),
    }
}

impl Finder {
    /// Watches the files from now on and keeps an index of them, for as long as the session is there.
    pub(super) fn serve(&self, search: &Arc<FileSearch>) {
        let watch = match Watch::start(Path::new(search.workspace.root()), Options::default()) {
            Ok(watch) => watch,
            Err(error) => return tracing::warn!("{error}"),
        };
        let served = Served { watch, indexed: OnceLock::new(), list: Mutex::default() };
        // A second call changes nothing.
        let _ = self.served.set(served);
        let search = Arc::downgrade(search);
        let mut changes = match self.served.get() {
            Some(served) => served.watch.subscribe(),
            None => return,
        };
        let told = move || {
            // That the watch began may have been told before anyone listened.
            if let Some(search) = search.upgrade() {
                search.finder.keep_indexed(&search);
            }
            while let Some(batch) = changes.wait() {
                let Some(search) = search.upgrade() else { return };
                for change in &batch.changes {
                    if let ChangeKind::Renamed { from } = &change.kind {
                        search.memory.renamed(from, &change.path);
                    }
                }
                search.finder.keep_indexed(&search);
            }
        };
        // Without it no index is made, and searches read every file.
        let _ = std::thread::Builder::new().name("listed".to_owned()).spawn(told);
        // Without it indexes that nobody needs stay until another process comes.
        let _ = std::thread::Builder::new().name("sweep".to_owned()).spawn(swept);
    }

    /// The changes of the files from now on, where they are watched.
    pub(super) fn changes(&self) -> Option<Listener> {
        self.served.get().map(|served| served.watch.subscribe())
    }

    /// The files that the watch lists, current as of now; none where they are not watched, or not read in time.
    pub(super) fn settled_files(&self) -> Option<Arc<Snapshot>> {
        self.served.get()?.watch.settled(Instant::now() + PATIENCE).ok()
    }

    /// The files that the watch lists, as far as it knows by now; none where they are not watched.
    pub(super) fn watched(&self) -> Option<Arc<Snapshot>> {
        self.served.get().map(|served| served.watch.known())
    }

    /// Has the index brought up to date in the background.
    fn keep_indexed(&self, search: &Arc<FileSearch>) {
        let Some(served) = self.served.get() else { return };
        let list = served.current(PATIENCE).filter(|list| list.len() >= INDEXED);
        let Some(list) = list else { return };
        if let Some(keeper) = &served.indexed.get_or_init(|| Indexed::start(search)).keeper {
            keeper.listed(list);
        }
    }

    /// How the files are watched, where they are, and what is wrong with the index of them.
    pub(super) fn status(&self) -> Option<WatchStatus> {
        let served = self.served.get()?;
        let mut status = served.watch.status();
        status.problems.extend(served.indexed.get().and_then(|indexed| indexed.problem.said()));
        Some(status)
    }

    /// The index that searches go by, of the folder `root`.
    pub(super) fn index(&self, root: &str) -> &Index {
        match self.served.get().map(|served| served.indexed.get()) {
            Some(Some(indexed)) => &indexed.index,
            Some(None) => self.left.get_or_init(Index::none),
            None => self.left.get_or_init(|| match person::cache() {
                Some(cache) => Index::read(&cache, root),
                None => Index::none(),
            }),
        }
    }

    /// What the files are about.
    pub(super) fn meaning(&self) -> &SemanticIndex {
        &self.meaning
    }

    /// What of them was taken in.
    pub(super) fn taking(&self) -> &Taking {
        &self.taking
    }

    /// The files of a list that the rules ask about, by their places in it. Worked out once for a list and its rules.
    pub(super) fn asking(&self, list: &FileList, rules: &Arc<Rules>) -> Arc<[usize]> {
        let mut known = self.asking.lock();
        if let Some(known) = &*known
            && Arc::ptr_eq(&known.list, list)
            && Arc::ptr_eq(&known.rules, rules)
        {
            return known.places.clone();
        }
        let asks =
            |path: &str| WorkspacePath::clean(path).and_then(|path| rules.asks(&path, &Opener::Unasked));
        let places = list.iter().enumerate().filter(|(_, entry)| asks(&entry.path).is_some());
        let places: Arc<[usize]> = places.map(|(at, _)| at).collect();
        *known = Some(AskedFiles { list: list.clone(), rules: rules.clone(), places: places.clone() });
        places
    }

    /// The files as they are on the disk now, those below a folder or a file at least. A glob counts more than what is
    /// ignored, and a folder that is named may itself be ignored: these are walked.
    ///
    /// # Errors
    /// For a glob that does not parse, a folder that cannot be walked, and where `go_on` says no.
    pub(super) fn files(
        &self,
        root: &Path,
        scope: &str,
        glob: &str,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<FileList, WalkError> {
        if glob.is_empty()
            && let Some(list) = self.served.get().and_then(|served| served.current(PATIENCE))
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
        walk(root, &Walk { scope, glob, stamps: true }, go_on)
    }

    /// Ends what runs in the background.
    pub(super) fn end(&self) {
        if let Some(served) = self.served.get() {
            served.watch.end();
        }
    }
}

impl Served {
    /// The list with every change that is on the disk now; none where that takes too long.
    fn current(&self, patience: Duration) -> Option<FileList> {
        let snapshot = self.watch.settled(Instant::now() + patience).ok()?;
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
