//! The best way to place a hunk's items in order.

use super::items::HunkItems;
use super::{AlignBudget, NEAR};

/// The cost of skipping more than a few lines between a change and its adjacent context.
const LEAP: f64 = 1.6;

/// Places for some of the items, in order.
#[derive(Clone, Debug)]
pub(super) struct ItemChain {
    /// Items and the lines of the file where they begin.
    pub picks: Vec<(usize, usize)>,
    pub score: f64,
}

struct ChainStep {
    item: usize,
    place: usize,
    score: f64,
    /// The step before it, if any.
    before: Option<usize>,
}

impl ItemChain {
    /// The chain with the most weight and the fewest jumps that has each item that must be in it; none of `barred`,
    /// which are items at places, is in it.
    pub(super) fn best(items: &HunkItems, barred: &[(usize, usize)], budget: &AlignBudget) -> Option<Self> {
        let mut steps: Vec<ChainStep> = Vec::new();
        // The first step from which a later item may go on: no item that must be in lies between.
        let mut from = 0;
        let musts = items.list.iter().filter(|item| item.must).count();
        let mut seen = 0;
        for (number, item) in items.list.iter().enumerate() {
            let own = steps.len();
            if !budget.spend((own - from + 1) * item.places.len()) {
                return None;
            }
            for &place in item.places.iter().filter(|place| !barred.contains(&(number, **place))) {
                let open = if seen == 0 { Some((0.0, None)) } else { None };
                let reach = (from..own).filter_map(|step| {
                    let last = &steps[step];
                    let before = &items.list[last.item];
                    let end = last.place + before.len;
                    let lines = place.checked_sub(end)?;
                    let gap = (before.first + before.len, item.first);
                    let leap = gap.0 == gap.1 && (before.must || item.must) && lines > NEAR;
                    let cost = jump_cost(items, gap, lines) + if leap { LEAP } else { 0.0 };
                    Some((last.score - cost, Some(step)))
                });
                let best = open.into_iter().chain(reach).max_by(|a, b| a.0.total_cmp(&b.0));
                if let Some((score, before)) = best {
                    steps.push(ChainStep { item: number, place, score: score + item.weight, before });
                }
            }
            if item.must {
                seen += 1;
                from = own;
            }
        }
        let last = (from..steps.len()).filter(|_| seen == musts);
        let best = last.max_by(|a, b| steps[*a].score.total_cmp(&steps[*b].score))?;
        let score = steps[best].score;
        let mut picks = Vec::new();
        let mut at = Some(best);
        while let Some(step) = at {
            picks.push((steps[step].item, steps[step].place));
            at = steps[step].before;
        }
        picks.reverse();
        Some(Self { picks, score })
    }

    /// The position of an item in the chain.
    pub(super) fn place_of(&self, item: usize) -> Option<usize> {
        self.picks.iter().find(|(number, _)| *number == item).map(|(_, place)| *place)
    }
}

/// The cost of skipping lines: nothing at an elision mark.
fn jump_cost(items: &HunkItems, (from, to): (usize, usize), lines: usize) -> f64 {
    let beyond = lines.abs_diff(to - from);
    match (from..to).any(|line| items.is_elided(line)) {
        _ if beyond == 0 => 0.0,
        true => 0.002 * (1.0 + beyond as f64).log2(),
        false => 0.04 * (1.0 + beyond as f64).log2(),
    }
}
