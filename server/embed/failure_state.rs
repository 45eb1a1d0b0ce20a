//! The failures of a model or a store: the pause after each, and the errors that were reported already.

use std::time::{Duration, Instant};

/// The pause after the first failure; twice as long after each further one.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest that it is left alone.
const LONGEST: Duration = Duration::from_secs(300);
/// The time for which a failure is not reported again.
const SILENCE: Duration = Duration::from_secs(300);
/// The most failures that are remembered as reported.
const TOLD: usize = 16;

/// The state of failing.
#[derive(Debug, Default)]
pub(super) struct FailureState {
    /// The last error; `None` while it works.
    said: Option<String>,
    pause: Duration,
    until: Option<Instant>,
    told: Vec<(String, Instant)>,
}

impl FailureState {
    /// Records a failure. Returns whether it is to be reported.
    pub(super) fn note_failure(&mut self, what: &str) -> bool {
        let now = Instant::now();
        // A call that fails during the pause was under way before.
        if self.remaining_pause().is_zero() {
            self.pause = (self.pause * 2).clamp(PAUSE, LONGEST);
            self.until = Some(now + self.pause);
        }
        self.said = Some(what.to_owned());
        self.told.retain(|(_, at)| now.duration_since(*at) < SILENCE);
        let is_new = self.told.len() < TOLD && !self.told.iter().any(|(told, _)| told == what);
        if is_new {
            self.told.push((what.to_owned(), now));
        }
        is_new
    }

    /// Records a success. Returns whether it had failed before.
    pub(super) fn note_success(&mut self) -> bool {
        (self.pause, self.until) = (Duration::ZERO, None);
        self.said.take().is_some()
    }

    /// Returns the rest of the pause.
    pub(super) fn remaining_pause(&self) -> Duration {
        self.until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }

    /// Returns the last error, if nothing worked since.
    pub(super) fn last_failure(&self) -> Option<String> {
        self.said.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_once_and_the_pause_grows_until_it_works() {
        let mut trouble = FailureState::default();
        assert!(
            trouble.note_failure("away") && !trouble.note_failure("away") && trouble.note_failure("busy")
        );
        assert_eq!(trouble.last_failure().as_deref(), Some("busy"));
        assert!(trouble.remaining_pause() <= PAUSE && !trouble.remaining_pause().is_zero());
        trouble.until = None;
        trouble.note_failure("away");
        assert!(trouble.remaining_pause() > PAUSE);
        assert!(trouble.note_success() && !trouble.note_success());
        assert!(trouble.remaining_pause().is_zero() && trouble.last_failure().is_none());
        assert!(!trouble.note_failure("away"), "it was told a moment ago");
    }
}
