//! Takes files into the index that it does not know yet as they are, and merges its segments.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::entry::{FileEntry, FileList};
use super::index::LexicalIndex;
use super::read_ahead::{ReadPiece, start_reading};
use super::segment::builder::SegmentBuilder;
use super::segment::merge::merge_segments;
use super::segment::{IndexSegment, SegmentError};
use super::source::TextSource;
use super::store::SegmentStore;
use super::view::IndexView;

/// Bytes of lists that are gathered before they are written.
const GATHERED: usize = 64 << 20;

/// Files that are not known and not worth a segment of their own: looking through them costs next to nothing.
const FEW: usize = if cfg!(test) { 0 } else { 48 };

/// Segments that there may be before some are merged.
const MOST_SEGMENTS: usize = 6;

/// The pause of an update between two checks whether searches still run.
const PAUSE: Duration = Duration::from_millis(1);

/// Files between two reports of progress.
const REPORT: usize = 64;

/// The reason why an index was not brought up to date.
#[derive(Debug, Error)]
pub enum UpdateError {
    /// It cannot be written, for example on a full disk.
    #[error("the search index cannot be written: {0}; searches go on without it")]
    Write(#[from] io::Error),
    /// The present segments cannot be merged.
    #[error("{0}")]
    Damaged(#[from] SegmentError),
}

/// The result of an update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateReport {
    /// Files that were taken in.
    pub added: usize,
    /// Files left for a later update: they changed just now, or could not be read.
    pub left: usize,
    /// True if it was stopped before its end.
    pub stopped: bool,
}

/// An update of an index. No other process writes to `store` meanwhile.
pub(super) struct IndexUpdater<'a> {
    pub(super) index: &'a LexicalIndex,
    pub(super) store: &'a SegmentStore,
    pub(super) source: &'a dyn TextSource,
    /// Returns whether to go on.
    pub(super) go_on: &'a (dyn Fn() -> bool + Sync),
}

impl IndexUpdater<'_> {
    /// Adds the files of a list whose present state is not in the index. `progress` is called with the numbers of
    /// done and of all files.
    ///
    /// # Errors
    /// Fails if segments cannot be written or merged.
    pub(super) fn run_update(
        &self,
        list: &FileList,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<UpdateReport, UpdateError> {
        let index = self.index;
        index.set_segments(self.store.open_segments(&index.segments()));
        let view = index.view(list);
        let unknown: Vec<FileEntry> = view.unknown_files().cloned().collect();
        drop(view);
        let mut done = UpdateReport { left: unknown.len(), ..UpdateReport::default() };
        if unknown.len() > FEW || index.segments().is_empty() {
            done = self.take_in(&unknown, progress)?;
        }
        self.merge_segments(&index.view(list))?;
        done.stopped = !(self.go_on)();
        Ok(done)
    }

    fn take_in(
        &self,
        unknown: &[FileEntry],
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<UpdateReport, UpdateError> {
        let mut builder = SegmentBuilder::default();
        let mut done = UpdateReport::default();
        let (index, go_on) = (self.index, self.go_on);
        std::thread::scope(|scope| {
            for read in start_reading(scope, unknown, self.source, || wait_for_searches(index, go_on), go_on)?
            {
                let (entry, stamp) = match read {
                    ReadPiece::Block(trigrams) => {
                        builder.add_block(&trigrams);
                        continue;
                    }
                    ReadPiece::File(entry, stamp) => (entry, stamp),
                };
                let number = done.added + done.left;
                if number.is_multiple_of(REPORT) {
                    progress(number, unknown.len());
                }
                builder.add_file(&entry.path, stamp);
                *(if stamp.is_some() { &mut done.added } else { &mut done.left }) += 1;
                if builder.bytes() >= GATHERED {
                    self.write_segment(&mut builder)?;
                }
            }
            Ok::<(), UpdateError>(())
        })?;
        if done.added > 0 && builder.files() > 0 {
            self.write_segment(&mut builder)?;
        }
        progress(unknown.len(), unknown.len());
        Ok(done)
    }

    fn write_segment(&self, builder: &mut SegmentBuilder) -> Result<(), UpdateError> {
        builder.write_segment(&self.store.next_path(), self.store.root())?;
        self.index.set_segments(self.store.open_segments(&self.index.segments()));
        Ok(())
    }

    /// Merges what has become too many, or is mostly of files that changed.
    fn merge_segments(&self, view: &IndexView) -> Result<(), UpdateError> {
        let mut live: Vec<(&Arc<IndexSegment>, Vec<u32>)> = view.live_files().collect();
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
        let merged: Vec<(&IndexSegment, Vec<u32>)> =
            merged.iter().map(|(segment, live)| (segment.as_ref(), live.clone())).collect();
        let (index, store) = (self.index, self.store);
        if merge_segments(&merged, &store.next_path(), store.root(), || wait_for_searches(index, self.go_on))?
        {
            merged.iter().for_each(|(segment, _)| store.remove_segment(segment.path()));
            index.set_segments(store.open_segments(&index.segments()));
        }
        Ok(())
    }
}

/// Waits until no search runs; whether to go on then.
fn wait_for_searches(index: &LexicalIndex, go_on: &dyn Fn() -> bool) -> bool {
    while index.search_count() > 0 && go_on() {
        std::thread::sleep(PAUSE);
    }
    go_on()
}
