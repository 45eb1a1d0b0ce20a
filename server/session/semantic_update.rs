//! The files of a workspace taken in for the ranker: all of them by the first search, by later ones what changed.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use super::error::{CallCancelled, SearchError};
use super::search::FileSearch;
use super::search_files::MOST;
use super::search_texts::SearchTexts;
use crate::base::WorkspacePath;
use crate::index::lexical::entry::FileEntry;
use crate::index::lexical::source::TextSource;
use crate::index::semantic::SemanticIndex;
use crate::protocol::PathAccess;
use crate::rules::{FileOpener, WorkspaceRules};
use crate::watch::StatStamp;

/// The most threads that take files in.
const THREADS: usize = 4;
/// Files that one thread takes in alone.
const FEW: usize = 64;
/// Files between two reports of progress.
const REPORT: usize = 256;
/// The time that a search waits at a time for another one that takes files in, before it looks whether it is still
/// wanted.
const STEP: Duration = Duration::from_millis(200);
/// The time that it waits in all.
const PATIENCE: Duration = Duration::from_secs(40);

/// The files taken in so far, and the progress of the search that is taking more in.
#[derive(Debug, Default)]
pub(super) struct RankerIntake {
    taken: Mutex<RankedFiles>,
    done: AtomicUsize,
    all: AtomicUsize,
}

/// The files that the ranker has taken in.
#[derive(Debug, Default)]
pub(super) struct RankedFiles {
    /// Files, as they were read.
    files: HashMap<Arc<str>, (StatStamp, u64)>,
    /// Unsaved texts in place of them.
    unsaved: HashMap<Arc<str>, Arc<str>>,
    /// The rules by which files were let in.
    rules: Option<Arc<WorkspaceRules>>,
}

impl RankedFiles {
    /// Applies the current rules to the files taken in: those that they close are forgotten, those that they open are
    /// read again.
    fn apply_rules(&mut self, rules: &Arc<WorkspaceRules>, meaning: &SemanticIndex) {
        let Some(before) = self.rules.replace(rules.clone()).filter(|before| !Arc::ptr_eq(before, rules))
        else {
            return;
        };
        let opens = |rules: &WorkspaceRules, path: &str| {
            let open = |path| rules.paths().open_for(PathAccess::Read, &path, &FileOpener::NoConsent).is_ok();
            WorkspacePath::from_relative(path).is_some_and(open)
        };
        self.files.retain(|path, _| match (opens(&before, path), opens(rules, path)) {
            (true, false) => {
                meaning.remove_file(path);
                true
            }
            (false, true) => false,
            _ => true,
        });
    }
}

impl RankerIntake {
    /// Locks the files taken in, for one search at a time. The others report the progress of that one.
    fn wait_turn(
        &self,
        progress: &dyn Fn(usize, usize),
        go_on: &(impl Fn() -> bool + Sync),
        patience: Duration,
    ) -> Result<MutexGuard<'_, RankedFiles>, SearchError> {
        let asked = Instant::now();
        loop {
            if let Some(taken) = self.taken.try_lock_for(STEP.min(patience)) {
                return Ok(taken);
            }
            if !go_on() {
                return Err(CallCancelled.into());
            }
            let (done, all) = (self.done.load(Ordering::Relaxed), self.all.load(Ordering::Relaxed));
            if asked.elapsed() >= patience {
                return Err(SearchError::Busy { done, all });
            }
            progress(done, all);
        }
    }

    fn report_progress(&self, done: usize, all: usize, progress: &dyn Fn(usize, usize)) {
        self.done.store(done, Ordering::Relaxed);
        self.all.store(all, Ordering::Relaxed);
        progress(done, all);
    }
}

