//! Watches the files that a folder's tools come from: definitions, settings, consents.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use notify::event::EventKind;
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use super::definition_files;
use super::toolbox::Toolbox;

/// The quiet after which it is read: an editor saves in several steps.
const QUIET: Duration = Duration::from_millis(25);
/// The longest time that changes in a row delay the reading.
const LONGEST: Duration = Duration::from_secs(1);

/// Starts watching on a thread of its own; a message in the channel has everything read too. The thread ends once
/// `toolbox` is gone and a message is sent.
///
/// # Errors
/// The system's error.
pub(super) fn start_watcher(toolbox: &Arc<Toolbox>) -> Result<Sender<()>, String> {
    let (nudge, nudged) = channel();
    let events = nudge.clone();
    let wanted = toolbox.watched_places();
    let registry = toolbox.registry().clone();
    let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        // An error may mean that something was missed.
        if event.as_ref().map_or(true, |event| is_relevant(event, &wanted)) {
            registry.changes().note();
            let _ = events.send(());
        }
    });
    let mut places =
        WatchedFolders { watcher: watcher.map_err(|error| error.to_string())?, watched: BTreeSet::new() };
    places.watch_folders(&toolbox.watched_places());
    let toolbox = Arc::downgrade(toolbox);
    let thread = std::thread::Builder::new().name("tool-files".to_owned());
    thread.spawn(move || run_watcher(&toolbox, places, &nudged)).map_err(|error| error.to_string())?;
    Ok(nudge)
}

fn run_watcher(toolbox: &Weak<Toolbox>, mut places: WatchedFolders, nudged: &Receiver<()>) {
    while nudged.recv().is_ok() {
        let first = Instant::now();
        while first.elapsed() < LONGEST {
            match nudged.recv_timeout(QUIET) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        let Some(toolbox) = toolbox.upgrade() else { return };
        // Folders that were made, or made again, since.
        places.watch_folders(&toolbox.watched_places());
        let seen = toolbox.registry().changes().seen();
        toolbox.reload();
        toolbox.registry().changes().note_read(seen);
        toolbox.settle_soon();
    }
}

/// Returns whether an event is about a file that something is read from, or about a folder on the way to one.
fn is_relevant(event: &Event, wanted: &[PathBuf]) -> bool {
    let read = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        ["config.toml", "consents.json"].contains(&name) || definition_files::is_definition(name)
    };
    let known = |path: &PathBuf| {
        wanted.iter().any(|place| place.starts_with(path) || (path.parent() == Some(place) && read(path)))
    };
    !matches!(event.kind, EventKind::Access(_)) && (event.need_rescan() || event.paths.iter().any(known))
}

struct WatchedFolders {
    watcher: RecommendedWatcher,
    watched: BTreeSet<PathBuf>,
}

impl WatchedFolders {
    /// Watches those folders; where one is missing, the nearest above it that is there, for it to be made.
    fn watch_folders(&mut self, wanted: &[PathBuf]) {
        let there = |path: &PathBuf| path.ancestors().find(|above| above.is_dir()).map(Path::to_owned);
        let now: BTreeSet<PathBuf> = wanted.iter().filter_map(there).collect();
        for gone in self.watched.difference(&now) {
            // It may have ended with its folder.
            let _ = self.watcher.unwatch(gone);
        }
        for folder in &now {
            // Watched again even where it was: another folder may stand there now.
            if self.watched.contains(folder) {
                let _ = self.watcher.unwatch(folder);
            }
            if let Err(error) = self.watcher.watch(folder, RecursiveMode::NonRecursive) {
                tracing::warn!("{}: changes are not seen: {error}", folder.display());
            }
        }
        self.watched = now;
    }
}
