//! What files hold as far as this process knows: what it wrote itself, what it read, and what the person saved in an
//! editor. A file that holds something else was changed by somebody else. Nothing is kept before [`KnownFiles::begin`].

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
/// How long a save is remembered.
const KEPT: Duration = Duration::from_secs(60);

/// What a file is known to hold.
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
    notes: Mutex<Option<Notes>>,
    /// When the person saved a file in an editor last.
    saves: Mutex<HashMap<WorkspacePath, Instant>>,
    /// Until when a change of a file is left to whoever announced it.
    expected: Mutex<HashMap<WorkspacePath, Instant>>,
    /// How many programs write to the folder at once, with what is ours.
    writers: AtomicUsize,
    /// How many such programs have begun or ended.
    writes: AtomicU64,
    /// Whoever looks at the files is to begin.
    pub(crate) called: Notify,
}

/// A program that writes to the folder at once, with what is ours, until this is dropped.
#[derive(Debug)]
pub struct DirectWriter(Arc<KnownFiles>);

impl Drop for DirectWriter {
    fn drop(&mut self) {
        self.0.writes.fetch_add(1, Ordering::Relaxed);
        self.0.writers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What was noted of files.
#[derive(Debug, Default)]
struct Notes {
    files: HashMap<WorkspacePath, (KnownContent, u64)>,
    /// Those with bytes, by when they were noted.
    order: BTreeMap<u64, WorkspacePath>,
    count: u64,
    bytes: usize,
    /// Whether there were too many files to note.
    is_full: bool,
    /// Whether all was noted that is there to be noted at the beginning.
    is_complete: bool,
}

impl Notes {
    fn put(&mut self, path: &WorkspacePath, content: KnownContent) {
        if self.files.len() >= MOST && !self.files.contains_key(path) {
            self.is_full = true;
            return;
        }
        self.count += 1;
        self.bytes += content.size();
        if content.size() > 0 {
            self.order.insert(self.count, path.clone());
        }
        if let Some((old, at)) = self.files.insert(path.clone(), (content, self.count)) {
            self.bytes -= old.size();
            self.order.remove(&at);
        }
        while self.bytes > ALL
            && let Some((_, oldest)) = self.order.pop_first()
        {
            if let Some((content, _)) = self.files.get_mut(&oldest) {
                self.bytes -= content.size();
                *content = KnownContent::Lost;
            }
        }
    }
}

impl KnownContent {
    /// How many bytes that are.
    pub fn size(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Absent | Self::Lost => 0,
        }
    }
}

impl KnownFiles {
    /// Forgets everything, and keeps what is noted from now on.
    pub fn begin(&self) {
        *self.notes.lock() = Some(Notes::default());
    }

    /// Forgets everything, and keeps nothing more.
    pub fn end(&self) {
        *self.notes.lock() = None;
    }

    /// What the files hold was noted: a change from now on is told from what they held.
    pub fn noted_all(&self) {
        if let Some(notes) = &mut *self.notes.lock() {
            notes.is_complete = true;
        }
    }

    /// Whether a change from now on would be told from what its file held.
    pub fn is_complete(&self) -> bool {
        self.notes.lock().as_ref().is_some_and(|notes| notes.is_complete)
    }

    /// Whether anything is kept.
    pub fn is_on(&self) -> bool {
        self.notes.lock().is_some()
    }

    /// A file holds this as of now.
    pub fn note(&self, path: &WorkspacePath, content: KnownContent) {
        let content = match content.size() as u64 {
            0..=LARGEST => content,
            _ => KnownContent::Lost,
        };
        if let Some(notes) = &mut *self.notes.lock() {
            notes.put(path, content);
        }
    }

    /// What a file is known to hold; nothing where nothing was noted of it.
    pub fn get(&self, path: &WorkspacePath) -> Option<KnownContent> {
        let notes = self.notes.lock();
        let notes = notes.as_ref()?;
        let known = notes.files.get(path).map(|(content, _)| content.clone());
        known.or_else(|| notes.is_full.then_some(KnownContent::Lost))
    }

    /// The person saved a file in an editor.
    pub fn saved(&self, path: &WorkspacePath) {
        if self.is_on() {
            let mut saves = self.saves.lock();
            saves.retain(|_, at| at.elapsed() < KEPT);
            saves.insert(path.clone(), Instant::now());
        }
    }

