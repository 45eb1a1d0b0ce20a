//! Collections between brackets, in JSON, TOML and the flow form of YAML: an entry added or taken away, with its comma.

use crate::lines::{
    Splice, begins_line, end_above, indent_at, line_break, line_end, line_start, lines_to_remove,
};
use crate::node::Node;

/// The signs that begin a comment to the end of the line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommentSign {
    Hash,
    Slashes,
}

/// Returns the first byte from `at` that belongs to no blank and no comment.
pub(crate) fn skip_blanks(text: &str, mut at: usize, sign: CommentSign) -> usize {
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start().len();
        at += blank;
        let rest = &text[at..];
        let line = match sign {
            CommentSign::Hash => rest.starts_with('#'),
            CommentSign::Slashes => rest.starts_with("//"),
        };
        if line {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if sign == CommentSign::Slashes && rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else {
            return at;
        }
    }
}

/// Returns the comma behind an entry, before the closing bracket.
fn comma_behind(text: &str, end: usize, sign: CommentSign) -> Option<usize> {
    let at = skip_blanks(text, end, sign);
    text[at..].starts_with(',').then_some(at)
}

/// Adds an entry at the end. `step` is one level of indentation, for a collection that is empty but for comments.
pub(crate) fn add_entry(
    text: &str,
    node: &Node,
    rendered: &str,
    step: &str,
    sign: CommentSign,
) -> Vec<Splice> {
    let (open, close) = (node.span.start, node.span.end - 1);
    let newline = line_break(text);
    let Some(last) = node.entries().last() else {
        let inner = &text[open + 1..close];
        return match inner.contains('\n') {
            true => {
                let indent = format!("{}{step}", indent_at(text, close));
                let at = end_above(text, line_start(text, close));
                vec![Splice::insert(at, format!("{newline}{indent}{rendered}"))]
            }
            false => vec![Splice::insert(open + 1, rendered)],
        };
    };
    let end = last.span().end;
    let comma = comma_behind(text, end, sign);
    let behind = comma.map_or(end, |comma| comma + 1);
    let point = line_end(text, behind);
    if begins_line(text, last.start)
        && point <= close
        && line_start(text, open) < line_start(text, last.start)
    {
        let indent = indent_at(text, last.start);
        let tail = if comma.is_some() { "," } else { "" };
        let mut splices = vec![Splice::insert(point, format!("{newline}{indent}{rendered}{tail}"))];
        if comma.is_none() {
            splices.insert(0, Splice::insert(end, ","));
        }
        return splices;
    }
    let space = if is_tight(text, node) { "" } else { " " };
    match comma {
        Some(comma) => vec![Splice::insert(comma + 1, format!("{space}{rendered},"))],
        None => vec![Splice::insert(end, format!(",{space}{rendered}"))],
    }
}

/// Returns whether no blank stands behind the commas, or behind the colon of a single entry.
fn is_tight(text: &str, node: &Node) -> bool {
    match node.entries() {
        [one, two, ..] => text[one.span().end..two.start].ends_with(','),
        [one] if !one.key_span.is_empty() => {
            text[one.key_span.end..one.value.span.start.max(one.key_span.end)] == *":"
        }
        _ => false,
    }
}

/// Takes an entry away, with one comma, and with its lines where it has them alone.
pub(crate) fn remove_entry(text: &str, node: &Node, at: usize, sign: CommentSign) -> Vec<Splice> {
    let entries = node.entries();
    let Some(entry) = entries.get(at) else { return Vec::new() };
    let end = entry.span().end;
    let comma = comma_behind(text, end, sign);
    let behind = comma.map_or(end, |comma| comma + 1);
    let previous = at.checked_sub(1).and_then(|at| entries.get(at));
    let tail = text[behind..line_end(text, behind)].trim_start();
    let comment = match sign {
        CommentSign::Hash => tail.starts_with('#'),
        CommentSign::Slashes => tail.starts_with("//"),
    };
    if begins_line(text, entry.start) && (tail.is_empty() || comment) {
        let mut splices = vec![Splice::new(lines_to_remove(text, &(entry.start..behind)), "")];
        let before = previous.and_then(|previous| comma_behind(text, previous.span().end, sign));
        if let (None, Some(before)) = (comma, before) {
            splices.insert(0, Splice::new(before..before + 1, ""));
        }
        return splices;
    }
    let range = match (comma, entries.get(at + 1), previous) {
        (Some(_), Some(next), _) => entry.start..next.start,
        (Some(comma), None, Some(previous)) => {
            comma_behind(text, previous.span().end, sign).map_or(entry.start, |before| before + 1)..comma + 1
        }
        (_, _, Some(previous)) => previous.span().end..end,
        (_, _, None) => {
            let (open, close) = (node.span.start + 1, node.span.end - 1);
            let alone = text[open..entry.start].trim().is_empty() && text[behind..close].trim().is_empty();
            if alone { open..close } else { entry.start..behind }
        }
    };
    vec![Splice::new(range, "")]
}
