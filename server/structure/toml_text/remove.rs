//! The lines of an entry of a TOML file, and the entry taken away.

use std::ops::Range;

use crate::bracketed::{self, CommentSign, skip_blanks};
use crate::error::StructureError;
use crate::lines::{Splice, line_number, lines_to_remove};
use crate::node::{Entry, Form, Node};

/// Returns the bytes of an entry.
///
/// # Errors
/// Where other tables stand between its parts.
pub(crate) fn entry_span(text: &str, entry: &Entry) -> Result<Range<usize>, StructureError> {
    match entry_pieces(text, entry).as_slice() {
        [one] => Ok(one.clone()),
        several => {
            let lines = several.iter().map(|piece| {
                format!("lines {} to {}", line_number(text, piece.start), line_number(text, piece.end))
            });
            Err(StructureError::unsupported(format!(
                "`{}` stands in {} places, with other keys between them",
                entry.key,
                several.len()
            ))
            .with_hints(lines))
        }
    }
}

/// Returns the ranges of an entry's lines; those with nothing but comments between them are one.
pub(super) fn entry_pieces(text: &str, entry: &Entry) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    collect_pieces(entry, &mut pieces);
    pieces.sort_by_key(|piece| piece.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for piece in pieces {
        match joined.last_mut() {
            Some(last) if skip_blanks(text, last.end, CommentSign::Hash) >= piece.start => {
                last.end = last.end.max(piece.end);
            }
            _ => joined.push(piece),
        }
    }
    joined
}

fn collect_pieces(entry: &Entry, pieces: &mut Vec<Range<usize>>) {
    match &entry.value.form {
        Form::Section(range) => {
            pieces.push(range.clone());
            let tables = entry.value.entries().iter().filter(|child| child.value.form != Form::Inline);
            tables.for_each(|child| collect_pieces(child, pieces));
        }
        Form::Implied => entry.value.entries().iter().for_each(|child| collect_pieces(child, pieces)),
        _ => pieces.push(entry.span()),
    }
}

/// Returns whether a value stands between brackets or braces, or in a pair there.
pub(super) fn is_enclosed(document: &Node, path: &[usize]) -> bool {
    (0..path.len()).any(|count| count > 0 && document.descend(&path[..count]).form == Form::Inline)
}

/// Takes the entry at a path away, with its lines.
pub(crate) fn remove_entry(
    text: &str,
    document: &Node,
    path: &[usize],
) -> Result<Vec<Splice>, StructureError> {
    let Some((last, above)) = path.split_last() else { return Ok(Vec::new()) };
    let parent = document.descend(above);
    if parent.form == Form::Inline {
        return Ok(bracketed::remove_entry(text, parent, *last, CommentSign::Hash));
    }
    if is_enclosed(document, above) {
        return Err(StructureError::unsupported(
            "a dotted key inside of braces is not taken away by its address",
        ));
    }
    let Some(entry) = parent.entries().get(*last) else { return Ok(Vec::new()) };
    let pieces = entry_pieces(text, entry);
    Ok(pieces.into_iter().map(|piece| Splice::new(lines_to_remove(text, &piece), "")).collect())
}
