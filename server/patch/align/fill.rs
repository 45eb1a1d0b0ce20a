//! The lines between those that a chain placed: context with a typing error, wrapped otherwise, or blank.

use super::super::index::dense;
use super::super::lines::body;
use super::super::text::Text;
use super::Budget;
use super::chain::Chain;
use super::items::Items;
use super::similar::{SIMILAR, similar};

/// How far past the lines that a gap has the file is read, where only one side of it is placed.
const SLACK: usize = 3;
/// How many lines one line may have been wrapped into.
const WRAPPED: usize = 4;

/// Where each line of a hunk stands, and how much of it matched there.
pub(super) struct Filled {
    pub spots: Vec<Option<usize>>,
    /// The last line of the file for each, where it is wrapped into several there.
    pub ends: Vec<Option<usize>>,
    pub shares: Vec<f64>,
}

/// Lines of the hunk and lines of the file.
type Gap = (std::ops::Range<usize>, std::ops::Range<usize>);

pub(super) fn fill(text: &Text, items: &Items, chain: &Chain, budget: &Budget) -> Option<Filled> {
    let len = items.old.len();
    let mut filled = Filled { spots: vec![None; len], ends: vec![None; len], shares: vec![0.0; len] };
    let (mut old, mut new) = (0, None);
    for &(item, place) in &chain.picks {
        let item = &items.list[item];
        let gap = item.first - old;
        // Before the first placed line the file is read only as far back as the hunk goes.
        let from = new.unwrap_or_else(|| place.saturating_sub(gap + SLACK));
        gaps(text, items, (old..item.first, from..place), new.is_none(), false, &mut filled, budget)?;
        for offset in 0..item.len {
            filled.spots[item.first + offset] = Some(place + offset);
            filled.ends[item.first + offset] = Some(place + offset);
            filled.shares[item.first + offset] = 1.0;
        }
        (old, new) = (item.first + item.len, Some(place + item.len));
    }
    let from = new?;
    let to = (from + len - old + SLACK).min(text.lines.len());
    gaps(text, items, (old..len, from..to), false, true, &mut filled, budget)?;
    Some(filled)
}

/// Fills one gap. Of one with far more lines in the file than in the hunk, and of one with a mark, only the ends are
/// near enough to tell anything.
fn gaps(
    text: &Text,
    items: &Items,
    (old, new): Gap,
    opens: bool,
    closes: bool,
    filled: &mut Filled,
    budget: &Budget,
) -> Option<()> {
    let mark = old.clone().find(|line| items.elided(*line));
    let reach = old.len() + SLACK;
    if mark.is_none() && new.len() <= 2 * reach {
        return pair(text, items, (old, new), opens, closes, filled, budget);
    }
    let (head, tail) = match mark {
        Some(mark) => (old.start..mark, mark + 1..old.end),
        None => (old.start..old.end, old.end..old.end),
    };
    let near = |len: usize| (len + SLACK).min(new.len());
    let head_file = new.start..new.start + if opens { 0 } else { near(head.len()) };
    let tail_file = (new.end - if closes { 0 } else { near(tail.len()) }).max(head_file.end)..new.end;
    pair(text, items, (head.clone(), head_file.clone()), opens, true, filled, budget)?;
    if mark.is_none() {
        // What the near end did not have may stand at the far one.
        let placed = head.clone().rev().find(|line| filled.spots[*line].is_some());
        let rest = placed.map_or(head.start, |line| line + 1)..head.end;
        let from = placed.and_then(|line| filled.spots[line]).map_or(new.start, |spot| spot + 1);
        let file = (new.end - near(rest.len())).max(from)..new.end;
        return pair(text, items, (rest, file), true, closes, filled, budget);
    }
    pair(text, items, (tail, tail_file), true, closes, filled, budget)
}

/// The best pairing of some lines with others, by dynamic programming. A loose end costs nothing to pass over.
fn pair(
    text: &Text,
    items: &Items,
    (old, new): Gap,
    opens: bool,
    closes: bool,
    filled: &mut Filled,
    budget: &Budget,
) -> Option<()> {
    let (rows, columns) = (old.len(), new.len());
    if rows == 0 || columns == 0 {
        return Some(());
    }
    if !budget.spend(rows * columns * 20) {
        return None;
    }
    let ours: Vec<&str> = old.clone().map(|line| items.old[line]).collect();
    let theirs: Vec<&str> = text.lines[new.clone()].iter().map(|line| body(line)).collect();
    let dense_ours: Vec<String> = ours.iter().map(|line| dense(line).into_owned()).collect();
    let dense_theirs: Vec<String> = theirs.iter().map(|line| dense(line).into_owned()).collect();
    let free = |column: usize| opens && column == 0 || closes && column == columns;
    let skip = |beside: bool| if beside { 0.0 } else { 0.02 };
    // The score of the first so many lines, and the step that leads there: how many lines of each.
    let mut table = vec![(0.0_f64, (0_usize, 0_usize), 0.0_f64); (rows + 1) * (columns + 1)];
    let at = |row: usize, column: usize| row * (columns + 1) + column;
    for row in 0..=rows {
        for column in 0..=columns {
            let mut best = (if row + column == 0 { 0.0 } else { f64::MIN }, (0, 0), 0.0);
            let mut offer = |score: f64, step: (usize, usize), share: f64| {
                if score > best.0 {
                    best = (score, step, share);
                }
            };
            if row > 0 {
                offer(table[at(row - 1, column)].0, (1, 0), 0.0);
            }
            if column > 0 {
                let cost = skip(opens && row == 0 || closes && row == rows || free(column));
                offer(table[at(row, column - 1)].0 - cost, (0, 1), 0.0);
            }
            if row > 0 && column > 0 && !items.removed(old.start + row - 1) {
                let line = old.start + row - 1;
                let share = match dense_ours[row - 1] == dense_theirs[column - 1] {
                    true => 1.0,
                    false => similar(&dense_ours[row - 1], &dense_theirs[column - 1]),
                };
                if share >= SIMILAR {
                    let weight = super::weight(items.old[line]);
                    offer(table[at(row - 1, column - 1)].0 + weight * share, (1, 1), share);
                }
                wrapped(&dense_ours[..row], &dense_theirs[..column], |ours, theirs| {
                    let lines = line + 1 - ours..=line;
                    if lines.clone().any(|line| items.removed(line)) {
                        return;
                    }
                    let weight: f64 = lines.map(|line| super::weight(items.old[line])).sum();
                    offer(table[at(row - ours, column - theirs)].0 + weight, (ours, theirs), 1.0);
                });
            }
            table[at(row, column)] = best;
        }
    }
    let (mut row, mut column) = (rows, columns);
    while row + column > 0 {
        let (_, (ours, theirs), share) = table[at(row, column)];
        if ours > 0 && theirs > 0 {
            for offset in 1..=ours {
                let line = old.start + row - offset;
                filled.shares[line] = share;
                filled.spots[line] = Some(new.start + column - theirs);
                filled.ends[line] = Some(new.start + column - 1);
            }
        }
        if ours + theirs == 0 {
            break;
        }
        (row, column) = (row - ours, column - theirs);
    }
    Some(())
}

/// Calls back for each way in which the last lines of both, taken together, are the same text: one line of the one
/// and several of the other.
fn wrapped(ours: &[String], theirs: &[String], mut found: impl FnMut(usize, usize)) {
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
