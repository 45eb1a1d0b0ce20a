//! Values by their keys: an address resolved in a tree, a value set, added or taken away, and the result read again.

use std::ops::Range;

use serde_json::{Value, json};

use crate::address::PartChange;
use crate::error::{StructureError, StructureErrorCode, unsound};
use crate::format::DataFormat;
use crate::key_hints::{anchor_address, not_there};
use crate::key_path::{KeyStep, member_address, read_key_path};
use crate::lines::{Splice, apply_splices, begins_line, line_end, line_number, line_start};
use crate::node::{Content, Entry, Node, Scalar, Shape, ShapeChange};

/// The place that an address leads to.
pub(crate) enum KeyPlace {
    /// The positions of the entries to a value that is there.
    There(Vec<usize>),
    /// The positions to a mapping or list, and the member that it lacks; no name for a new element.
    Missing(Vec<usize>, Option<String>),
}

/// A document of a text, and the place in it.
pub(crate) struct Located {
    pub document: Node,
    pub place: KeyPlace,
    /// The position of the document among all.
    pub number: usize,
}

/// Returns the bytes of the entry at an address: whole lines where nothing else stands in them.
pub(crate) fn find_key(
    format: DataFormat,
    text: &str,
    address: &str,
) -> Result<Range<usize>, StructureError> {
    let documents = format.read(text)?;
    let located = locate(format, text, documents, address)?;
    match located.place {
        KeyPlace::There(path) => entry_range(format, text, &located.document, &path),
        KeyPlace::Missing(path, key) => {
            Err(not_there(text, &located.document, &path, address, &key.unwrap_or_else(|| "[+]".to_owned())))
        }
    }
}

/// Returns the text with the change at an address.
pub(crate) fn change_key(
    format: DataFormat,
    text: &str,
    address: &str,
    change: &PartChange,
) -> Result<String, StructureError> {
    let documents = format.read(text)?;
    let shapes: Vec<Shape> = documents.iter().map(Node::to_shape).collect();
    let Located { document, place, number } = locate(format, text, documents, address)?;
    let (splices, path, expected) = match (change, place) {
        (PartChange::Value(value), KeyPlace::There(path)) => {
            check_value(format, value)?;
            let node = document.descend(&path);
            if let Some(tag) = &node.tag {
                return Err(StructureError::unsupported(format!(
                    "the value of `{address}` has the tag {tag}, which a new value may not fit"
                )));
            }
            let (splices, scalar) = format.set(text, &document, &path, value)?;
            let shape = scalar.map_or_else(|| Shape::of_value(value), Shape::of_scalar);
            (splices, path, ShapeChange::Set(shape))
        }
        (PartChange::Value(value), KeyPlace::Missing(mut path, key)) => {
            check_value(format, value)?;
            let parent = document.descend(&path);
            let fresh = match &key {
                Some(key) => json!({ key: value }),
                None => json!([value]),
            };
            if parent.entries().is_empty() && format.replaces_empty(text, parent) {
                let (splices, _) = format.set(text, &document, &path, &fresh)?;
                (splices, path, ShapeChange::Set(Shape::of_value(&fresh)))
            } else {
                let splices = format.add(text, &document, &path, key.as_deref(), value)?;
                path.push(parent.entries().len());
                (splices, path, ShapeChange::Add(key.unwrap_or_default(), Shape::of_value(value)))
            }
        }
        (PartChange::Remove, KeyPlace::There(path)) => {
            let mut path = path;
            while let Some((_, above)) = path.split_last()
                && document.descend(above).entries().len() == 1
                && format.drops_empty(document.descend(above))
                && !above.is_empty()
            {
                path.pop();
            }
            let Some((_, above)) = path.split_last() else {
                return Err(StructureError::unsupported("the whole file cannot be taken away by a key"));
            };
            let parent = document.descend(above);
            if parent.entries().len() == 1 && format.writes_empty(parent) {
                let empty = if parent.is_map() { json!({}) } else { json!([]) };
                let (splices, _) = format.set(text, &document, above, &empty)?;
                (splices, above.to_vec(), ShapeChange::Set(Shape::of_value(&empty)))
            } else {
                (format.remove(text, &document, &path)?, path, ShapeChange::Remove)
            }
        }
        (PartChange::Verbatim(new), KeyPlace::There(path)) => {
            let range = entry_range(format, text, &document, &path)?;
            let after = apply_splices(text, vec![Splice::new(range, new.clone())]);
            return check_verbatim(format, &shapes, number, &path, after);
        }
        (PartChange::Text(_), _) => {
            return Err(StructureError::new(
                StructureErrorCode::BadValue,
                "a key gets its new value by `value`, not by `replace` alone",
                "send `value` with any JSON value, or `find` and `replace` to change the text inside the part",
            ));
        }
        (PartChange::Remove | PartChange::Verbatim(_), KeyPlace::Missing(path, key)) => {
            let key = key.unwrap_or_else(|| "[+]".to_owned());
            return Err(not_there(text, &document, &path, address, &key));
        }
    };
    let after = apply_splices(text, splices);
    let mut wanted = shapes;
    let slot = wanted.get_mut(number).ok_or_else(|| unsound("the document is not found again"))?;
    *slot = slot.clone().change_at(&path, expected);
    let read = format
        .read(&after)
        .map_err(|error| unsound(&format!("the result would not hold together ({})", error.message)))?;
    let same = read.len() == wanted.len()
        && read
            .iter()
            .zip(&wanted)
            .all(|(node, wanted)| node.to_shape().is_same(wanted, format.is_ordered()));
    match same {
        true => Ok(after),
        false => Err(unsound(&format!("as {} the result would not hold what was meant", format.name()))),
    }
}

