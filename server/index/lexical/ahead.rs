//! Reads files and finds their trigrams, on a thread ahead of the one that builds an index of them.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, Scope};
use std::time::{SystemTime, UNIX_EPOCH};

use super::entry::{FileEntry, Stamp};
use super::source::Source;
use super::text::{Stoppable, extract};
use super::trigrams::{Extractor, Trigram};

/// What may have been read and not yet taken, in blocks and files.
const AHEAD: usize = 256;

/// What was read.
#[derive(Debug)]
pub(super) enum Read<'a> {
    /// The trigrams of a block of the file that comes next.
    Block(Vec<Trigram>),
    /// The end of a file, with the state in which it was read whole: nothing where it changed meanwhile or just before.
    File(&'a FileEntry, Option<Stamp>),
}

/// Begins to read these files in their order, each one once `may` allows it; where it does not, or where nobody takes what
/// was read any more, it ends. `go_on` is asked within a file.
///
/// # Errors
/// Where the system gives no thread.
pub(super) fn ahead<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    files: &'env [FileEntry],
    source: &'env dyn Source,
    may: impl Fn() -> bool + Send + 'scope,
    go_on: &'env (dyn Fn() -> bool + Sync),
) -> io::Result<Receiver<Read<'env>>> {
    let (tell, told) = sync_channel(AHEAD);
    let work = move || {
        let mut extractor = Extractor::default();
        for entry in files {
            if !may() {
                return;
            }
            let stamp = read(&entry.path, source, &mut extractor, &tell, &|| go_on());
            if tell.send(Read::File(entry, stamp)).is_err() {
                return;
            }
        }
    };
    Builder::new().name("index-read".to_owned()).spawn_scoped(scope, work)?;
    Ok(told)
}

/// Tells of a file's blocks; the state in which it was read whole.
fn read(
    path: &str,
    source: &dyn Source,
    text: &mut Extractor,
    tell: &SyncSender<Read<'_>>,
    go_on: &impl Fn() -> bool,
) -> Option<Stamp> {
    let file = source.open(path)?;
    let stamp = Stamp::of_metadata(&file.metadata().ok()?);
    if !stamp.is_settled(now_ns()) {
        return None;
    }
    let read = extract(Stoppable::new(&file, go_on), text, |block| {
        // Where nobody takes it, the end of the file is not taken either.
        let _ = tell.send(Read::Block(block));
    });
    if read.is_err() {
        // What is left of it must not count for the next file.
        let _ = tell.send(Read::Block(text.finish()));
        return None;
    }
    (Stamp::of_metadata(&file.metadata().ok()?) == stamp).then_some(stamp)
}

fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
