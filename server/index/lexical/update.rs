//! Takes files into the index that it does not know yet as they are, and merges its segments.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::ahead::{Read, ahead};
use super::entry::{FileEntry, FileList};
use super::index::Index;
use super::segment::builder::Builder;
use super::segment::merge::merge;
use super::segment::{Damaged, Segment};
use super::source::Source;
use super::store::Store;
use super::view::View;

/// Bytes of lists that are gathered before they are written.
const GATHERED: usize = 64 << 20;

/// Files that are not known and not worth a segment of their own: looking through them costs next to nothing.
const FEW: usize = if cfg!(test) { 0 } else { 48 };

/// Segments that there may be before some are merged.
const MOST_SEGMENTS: usize = 6;

/// How long an update waits between two looks whether searches still run.
const PAUSE: Duration = Duration::from_millis(1);

/// Files between two reports of progress.
const REPORT: usize = 64;

/// Why an index was not brought up to date.
#[derive(Debug, Error)]
pub enum Trouble {
    /// It cannot be written, as on a full disk.
    #[error("the search index cannot be written: {0}; searches go on without it")]
    Write(#[from] io::Error),
    /// What is there cannot be merged.
    #[error("{0}")]
    Damaged(#[from] Damaged),
}

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// Files that were taken in.
    pub added: usize,
    /// Files left for a later update: they changed just now, or could not be read.
    pub left: usize,
    /// Whether it was stopped before its end.
    pub stopped: bool,
}

/// One update of an index. No other process writes to `store` meanwhile.
pub(super) struct Updater<'a> {
    pub(super) index: &'a Index,
    pub(super) store: &'a Store,
    pub(super) source: &'a dyn Source,
    /// Whether to go on.
    pub(super) go_on: &'a (dyn Fn() -> bool + Sync),
}

impl Updater<'_> {
    /// Takes in the files of a list that the index does not know as they are. `progress` hears of files done and of all.
    ///
    /// # Errors
    /// Where segments cannot be written or merged.
    pub(super) fn run(
        &self,
        list: &FileList,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Update, Trouble> {
        let index = self.index;
        index.set_segments(self.store.segments(&index.segments()));
        let view = index.view(list);
        let unknown: Vec<FileEntry> = view.unknown().cloned().collect();
        drop(view);
        let mut done = Update { left: unknown.len(), ..Update::default() };
        if unknown.len() > FEW || index.segments().is_empty() {
            done = self.take_in(&unknown, progress)?;
        }
        self.tidy(&index.view(list))?;
        done.stopped = !(self.go_on)();
        Ok(done)
    }

    fn take_in(
        &self,
        unknown: &[FileEntry],
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Update, Trouble> {
        let mut builder = Builder::default();
        let mut done = Update::default();
        let (index, go_on) = (self.index, self.go_on);
        std::thread::scope(|scope| {
            for read in ahead(scope, unknown, self.source, || quiet(index, go_on), go_on)? {
                let (entry, stamp) = match read {
                    Read::Block(trigrams) => {
                        builder.block(&trigrams);
                        continue;
                    }
                    Read::File(entry, stamp) => (entry, stamp),
                };
                let number = done.added + done.left;
                if number.is_multiple_of(REPORT) {
                    progress(number, unknown.len());
                }
                builder.file(&entry.path, stamp);
                *(if stamp.is_some() { &mut done.added } else { &mut done.left }) += 1;
                if builder.bytes() >= GATHERED {
                    self.write(&mut builder)?;
                }
            }
            Ok::<(), Trouble>(())
        })?;
        if done.added > 0 && builder.files() > 0 {
            self.write(&mut builder)?;
        }
        progress(unknown.len(), unknown.len());
        Ok(done)
    }

    fn write(&self, builder: &mut Builder) -> Result<(), Trouble> {
        builder.write(&self.store.next(), self.store.root())?;
        self.index.set_segments(self.store.segments(&self.index.segments()));
        Ok(())
    }

    /// Merges what has become too many, or is mostly of files that changed.
    fn tidy(&self, view: &View) -> Result<(), Trouble> {
        let mut live: Vec<(&Arc<Segment>, Vec<u32>)> = view.live().collect();
        // The ones with few files first: merging these costs little.
        live.sort_by_key(|(segment, _)| segment.files().len());
        let Some((largest, rest)) = live.split_last() else { return Ok(()) };
        let in_rest: usize = rest.iter().map(|(_, live)| live.len()).sum();
        let wasted = largest.1.len() < largest.0.files().len() / 2;
        let merged = if wasted || in_rest > largest.1.len() / 8 && !rest.is_empty() {
            live.as_slice()
        } else if live.len() > MOST_SEGMENTS {
            rest
        } else {
            return Ok(());
        };
        let merged: Vec<(&Segment, Vec<u32>)> =
            merged.iter().map(|(segment, live)| (segment.as_ref(), live.clone())).collect();
        let (index, store) = (self.index, self.store);
        if merge(&merged, &store.next(), store.root(), || quiet(index, self.go_on))? {
            merged.iter().for_each(|(segment, _)| store.remove(segment.path()));
            index.set_segments(store.segments(&index.segments()));
        }
        Ok(())
    }
}

/// Waits until no search runs; whether to go on then.
fn quiet(index: &Index, go_on: &dyn Fn() -> bool) -> bool {
    while index.searching() > 0 && go_on() {
        std::thread::sleep(PAUSE);
    }
    go_on()
}
