//! The content of files, by the knowledge of this process: files that it wrote or read itself, and those that the
//! person saved in an editor. A file with another content was changed by someone else. Nothing is kept before
//! [`KnownFiles::start_notes`].

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::base::WorkspacePath;

/// Bytes of a file that is kept at most.
pub(super) const LARGEST: u64 = 1 << 20;
/// Bytes of all files that are kept at most: the ones noted first go first.
const ALL: usize = 8 << 20;
/// Files that are remembered at most.
const MOST: usize = 20_000;
/// The time that a save is remembered.
const KEPT: Duration = Duration::from_secs(60);

/// The known content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownContent {
    /// There is no file.
    Absent,
    /// These bytes.
    Bytes(Arc<[u8]>),
    /// It was changed, and its bytes are not kept.
    Lost,
}

/// The files of a folder of which something is known.
#[derive(Debug, Default)]
pub struct KnownFiles {
    notes: Mutex<Option<ContentNotes>>,
    /// The time when the person last saved a file in an editor.
    saves: Mutex<HashMap<WorkspacePath, Instant>>,
    /// The time until which a change of a file is left to its announcer.
    expected: Mutex<HashMap<WorkspacePath, Instant>>,
    /// The time when the person, or a call that is no such program, last wrote a file while one runs.
    meanwhile: Mutex<HashMap<WorkspacePath, Instant>>,
    /// The number of programs that write to the folder at once, with what is ours.
    writers: AtomicUsize,
    /// The number of such programs that have begun or ended.
    writes: AtomicU64,
    /// Notified when the detection of changes is to begin.
    pub(crate) wanted: Notify,
}

/// A program that writes to the folder at once, with what is ours, until this is dropped.
#[derive(Debug)]
pub struct DirectWriter(Arc<KnownFiles>);

impl Drop for DirectWriter {
    fn drop(&mut self) {
        self.0.writes.fetch_add(1, Ordering::Relaxed);
        if self.0.writers.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.meanwhile.lock().clear();
        }
    }
}

/// The notes on files.
#[derive(Debug, Default)]
struct ContentNotes {
    files: HashMap<WorkspacePath, (KnownContent, u64)>,
    /// The files whose bytes are kept, by when they were noted.
    order: BTreeMap<u64, WorkspacePath>,
    count: u64,
    bytes: usize,
    /// True where there were too many files to note.
    is_full: bool,
    /// True where all was noted that is there to be noted at the beginning.
    is_complete: bool,
}

impl ContentNotes {
    fn put_content(&mut self, path: &WorkspacePath, content: KnownContent) {
        if self.files.len() >= MOST && !self.files.contains_key(path) {
            self.is_full = true;
            return;
        }
        self.count += 1;
        self.bytes += content.byte_count();
        if content.byte_count() > 0 {
            self.order.insert(self.count, path.clone());
        }
        if let Some((old, at)) = self.files.insert(path.clone(), (content, self.count)) {
            self.bytes -= old.byte_count();
            self.order.remove(&at);
        }
        while self.bytes > ALL
            && let Some((_, oldest)) = self.order.pop_first()
        {
            if let Some((content, _)) = self.files.get_mut(&oldest) {
                self.bytes -= content.byte_count();
                *content = KnownContent::Lost;
            }
        }
    }
}

impl KnownContent {
    /// Returns the number of bytes.
    pub fn byte_count(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Absent | Self::Lost => 0,
        }
    }
}

impl KnownFiles {
    /// Forgets everything, and keeps what is noted from now on.
    pub fn start_notes(&self) {
        *self.notes.lock() = Some(ContentNotes::default());
    }

    /// Forgets everything, and keeps nothing more.
    pub fn clear_notes(&self) {
        *self.notes.lock() = None;
    }

    /// Marks the notes as complete: a later change can be compared with the earlier content.
    pub fn mark_complete(&self) {
        if let Some(notes) = &mut *self.notes.lock() {
            notes.is_complete = true;
        }
    }

    /// Returns whether a later change could be compared with its file's earlier content.
    pub fn is_complete(&self) -> bool {
        self.notes.lock().as_ref().is_some_and(|notes| notes.is_complete)
    }

    /// Returns whether anything is kept.
    pub fn is_on(&self) -> bool {
        self.notes.lock().is_some()
    }

    /// A file holds this as of now.
    pub fn note_content(&self, path: &WorkspacePath, content: KnownContent) {
        let content = match content.byte_count() as u64 {
            0..=LARGEST => content,
            _ => KnownContent::Lost,
        };
        if let Some(notes) = &mut *self.notes.lock() {
            notes.put_content(path, content);
        }
    }

    /// Returns the known content of a file; nothing where none was noted.
    pub fn get(&self, path: &WorkspacePath) -> Option<KnownContent> {
        let notes = self.notes.lock();
        let notes = notes.as_ref()?;
        let known = notes.files.get(path).map(|(content, _)| content.clone());
        known.or_else(|| notes.is_full.then_some(KnownContent::Lost))
    }