impl RankedFiles {
    /// Files that differ from what was read.
    fn changed_files<'a>(&self, list: &'a [FileEntry]) -> Vec<&'a FileEntry> {
        let known = |entry: &&FileEntry| self.files.get(&entry.path) == Some(&(entry.stamp, entry.changed));
        list.iter().filter(|entry| !known(entry)).collect()
    }

    /// Forgets unsaved texts that were saved or given up: the disk counts again.
    fn forget_saved(&mut self, texts: &SearchTexts, meaning: &SemanticIndex) {
        let is_saved = |path: &&Arc<str>| !texts.unsaved_texts().contains_key(*path);
        let saved: Vec<Arc<str>> = self.unsaved.keys().filter(is_saved).cloned().collect();
        for path in saved {
            self.unsaved.remove(&path);
            self.files.remove(&path);
            meaning.remove_file(&path);
        }
    }

    /// Forgets files that are there no longer.
    fn forget_gone(&mut self, list: &[FileEntry], texts: &SearchTexts, meaning: &SemanticIndex) {
        if self.files.len() > list.len() {
            let there = |path: &str| list.binary_search_by(|entry| (*entry.path).cmp(path)).is_ok();
            self.files.retain(|path, _| there(path));
            meaning.retain_files(|path| there(path) || texts.unsaved_texts().contains_key(path));
        }
    }

    /// Takes unsaved texts in that are others than before.
    fn take_unsaved(&mut self, texts: &SearchTexts, meaning: &SemanticIndex) {
        for (path, text) in texts.unsaved_texts() {
            if self.unsaved.get(path).is_none_or(|known| !Arc::ptr_eq(known, text)) {
                meaning.put_file(path, text.as_bytes());
                self.unsaved.insert(path.clone(), text.clone());
            }
        }
    }
}

/// Files that are read for the ranker, by several threads at once.
struct FileReading<'a> {
    files: &'a [&'a FileEntry],
    /// The place of the file that is read next.
    next: AtomicUsize,
    /// Marks those of them that were read.
    done: Vec<AtomicBool>,
}

impl<'a> FileReading<'a> {
    fn for_files(files: &'a [&'a FileEntry]) -> Self {
        let done = files.iter().map(|_| AtomicBool::new(false)).collect();
        Self { files, next: AtomicUsize::new(0), done }
    }

    /// Reads files until none is left or `go_on` stops it; `report` is called with the index of each.
    fn read_files(
        &self,
        texts: &SearchTexts,
        meaning: &SemanticIndex,
        go_on: &dyn Fn() -> bool,
        report: &dyn Fn(usize),
    ) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let (Some(entry), Some(done)) = (self.files.get(at), self.done.get(at)) else { return };
            if !go_on() {
                return;
            }
            let mut bytes = Vec::new();
            let file = texts.open(&entry.path);
            let read = file.map(|file| file.take(MOST).read_to_end(&mut bytes));
            // A file that is closed to callers is not known by its name either.
            match read {
                Some(Ok(_)) => meaning.put_file(&entry.path, &bytes),
                _ => drop(meaning.remove_file(&entry.path)),
            }
            done.store(true, Ordering::Relaxed);
            report(at);
        }
    }

    /// The files that were read.
    fn read_entries(&self) -> impl Iterator<Item = &FileEntry> {
        let all = self.files.iter().zip(&self.done);
        all.filter(|(_, done)| done.load(Ordering::Relaxed)).map(|(entry, _)| *entry)
    }
}

