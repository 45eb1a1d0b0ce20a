//! JSON with comments: read with places, written in the file's own indentation.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use crate::bracketed::{self, CommentSign};
use crate::error::{StructureError, unreadable};
use crate::lines::{Splice, begins_line, indent_at, line_break};
use crate::node::{Content, Entry, Form, Node, Scalar};

/// Characters of a line that a list on one line may take.
const WIDTH: usize = 80;

/// Reads a text. Without `loose`, comments and trailing commas are all that it may have more than JSON.
pub(crate) fn read_document(text: &str, loose: bool) -> Result<Node, StructureError> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: loose,
        allow_missing_commas: false,
        allow_single_quoted_strings: loose,
        allow_hexadecimal_numbers: loose,
        allow_unary_plus_numbers: loose,
        allow_bare_decimal_point_numbers: loose,
        allow_non_finite_numbers: loose,
        allow_extended_string_escapes: loose,
    };
    let name = if loose { "JSON5" } else { "JSON" };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| {
        let reason = error.kind().to_string();
        unreadable(name, text, error.range().start, &reason)
    })?;
    match parsed.value {
        Some(value) => Ok(read_value(value)),
        None => Err(unreadable(name, text, text.len(), "it holds no value")),
    }
}

fn read_value(value: ast::Value) -> Node {
    let range = value.range();
    let span = range.start..range.end;
    let content = match value {
        ast::Value::Object(object) => Content::Map(
            object
                .properties
                .into_iter()
                .map(|property| {
                    let name = property.name.range();
                    Entry {
                        key_span: name.start..name.end,
                        start: name.start,
                        key: property.name.into_string(),
                        value: read_value(property.value),
                        named: true,
                    }
                })
                .collect(),
        ),
        ast::Value::Array(array) => Content::List(
            array
                .elements
                .into_iter()
                .map(|element| {
                    let value = read_value(element);
                    let start = value.span.start;
                    Entry { key: String::new(), key_span: start..start, start, value, named: true }
                })
                .collect(),
        ),
        scalar => Content::Scalar(match (&scalar, Value::from(scalar.clone())) {
            // A number that JSON lacks, such as `Infinity`.
            (ast::Value::NumberLit(number), Value::String(_)) => Scalar::Other(number.value.to_owned()),
            (_, value) => Scalar::Json(value),
        }),
    };
    Node::new(span, content, Form::Inline)
}

/// The way in which a file writes its collections.
struct JsonStyle {
    step: String,
    newline: &'static str,
    colon: &'static str,
    comma: &'static str,
    pad: &'static str,
    /// True where the whole file stands in one line.
    one_line: bool,
    /// True where short lists of scalars stand in one line.
    short_lists: bool,
}

impl JsonStyle {
    fn of(text: &str, root: &Node) -> Self {
        let first = root.entries().first();
        let step =
            first.filter(|first| begins_line(text, first.start)).map(|first| indent_at(text, first.start));
        let outer = indent_at(text, root.span.start).len();
        let one_line = !text[root.span.clone()].contains('\n') && !root.entries().is_empty();
        let mut colons = Vec::new();
        let mut lists = Vec::new();
        let mut pads = Vec::new();
        collect_style(text, root, &mut colons, &mut lists, &mut pads);
        let tight = colons.first().is_some_and(|spaced| !spaced);
        Self {
            step: step.map_or("  ", |step| step.get(outer..).unwrap_or(step)).to_owned(),
            newline: line_break(text),
            colon: if tight { ":" } else { ": " },
            comma: if tight && one_line { "," } else { ", " },
            pad: if pads.first() == Some(&true) { " " } else { "" },
            one_line,
            short_lists: lists.first() == Some(&true),
        }
    }