    /// The person saved a file in an editor.
    pub fn note_save(&self, path: &WorkspacePath) {
        self.note_write(path);
        if self.is_on() {
            let mut saves = self.saves.lock();
            saves.retain(|_, at| at.elapsed() < KEPT);
            saves.insert(path.clone(), Instant::now());
        }
    }

    /// The person or a call writes a file, which may be while a program writes to the folder directly.
    pub fn note_write(&self, path: &WorkspacePath) {
        if self.writers.load(Ordering::Relaxed) > 0 {
            self.meanwhile.lock().insert(path.clone(), Instant::now());
        }
    }

    /// Returns whether the person or a call wrote a file since `at`, while a program writes to the folder directly.
    pub fn was_written_meanwhile(&self, path: &WorkspacePath, at: Instant) -> bool {
        self.meanwhile.lock().get(path).is_some_and(|written| *written >= at)
    }

    /// Returns whether the person saved a file in an editor since `at`.
    pub fn was_saved(&self, path: &WorkspacePath, at: Instant) -> bool {
        self.saves.lock().get(path).is_some_and(|saved| *saved >= at)
    }

    /// Expects a change of a file by an agent's own tool, which reports it afterwards: within `limit`, or else the
    /// change counts as one by an unknown program.
    pub fn expect_change(&self, path: &WorkspacePath, limit: Duration) {
        let mut expected = self.expected.lock();
        expected.retain(|_, until| *until > Instant::now());
        expected.insert(path.clone(), Instant::now() + limit);
    }

    /// Ends the expectation of a change: it was reported, or will not come.
    pub fn expect_no_more(&self, path: &WorkspacePath) {
        self.expected.lock().remove(path);
    }

    /// Returns whether the maker of a change of this file will report it.
    pub fn is_expected(&self, path: &WorkspacePath) -> bool {
        self.expected.lock().get(path).is_some_and(|until| *until > Instant::now())
    }

    /// Marks that a program of wherefore writes to the folder directly, until the returned guard is dropped: changes in
    /// the meantime count as its writes.
    pub fn begin_writing(self: &Arc<Self>) -> DirectWriter {
        self.writers.fetch_add(1, Ordering::Relaxed);
        self.writes.fetch_add(1, Ordering::Relaxed);
        DirectWriter(self.clone())
    }

    /// A count that goes up whenever such a program begins or ends; and whether one runs.
    pub fn write_count(&self) -> (u64, bool) {
        (self.writes.load(Ordering::Relaxed), self.writers.load(Ordering::Relaxed) > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> WorkspacePath {
        WorkspacePath::from_relative(name).unwrap()
    }

    fn bytes(size: usize) -> KnownContent {
        KnownContent::Bytes(vec![b'x'; size].into())
    }

    #[test]
    fn nothing_is_kept_before_it_begins_and_after_it_ends() {
        let known = KnownFiles::default();
        known.note_content(&path("a"), bytes(1));
        assert_eq!(known.get(&path("a")), None);
        known.start_notes();
        known.note_content(&path("a"), bytes(1));
        known.note_content(&path("b"), KnownContent::Absent);
        assert_eq!((known.get(&path("a")), known.get(&path("c"))), (Some(bytes(1)), None));
        assert_eq!(known.get(&path("b")), Some(KnownContent::Absent));
        known.clear_notes();
        assert_eq!((known.get(&path("a")), known.is_on()), (None, false));
    }

    #[test]
    fn bytes_are_bounded_and_what_goes_counts_as_changed() {
        let known = KnownFiles::default();
        known.start_notes();
        let large = usize::try_from(LARGEST).unwrap();
        known.note_content(&path("huge"), bytes(large + 1));
        assert_eq!(known.get(&path("huge")), Some(KnownContent::Lost));
        for at in 0..9 {
            known.note_content(&path(&at.to_string()), bytes(large));
        }
        assert_eq!(known.get(&path("0")), Some(KnownContent::Lost));
        assert_eq!(known.get(&path("1")), Some(bytes(large)));
        known.note_content(&path("1"), bytes(1));
        known.note_content(&path("0"), bytes(large - 1));
        assert_eq!(known.get(&path("2")), Some(bytes(large)), "what was replaced counts no more");
    }

    #[test]
    fn more_files_than_are_remembered_are_not_taken_for_unchanged() {
        let known = KnownFiles::default();
        known.start_notes();
        (0..=MOST).for_each(|at| known.note_content(&path(&at.to_string()), KnownContent::Absent));
        assert_eq!(known.get(&path("0")), Some(KnownContent::Absent));
        assert_eq!(known.get(&path("another")), Some(KnownContent::Lost));
    }

    #[test]
    fn what_is_expected_is_so_until_it_is_told() {
        let known = Arc::new(KnownFiles::default());
        known.expect_change(&path("a"), Duration::from_secs(60));
        known.expect_change(&path("b"), Duration::ZERO);
        assert_eq!([known.is_expected(&path("a")), known.is_expected(&path("b"))], [true, false]);
        known.expect_no_more(&path("a"));
        assert!(!known.is_expected(&path("a")));
        let before = known.write_count();
        let writing = known.begin_writing();
        assert!(known.write_count().1);
        drop(writing);
        assert_eq!((before, known.write_count()), ((0, false), (2, false)));
    }
}
