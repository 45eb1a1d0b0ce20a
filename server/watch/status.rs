//! The status of a watch, with the problems that were met on the way.

use super::file_table::LINKED;
use super::tree::WatchedTree;
use crate::protocol::{WatchBackend, WatchMode, WatchStatus};

impl WatchedTree {
    /// Returns the status.
    pub(super) fn status(&self) -> WatchStatus {
        let folders = &self.known.folders;
        let (all, polled) = (folders.folders.len(), folders.polled.len());
        let mode = match (polled, &folders.source) {
            (0, Some(_)) => WatchMode::Native,
            (polled, _) if polled >= all => WatchMode::Polling,
            _ => WatchMode::Mixed,
        };
        let backend = folders.source.as_ref().map_or(WatchBackend::Poll, |source| source.backend());
        WatchStatus {
            mode,
            backend,
            folders_watched: all.saturating_sub(polled),
            folders_polled: polled,
            files: self.known.files.snapshot.len(),
            generation: self.known.files.snapshot.generation(),
            pending: folders.source.as_ref().map_or(0, |source| source.waiting_events()),
            untold: self.known.files.window.len(),
            last_rescan: self.rescans.last,
            problems: self.problems(),
        }
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let folders = &self.known.folders;
        let polled = folders.polled.len();
        if self.top.is_none() && self.rescans.last.is_some() {
            problems.push(format!(
                "no folder stands at {}; its files are listed again when it is back",
                self.root.display()
            ));
        }
        if let Some(error) = &folders.no_source {
            problems.push(format!(
                "the system gives us no watches, so all files are looked at before each answer: {error}"
            ));
        }
        if folders.limited {
            problems.push(format!(
                "the limit of watches is met: {polled} folders are looked at before each answer, which is slower; \
                 raise it with `sudo sysctl fs.inotify.max_user_watches={}`",
                (folders.folders.len() * 2).max(524_288)
            ));
        }
        for reason in self.devices.reasons() {
            problems.push(format!(
                "files lie on {reason}, which tells of no changes made elsewhere: they are looked at before each answer"
            ));
        }
        if polled > 0 && problems.is_empty() && self.options.backend != WatchBackend::Poll {
            problems.push(format!(
                "the system does not watch {polled} folders: they are looked at before each answer"
            ));
        }
        if self.known.unnamed > 0 {
            problems.push(format!("{} names are not UTF-8 and are not listed", self.known.unnamed));
        }
        if !self.known.unreadable.is_empty() {
            problems
                .push(format!("{} folders cannot be read and are not listed", self.known.unreadable.len()));
        }
        if self.known.files.cut {
            problems.push(format!(
                "there are more than {} files, and the rest is not listed; name what is generated in a .whereforeignore",
                self.options.max_files
            ));
        }
        if self.known.files.linked.len() > LINKED {
            problems.push(format!(
                "{} files have several names; what changes through a name outside of the root may not be seen at once",
                self.known.files.linked.len()
            ));
        }
        problems
    }
}
