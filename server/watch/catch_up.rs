//! Brings what is known up to date: the one way in which that happens, whoever asks for it.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::tree::Tree;
use super::{Unsettled, links};
use crate::protocol::{WatchMode, WatchStatus};

/// Events that are looked at in one turn; the deadline is looked at between turns.
const TURN: u64 = 2_048;

/// Full readings in one call, where each is overtaken by more than the kernel keeps.
const RESCANS: usize = 3;

impl Tree {
    /// Makes what is known agree with the disk as it was when this was called: every event that waits by now is looked
    /// at. With `all`, so is what the kernel does not tell of, unless that was done since then.
    ///
    /// # Errors
    /// Why it could not, where it could not by the deadline.
    pub(super) fn catch_up(&mut self, all: Option<Instant>, deadline: Instant) -> Result<(), Unsettled> {
        self.check_root();
        self.rescan_if_needed(deadline)?;
        if let Some(source) = self.source.clone() {
            let mut left = source.waiting();
            while left > 0 {
                self.may_go_on(deadline)?;
                let turn = left.min(TURN);
                let mut raws = Vec::new();
                let taken = source.take(turn, &mut raws);
                self.handle(raws);
                left = if taken < turn { 0 } else { left.saturating_sub(taken) };
            }
        }
        if let Some(asked) = all {
            self.look_at_linked();
            self.look_at_excludes();
            if !self.polled.is_empty() && self.polled_at.is_none_or(|(begun, _)| begun < asked) {
                self.may_go_on(deadline)?;
                self.poll();
            }
        }
        self.rescan_if_needed(deadline)?;
        if self.stop.load(Ordering::Relaxed) {
            return Err(Unsettled::Ended);
        }
        if self.top.is_none() { Err(Unsettled::RootMissing) } else { Ok(()) }
    }

    fn rescan_if_needed(&mut self, deadline: Instant) -> Result<(), Unsettled> {
        for _ in 0..RESCANS {
            let Some(reason) = self.rescan.take() else { return Ok(()) };
            self.rescan_all(reason);
            if self.stop.load(Ordering::Relaxed) || Instant::now() > deadline {
                break;
            }
        }
        if self.rescan.is_some() { Err(Unsettled::Busy) } else { Ok(()) }
    }

    fn may_go_on(&self, deadline: Instant) -> Result<(), Unsettled> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Unsettled::Ended);
        }
        if Instant::now() > deadline { Err(Unsettled::Busy) } else { Ok(()) }
    }

    /// How it stands.
    pub(super) fn status(&self) -> WatchStatus {
        let (all, polled) = (self.folders.len(), self.polled.len());
        let mode = match (polled, &self.source) {
            (0, Some(_)) => WatchMode::Native,
            (polled, _) if polled >= all => WatchMode::Polling,
            _ => WatchMode::Mixed,
        };
        WatchStatus {
            mode,
            folders_watched: all.saturating_sub(polled),
            folders_polled: polled,
            files: self.files.len(),
            generation: self.files.generation(),
            pending: self.source.as_ref().map_or(0, |source| source.waiting()),
            untold: self.window.len(),
            last_rescan: self.last_rescan,
            problems: self.problems(),
        }
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let polled = self.polled.len();
        let troubles = &self.troubles;
        if self.top.is_none() && self.last_rescan.is_some() {
            problems.push(format!(
                "no folder stands at {}; its files are listed again when it is back",
                self.root.display()
            ));
        }
        if let Some(error) = troubles.no_instance {
            problems.push(format!(
                "the system gives us no watches ({error}), so all files are looked at before each answer; \
                 `sysctl fs.inotify.max_user_instances` shows how many programs may have some"
            ));
        }
        if troubles.limited {
            problems.push(format!(
                "the limit of watches is met: {polled} folders are looked at before each answer, which is slower; \
                 raise it with `sudo sysctl fs.inotify.max_user_watches={}`",
                (self.folders.len() * 2).max(524_288)
            ));
        }
        for reason in self.devices.reasons() {
            problems.push(format!(
                "files lie on {reason}, which tells of no changes made elsewhere: they are looked at before each answer"
            ));
        }
        if polled > 0 && problems.is_empty() && !self.options.polling {
            problems.push(format!(
                "the system does not watch {polled} folders: they are looked at before each answer"
            ));
        }
        if troubles.unnamed > 0 {
            problems.push(format!("{} names are not UTF-8 and are not listed", troubles.unnamed));
        }
        if troubles.unreadable > 0 {
            problems.push(format!("{} folders cannot be read and are not listed", troubles.unreadable));
        }
        if troubles.cut {
            problems.push(format!(
                "there are more than {} files, and the rest is not listed; name what is generated in a .whereforeignore",
                self.options.max_files
            ));
        }
        if self.linked.len() > links::LINKED {
            problems.push(format!(
                "{} files have several names; what changes through a name outside of the root may not be seen at once",
                self.linked.len()
            ));
        }
        problems
    }
}