    /// Whether the person saved a file in an editor since `at`.
    pub fn was_saved(&self, path: &WorkspacePath, at: Instant) -> bool {
        self.saves.lock().get(path).is_some_and(|saved| *saved >= at)
    }

    /// An agent's own tool is about to change a file, and says so afterwards: within `limit`, or else the change is one by
    /// nobody that we know.
    pub fn expect(&self, path: &WorkspacePath, limit: Duration) {
        let mut expected = self.expected.lock();
        expected.retain(|_, until| *until > Instant::now());
        expected.insert(path.clone(), Instant::now() + limit);
    }

    /// The change that was expected of a file is told, or will not come.
    pub fn expect_no_more(&self, path: &WorkspacePath) {
        self.expected.lock().remove(path);
    }

    /// Whether a change of a file will be told by whoever makes it.
    pub fn is_expected(&self, path: &WorkspacePath) -> bool {
        self.expected.lock().get(path).is_some_and(|until| *until > Instant::now())
    }

    /// A program of ours writes to the folder at once, until what this returns is dropped: what changes meanwhile counts as
    /// ours.
    pub fn writing(self: &Arc<Self>) -> DirectWriter {
        self.writers.fetch_add(1, Ordering::Relaxed);
        self.writes.fetch_add(1, Ordering::Relaxed);
        DirectWriter(self.clone())
    }

    /// A count that goes up whenever such a program begins or ends; and whether one runs.
    pub fn writes(&self) -> (u64, bool) {
        (self.writes.load(Ordering::Relaxed), self.writers.load(Ordering::Relaxed) > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> WorkspacePath {
        WorkspacePath::clean(name).unwrap()
    }

    fn bytes(size: usize) -> KnownContent {
        KnownContent::Bytes(vec![b'x'; size].into())
    }

    #[test]
    fn nothing_is_kept_before_it_begins_and_after_it_ends() {
        let known = KnownFiles::default();
        known.note(&path("a"), bytes(1));
        assert_eq!(known.get(&path("a")), None);
        known.begin();
        known.note(&path("a"), bytes(1));
        known.note(&path("b"), KnownContent::Absent);
        assert_eq!((known.get(&path("a")), known.get(&path("c"))), (Some(bytes(1)), None));
        assert_eq!(known.get(&path("b")), Some(KnownContent::Absent));
        known.end();
        assert_eq!((known.get(&path("a")), known.is_on()), (None, false));
    }

    #[test]
    fn bytes_are_bounded_and_what_goes_counts_as_changed() {
        let known = KnownFiles::default();
        known.begin();
        let large = usize::try_from(LARGEST).unwrap();
        known.note(&path("huge"), bytes(large + 1));
        assert_eq!(known.get(&path("huge")), Some(KnownContent::Lost));
        for at in 0..9 {
            known.note(&path(&at.to_string()), bytes(large));
        }
        assert_eq!(known.get(&path("0")), Some(KnownContent::Lost));
        assert_eq!(known.get(&path("1")), Some(bytes(large)));
        known.note(&path("1"), bytes(1));
        known.note(&path("0"), bytes(large - 1));
        assert_eq!(known.get(&path("2")), Some(bytes(large)), "what was replaced counts no more");
    }

    #[test]
    fn more_files_than_are_remembered_are_not_taken_for_unchanged() {
        let known = KnownFiles::default();
        known.begin();
        (0..=MOST).for_each(|at| known.note(&path(&at.to_string()), KnownContent::Absent));
        assert_eq!(known.get(&path("0")), Some(KnownContent::Absent));
        assert_eq!(known.get(&path("another")), Some(KnownContent::Lost));
    }

    #[test]
    fn what_is_expected_is_so_until_it_is_told() {
        let known = Arc::new(KnownFiles::default());
        known.expect(&path("a"), Duration::from_secs(60));
        known.expect(&path("b"), Duration::ZERO);
        assert_eq!([known.is_expected(&path("a")), known.is_expected(&path("b"))], [true, false]);
        known.expect_no_more(&path("a"));
        assert!(!known.is_expected(&path("a")));
        let before = known.writes();
        let writing = known.writing();
        assert!(known.writes().1);
        drop(writing);
        assert_eq!((before, known.writes()), ((0, false), (2, false)));
    }
}
