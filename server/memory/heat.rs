//! The touches of the files, and their remaining weight: sums that halve with activity, not with the clock.

use std::collections::HashMap;

/// Files that are remembered; past twice as many the coolest are forgotten.
const KEPT_FILES: usize = 500;
/// Milliseconds of one pause that count as activity: a file does not cool while no one works.
const PAUSE_MS: i64 = 5 * 60_000;
/// Milliseconds within which further touches of the editor's are one: typing is not a touch a key.
const BURST_MS: i64 = 10_000;
/// Characters kept of a reason.
const WHY: usize = 160;

/// The kind of a touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeatTouch {
    /// A tool read it.
    Read,
    /// A tool changed it, or proposed to.
    Write,
    /// The person changed it in the editor.
    Edit,
    /// The person looked at it in the editor.
    Focus,
}

/// The cause of a touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TouchCause<'a> {
    /// The agent or person that touched it.
    pub by: &'a str,
    /// The reason.
    pub why: &'a str,
}

impl TouchCause<'_> {
    /// The person at the editor: no reason is known.
    pub const PERSON: Self = Self { by: "", why: "" };
}

impl HeatTouch {
    const COUNT: usize = 4;

    /// Returns the weight of one touch.
    fn touch_weight(self) -> f64 {
        match self {
            Self::Read => 0.25,
            Self::Write => 0.6,
            Self::Edit => 0.5,
            Self::Focus => 0.15,
        }
    }

    /// Returns whether touches close together are one.
    fn in_bursts(self) -> bool {
        matches!(self, Self::Edit | Self::Focus)
    }
}

/// All touches of one kind on one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TouchTrace {
    /// Their sum, as of `at`.
    sum: f64,
    /// The activity clock then, in milliseconds.
    at: f64,
    /// The number of touches.
    pub count: u64,
    /// The time of the last one, in milliseconds since 1970.
    pub last_ms: i64,
    /// The agent that made the last one; empty for the person at the editor.
    pub by: Box<str>,
    /// The reason.
    pub why: Box<str>,
}

/// The touches on one file, by kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TouchTraces([TouchTrace; HeatTouch::COUNT]);

impl TouchTraces {
    /// Returns the touches of one kind, where there were any.
    pub(super) fn of_kind(&self, touch: HeatTouch) -> Option<&TouchTrace> {
        Some(&self.0[touch as usize]).filter(|trace| trace.count > 0)
    }
}

/// The touches of a workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct FileHeat {
    files: HashMap<Box<str>, TouchTraces>,
    /// Milliseconds of activity so far.
    active: f64,
    last_ms: i64,
    half_life_ms: f64,
}

impl FileHeat {
    /// Nothing touched yet; a touch counts half after so many minutes of activity.
    pub(super) fn new(half_life_min: u32) -> Self {
        let half_life_ms = f64::from(half_life_min.max(1)) * 60_000.0;
        Self { half_life_ms, ..Self::default() }
    }

    /// Lets touches count half after so many minutes from now on.
    pub(super) fn set_half_life(&mut self, minutes: u32) {
        self.half_life_ms = f64::from(minutes.max(1)) * 60_000.0;
    }

    /// A file was touched.
    pub(super) fn add_touch(&mut self, path: &str, touch: HeatTouch, cause: TouchCause<'_>, now_ms: i64) {
        self.active = self.active_at(now_ms);
        self.last_ms = now_ms;
        let (active, half_life) = (self.active, self.half_life_ms);
        let traces = match self.files.get_mut(path) {
            Some(traces) => traces,
            None => {
                if self.files.len() >= 2 * KEPT_FILES {
                    self.forget_coolest();
                }
                self.files.entry(path.into()).or_default()
            }
        };
        let trace = &mut traces.0[touch as usize];
        let same = touch.in_bursts() && trace.count > 0 && now_ms - trace.last_ms < BURST_MS;
        trace.last_ms = now_ms;
        if same {
            return;
        }
        trace.sum = decayed_sum(trace, active, half_life) + touch.touch_weight();
        trace.at = active;
        trace.count += 1;
        replace_text(&mut trace.by, cause.by);
        replace_text(&mut trace.why, cause.why);
    }

    /// Forgets the touches of a file.
    pub(super) fn forget_file(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// Moves the touches of a file to its new path. Returns whether there were any.
    pub(super) fn follow_rename(&mut self, from: &str, to: &str) -> bool {
        let moved = self.files.remove(from);
        moved.is_some_and(|traces| {
            self.files.insert(to.into(), traces);
            true
        })
    }

    /// Returns the current sum of the touches on a file.
    pub(super) fn touch_sum(&self, path: &str, now_ms: i64) -> f64 {
        let active = self.active_at(now_ms);
        self.files.get(path).map_or(0.0, |traces| total_sum(traces, active, self.half_life_ms))
    }

    /// The touches on a file.
    pub(super) fn touch_traces(&self, path: &str) -> Option<&TouchTraces> {
        self.files.get(path)
    }

    /// Every file that was touched.
    pub(super) fn touched_paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(|path| &**path)
    }

    /// Returns the activity clock: it runs on through short pauses and pauses in long ones.
    fn active_at(&self, now_ms: i64) -> f64 {
        if self.last_ms == 0 {
            return self.active;
        }
        #[allow(clippy::cast_precision_loss, reason = "a pause is five minutes at the most")]
        let pause = (now_ms - self.last_ms).clamp(0, PAUSE_MS) as f64;
        self.active + pause
    }

