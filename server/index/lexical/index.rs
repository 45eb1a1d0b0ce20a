//! The index of one workspace: what is on the disk, joined with the list of its files, and kept up to date.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::entry::FileList;
use super::search::{self, FoundLines, LineSearch};
use super::segment::IndexSegment;
use super::source::TextSource;
use super::store::SegmentStore;
use super::update::{IndexUpdater, UpdateError, UpdateReport};
use super::view::{IndexView, Segments};

/// An index that searches and one updater share.
#[derive(Debug)]
pub struct LexicalIndex {
    /// `None` if there is no place for it: then every file is searched.
    store: Mutex<Option<SegmentStore>>,
    segments: Mutex<Segments>,
    view: Mutex<Option<Arc<IndexView>>>,
    searching: AtomicUsize,
}

impl LexicalIndex {
    /// Opens what an earlier process left for the folder `root` below `cache`.
    ///
    /// # Errors
    /// Fails if the folder below `cache` cannot be made; [`LexicalIndex::none`] needs no folder.
    pub fn open(cache: &Path, root: &str) -> std::io::Result<Self> {
        let store = SegmentStore::open(cache, root)?;
        let segments = store.open_segments(&[]);
        Ok(Self { store: Mutex::new(Some(store)), segments: Mutex::new(segments.into()), ..Self::none() })
    }

    /// Opens the index that an earlier process wrote for the folder `root` below `cache`, without ever writing to it:
    /// for a short-lived process.
    pub fn read_only(cache: &Path, root: &str) -> Self {
        let segments = SegmentStore::new(cache, root).open_segments(&[]);
        Self { segments: Mutex::new(segments.into()), ..Self::none() }
    }

    /// An index of nothing, which stays so.
    pub fn none() -> Self {
        Self {
            store: Mutex::new(None),
            segments: Mutex::new(Arc::new([])),
            view: Mutex::new(None),
            searching: AtomicUsize::new(0),
        }
    }

    /// Returns the known state of the files of a list. The last answer is kept.
    pub fn view(&self, list: &FileList) -> Arc<IndexView> {
        let segments = Arc::clone(&lock_mutex(&self.segments));
        let mut kept = lock_mutex(&self.view);
        match &*kept {
            Some(view) if view.is_of(list, &segments) => Arc::clone(view),
            _ => {
                let view = Arc::new(IndexView::new(Arc::clone(list), segments));
                *kept = Some(Arc::clone(&view));
                view
            }
        }
    }

    /// Searches the files of a list while `go_on` returns true. An update under way waits meanwhile.
    pub fn search(
        &self,
        list: &FileList,
        source: &dyn TextSource,
        search: LineSearch<'_>,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> FoundLines {
        self.searching.fetch_add(1, Ordering::Relaxed);
        let view = self.view(list);
        let found = search::search_files(&view, source, search, go_on);
        self.searching.fetch_sub(1, Ordering::Relaxed);
        if found.damaged {
            self.drop_segments(view.segments());
        }
        found
    }

    /// Searches that are under way.
    pub fn search_count(&self) -> usize {
        self.searching.load(Ordering::Relaxed)
    }

    /// Adds every file of the list whose present state is not indexed yet, and tidies up; if another process does
    /// that, takes over its segments. `progress` is called with the numbers of done and of all files. It ends early
    /// if `go_on` returns false.
    ///
    /// # Errors
    /// Fails if the index cannot be written, for example on a full disk. Searches go on without the missing files.
    pub fn update(
        &self,
        list: &FileList,
        source: &dyn TextSource,
        progress: &mut dyn FnMut(usize, usize),
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<UpdateReport, UpdateError> {
        let mut store = lock_mutex(&self.store);
        let Some(store) = store.as_mut() else { return Ok(UpdateReport::default()) };
        if !store.may_write()? {
            let known = self.segments();
            self.set_segments(store.open_segments(&known));
            return Ok(UpdateReport::default());
        }
        let done = IndexUpdater { index: self, store, source, go_on }.run_update(list, progress);
        if let Err(UpdateError::Damaged(_)) = &done {
            let damaged = self.segments();
            self.set_segments(Vec::new());
            discard_segments(store, &damaged);
        }
        done
    }

    /// Puts these in place of the segments there were.
    pub(super) fn set_segments(&self, segments: Vec<Arc<IndexSegment>>) {
        let mut kept = lock_mutex(&self.segments);
        let same = kept.len() == segments.len()
            && kept.iter().zip(&segments).all(|(one, other)| Arc::ptr_eq(one, other));
        if !same {
            *kept = segments.into();
            drop(kept);
            // It holds on to the files of segments that are gone.
            lock_mutex(&self.view).take();
        }
    }

    /// The segments there are, the newest first.
    pub(super) fn segments(&self) -> Segments {
        Arc::clone(&lock_mutex(&self.segments))
    }

    /// Removes all segments: it is not known which one is damaged, and the index is only a cache.
    fn drop_segments(&self, damaged: &Segments) {
        if !Arc::ptr_eq(&self.segments(), damaged) {
            return;
        }
        self.set_segments(Vec::new());
        // If an update is running, it finds the damage itself.
        if let Some(mut store) = self.store.try_lock()
            && let Some(store) = store.as_mut()
        {
            discard_segments(store, damaged);
        }
    }
}

fn discard_segments(store: &mut SegmentStore, segments: &Segments) {
    if matches!(store.may_write(), Ok(true)) {
        segments.iter().for_each(|segment| store.remove_segment(segment.path()));
    }
}

fn lock_mutex<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock()
}