impl FileSearch {
    /// Brings the ranker up to date. A file that was read when `go_on` stops it is not read again.
    ///
    /// # Errors
    /// As [`FileSearch::search_meaning`].
    pub(super) fn take_in(
        &self,
        texts: &SearchTexts,
        progress: &dyn Fn(usize, usize),
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<(), SearchError> {
        let (taking, meaning) = (self.finder.ranker_intake(), self.finder.semantic_index());
        let mut taken = taking.wait_turn(progress, go_on, PATIENCE)?;
        let list = self.list_scope("", "", go_on)?;
        taken.apply_rules(texts.rules(), meaning);
        taken.forget_saved(texts, meaning);
        let changed = taken.changed_files(&list);
        let reading = FileReading::for_files(&changed);
        self.read_all(&reading, texts, progress, go_on);
        taken
            .files
            .extend(reading.read_entries().map(|entry| (entry.path.clone(), (entry.stamp, entry.changed))));
        if !go_on() {
            return Err(CallCancelled.into());
        }
        taken.forget_gone(&list, texts, meaning);
        taken.take_unsaved(texts, meaning);
        if changed.len() > FEW {
            meaning.shrink_memory();
            taking.report_progress(changed.len(), changed.len(), progress);
        }
        Ok(())
    }

    /// Reads files in this thread, and in further ones where they are many.
    fn read_all(
        &self,
        reading: &FileReading<'_>,
        texts: &SearchTexts,
        progress: &dyn Fn(usize, usize),
        go_on: &(impl Fn() -> bool + Sync),
    ) {
        let (taking, meaning, all) =
            (self.finder.ranker_intake(), self.finder.semantic_index(), reading.files.len());
        let threads = match all > FEW {
            true => std::thread::available_parallelism().map_or(1, |cores| cores.get().min(THREADS)),
            false => 1,
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                let work = || reading.read_files(texts, meaning, go_on, &|_| {});
                // Without a further thread this one does all of the work.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            let told = Cell::new(0);
            taking.report_progress(0, all, progress);
            reading.read_files(texts, meaning, go_on, &|at| {
                if at >= told.get() + REPORT {
                    told.set(at);
                    taking.report_progress(at, all, progress);
                }
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::base::clock::SystemClock;
    use crate::ports::NoEditor;
    use crate::protocol::{Code, Fault};
    use crate::session::{SessionOptions, WorkspaceSession};

    fn session(files: usize) -> (tempfile::TempDir, WorkspaceSession) {
        let folder = tempfile::tempdir().unwrap();
        for file in 0..files {
            std::fs::write(folder.path().join(format!("f{file}.txt")), format!("word{file}\n")).unwrap();
        }
        let options = SessionOptions {
            editor: Arc::new(NoEditor),
            documents: Arc::default(),
            clock: Arc::new(SystemClock),
            shared_log: true,
            state: None,
        };
        let session = WorkspaceSession::open(folder.path().to_str().unwrap(), options).unwrap();
        (folder, session)
    }

    fn texts(session: &WorkspaceSession) -> SearchTexts {
        SearchTexts::new(session.files().documents(), &session.files().unasked_files())
    }

    #[test]
    fn what_a_search_read_that_was_stopped_is_not_read_again() {
        let (_folder, session) = session(400);
        let take_in = |left: usize| {
            let (asked, told) = (AtomicUsize::new(0), RefCell::new(Vec::new()));
            let go_on = || asked.fetch_add(1, Ordering::Relaxed) < left;
            let progress = |done, all| told.borrow_mut().push((done, all));
            let done = session.search().take_in(&texts(&session), &progress, &go_on);
            (done.map_err(|error| Fault::from(error).code), told.into_inner())
        };
        // Walking asks too, once for each file and folder.
        let (stopped, told) = take_in(600);
        assert_eq!((stopped, told[0]), (Err(Code::Cancelled), (0, 400)));
        let read = session.search().finder.semantic_index().len();
        assert!((50..400).contains(&read), "{read}");
        let (done, told) = take_in(usize::MAX);
        assert_eq!(
            (done, told[0], session.search().finder.semantic_index().len()),
            (Ok(()), (0, 400 - read), 400)
        );
        assert_eq!(take_in(usize::MAX).1, [(0, 0)]);
    }

    #[test]
    fn who_waits_for_an_earlier_search_hears_of_it_and_may_leave() {
        let (_folder, session) = session(1);
        let taking = session.search().finder.ranker_intake();
        let held = taking.taken.lock();
        taking.report_progress(3, 7, &|_, _| {});
        let told = RefCell::new(Vec::new());
        let wait = |patience: Duration, left: usize| {
            let asked = AtomicUsize::new(0);
            let go_on = || asked.fetch_add(1, Ordering::Relaxed) < left;
            let progress = |done, all| told.borrow_mut().push((done, all));
            taking.wait_turn(&progress, &go_on, patience).map(drop).unwrap_err()
        };
        assert_eq!(Fault::from(wait(PATIENCE, 1)).code, Code::Cancelled);
        assert_eq!(told.take(), [(3, 7)]);
        let fault = Fault::from(wait(Duration::ZERO, usize::MAX));
        assert_eq!(
            (fault.code, fault.message.as_str()),
            (Code::Timeout, "an earlier search still reads the files: 3 of 7 so far")
        );
        drop(held);
        assert!(taking.wait_turn(&|_, _| {}, &|| true, Duration::ZERO).is_ok());
    }
}