    fn render(&self, value: &Value, indent: &str, inline: bool) -> String {
        let inline = inline || self.one_line;
        let inner = format!("{indent}{}", self.step);
        let (open, close, items): (_, _, Vec<String>) = match value {
            Value::Object(members) if !members.is_empty() => {
                let member = |(key, value): (&String, &Value)| {
                    format!(
                        "{}{}{}",
                        Value::from(key.as_str()),
                        self.colon,
                        self.render(value, &inner, inline)
                    )
                };
                ('{', '}', members.iter().map(member).collect())
            }
            Value::Array(elements) if !elements.is_empty() => {
                let items: Vec<String> =
                    elements.iter().map(|element| self.render(element, &inner, inline)).collect();
                let plain = elements.iter().all(|element| !element.is_array() && !element.is_object());
                let width: usize = items.iter().map(|item| item.chars().count() + 2).sum();
                if inline || (self.short_lists && plain && width + indent.len() <= WIDTH) {
                    return format!("[{}]", items.join(self.comma));
                }
                ('[', ']', items)
            }
            other => return other.to_string(),
        };
        if inline {
            return match open {
                '{' => format!("{{{0}{1}{0}}}", self.pad, items.join(self.comma)),
                _ => format!("[{}]", items.join(self.comma)),
            };
        }
        let newline = self.newline;
        format!("{open}{newline}{inner}{}{newline}{indent}{close}", items.join(&format!(",{newline}{inner}")))
    }
}

/// Notes for each pair if a blank follows its colon, for each list of scalars if it stands in one line, and for each
/// object in one line if it has blanks inside of its braces.
fn collect_style(
    text: &str,
    node: &Node,
    colons: &mut Vec<bool>,
    lists: &mut Vec<bool>,
    pads: &mut Vec<bool>,
) {
    let entries = node.entries();
    if entries.is_empty() || colons.len() > 200 {
        return;
    }
    let one_line = !text[node.span.clone()].contains('\n');
    if node.is_list() && entries.iter().all(|entry| entry.value.entries().is_empty()) {
        lists.push(one_line);
    }
    if node.is_map() && one_line {
        pads.push(text[node.span.start + 1..].starts_with(' '));
    }
    for entry in entries {
        if let Some(behind) = entry.behind_key(text, ':').filter(|_| node.is_map()) {
            colons.push(text[behind..].starts_with([' ', '\n', '\r', '\t']));
        }
        collect_style(text, &entry.value, colons, lists, pads);
    }
}

/// Writes another value at a path.
pub(crate) fn set_value(text: &str, document: &Node, path: &[usize], value: &Value) -> Vec<Splice> {
    let style = JsonStyle::of(text, document);
    let node = document.descend(path);
    let flat = !node.entries().is_empty() && !text[node.span.clone()].contains('\n');
    let indent = indent_at(text, path_start(document, path));
    vec![Splice::new(node.span.clone(), style.render(value, indent, flat))]
}

fn path_start(document: &Node, path: &[usize]) -> usize {
    let Some((last, above)) = path.split_last() else { return document.span.start };
    document.descend(above).entries().get(*last).map_or(document.span.start, |entry| entry.start)
}

/// Adds an entry to the collection at a path.
pub(crate) fn add_entry(
    text: &str,
    document: &Node,
    path: &[usize],
    key: Option<&str>,
    value: &Value,
) -> Vec<Splice> {
    let style = JsonStyle::of(text, document);
    let node = document.descend(path);
    let last = node.entries().last();
    let whole = last.is_some() && !text[node.span.clone()].contains('\n');
    // As the one before it, where that is of its kind and in one line.
    let beside = last
        .map(|last| &last.value)
        .filter(|last| (last.is_map() && value.is_object()) || (last.is_list() && value.is_array()));
    let flat = whole
        || beside.is_some_and(|last| !last.entries().is_empty() && !text[last.span.clone()].contains('\n'));
    let indent = match last {
        Some(last) => indent_at(text, last.start).to_owned(),
        None => format!("{}{}", indent_at(text, node.span.end - 1), style.step),
    };
    let value = style.render(value, &indent, flat);
    let rendered = match key {
        Some(key) => format!("{}{}{value}", Value::from(key), style.colon),
        None => value,
    };
    bracketed::add_entry(text, node, &rendered, &style.step, CommentSign::Slashes)
}

/// Takes the entry at a path away.
pub(crate) fn remove_entry(text: &str, document: &Node, path: &[usize]) -> Vec<Splice> {
    let Some((last, above)) = path.split_last() else { return Vec::new() };
    bracketed::remove_entry(text, document.descend(above), *last, CommentSign::Slashes)
}
