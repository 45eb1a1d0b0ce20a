//! The hotness of a file, from 0 to 1, and its reasons: stated factors, each with its weight and its sentence.

use super::heat::{HeatTouch, TouchTraces};
use crate::base::hidden::shorten_to_line;
use crate::protocol::Advice;

/// The hotness of a file that the editor has open.
const OPEN: f64 = 0.2;
/// The hotness of a text that is not saved.
const UNSAVED: f64 = 0.4;
/// The hotness of hunks that wait.
const PENDING: f64 = 0.5;
/// The hotness of a file that was called hot.
const HOT: f64 = 0.5;
/// The factor for the hotness of a file that was called cold.
const COLD: f64 = 0.25;
/// The least that a pinned file has.
const PINNED: f64 = 0.9;
/// Characters shown of a reason somebody gave.
const WHY: usize = 120;

/// A hint on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveHint {
    /// The advice.
    pub advice: Advice,
    /// The agent that gave it; nothing for the person.
    pub by: Option<String>,
    /// The reason.
    pub why: String,
}

/// The standing of a file now, apart from its touches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileStanding {
    /// True where the editor has it open.
    pub open: bool,
    /// True where that text is not saved.
    pub unsaved: bool,
    /// Proposals with hunks in it that wait, and how many.
    pub pending: Vec<(String, u32)>,
    /// True where the person pinned it.
    pub pinned: bool,
    /// The reason of the pin.
    pub pin_why: String,
    /// The hint on it.
    pub hint: Option<ActiveHint>,
}

impl FileStanding {
    /// Hunks that wait for a decision.
    pub fn pending_hunks(&self) -> u32 {
        self.pending.iter().map(|(_, hunks)| hunks).sum()
    }

    /// Returns whether anything keeps it in the working set, were it not touched at all.
    pub fn is_kept(&self) -> bool {
        let hot = self.hint.as_ref().is_some_and(|hint| hint.advice == Advice::Hot);
        self.open || self.pinned || hot || !self.pending.is_empty()
    }
}

/// Returns the hotness of a file whose touches sum up to `touched`.
pub(super) fn hotness_score(standing: &FileStanding, touched: f64) -> f64 {
    let advice = standing.hint.as_ref().map(|hint| hint.advice);
    let factors = [
        (true, 1.0 - (-touched).exp()),
        (standing.open, OPEN),
        (standing.unsaved, UNSAVED),
        (!standing.pending.is_empty(), PENDING),
        (advice == Some(Advice::Hot), HOT),
    ];
    // Each takes its share of what the ones before it left: no sum goes past 1, and none is lost.
    let left: f64 = factors.iter().map(|(holds, weight)| if *holds { 1.0 - weight } else { 1.0 }).product();
    let hotness = if advice == Some(Advice::Cold) { (1.0 - left) * COLD } else { 1.0 - left };
    let hotness = if standing.pinned { hotness.max(PINNED) } else { hotness };
    (hotness * 1000.0).round() / 1000.0
}

/// Returns the reasons why it is as hot as that, a phrase each, the weightiest first.
pub(super) fn hotness_reasons(
    standing: &FileStanding,
    traces: Option<&TouchTraces>,
    now_ms: i64,
) -> Vec<String> {
    let mut reasons = Vec::new();
    if standing.pinned {
        reasons.push(with_why("pinned".to_owned(), &standing.pin_why));
    }
    for (proposal, hunks) in &standing.pending {
        let (noun, verb) = if *hunks == 1 { ("hunk", "waits") } else { ("hunks", "wait") };
        reasons.push(format!("{hunks} {noun} of proposal {proposal} {verb} for a decision"));
    }
    if let Some(hint) = &standing.hint {
        let who = hint.by.as_deref().unwrap_or("the person");
        let word = if hint.advice == Advice::Hot { "hot" } else { "cold" };
        reasons.push(with_why(format!("called {word} by {}", shorten_to_line(who, 40)), &hint.why));
    }
    match (standing.open, standing.unsaved) {
        (true, true) => reasons.push("open in the editor, with unsaved changes".to_owned()),
        (true, false) => reasons.push("open in the editor".to_owned()),
        (false, _) => {}
    }
    let touched = |touch| traces.and_then(|traces| traces.of_kind(touch));
    if let Some(edit) = touched(HeatTouch::Edit) {
        reasons.push(format!("edited {}", time_ago(now_ms - edit.last_ms)));
    }
    for (touch, one, many) in [(HeatTouch::Write, "change", "changes"), (HeatTouch::Read, "read", "reads")] {
        if let Some(trace) = touched(touch) {
            let noun = if trace.count == 1 { one } else { many };
            let (by, when) = (shorten_to_line(&trace.by, 40), time_ago(now_ms - trace.last_ms));
            let last = if trace.count == 1 { "" } else { "the last " };
            reasons.push(with_why(format!("{} {noun} by {by}, {last}{when}", trace.count), &trace.why));
        }
    }
    if let Some(focus) = touched(HeatTouch::Focus) {
        reasons.push(format!("looked at {}", time_ago(now_ms - focus.last_ms)));
    }
    reasons
}

