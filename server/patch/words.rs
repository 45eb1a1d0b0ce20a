//! A text as words, and the words that two texts share.

use std::collections::HashMap;

/// Pairs of equal words that one comparison looks at, at most.
const EFFORT: usize = 10_000_000;

/// Splits a text into words, runs of blanks, and single characters.
pub(super) fn split_words(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 1,
        ' ' | '\t' => 2,
        _ => 0,
    };
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let kind_of_first = kind(first);
        let end = match kind_of_first {
            0 => first.len_utf8(),
            _ => rest.find(|c| kind(c) != kind_of_first).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    words
}

/// Finds each old word in another text, in order: the longest run that both have, and so on before and behind it, by
/// Ratcliff and Obershelp. A run of equal words is rarely broken for the sake of blanks, as it is where the fewest edits are
/// sought. None where it takes too long.
pub(super) fn match_words(old: &[&str], new: &[&str]) -> Option<Vec<Option<usize>>> {
    let mut positions: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, word) in new.iter().enumerate() {
        positions.entry(word).or_default().push(at);
    }
    let mut places = vec![None; old.len()];
    let mut effort = 0;
    let mut open = vec![(0..old.len(), 0..new.len())];
    while let Some((olds, news)) = open.pop() {
        let (mut best, mut ending) = ((olds.start, news.start, 0), HashMap::new());
        for at in olds.clone() {
            let mut here = HashMap::new();
            let found = positions.get(old[at]).map(Vec::as_slice).unwrap_or_default();
            let first = found.partition_point(|place| *place < news.start);
            for place in found[first..].iter().take_while(|place| **place < news.end) {
                effort += 1;
                let len =
                    place.checked_sub(1).and_then(|before| ending.get(&before)).map_or(1, |len| len + 1);
                here.insert(*place, len);
                if len > best.2 {
                    best = (at + 1 - len, place + 1 - len, len);
                }
            }
            ending = here;
            if effort > EFFORT {
                return None;
            }
        }
        let (from, to, len) = best;
        if len > 0 {
            (0..len).for_each(|at| places[from + at] = Some(to + at));
            open.push((olds.start..from, news.start..to));
            open.push((from + len..olds.end, to + len..news.end));
        }
    }
    Some(places)
}
