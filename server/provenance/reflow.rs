//! Lines that were broken or joined otherwise: nothing but spaces and ends of lines differs.

use std::ops::Range;

/// For each new line of a run the old lines that its words come from, by their places in the run; `None` for a line without
/// words. None at all where other characters differ.
pub(crate) fn reflowed_lines(old: &[&str], new: &[&str]) -> Option<Vec<Option<Range<usize>>>> {
    let written = |line: &str| -> Vec<char> { line.chars().filter(|c| !c.is_whitespace()).collect() };
    let mut rest =
        old.iter().enumerate().flat_map(|(at, line)| written(line).into_iter().map(move |c| (c, at)));
    let mut sources = Vec::with_capacity(new.len());
    for line in new {
        let mut source: Option<Range<usize>> = None;
        for c in written(line) {
            let (_, at) = rest.next().filter(|(other, _)| *other == c)?;
            source = Some(source.map_or(at, |source| source.start)..at + 1);
        }
        sources.push(source);
    }
    (rest.next().is_none() && sources.iter().any(Option::is_some)).then_some(sources)
}
