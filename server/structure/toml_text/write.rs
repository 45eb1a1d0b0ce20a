//! A value of a TOML file set or added, in the kind and the table that it has.

use serde_json::{Map, Value};

use super::read::read_scalar;
use super::remove::{entry_pieces, is_enclosed};
use super::render::{TomlStyle, is_table_list, join_name, render_key};
use crate::bracketed::{self, CommentSign};
use crate::error::{StructureError, StructureErrorCode};
use crate::lines::{Splice, indent_at, line_end, line_is_blank, line_start};
use crate::node::{Entry, Form, Node, Scalar};

/// Writes another value at a path.
pub(crate) fn set_value(
    text: &str,
    document: &Node,
    path: &[usize],
    value: &Value,
) -> Result<(Vec<Splice>, Option<Scalar>), StructureError> {
    let style = TomlStyle::of(text, document);
    let node = document.descend(path);
    if node.form == Form::Inline {
        let (new, scalar) = render_like(text, &style, node, value);
        return Ok((vec![Splice::new(node.span.clone(), new)], scalar));
    }
    let Some((last, above)) = path.split_last() else {
        return Err(StructureError::unsupported("the whole file is not replaced by a key"));
    };
    let Some(entry) = document.descend(above).entries().get(*last) else { return Ok((Vec::new(), None)) };
    let name = table_name(document, path);
    let lines = match (&node.form, value) {
        (Form::Section(range), Value::Object(members)) => {
            let tables: Vec<&str> = entry
                .value
                .entries()
                .iter()
                .filter(|child| child.value.form != Form::Inline)
                .map(|child| child.key.as_str())
                .collect();
            let header = text[range.start..line_end(text, range.start)].to_owned();
            let name = if header.starts_with("[[") { format!("[[{name}]]") } else { format!("[{name}]") };
            let mut lines = style.table_lines(&name, members, &tables);
            // The header keeps its spelling and its comment.
            if let Some(first) = lines.first_mut() {
                *first = header;
            }
            lines
        }
        (Form::Implied, Value::Array(_)) if node.is_list() && is_table_list(value) => {
            let mut parent = Map::new();
            parent.insert(entry.key.clone(), value.clone());
            let above = table_name(document, above);
            let header = if above.is_empty() { String::new() } else { format!("[{above}]") };
            let mut lines = style.table_lines(&header, &parent, &[entry.key.as_str()]);
            lines.drain(..usize::from(!header.is_empty()) + 1);
            lines
        }
        (Form::Section(_), _) => {
            return Err(StructureError::new(
                StructureErrorCode::BadValue,
                format!("`{name}` is a table under a header, and the new value is none"),
                "send an object, or take the table away with `remove: true` first",
            ));
        }
        _ => {
            return Err(StructureError::unsupported(format!(
                "`{name}` is a table that the keys and headers below it imply: set these one by one"
            )));
        }
    };
    let pieces = entry_pieces(text, entry);
    let mut splices = Vec::new();
    for (number, piece) in pieces.into_iter().enumerate() {
        match number {
            0 => splices.push(Splice::new(piece, lines.join(style.newline))),
            _ => splices.push(Splice::new(crate::lines::lines_to_remove(text, &piece), "")),
        }
    }
    Ok((splices, None))
}

/// Renders a value in the kind of the one in its place.
fn render_like(text: &str, style: &TomlStyle, node: &Node, value: &Value) -> (String, Option<Scalar>) {
    let old = &text[node.span.clone()];
    let indent = indent_at(text, node.span.start);
    match value {
        // A date is a kind of its own.
        Value::String(new) if is_date(&read_scalar(old), old) && is_date(&read_scalar(new), new) => {
            (new.clone(), Some(read_scalar(new)))
        }
        Value::String(new) if old.starts_with(['"', '\'']) => (style.quote_like(new, old), None),
        Value::Number(number) if is_float(old) && (number.is_i64() || number.is_u64()) => {
            (format!("{number}.0"), None)
        }
        Value::Array(elements) if node.is_list() && old.contains('\n') && !elements.is_empty() => {
            let items: Vec<String> =
                elements.iter().map(|element| style.render(element, indent, false)).collect();
            (style.list_lines(&items, indent), None)
        }
        _ => (style.render(value, indent, true), None),
    }
}

fn is_date(scalar: &Scalar, written: &str) -> bool {
    matches!(scalar, Scalar::Other(_))
        && written.starts_with(|c: char| c.is_ascii_digit())
        && written.parse::<toml::Value>().is_ok()
}

fn is_float(written: &str) -> bool {
    matches!(written.parse::<toml::Value>(), Ok(toml::Value::Float(_)))
}

/// The name of the table at a path, as a header has it.
fn table_name(document: &Node, path: &[usize]) -> String {
    let mut node = document;
    let mut name = String::new();
    for at in path {
        let Some(entry) = node.entries().get(*at) else { break };
        if node.is_map() {
            name = join_name(&name, &entry.key);
        }
        node = &entry.value;
    }
    name
}

