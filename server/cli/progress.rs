//! The progress of a long operation, on standard error: a bar at a terminal, otherwise a first and a last line.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::answer;
use super::print::visible_line;

/// Steps of the bar.
const STEPS: u64 = 1000;

/// The progress that was reported so far.
#[derive(Debug)]
pub(super) struct ProgressReport {
    /// Hidden where standard error is no terminal that can draw it.
    bar: ProgressBar,
    is_shown: bool,
    has_ended: bool,
}

impl Default for ProgressReport {
    fn default() -> Self {
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
        // The template is a constant; without it indicatif draws its own.
        if let Ok(style) = ProgressStyle::with_template("wherefore: {bar:20} {msg}") {
            bar.set_style(style);
        }
        Self { bar, is_shown: false, has_ended: false }
    }
}

impl ProgressReport {
    /// Reports the progress: the share that is done, between 0 and 1, the same in words, and whether this is the end.
    pub(super) fn report_share(&mut self, share: f64, how_far: &str, is_end: bool) {
        let text = visible_line(how_far);
        if !self.bar.is_hidden() {
            self.bar.set_position((share.clamp(0.0, 1.0) * STEPS as f64) as u64);
            match is_end {
                true => self.bar.abandon_with_message(text),
                false => self.bar.set_message(text),
            }
        } else if !self.is_shown || is_end {
            answer::write_note(&format!("wherefore: {text}"));
        }
        (self.is_shown, self.has_ended) = (true, is_end);
    }

    /// Returns whether progress was reported, but not its end.
    pub(super) fn is_open(&self) -> bool {
        self.is_shown && !self.has_ended
    }
}
