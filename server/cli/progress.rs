//! How far something is that takes a while, on standard error: a bar at a terminal, else a first and a last line.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::answer;
use super::print::visible;

/// Steps of the bar.
const STEPS: u64 = 1000;

/// What was told so far.
#[derive(Debug)]
pub(super) struct Progress {
    /// Hidden where standard error is no terminal that can draw it.
    bar: ProgressBar,
    told: bool,
    ended: bool,
}

impl Default for Progress {
    fn default() -> Self {
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
        // The template is a constant; without it indicatif draws its own.
        if let Ok(style) = ProgressStyle::with_template("wherefore: {bar:20} {msg}") {
            bar.set_style(style);
        }
        Self { bar, told: false, ended: false }
    }
}

impl Progress {
    /// Tells how far it is: the share that is done, between 0 and 1, the same in words, and whether this is the end.
    pub(super) fn tell(&mut self, share: f64, how_far: &str, is_end: bool) {
        let text = visible(how_far);
        if !self.bar.is_hidden() {
            self.bar.set_position((share.clamp(0.0, 1.0) * STEPS as f64) as u64);
            match is_end {
                true => self.bar.abandon_with_message(text),
                false => self.bar.set_message(text),
            }
        } else if !self.told || is_end {
            answer::note(&format!("wherefore: {text}"));
        }
        (self.told, self.ended) = (true, is_end);
    }

    /// Whether it was told, and not its end.
    pub(super) fn is_open(&self) -> bool {
        self.told && !self.ended
    }
}
