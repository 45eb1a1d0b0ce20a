//! The lines between those that a chain placed: context with a typing error, wrapped otherwise, or blank.

use std::ops::Range;

use super::super::index::strip_space;
use super::super::lines::line_body;
use super::super::text::IndexedText;
use super::AlignBudget;
use super::chain::ItemChain;
use super::items::HunkItems;
use super::similar::{SIMILAR, line_similarity};

/// The number of lines beyond a gap's own length that are read if only one side of it is placed.
const SLACK: usize = 3;
/// The number of lines that one line may be wrapped into.
const WRAPPED: usize = 4;

/// The position of each line of a hunk, and its matched share there.
pub(super) struct LinePlacement {
    pub spots: Vec<Option<usize>>,
    /// The last line of the file for each, if it is wrapped into several there.
    pub ends: Vec<Option<usize>>,
    pub shares: Vec<f64>,
}

/// A run of a hunk's lines that no chain placed, and the lines of the file where they may stand.
struct LineGap {
    old: Range<usize>,
    new: Range<usize>,
    /// True if lines of the file at the start are skipped at no cost.
    opens: bool,
    /// True if lines of the file at the end are skipped at no cost.
    closes: bool,
}

pub(super) fn fill_gaps(
    text: &IndexedText,
    items: &HunkItems,
    chain: &ItemChain,
    budget: &AlignBudget,
) -> Option<LinePlacement> {
    let len = items.old.len();
    let filled = LinePlacement { spots: vec![None; len], ends: vec![None; len], shares: vec![0.0; len] };
    let mut filler = GapFiller { text, items, budget, filled };
    let (mut old, mut new) = (0, None);
    for &(item, place) in &chain.picks {
        let item = &items.list[item];
        let gap = item.first - old;
        // Before the first placed line the file is read only as far back as the hunk goes.
        let from = new.unwrap_or_else(|| place.saturating_sub(gap + SLACK));
        filler.fill_gap(LineGap {
            old: old..item.first,
            new: from..place,
            opens: new.is_none(),
            closes: false,
        })?;
        for offset in 0..item.len {
            filler.filled.spots[item.first + offset] = Some(place + offset);
            filler.filled.ends[item.first + offset] = Some(place + offset);
            filler.filled.shares[item.first + offset] = 1.0;
        }
        (old, new) = (item.first + item.len, Some(place + item.len));
    }
    let from = new?;
    let to = (from + len - old + SLACK).min(text.lines.len());
    filler.fill_gap(LineGap { old: old..len, new: from..to, opens: false, closes: true })?;
    Some(filler.filled)
}

/// Fills the gaps of one hunk.
struct GapFiller<'a, 't> {
    text: &'a IndexedText<'t>,
    items: &'a HunkItems<'a>,
    budget: &'a AlignBudget,
    filled: LinePlacement,
}

impl GapFiller<'_, '_> {
    /// Fills one gap. Of one with far more lines in the file than in the hunk, and of one with a mark, only the ends
    /// are near enough to tell anything.
    fn fill_gap(&mut self, gap: LineGap) -> Option<()> {
        let mark = gap.old.clone().find(|line| self.items.is_elided(*line));
        let reach = gap.old.len() + SLACK;
        if mark.is_none() && gap.new.len() <= 2 * reach {
            return self.pair_lines(&gap);
        }
        let LineGap { old, new, opens, closes } = gap;
        let (head, tail) = match mark {
            Some(mark) => (old.start..mark, mark + 1..old.end),
            None => (old.start..old.end, old.end..old.end),
        };
        let near = |len: usize| (len + SLACK).min(new.len());
        let head_file = new.start..new.start + if opens { 0 } else { near(head.len()) };
        let tail_file = (new.end - if closes { 0 } else { near(tail.len()) }).max(head_file.end)..new.end;
        self.pair_lines(&LineGap { old: head.clone(), new: head_file, opens, closes: true })?;
        if mark.is_none() {
            // Lines without a match at the near end may match at the far one.
            let placed = head.clone().rev().find(|line| self.filled.spots[*line].is_some());
            let rest = placed.map_or(head.start, |line| line + 1)..head.end;
            let from = placed.and_then(|line| self.filled.spots[line]).map_or(new.start, |spot| spot + 1);
            let file = (new.end - near(rest.len())).max(from)..new.end;
            return self.pair_lines(&LineGap { old: rest, new: file, opens: true, closes });
        }
        self.pair_lines(&LineGap { old: tail, new: tail_file, opens: true, closes })
    }

    /// Places the lines of a gap by their best pairing.
    fn pair_lines(&mut self, gap: &LineGap) -> Option<()> {
        let (rows, columns) = (gap.old.len(), gap.new.len());
        if rows == 0 || columns == 0 {
            return Some(());
        }
        if !self.budget.spend(rows * columns * 20) {
            return None;
        }
        GapPairing::new(self.text, self.items, gap).place_lines(&mut self.filled);
        Some(())
    }
}

/// The best pairing of the first lines of a gap's two sides.
#[derive(Clone, Copy, Default)]
struct PairingCell {
    score: f64,
    /// The number of lines of the hunk and of the file that the last step pairs or skips.
    step: (usize, usize),
    /// The matched share of the lines in the last step, from 0 to 1.
    share: f64,
}

impl PairingCell {
    /// Takes another last step if its score is higher.
    fn offer_step(&mut self, score: f64, step: (usize, usize), share: f64) {
        if score > self.score {
            *self = Self { score, step, share };
        }
    }
}

