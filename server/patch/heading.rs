//! The parts of a text that a hunk's heading may name.

use std::collections::BTreeMap;

use super::lines::line_body;

/// A heading that opens more parts than this is ignored.
const COMMON: usize = 64;

/// The lines of a text that open its parts.
pub(super) struct TextHeadings<'a> {
    /// Each line without the space around it, and its position, in the order of the texts.
    lines: Vec<(&'a str, usize)>,
    /// The end of the part that each line opens.
    ends: Vec<usize>,
}

impl<'a> TextHeadings<'a> {
    pub(super) fn new(text: &[&'a str]) -> Self {
        let mut lines: Vec<(&str, usize)> = text.iter().map(|line| line_body(line).trim()).zip(0..).collect();
        lines.sort_unstable();
        Self { lines, ends: part_ends(text) }
    }

    /// The only one of these places that is under all of the headings, the outermost first.
    pub(super) fn only_under(&self, headings: &[&str], places: &[usize]) -> Option<usize> {
        let mut parts: Vec<(usize, usize)> = vec![(0, self.ends.len())];
        for heading in headings {
            parts = self.parts_under(heading, &parts)?;
        }
        if headings.is_empty() {
            return None;
        }
        let within = |bound: usize| places.partition_point(|&place| place < bound);
        let mut fits = None;
        for (opening, end) in parts {
            // A hunk may begin with the head of the next part: it is still under this one.
            match &places[within(opening)..within(end + 1)] {
                [] => {}
                [place] if fits.is_none_or(|fits| fits == *place) => fits = Some(*place),
                _ => return None,
            }
        }
        fits
    }

    /// The parts that a heading opens inside of others.
    fn parts_under(&self, heading: &str, outer: &[(usize, usize)]) -> Option<Vec<(usize, usize)>> {
        let first = self.lines.partition_point(|(line, _)| *line < heading);
        let openings = self.lines[first..].iter().take_while(|(line, _)| line.starts_with(heading));
        let openings: Vec<usize> = openings.take(COMMON + 1).map(|(_, place)| *place).collect();
        let inside = |opening: &usize| outer.iter().any(|(start, end)| (*start..*end).contains(opening));
        let part = |opening: usize| (opening, self.ends[opening]);
        (openings.len() <= COMMON).then(|| openings.into_iter().filter(inside).map(part).collect())
    }
}

/// Returns for each line the next one that begins a part and is indented no deeper.
fn part_ends(text: &[&str]) -> Vec<usize> {
    let mut ends = vec![text.len(); text.len()];
    // The lines whose part is open, by how deep they are indented.
    let mut open: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, line) in text.iter().enumerate() {
        let depth = indent_width(line);
        if begins_part(line) {
            let closed = open.split_off(&depth);
            closed.into_values().flatten().for_each(|opened| ends[opened] = place);
        }
        open.entry(depth).or_default().push(place);
    }
    ends
}

fn indent_width(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns whether a line looks like the head of a part rather than its end: git's rule.
fn begins_part(line: &str) -> bool {
    line.trim_start().starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$' || c == '#')
}
