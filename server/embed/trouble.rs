//! That a model or a store fails: how long it is left alone, and what was said of it already.

use std::time::{Duration, Instant};

/// How long it is left alone after the first failure; twice as long after each further one.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest that it is left alone.
const LONGEST: Duration = Duration::from_secs(300);
/// How long the same failure is not told again.
const SILENCE: Duration = Duration::from_secs(300);
/// Failures remembered as told.
const TOLD: usize = 16;

/// How it fails.
#[derive(Debug, Default)]
pub(super) struct Trouble {
    /// What went wrong last; nothing where it works.
    said: Option<String>,
    pause: Duration,
    until: Option<Instant>,
    told: Vec<(String, Instant)>,
}

impl Trouble {
    /// It failed once more. Whether that is to be told.
    pub(super) fn begin(&mut self, what: &str) -> bool {
        let now = Instant::now();
        // What fails while it is left alone was under way before.
        if self.pause().is_zero() {
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

    /// It worked. Whether it had failed before.
    pub(super) fn over(&mut self) -> bool {
        (self.pause, self.until) = (Duration::ZERO, None);
        self.said.take().is_some()
    }

    /// How long it is still left alone.
    pub(super) fn pause(&self) -> Duration {
        self.until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }

    /// What went wrong last, where nothing worked since.
    pub(super) fn said(&self) -> Option<String> {
        self.said.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_once_and_the_pause_grows_until_it_works() {
        let mut trouble = Trouble::default();
        assert!(trouble.begin("away") && !trouble.begin("away") && trouble.begin("busy"));
        assert_eq!(trouble.said().as_deref(), Some("busy"));
        assert!(trouble.pause() <= PAUSE && !trouble.pause().is_zero());
        trouble.until = None;
        trouble.begin("away");
        assert!(trouble.pause() > PAUSE);
        assert!(trouble.over() && !trouble.over());
        assert!(trouble.pause().is_zero() && trouble.said().is_none());
        assert!(!trouble.begin("away"), "it was told a moment ago");
    }
}
