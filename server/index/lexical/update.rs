//! Takes files into the index that it does not know yet as they are, and merges its segments.

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use thiserror::Error;

use super::entry::{FileEntry, FileList, Stamp};
use super::index::Index;
use super::segment::builder::Builder;
use super::segment::merge::merge;
use super::segment::{Damaged, Segment};
use super::source::Source;
use super::store::Store;
use super::text::{Stoppable, extract};
use super::trigrams::Extractor;
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

/// Updates the index; `store` is written by this process alone.
///
/// # Errors
/// Where segments cannot be written or merged.
pub fn run(
    index: &Index,
    store: &Store,
    list: &FileList,
    source: &dyn Source,
    progress: &mut dyn FnMut(usize, usize),
    go_on: &dyn Fn() -> bool,
) -> Result<Update, Trouble> {
    index.set_segments(store.segments(&index.segments()));
    let view = index.view(list);
    let unknown: Vec<FileEntry> = view.unknown().cloned().collect();
    drop(view);
    let mut done = Update { left: unknown.len(), ..Update::default() };
    if unknown.len() > FEW || index.segments().is_empty() {
        done = take_in(index, store, &unknown, source, progress, go_on)?;
    }
    tidy(index, store, &index.view(list), go_on)?;
    done.stopped = !go_on();
    Ok(done)
}

fn take_in(
    index: &Index,
    store: &Store,
    unknown: &[FileEntry],
    source: &dyn Source,
    progress: &mut dyn FnMut(usize, usize),
    go_on: &dyn Fn() -> bool,
) -> Result<Update, Trouble> {
    let (mut builder, mut extractor) = (Builder::default(), Extractor::default());
    let mut done = Update::default();
    let go_on_now = || go_on();
    for (number, entry) in unknown.iter().enumerate() {
        while index.searching() > 0 && go_on() {
            std::thread::sleep(PAUSE);
        }
        if !go_on() {
            break;
        }
        if number % REPORT == 0 {
            progress(number, unknown.len());
        }
        let stamp = read(&entry.path, source, &mut extractor, &mut builder, &go_on_now);
        builder.file(&entry.path, stamp);
        *(if stamp.is_some() { &mut done.added } else { &mut done.left }) += 1;
        if builder.bytes() >= GATHERED {
            write(index, store, &mut builder)?;
        }
    }
    if done.added > 0 && builder.files() > 0 {
        write(index, store, &mut builder)?;
    }
    progress(unknown.len(), unknown.len());
    Ok(done)
}

/// The state in which a file was read whole; nothing where it changed meanwhile or just before.
fn read(
    path: &str,
    source: &dyn Source,
    text: &mut Extractor,
    into: &mut Builder,
    go_on: &impl Fn() -> bool,
) -> Option<Stamp> {
    let file = source.open(path)?;
    let stamp = Stamp::of_metadata(&file.metadata().ok()?);
    if !stamp.is_settled(now_ns()) {
        return None;
    }
    let read = extract(Stoppable::new(&file, go_on), text, |block| into.block(block));
    if read.is_err() {
        // What is left of it must not count for the next file.
        into.block(text);
        return None;
    }
    (Stamp::of_metadata(&file.metadata().ok()?) == stamp).then_some(stamp)
}

fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

fn write(index: &Index, store: &Store, builder: &mut Builder) -> Result<(), Trouble> {
    builder.write(&store.next(), store.root())?;
    index.set_segments(store.segments(&index.segments()));
    Ok(())
}

/// Merges what has become too many, or is mostly of files that changed.
fn tidy(index: &Index, store: &Store, view: &View, go_on: &dyn Fn() -> bool) -> Result<(), Trouble> {
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
    let pause = || {
        while index.searching() > 0 && go_on() {
            std::thread::sleep(PAUSE);
        }
        go_on()
    };
    if merge(&merged, &store.next(), store.root(), pause)? {
        merged.iter().for_each(|(segment, _)| store.remove(segment.path()));
        index.set_segments(store.segments(&index.segments()));
    }
    Ok(())
}
