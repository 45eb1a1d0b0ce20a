//! Brings the list up to date: all callers use this one way.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::SettleError;
use super::event_source::EventBarrier;
use super::tree::WatchedTree;
use crate::protocol::RescanReason;

/// Events that are looked at in one turn; the deadline is looked at between turns.
const TURN: u64 = 2_048;

/// Full readings in one call, where each is overtaken by more than the kernel keeps.
const RESCANS: usize = 3;

impl WatchedTree {
    /// Makes the list agree with the disk at the time of this call: every waiting event is handled. With `all`, the
    /// files that the kernel does not report are read too, unless that was done since then.
    ///
    /// # Errors
    /// Why it could not, if it could not by the deadline.
    pub(super) fn catch_up(&mut self, all: Option<Instant>, deadline: Instant) -> Result<(), SettleError> {
        let caught_up = self.read_changes(all, deadline);
        // Open, it would hinder an unmount.
        if let Some(top) = &mut self.top {
            top.close_opened();
        }
        caught_up
    }

    fn read_changes(&mut self, all: Option<Instant>, deadline: Instant) -> Result<(), SettleError> {
        self.check_root();
        self.rescan_if_needed(deadline)?;
        if let (Some(source), Some(_)) = (self.known.folders.source.clone(), all) {
            match source.reach_barrier(deadline) {
                EventBarrier::Reached => {}
                EventBarrier::Late => return Err(SettleError::Busy),
                EventBarrier::Broken => {
                    // All is read again, now and before each answer.
                    self.known.folders.give_up_source("its watcher has stopped");
                    self.rescans.due = Some(RescanReason::Overflow);
                    self.rescan_if_needed(deadline)?;
                }
            }
            if source.misses_unmounts()
                && self.top.as_ref().is_some_and(|top| self.known.folders.has_lost_mount(top))
            {
                self.rescans.due = Some(RescanReason::Unmounted);
            }
        }
        if let Some(source) = self.known.folders.source.clone() {
            let mut left = source.waiting_events();
            while left > 0 {
                self.may_go_on(deadline)?;
                let turn = left.min(TURN);
                let mut raws = Vec::new();
                let taken = source.take_events(turn, &mut raws);
                self.handle_events(raws);
                left = if taken < turn { 0 } else { left.saturating_sub(taken) };
            }
        }
        if let Some(asked) = all {
            self.look_at_linked();
            for path in self.known.folders.stale_excludes() {
                self.reread_rules(&path);
            }
            if !self.known.folders.polled.is_empty() && self.polled_at.is_none_or(|(begun, _)| begun < asked)
            {
                self.may_go_on(deadline)?;
                self.poll_folders();
            }
            for path in self.top.as_ref().map(|top| self.known.readable_again(top)).unwrap_or_default() {
                self.rescan_under(&path, true);
            }
        }
        self.rescan_if_needed(deadline)?;
        for _ in 0..RESCANS {
            if self.known.missed.is_empty() {
                break;
            }
            self.may_go_on(deadline)?;
            self.look_at_missed();
        }
        if self.stop.load(Ordering::Relaxed) {
            return Err(SettleError::Ended);
        }
        if self.top.is_none() { Err(SettleError::RootMissing) } else { Ok(()) }
    }

    fn rescan_if_needed(&mut self, deadline: Instant) -> Result<(), SettleError> {
        for _ in 0..RESCANS {
            let Some(reason) = self.rescans.due.take() else { return Ok(()) };
            self.rescan_all(reason);
            if self.stop.load(Ordering::Relaxed) || Instant::now() > deadline {
                break;
            }
        }
        if self.rescans.due.is_some() { Err(SettleError::Busy) } else { Ok(()) }
    }

    fn may_go_on(&self, deadline: Instant) -> Result<(), SettleError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(SettleError::Ended);
        }
        if Instant::now() > deadline { Err(SettleError::Busy) } else { Ok(()) }
    }
}