fn with_why(reason: String, why: &str) -> String {
    let why = shorten_to_line(why, WHY);
    if why.is_empty() { reason } else { format!("{reason}: {why}") }
}

/// Describes an elapsed time in words.
fn time_ago(ms: i64) -> String {
    let minutes = ms.max(0) / 60_000;
    let (count, unit) = match minutes {
        0 => return "just now".to_owned(),
        1..60 => (minutes, "minute"),
        60..1440 => (minutes / 60, "hour"),
        _ => (minutes / 1440, "day"),
    };
    if count == 1 {
        return format!("{} {unit} ago", if unit == "hour" { "an" } else { "a" });
    }
    format!("{count} {unit}s ago")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::heat::{FileHeat, TouchCause};

    fn hint(advice: Advice, by: Option<&str>) -> Option<ActiveHint> {
        Some(ActiveHint { advice, by: by.map(str::to_owned), why: "The bug is\nhere".to_owned() })
    }

    #[test]
    fn factors_add_up_below_one_and_keep_their_order() {
        let open = FileStanding { open: true, ..FileStanding::default() };
        let unsaved = FileStanding { unsaved: true, ..open.clone() };
        let pending = FileStanding { pending: vec![("p-1".into(), 2)], ..unsaved.clone() };
        let cold = FileStanding { hint: hint(Advice::Cold, None), ..open.clone() };
        let pinned = FileStanding { pinned: true, ..cold.clone() };
        let scores: Vec<f64> = [&FileStanding::default(), &cold, &open, &unsaved, &pending, &pinned]
            .iter()
            .map(|standing| hotness_score(standing, 0.0))
            .collect();
        assert_eq!(scores, [0.0, 0.05, 0.2, 0.52, 0.76, 0.9]);
        assert!(hotness_score(&pending, 100.0) <= 1.0);
        assert!(hotness_score(&open, 0.6) > hotness_score(&open, 0.25));
    }

    #[test]
    fn each_reason_is_a_phrase_for_a_person() {
        let now = 1_700_000_000_000;
        let mut heat = FileHeat::new(30);
        heat.add_touch("a", HeatTouch::Edit, TouchCause::PERSON, now - 2 * 60_000);
        heat.add_touch(
            "a",
            HeatTouch::Read,
            TouchCause { by: "claude-code/2.1", why: "First" },
            now - 200 * 60_000,
        );
        heat.add_touch(
            "a",
            HeatTouch::Read,
            TouchCause { by: "claude-code/2.1", why: "Find the limit" },
            now - 60_000,
        );
        heat.add_touch("a", HeatTouch::Write, TouchCause { by: "me\u{202e}", why: "" }, now - 3_000 * 60_000);
        let standing = FileStanding {
            open: true,
            unsaved: true,
            pending: vec![("p-1".into(), 2), ("p-2".into(), 1)],
            pinned: true,
            pin_why: "It is next".into(),
            hint: hint(Advice::Hot, Some("codex")),
        };
        assert_eq!(
            hotness_reasons(&standing, heat.touch_traces("a"), now),
            [
                "pinned: It is next",
                "2 hunks of proposal p-1 wait for a decision",
                "1 hunk of proposal p-2 waits for a decision",
                "called hot by codex: The bug is here",
                "open in the editor, with unsaved changes",
                "edited 2 minutes ago",
                "1 change by me\\u{202e}, 2 days ago",
                "2 reads by claude-code/2.1, the last a minute ago: Find the limit",
            ]
        );
        assert_eq!(hotness_reasons(&FileStanding::default(), None, now), Vec::<String>::new());
    }
}