    fn forget_coolest(&mut self) {
        let (active, half_life) = (self.active, self.half_life_ms);
        let mut sums: Vec<f64> =
            self.files.values().map(|traces| total_sum(traces, active, half_life)).collect();
        sums.sort_unstable_by(|a, b| b.total_cmp(a));
        let least = sums.get(KEPT_FILES).copied().unwrap_or_default();
        let mut room = KEPT_FILES;
        self.files.retain(|_, traces| {
            let stays = room > 0 && total_sum(traces, active, half_life) >= least;
            room -= usize::from(stays);
            stays
        });
    }
}

fn decayed_sum(trace: &TouchTrace, active: f64, half_life: f64) -> f64 {
    if trace.count == 0 { 0.0 } else { trace.sum * (-(active - trace.at) / half_life).exp2() }
}

fn total_sum(traces: &TouchTraces, active: f64, half_life: f64) -> f64 {
    traces.0.iter().map(|trace| decayed_sum(trace, active, half_life)).sum()
}

/// Puts a text in place of another; most often it is the same one.
fn replace_text(place: &mut Box<str>, text: &str) {
    let end = text.char_indices().nth(WHY).map_or(text.len(), |(at, _)| at);
    if **place != text[..end] {
        *place = text[..end].into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;
    const NOW: i64 = 1_700_000_000_000;

    #[test]
    fn a_touch_halves_with_activity_and_not_with_a_pause() {
        let mut heat = FileHeat::new(30);
        heat.add_touch("a", HeatTouch::Write, TouchCause { by: "x", why: "y" }, NOW);
        assert!((heat.touch_sum("a", NOW) - 0.6).abs() < 1e-9);
        // Work goes on elsewhere, a touch a minute.
        for minute in 1..=30 {
            heat.add_touch("b", HeatTouch::Read, TouchCause { by: "x", why: "y" }, NOW + minute * MINUTE);
        }
        assert!((heat.touch_sum("a", NOW + 30 * MINUTE) - 0.3).abs() < 1e-9);
        // A night passes: five minutes of it count.
        let morning = NOW + 600 * MINUTE;
        assert!(heat.touch_sum("a", morning) > 0.26, "{}", heat.touch_sum("a", morning));
        assert!(heat.touch_sum("b", NOW) > heat.touch_sum("a", NOW));
    }

    #[test]
    fn typing_is_one_touch_and_reads_are_each() {
        let mut heat = FileHeat::new(30);
        for key in 0..50 {
            heat.add_touch("a", HeatTouch::Edit, TouchCause::PERSON, NOW + key * 100);
            heat.add_touch(
                "b",
                HeatTouch::Read,
                TouchCause { by: "agent", why: "Look for the bug" },
                NOW + key * 100,
            );
        }
        let edits = heat.touch_traces("a").and_then(|traces| traces.of_kind(HeatTouch::Edit)).unwrap();
        let reads = heat.touch_traces("b").and_then(|traces| traces.of_kind(HeatTouch::Read)).unwrap();
        assert_eq!((edits.count, edits.last_ms), (1, NOW + 4900));
        assert_eq!((reads.count, &*reads.by, &*reads.why), (50, "agent", "Look for the bug"));
        assert!(heat.touch_traces("a").unwrap().of_kind(HeatTouch::Read).is_none());
    }

    #[test]
    fn touches_follow_a_file() {
        let mut heat = FileHeat::new(30);
        heat.add_touch("a", HeatTouch::Write, TouchCause { by: "x", why: "y" }, NOW);
        heat.add_touch("b", HeatTouch::Read, TouchCause { by: "x", why: "y" }, NOW);
        assert!(heat.follow_rename("a", "c"));
        assert!((heat.touch_sum("a", NOW), heat.touch_sum("c", NOW)) == (0.0, 0.6));
        // A save through a temporary file without touches.
        assert!(!heat.follow_rename("b.tmp", "b"));
        assert!(heat.touch_traces("b").is_some());
    }

    #[test]
    fn only_the_hottest_are_remembered() {
        let mut heat = FileHeat::new(30);
        heat.add_touch("hot", HeatTouch::Write, TouchCause { by: "x", why: "y" }, NOW);
        for file in 0..5000 {
            heat.add_touch(&format!("f{file}"), HeatTouch::Focus, TouchCause::PERSON, NOW + file);
            heat.add_touch("hot", HeatTouch::Write, TouchCause { by: "x", why: "y" }, NOW + file);
        }
        assert!(heat.touched_paths().count() <= 2 * KEPT_FILES, "{}", heat.touched_paths().count());
        assert!(heat.touch_traces("hot").is_some());
        assert!(heat.touch_traces("f4999").is_some(), "the latest is as warm as the others, and stays");
    }

    /// Prints the time that a call pays for the memory: no machine is like the next.
    #[test]
    #[allow(clippy::print_stdout, reason = "the figure is what it is for")]
    fn what_a_touch_costs() {
        let mut heat = FileHeat::new(30);
        let paths: Vec<String> = (0..300).map(|file| format!("src/module/file{file}.rs")).collect();
        let began = std::time::Instant::now();
        for at in 0..30_000_usize {
            heat.add_touch(
                &paths[at % 300],
                HeatTouch::Read,
                TouchCause { by: "claude-code/2.1", why: "Find where the limit is set" },
                NOW,
            );
        }
        println!("{} ns a touch", began.elapsed().as_nanos() / 30_000);
    }
}