/// The best pairing of a gap's lines, by dynamic programming.
struct GapPairing<'a> {
    items: &'a HunkItems<'a>,
    gap: &'a LineGap,
    /// The hunk's lines without space.
    ours: Vec<String>,
    /// The file's lines without space.
    theirs: Vec<String>,
    /// A cell for each number of lines of the hunk and of the file.
    table: Vec<PairingCell>,
}

impl<'a> GapPairing<'a> {
    fn new(text: &IndexedText, items: &'a HunkItems<'a>, gap: &'a LineGap) -> Self {
        let ours: Vec<String> =
            items.old[gap.old.clone()].iter().map(|line| strip_space(line).into_owned()).collect();
        let theirs: Vec<String> = text.lines[gap.new.clone()]
            .iter()
            .map(|line| strip_space(line_body(line)).into_owned())
            .collect();
        let table = vec![PairingCell::default(); (ours.len() + 1) * (theirs.len() + 1)];
        let mut pairing = Self { items, gap, ours, theirs, table };
        for row in 0..=pairing.ours.len() {
            for column in 0..=pairing.theirs.len() {
                let at = pairing.cell_index(row, column);
                pairing.table[at] = pairing.best_cell(row, column);
            }
        }
        pairing
    }

    fn cell_index(&self, row: usize, column: usize) -> usize {
        row * (self.theirs.len() + 1) + column
    }

    fn score_at(&self, row: usize, column: usize) -> f64 {
        self.table[self.cell_index(row, column)].score
    }

    /// The best pairing of the first `row` lines of the hunk with the first `column` lines of the file.
    fn best_cell(&self, row: usize, column: usize) -> PairingCell {
        let mut best =
            PairingCell { score: if row + column == 0 { 0.0 } else { f64::MIN }, ..PairingCell::default() };
        if row > 0 {
            best.offer_step(self.score_at(row - 1, column), (1, 0), 0.0);
        }
        if column > 0 {
            best.offer_step(self.score_at(row, column - 1) - self.skip_cost(row, column), (0, 1), 0.0);
        }
        if row > 0 && column > 0 && !self.items.is_removed(self.gap.old.start + row - 1) {
            self.offer_similar(row, column, &mut best);
            self.offer_wrapped(row, column, &mut best);
        }
        best
    }

    /// The cost of skipping the last of `column` lines of the file.
    fn skip_cost(&self, row: usize, column: usize) -> f64 {
        let LineGap { opens, closes, .. } = *self.gap;
        let free = opens && row == 0 || closes && (row == self.ours.len() || column == self.theirs.len());
        if free { 0.0 } else { 0.02 }
    }

    /// Offers to pair the last two lines with each other.
    fn offer_similar(&self, row: usize, column: usize, best: &mut PairingCell) {
        let (ours, theirs) = (&self.ours[row - 1], &self.theirs[column - 1]);
        let share = if ours == theirs { 1.0 } else { line_similarity(ours, theirs) };
        if share >= SIMILAR {
            let weight = super::line_weight(self.items.old[self.gap.old.start + row - 1]);
            best.offer_step(self.score_at(row - 1, column - 1) + weight * share, (1, 1), share);
        }
    }

    /// Offers to pair a line with several that it is wrapped into.
    fn offer_wrapped(&self, row: usize, column: usize, best: &mut PairingCell) {
        let line = self.gap.old.start + row - 1;
        match_wrapped(&self.ours[..row], &self.theirs[..column], |ours, theirs| {
            let lines = line + 1 - ours..=line;
            if lines.clone().any(|line| self.items.is_removed(line)) {
                return;
            }
            let weight: f64 = lines.map(|line| super::line_weight(self.items.old[line])).sum();
            best.offer_step(self.score_at(row - ours, column - theirs) + weight, (ours, theirs), 1.0);
        });
    }

    /// Follows the best steps back from the end, and places the lines that they pair.
    fn place_lines(&self, filled: &mut LinePlacement) {
        let (mut row, mut column) = (self.ours.len(), self.theirs.len());
        while row + column > 0 {
            let PairingCell { step: (ours, theirs), share, .. } = self.table[self.cell_index(row, column)];
            if ours > 0 && theirs > 0 {
                for offset in 1..=ours {
                    let line = self.gap.old.start + row - offset;
                    filled.shares[line] = share;
                    filled.spots[line] = Some(self.gap.new.start + column - theirs);
                    filled.ends[line] = Some(self.gap.new.start + column - 1);
                }
            }
            if ours + theirs == 0 {
                break;
            }
            (row, column) = (row - ours, column - theirs);
        }
    }
}

/// Calls back for each way in which the last lines of both, taken together, are the same text: one line of the one
/// and several of the other.
fn match_wrapped(ours: &[String], theirs: &[String], mut found: impl FnMut(usize, usize)) {
    let check = |one: &str, many: &[String], call: &mut dyn FnMut(usize)| {
        let mut rest = one;
        for (number, part) in many.iter().rev().take(WRAPPED).enumerate() {
            match rest.strip_suffix(part.as_str()) {
                Some(left) if !part.is_empty() => rest = left,
                _ => return,
            }
            if rest.is_empty() {
                if number > 0 {
                    call(number + 1);
                }
                return;
            }
        }
    };
    if let (Some(our), Some(their)) = (ours.last(), theirs.last()) {
        check(our, theirs, &mut |count| found(1, count));
        check(their, ours, &mut |count| found(count, 1));
    }
}
