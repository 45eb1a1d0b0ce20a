//! A text cut to so many tokens, line by line, with a mark where something is gone.

use super::tokens::TokenCounter;
use crate::protocol::Truncate;

/// The remaining text after a cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CutText {
    /// The text with its mark.
    pub text: String,
    /// Its tokens.
    pub tokens: u64,
    /// The first and the last line that are gone, counted from 1.
    pub gone: (u64, u64),
}

/// Cuts a text that is too long to at most `room` tokens. Nothing where not one line fits, or nothing may be cut.
pub(super) fn cut_text(text: &str, way: Truncate, room: u64, counter: TokenCounter) -> Option<CutText> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    // A line counted alone may be a token more than in its place, so this errs on the short side.
    let costs: Vec<u64> = lines.iter().map(|line| counter.count_tokens(line)).collect();
    let mark_cost = counter.count_tokens(&gap_mark(lines.len() as u64, lines.len() as u64 * 2));
    let mut allowed = room.checked_sub(mark_cost)?;
    loop {
        let (head, tail) = kept_lines(&costs, way, allowed)?;
        if head + tail == 0 || head + tail >= lines.len() {
            return None;
        }
        let gone = (head as u64 + 1, (lines.len() - tail) as u64);
        let mut kept: String = lines[..head].concat();
        kept.push_str(&gap_mark(gone.0, gone.1));
        kept.push_str(&lines[lines.len() - tail..].concat());
        let tokens = counter.count_tokens(&kept);
        if tokens <= room {
            return Some(CutText { text: kept, tokens, gone });
        }
        allowed = allowed.checked_sub(tokens - room)?;
    }
}

/// Returns the number of lines that are kept at the beginning and at the end.
fn kept_lines(costs: &[u64], way: Truncate, room: u64) -> Option<(usize, usize)> {
    let fit = |costs: &mut dyn Iterator<Item = &u64>, room: u64| {
        let mut left = room;
        costs
            .take_while(|cost| {
                let fits = **cost <= left;
                left = left.saturating_sub(**cost);
                fits
            })
            .count()
    };
    match way {
        Truncate::Never => None,
        Truncate::End => Some((fit(&mut costs.iter(), room), 0)),
        Truncate::Start => Some((0, fit(&mut costs.iter().rev(), room))),
        Truncate::Middle => {
            let head = fit(&mut costs.iter(), room / 2);
            let used: u64 = costs[..head].iter().sum();
            let tail = fit(&mut costs[head..].iter().rev(), room - used);
            Some((head, tail))
        }
    }
}

/// Returns the mark in place of lines that are gone.
fn gap_mark(first: u64, last: u64) -> String {
    match first == last {
        true => format!("[… line {first} is left out]\n"),
        false => format!("[… lines {first}–{last} are left out]\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: usize) -> String {
        (1..=lines).map(|line| format!("line {line} of a text\n")).collect()
    }

    fn check(way: Truncate, starts: &str, ends: &str) -> (u64, u64) {
        let (room, counter) = (84, TokenCounter::for_model(Some("cl100k_base")));
        let cut = cut_text(&text(100), way, room, counter).unwrap();
        assert!(cut.text.starts_with(starts), "{way:?}: {}", cut.text);
        assert!(cut.text.ends_with(ends), "{way:?}: {}", cut.text);
        assert!(cut.text.contains(&gap_mark(cut.gone.0, cut.gone.1)), "{way:?}: {}", cut.text);
        assert_eq!(cut.tokens, counter.count_tokens(&cut.text));
        assert!(cut.tokens <= room && cut.tokens > room / 2, "{way:?}: {}", cut.tokens);
        assert_eq!(cut.text.lines().count() as u64 - 1, 100 - (cut.gone.1 - cut.gone.0 + 1));
        cut.gone
    }

    #[test]
    fn each_strategy_cuts_its_part_by_lines() {
        let (first, last) = check(Truncate::End, "line 1 of a text\nline 2", "–100 are left out]\n");
        assert!(first > 5 && last == 100);
        let (first, last) = check(Truncate::Start, "[… lines 1–", "line 99 of a text\nline 100 of a text\n");
        assert!(first == 1 && last < 95);
        let (first, last) =
            check(Truncate::Middle, "line 1 of a text\nline 2", "line 99 of a text\nline 100 of a text\n");
        assert!(first > 2 && last < 99);
        let counter = TokenCounter::ESTIMATE;
        assert_eq!(cut_text(&text(100), Truncate::Never, 84, counter), None);
        assert_eq!(cut_text(&text(100), Truncate::End, 3, counter), None);
        assert_eq!(
            cut_text(&"x".repeat(10_000), Truncate::Middle, 100, counter),
            None,
            "one line is never torn"
        );
    }
}