/// Accepts a text whose part alone differs.
fn check_verbatim(
    format: DataFormat,
    before: &[Shape],
    number: usize,
    path: &[usize],
    after: String,
) -> Result<String, StructureError> {
    let read = format
        .read(&after)
        .map_err(|error| unsound(&format!("the result would not hold together ({})", error.message)))?;
    let blank = |shape: &Shape| shape.clone().change_at(path, ShapeChange::Blank);
    let same = read.len() == before.len()
        && read.iter().zip(before).enumerate().all(|(at, (node, before))| match at == number {
            true => blank(&node.to_shape()).is_same(&blank(before), format.is_ordered()),
            false => node.to_shape().is_same(before, format.is_ordered()),
        });
    match same {
        true => Ok(after),
        false => Err(unsound("the change would reach beyond the part")),
    }
}

/// Refuses a value that the format cannot hold.
fn check_value(format: DataFormat, value: &Value) -> Result<(), StructureError> {
    match format == DataFormat::Toml && holds_null(value) {
        true => Err(StructureError::new(
            StructureErrorCode::BadValue,
            "TOML has no null",
            "send `remove: true` to take the key away, or another value",
        )),
        false => Ok(()),
    }
}

fn holds_null(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.iter().any(holds_null),
        Value::Object(members) => members.values().any(holds_null),
        other => other.is_null(),
    }
}

/// The bytes of an entry, or its whole lines where it has them alone.
fn entry_range(
    format: DataFormat,
    text: &str,
    document: &Node,
    path: &[usize],
) -> Result<Range<usize>, StructureError> {
    let Some((last, above)) = path.split_last() else { return Ok(0..text.len()) };
    let Some(entry) = document.descend(above).entries().get(*last) else { return Ok(0..text.len()) };
    let span = format.entry_span(text, entry)?;
    let end = line_end(text, span.end.min(text.len()));
    let rest = text[span.end.min(end)..end].trim_start().trim_start_matches(',').trim_start();
    let alone = rest.is_empty() || rest.starts_with('#') || rest.starts_with("//");
    match alone && begins_line(text, span.start) {
        true => Ok(line_start(text, span.start)..end.max(span.end)),
        false => Ok(span),
    }
}

/// Finds the one document and the place that an address leads to.
fn locate(
    format: DataFormat,
    text: &str,
    documents: Vec<Node>,
    address: &str,
) -> Result<Located, StructureError> {
    let steps = read_key_path(address)?;
    let count = documents.len();
    let mut there = Vec::new();
    let mut missing = Vec::new();
    let mut error = None;
    for (number, document) in documents.into_iter().enumerate() {
        match walk(text, &document, &steps, address) {
            Ok(place) => {
                let located = Located { document, place, number };
                match located.place {
                    KeyPlace::There(_) => there.push(located),
                    KeyPlace::Missing(..) => missing.push(located),
                }
            }
            Err(refused) => error = Some(error.unwrap_or(refused)),
        }
    }
    let mut candidates = if there.is_empty() { missing } else { there };
    match (candidates.len(), error) {
        (1, _) => Ok(candidates.remove(0)),
        (0, Some(error)) => Err(error),
        (0, None) => Err(StructureError::unsupported(format!("the file holds no {} value", format.name()))),
        (_, _) => {
            let lines: Vec<String> = candidates
                .iter()
                .map(|located| {
                    let at = match &located.place {
                        KeyPlace::There(path) | KeyPlace::Missing(path, _) => {
                            located.document.descend(path).span.start
                        }
                    };
                    format!("document {} (line {})", located.number + 1, line_number(text, at))
                })
                .collect();
            Err(StructureError {
                code: StructureErrorCode::Ambiguous,
                ..StructureError::unsupported(format!(
                    "the file holds {count} documents, and `{address}` fits in {} of them",
                    candidates.len()
                ))
            }
            .with_hints(lines))
        }
    }
}

