//! Reads files and finds their trigrams, on a thread ahead of the one that builds an index of them.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, Scope};
use std::time::{SystemTime, UNIX_EPOCH};

use super::entry::{FileEntry, StatStamp};
use super::source::TextSource;
use super::text::{StoppableReader, extract_trigrams};
use super::trigrams::{Trigram, TrigramExtractor};

/// The most blocks and files that are read ahead.
const AHEAD: usize = 256;

/// A part of a file that was read.
#[derive(Debug)]
pub(super) enum ReadPiece<'a> {
    /// The trigrams of a block of the file that comes next.
    Block(Vec<Trigram>),
    /// The end of a file, with the state in which it was read whole: `None` if it changed meanwhile or just before.
    File(&'a FileEntry, Option<StatStamp>),
}

/// Starts to read these files in their order, each once `may` allows it; if it does not, or if the receiver is gone,
/// it ends. `go_on` is asked within a file.
///
/// # Errors
/// Fails if the system cannot start a thread.
pub(super) fn start_reading<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    files: &'env [FileEntry],
    source: &'env dyn TextSource,
    may: impl Fn() -> bool + Send + 'scope,
    go_on: &'env (dyn Fn() -> bool + Sync),
) -> io::Result<Receiver<ReadPiece<'env>>> {
    let (tell, told) = sync_channel(AHEAD);
    let work = move || {
        let mut extractor = TrigramExtractor::default();
        for entry in files {
            if !may() {
                return;
            }
            let stamp = read_file(&entry.path, source, &mut extractor, &tell, &|| go_on());
            if tell.send(ReadPiece::File(entry, stamp)).is_err() {
                return;
            }
        }
    };
    Builder::new().name("index-read".to_owned()).spawn_scoped(scope, work)?;
    Ok(told)
}

/// Sends a file's blocks; returns the state in which it was read whole.
fn read_file(
    path: &str,
    source: &dyn TextSource,
    text: &mut TrigramExtractor,
    tell: &SyncSender<ReadPiece<'_>>,
    go_on: &impl Fn() -> bool,
) -> Option<StatStamp> {
    let file = source.open(path)?;
    let stamp = StatStamp::from_metadata(&file.metadata().ok()?);
    if !stamp.is_settled(now_ns()) {
        return None;
    }
    let read = extract_trigrams(StoppableReader::new(&file, go_on), text, |block| {
        // If the receiver is gone, sending the end of the file fails too.
        let _ = tell.send(ReadPiece::Block(block));
    });
    if read.is_err() {
        // The rest of its blocks must not count for the next file.
        let _ = tell.send(ReadPiece::Block(text.finish()));
        return None;
    }
    (StatStamp::from_metadata(&file.metadata().ok()?) == stamp).then_some(stamp)
}

fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
