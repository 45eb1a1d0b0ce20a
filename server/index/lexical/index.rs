//! The index of one workspace: what is on the disk, joined with the list of its files, and kept up to date.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::entry::FileList;
use super::search::{self, Found, LineSearch};
use super::segment::Segment;
use super::source::Source;
use super::store::Store;
use super::update::{Trouble, Update, Updater};
use super::view::{Segments, View};

/// An index that searches and one updater share.
#[derive(Debug)]
pub struct Index {
    /// Nothing where there is no place for it: then every file is searched.
    store: Mutex<Option<Store>>,
    segments: Mutex<Segments>,
    view: Mutex<Option<Arc<View>>>,
    searching: AtomicUsize,
}

impl Index {
    /// Opens what an earlier process left for the folder `root` below `cache`.
    ///
    /// # Errors
    /// Where the folder below `cache` cannot be made; [`Index::none`] does without.
    pub fn open(cache: &Path, root: &str) -> std::io::Result<Self> {
        let store = Store::open(cache, root)?;
        let segments = store.segments(&[]);
        Ok(Self { store: Mutex::new(Some(store)), segments: Mutex::new(segments.into()), ..Self::none() })
    }

    /// What an earlier process left for the folder `root` below `cache`, never written to: for one that does not stay.
    pub fn read(cache: &Path, root: &str) -> Self {
        let segments = Store::new(cache, root).segments(&[]);
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

    /// What is known of the files of a list. The last answer is kept.
    pub fn view(&self, list: &FileList) -> Arc<View> {
        let segments = Arc::clone(&lock(&self.segments));
        let mut kept = lock(&self.view);
        match &*kept {
            Some(view) if view.is_of(list, &segments) => Arc::clone(view),
            _ => {
                let view = Arc::new(View::new(Arc::clone(list), segments));
                *kept = Some(Arc::clone(&view));
                view
            }
        }
    }

    /// Searches the files of a list until `go_on` says no. An update under way waits meanwhile.
    pub fn search(
        &self,
        list: &FileList,
        source: &dyn Source,
        search: LineSearch<'_>,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Found {
        self.searching.fetch_add(1, Ordering::Relaxed);
        let view = self.view(list);
        let found = search::search(&view, source, search, go_on);
        self.searching.fetch_sub(1, Ordering::Relaxed);
        if found.damaged {
            self.drop_segments(view.segments());
        }
        found
    }

    /// Searches that are under way.
    pub fn searching(&self) -> usize {
        self.searching.load(Ordering::Relaxed)
    }

    /// Takes in every file of the list that is not known yet as it is, and tidies up; where another process does that,
    /// takes over what it wrote. `progress` hears of files done and of all there are. It ends early where `go_on` says no.
    ///
    /// # Errors
    /// Where the index cannot be written, as on a full disk. Searches go on without what is missing.
    pub fn update(
        &self,
        list: &FileList,
        source: &dyn Source,
        progress: &mut dyn FnMut(usize, usize),
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Update, Trouble> {
        let mut store = lock(&self.store);
        let Some(store) = store.as_mut() else { return Ok(Update::default()) };
        if !store.may_write()? {
            let known = self.segments();
            self.set_segments(store.segments(&known));
            return Ok(Update::default());
        }
        let done = Updater { index: self, store, source, go_on }.run(list, progress);
        if let Err(Trouble::Damaged(_)) = &done {
            let damaged = self.segments();
            self.set_segments(Vec::new());
            discard(store, &damaged);
        }
        done
    }

    /// Puts these in place of the segments there were.
    pub(super) fn set_segments(&self, segments: Vec<Arc<Segment>>) {
        let mut kept = lock(&self.segments);
        let same = kept.len() == segments.len()
            && kept.iter().zip(&segments).all(|(one, other)| Arc::ptr_eq(one, other));
        if !same {
            *kept = segments.into();
            drop(kept);
            // It holds on to the files of segments that are gone.
            lock(&self.view).take();
        }
    }

    /// The segments there are, the newest first.
    pub(super) fn segments(&self) -> Segments {
        Arc::clone(&lock(&self.segments))
    }

    /// Which one of them is damaged is not known, and it is a cache: all go.
    fn drop_segments(&self, damaged: &Segments) {
        if !Arc::ptr_eq(&self.segments(), damaged) {
            return;
        }
        self.set_segments(Vec::new());
        // Where an update runs it comes across the damage itself.
        if let Some(mut store) = self.store.try_lock()
            && let Some(store) = store.as_mut()
        {
            discard(store, damaged);
        }
    }
}

fn discard(store: &mut Store, segments: &Segments) {
    if matches!(store.may_write(), Ok(true)) {
        segments.iter().for_each(|segment| store.remove(segment.path()));
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock()
}