/// Walks the steps of an address.
fn walk(text: &str, root: &Node, steps: &[KeyStep], address: &str) -> Result<KeyPlace, StructureError> {
    let mut path = Vec::new();
    let mut node = root;
    for (number, step) in steps.iter().enumerate() {
        if let Content::Alias(name) = &node.content {
            return Err(StructureError::unsupported(format!(
                "`{address}` goes through the alias *{name} of line {}",
                line_number(text, node.span.start)
            ))
            .with_hints(anchor_address(root, "", name).map(|at| format!("&{name} stands at {at}"))));
        }
        let found = find_step(text, node, step, address)?;
        match found {
            Some(at) => {
                path.push(at);
                node = &node.entries()[at].value;
            }
            None => {
                let last = number + 1 == steps.len();
                let key = match step {
                    KeyStep::Member(key) if node.is_map() || node.is_null() => Some(Some(key.clone())),
                    KeyStep::Append if node.is_list() || node.is_null() => Some(None),
                    KeyStep::Element(at)
                        if (node.is_list() || node.is_null())
                            && usize::try_from(*at) == Ok(node.entries().len()) =>
                    {
                        Some(None)
                    }
                    _ => None,
                };
                return match (last, key) {
                    (true, Some(key)) => Ok(KeyPlace::Missing(path, key)),
                    _ => Err(not_there(text, root, &path, address, &step_name(step))),
                };
            }
        }
    }
    Ok(KeyPlace::There(path))
}

fn step_name(step: &KeyStep) -> String {
    match step {
        KeyStep::Member(key) => member_address("", key),
        KeyStep::Element(at) => format!("[{at}]"),
        KeyStep::Where(name, value) => format!("[{name}={value}]"),
        KeyStep::Append => "[+]".to_owned(),
    }
}

/// Finds the entry of a step.
fn find_step(
    text: &str,
    node: &Node,
    step: &KeyStep,
    address: &str,
) -> Result<Option<usize>, StructureError> {
    let entries = node.entries();
    let (fits, what): (Vec<usize>, String) = match step {
        KeyStep::Member(key) if node.is_list() => match key.parse::<usize>() {
            Ok(at) => return Ok(entries.get(at).map(|_| at)),
            Err(_) => return Ok(None),
        },
        KeyStep::Member(key) => {
            let named = |(_, entry): &(usize, &Entry)| entry.named && entry.key == *key;
            (entries.iter().enumerate().filter(named).map(|(at, _)| at).collect(), format!("the key `{key}`"))
        }
        KeyStep::Element(at) if node.is_list() => {
            let at = if *at < 0 { entries.len() as i64 + at } else { *at };
            return Ok(usize::try_from(at).ok().filter(|at| *at < entries.len()));
        }
        KeyStep::Where(name, value) if node.is_list() => {
            let has = |(_, entry): &(usize, &Entry)| {
                let member = |member: &&Entry| member.key == *name && is_spelled(&member.value, value);
                entry.value.is_map() && entry.value.entries().iter().any(|entry| member(&entry))
            };
            let fits = entries.iter().enumerate().filter(has).map(|(at, _)| at).collect();
            (fits, format!("an element with `{name}` = `{value}`"))
        }
        KeyStep::Element(_) | KeyStep::Where(..) | KeyStep::Append => return Ok(None),
    };
    match fits.as_slice() {
        [] => Ok(None),
        [at] => Ok(Some(*at)),
        several => Err(StructureError {
            code: StructureErrorCode::Ambiguous,
            ..StructureError::unsupported(format!(
                "{what} stands {} times where `{address}` leads",
                several.len()
            ))
        }
        .with_hints(several.iter().map(|at| format!("line {}", line_number(text, entries[*at].start))))),
    }
}

/// Returns whether a scalar is written like a word of an address.
fn is_spelled(node: &Node, word: &str) -> bool {
    match &node.content {
        Content::Scalar(Scalar::Json(Value::String(text)) | Scalar::Other(text)) => text == word,
        Content::Scalar(Scalar::Json(value)) => {
            let written = value.to_string();
            written == word
        }
        _ => false,
    }
}