/// Adds a member or an element at the end of the collection at a path.
pub(crate) fn add_entry(
    text: &str,
    document: &Node,
    path: &[usize],
    key: Option<&str>,
    value: &Value,
) -> Result<Vec<Splice>, StructureError> {
    let style = TomlStyle::of(text, document);
    let node = document.descend(path);
    if node.form == Form::Inline {
        let rendered = match key {
            Some(key) => format!("{} = {}", render_key(key), style.render(value, "", false)),
            None => style.render(value, "", false),
        };
        return Ok(bracketed::add_entry(text, node, &rendered, &style.step, CommentSign::Hash));
    }
    if is_enclosed(document, path) {
        return Err(StructureError::unsupported(
            "a dotted key inside of braces is not added to by its address",
        ));
    }
    let name = table_name(document, path);
    let Some(key) = key else {
        let Value::Object(members) = value else {
            return Err(StructureError::new(
                StructureErrorCode::BadValue,
                format!("`{name}` is a list of tables, and the new element is none"),
                "send an object",
            ));
        };
        let lines = style.table_lines(&format!("[[{name}]]"), members, &[]);
        return Ok(vec![append_section(text, &style, node, &lines)]);
    };
    if is_own_table(node, path, value) {
        let parent = if name.is_empty() { String::new() } else { format!("[{name}]") };
        let mut members = Map::new();
        members.insert(key.to_owned(), value.clone());
        let mut lines = style.table_lines(&parent, &members, &[key]);
        lines.drain(..usize::from(!parent.is_empty()) + 1);
        return Ok(vec![append_section(text, &style, node, &lines)]);
    }
    let line = format!("{} = {}", render_key(key), style.render(value, "", true));
    Ok(vec![add_line(text, &style, node, &name, &line)])
}

/// Returns whether a new value becomes a table under a header of its own.
fn is_own_table(node: &Node, path: &[usize], value: &Value) -> bool {
    if !value.is_object() && !is_table_list(value) {
        return false;
    }
    let maps =
        || node.entries().iter().filter(|entry| entry.value.is_map() || entry.value.form == Form::Implied);
    if maps().any(|entry| entry.value.form == Form::Inline) || has_dotted(node) {
        return false;
    }
    path.is_empty() || maps().next().is_some()
}

/// Returns whether a table is implied by dotted keys.
fn has_dotted(node: &Node) -> bool {
    node.form == Form::Implied && node.entries().iter().any(|entry| entry.value.form == Form::Inline)
}

/// Puts a table behind all that a table has.
fn append_section(text: &str, style: &TomlStyle, node: &Node, lines: &[String]) -> Splice {
    let newline = style.newline;
    let end = match node.form == Form::Section(0..0) || node.span == (0..text.len()) {
        true => text.trim_end().len(),
        false => node.span.end,
    };
    let at = line_end(text, end);
    let gap = if at == 0 { String::new() } else { format!("{newline}{newline}") };
    let tail = if at == 0 { newline } else { "" };
    Splice::insert(at, format!("{gap}{}{tail}", lines.join(newline)))
}

/// Puts a line at the end of a table's own lines.
fn add_line(text: &str, style: &TomlStyle, node: &Node, name: &str, line: &str) -> Splice {
    let newline = style.newline;
    match &node.form {
        Form::Section(range) if range.end > 0 => {
            let at = line_end(text, range.end);
            let indent = node.entries().iter().rfind(|entry| entry.value.form == Form::Inline);
            let indent =
                indent.map_or_else(|| indent_at(text, range.start), |last| indent_at(text, last.start));
            return Splice::insert(at, format!("{newline}{indent}{line}"));
        }
        Form::Implied if has_dotted(node) => {
            let last = node
                .entries()
                .iter()
                .filter(|entry| entry.value.form == Form::Inline)
                .max_by_key(|entry| entry.start);
            if let Some(Entry { start, key_span, value, .. }) = last {
                let prefix = &text[*start..key_span.start];
                let at = line_end(text, value.span.end);
                return Splice::insert(at, format!("{newline}{}{prefix}{line}", indent_at(text, *start)));
            }
        }
        _ => {}
    }
    // A table without lines of its own gets them before the first one inside of it, above the comments of that.
    let header = if name.is_empty() { String::new() } else { format!("[{name}]{newline}") };
    let Some(first) = node.entries().iter().map(|entry| entry.start).min() else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
        return Splice::insert(text.len(), format!("{gap}{header}{line}{newline}"));
    };
    let mut at = line_start(text, first);
    while at > 0
        && text[line_start(text, at - 1)..at].trim_start().starts_with('#')
        && !line_is_blank(text, at - 1)
    {
        at = line_start(text, at - 1);
    }
    Splice::insert(at, format!("{header}{line}{newline}{newline}"))
}
