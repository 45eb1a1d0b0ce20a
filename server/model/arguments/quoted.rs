//! Which parts of a model's words are quoted: code, citations, examples. A call in them is none.

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
pub(super) struct Quoted(Vec<Range<usize>>);

impl Quoted {
    /// Those of this text: code in fences and backticks, and lines behind `>`.
    pub(super) fn of(text: &str) -> Self {
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

    /// Whether what begins there is quoted, or announced as an example.
    pub(super) fn holds(&self, text: &str, at: usize) -> bool {
        let before = &text[text.floor_char_boundary(at.saturating_sub(LEAD))..at];
        let is_cited = before.ends_with(['"', '\'', '“', '‘', '«']);
        // The words before it announce it where they are of its paragraph and end with a colon, or with nothing.
        let paragraph = before.rsplit("\n\n").next().unwrap_or_default().trim_end();
        let announced = !paragraph.ends_with(['.', '!', '?', '>']) && announces(paragraph, &EXAMPLES);
        is_cited || announced || self.0.iter().any(|part| part.contains(&at))
    }

    /// Whether words announce an example.
    pub(super) fn is_example(lead: &str) -> bool {
        announces(lead, &EXAMPLES) || announces(lead, &MAYBE)
    }

    /// The fences that a text ends with, and what stands before them; nothing where words follow or stand between.
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

fn announces(lead: &str, words: &[&str]) -> bool {
    let lead = lead.to_lowercase();
    words.iter().any(|word| lead.contains(word))
}
