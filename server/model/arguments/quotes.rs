//! The quoted parts of a model's words: code, citations, examples. A call in them does not count.

use std::ops::Range;

/// Words that announce an example, also of a call with marks.
const EXAMPLES: [&str; 6] =
    ["example", "e.g.", "for instance", "looks like this", "look like this", "would look like"];
/// Words that announce an example where a call has no marks.
const MAYBE: [&str; 10] = [
    "such as",
    "something like",
    "looks like",
    "you can ",
    "you could",
    "i could",
    "could call",
    "would call",
    "the format",
    "the syntax",
];

/// Bytes before a call in which words may announce an example.
const LEAD: usize = 200;

/// The quoted parts of a text.
#[derive(Debug)]
pub(super) struct QuotedParts(Vec<Range<usize>>);

impl QuotedParts {
    /// Finds the quoted parts of this text: code in fences and backticks, and lines behind `>`.
    pub(super) fn find_in(text: &str) -> Self {
        let (mut parts, mut at, mut fence): (Vec<Range<usize>>, usize, Option<usize>) = (Vec::new(), 0, None);
        for line in text.split_inclusive('\n') {
            let trimmed = line.trim_start();
            let (start, end) = (at, at + line.len());
            at = end;
            match fence {
                Some(from) if trimmed.starts_with("```") || trimmed.starts_with("~~~") => {
                    parts.push(from..end);
                    fence = None;
                }
                Some(_) => {}
                None if trimmed.starts_with("```") || trimmed.starts_with("~~~") => fence = Some(start),
                None if trimmed.starts_with('>') => parts.push(start..end),
                None => {
                    let ticks: Vec<usize> = line.match_indices('`').map(|(tick, _)| start + tick).collect();
                    parts.extend(ticks.chunks_exact(2).map(|pair| pair[0]..pair[1]));
                }
            }
        }
        parts.extend(fence.map(|from| from..text.len()));
        Self(parts)
    }

    /// Returns whether the part that begins at `at` is quoted, or announced as an example.
    pub(super) fn is_quoted_at(&self, text: &str, at: usize) -> bool {
        let before = &text[text.floor_char_boundary(at.saturating_sub(LEAD))..at];
        let is_cited = before.ends_with(['"', '\'', '“', '‘', '«']);
        // The words before it announce it if they are of its paragraph and end with a colon, or with nothing.
        let paragraph = before.rsplit("\n\n").next().unwrap_or_default().trim_end();
        let announced = !paragraph.ends_with(['.', '!', '?', '>']) && announces_example(paragraph, &EXAMPLES);
        is_cited || announced || self.0.iter().any(|part| part.contains(&at))
    }

    /// Returns whether words announce an example.
    pub(super) fn is_example(lead: &str) -> bool {
        announces_example(lead, &EXAMPLES) || announces_example(lead, &MAYBE)
    }

    /// Returns the fences that a text ends with, and the text before them; `None` if words follow or come between.
    pub(super) fn fences_at_end(text: &str) -> Option<(&str, Vec<&str>)> {
        let mut fences = Vec::new();
        let (mut at, mut open, mut lead) = (0, None, None);
        for line in text.split_inclusive('\n') {
            let (start, is_mark) = (at, line.starts_with("```"));
            at += line.len();
            match open {
                Some(from) if is_mark && line.trim() == "```" => {
                    fences.push(text[from..at].trim());
                    open = None;
                }
                Some(_) => {}
                None if is_mark => {
                    lead.get_or_insert(&text[..start]);
                    open = Some(start);
                }
                None if lead.is_some() && !line.trim().is_empty() => return None,
                None => {}
            }
        }
        (open.is_none() && !fences.is_empty()).then_some((lead?, fences))
    }
}

fn announces_example(lead: &str, words: &[&str]) -> bool {
    let lead = lead.to_lowercase();
    words.iter().any(|word| lead.contains(word))
}
