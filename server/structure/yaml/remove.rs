//! An entry of a YAML file taken away.

use crate::bracketed::{self, CommentSign};
use crate::error::StructureError;
use crate::lines::{Splice, begins_line, lines_to_remove};
use crate::node::{Form, Node};

/// Takes the entry at a path away, with its lines.
pub(crate) fn remove_entry(
    text: &str,
    document: &Node,
    path: &[usize],
) -> Result<Vec<Splice>, StructureError> {
    let Some((last, above)) = path.split_last() else { return Ok(Vec::new()) };
    let parent = document.descend(above);
    let Some(entry) = parent.entries().get(*last) else { return Ok(Vec::new()) };
    match parent.form {
        Form::Inline => return Ok(bracketed::remove_entry(text, parent, *last, CommentSign::Hash)),
        Form::Block => {}
        _ => {
            return Err(StructureError::unsupported(
                "a pair without braces in a list is taken away with its element",
            ));
        }
    }
    if begins_line(text, entry.start) {
        return Ok(vec![Splice::new(lines_to_remove(text, &entry.span()), "")]);
    }
    match parent.entries().get(last + 1) {
        // The first member stands behind a dash, and the next one takes its place.
        Some(next) => Ok(vec![Splice::new(entry.start..next.start, "")]),
        None => Err(StructureError::unsupported("the entry shares its line with its parent")),
    }
}
