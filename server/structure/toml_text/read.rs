//! The tree of a TOML text: its tables are put together from headers and dotted keys, each with the lines that it has.

use std::ops::Range;

use serde_json::{Number, Value};
use toml_parser::Source;
use toml_parser::parser::{Event, EventKind, parse_document};

use crate::error::{StructureError, unreadable};
use crate::node::{Content, Entry, Form, Node, Scalar};

/// Reads a text.
pub(crate) fn read_document(text: &str) -> Result<Node, StructureError> {
    if let Err(error) = toml::from_str::<toml::Table>(text) {
        let at = error.span().map_or(0, |span| span.start);
        return Err(unreadable("TOML", text, at, error.message().lines().next().unwrap_or_default()));
    }
    let mut events = Vec::new();
    let tokens = Source::new(text).lex().into_vec();
    parse_document(&tokens, &mut |event: Event| events.push(event), &mut ());
    let silent = |event: &Event| {
        matches!(event.kind(), EventKind::Whitespace | EventKind::Newline | EventKind::Comment)
    };
    events.retain(|event| !silent(event));
    let root = Node::new(0..text.len(), Content::Map(Vec::new()), Form::Section(0..0));
    let mut reader = TomlReader { text, events, at: 0, root, table: Vec::new() };
    reader.read_statements();
    let mut root = reader.root;
    place_tables(&mut root);
    root.span = 0..text.len();
    Ok(root)
}

struct TomlReader<'t> {
    text: &'t str,
    events: Vec<Event>,
    at: usize,
    root: Node,
    /// The positions of the entries to the table whose keys are read.
    table: Vec<usize>,
}

/// A key with its place.
struct PlacedKey {
    name: String,
    span: Range<usize>,
}

impl TomlReader<'_> {
    fn next(&mut self) -> Option<(EventKind, Range<usize>)> {
        let event = self.events.get(self.at)?;
        self.at += 1;
        Some((event.kind(), event.span().start()..event.span().end()))
    }

    fn peek(&self) -> Option<EventKind> {
        self.events.get(self.at).map(Event::kind)
    }

    fn read_statements(&mut self) {
        while let Some(kind) = self.peek() {
            match kind {
                EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                    self.read_header(kind == EventKind::ArrayTableOpen)
                }
                EventKind::SimpleKey => {
                    let keys = self.read_keys();
                    let value = self.read_value();
                    let end = value.span.end;
                    let table = self.table.clone();
                    let Some(table) = descend_mut(&mut self.root, &table) else { return };
                    if let Form::Section(range) = &mut table.form {
                        range.end = end;
                    }
                    put_value(table, keys, value);
                }
                _ => self.at += 1,
            }
        }
    }

    fn read_header(&mut self, array: bool) {
        let Some((_, open)) = self.next() else { return };
        let keys = self.read_keys();
        // The closing bracket.
        let end = self.next().map_or(open.end, |(_, close)| close.end);
        let header = open.start..end;
        let mut path = Vec::new();
        let mut node = &mut self.root;
        let count = keys.len();
        for (number, key) in keys.into_iter().enumerate() {
            let last = number + 1 == count;
            let list = last && array;
            let at = enter(node, key, header.start, list);
            path.push(at);
            let Some(inner) = entry_mut(node, at) else { return };
            node = inner;
            if node.is_list() {
                let Content::List(elements) = &mut node.content else { return };
                if list {
                    let value =
                        Node::new(header.clone(), Content::Map(Vec::new()), Form::Section(header.clone()));
                    let start = header.start;
                    elements.push(Entry {
                        key: String::new(),
                        key_span: start..start,
                        start,
                        value,
                        named: true,
                    });
                }
                let element = elements.len().saturating_sub(1);
                path.push(element);
                let Some(inner) = entry_mut(node, element) else { return };
                node = inner;
            } else if last {
                node.form = Form::Section(header.clone());
            }
        }
        self.table = path;
    }

    fn read_keys(&mut self) -> Vec<PlacedKey> {
        let mut keys = Vec::new();
        while let Some(kind) = self.peek() {
            match kind {
                EventKind::SimpleKey => {
                    let Some((_, span)) = self.next() else { break };
                    let written = &self.text[span.clone()];
                    let quoted = written.starts_with(['"', '\'']);
                    let name = match quoted.then(|| written.parse::<toml::Value>()) {
                        Some(Ok(toml::Value::String(name))) => name,
                        _ => written.to_owned(),
                    };
                    keys.push(PlacedKey { name, span });
                }
                EventKind::KeySep => self.at += 1,
                EventKind::KeyValSep => {
                    self.at += 1;
                    break;
                }
                _ => break,
            }
        }
        keys
    }

    fn read_value(&mut self) -> Node {
        let Some((kind, span)) = self.next() else {
            return Node::new(0..0, Content::List(Vec::new()), Form::Inline);
        };
        let mut node = match kind {
            EventKind::ArrayOpen => Node::new(span.clone(), Content::List(Vec::new()), Form::Inline),
            EventKind::InlineTableOpen => Node::new(span.clone(), Content::Map(Vec::new()), Form::Inline),
            _ => {
                let scalar = read_scalar(&self.text[span.clone()]);
                return Node::new(span, Content::Scalar(scalar), Form::Inline);
            }
        };
        while let Some(kind) = self.peek() {
            match kind {
                EventKind::ArrayClose | EventKind::InlineTableClose => {
                    let end = self.next().map_or(span.end, |(_, close)| close.end);
                    node.span.end = end;
                    break;
                }
                EventKind::ValueSep => self.at += 1,
                EventKind::SimpleKey => {
                    let keys = self.read_keys();
                    let value = self.read_value();
                    put_value(&mut node, keys, value);
                }
                _ => {
                    let value = self.read_value();
                    let start = value.span.start;
                    if let Content::List(elements) = &mut node.content {
                        elements.push(Entry {
                            key: String::new(),
                            key_span: start..start,
                            start,
                            value,
                            named: true,
                        });
                    }
                }
            }
        }
        node
    }
}

/// Puts a value into a table under its keys, of which all but the last imply tables.
fn put_value(mut table: &mut Node, keys: Vec<PlacedKey>, value: Node) {
    let Some(start) = keys.first().map(|key| key.span.start) else { return };
    let count = keys.len();
    for (number, key) in keys.into_iter().enumerate() {
        if number + 1 == count {
            if let Content::Map(entries) = &mut table.content {
                entries.push(Entry { key: key.name, key_span: key.span, start, value, named: true });
            }
            return;
        }
        let at = enter(table, key, start, false);
        let Some(inner) = entry_mut(table, at) else { return };
        table = inner;
    }
}

/// Returns the position of a key's entry, which is made where there is none.
fn enter(table: &mut Node, key: PlacedKey, start: usize, list: bool) -> usize {
    let Content::Map(entries) = &mut table.content else { return 0 };
    if let Some(at) = entries.iter().position(|entry| entry.key == key.name) {
        return at;
    }
    let content = if list { Content::List(Vec::new()) } else { Content::Map(Vec::new()) };
    let value = Node::new(start..start, content, Form::Implied);
    entries.push(Entry { key: key.name, key_span: key.span, start, value, named: true });
    entries.len() - 1
}

fn entry_mut(node: &mut Node, at: usize) -> Option<&mut Node> {
    match &mut node.content {
        Content::Map(entries) | Content::List(entries) => entries.get_mut(at).map(|entry| &mut entry.value),
        Content::Scalar(_) | Content::Alias(_) => None,
    }
}

fn descend_mut<'n>(node: &'n mut Node, path: &[usize]) -> Option<&'n mut Node> {
    path.iter().try_fold(node, |node, at| entry_mut(node, *at))
}

/// The value of a scalar as it is written.
pub(super) fn read_scalar(written: &str) -> Scalar {
    match written.parse::<toml::Value>() {
        Ok(toml::Value::String(text)) => Scalar::Json(text.into()),
        Ok(toml::Value::Integer(number)) => Scalar::Json(number.into()),
        Ok(toml::Value::Float(number)) => match Number::from_f64(number) {
            Some(number) => Scalar::Json(Value::Number(number)),
            None => Scalar::Other(number.to_string()),
        },
        Ok(toml::Value::Boolean(value)) => Scalar::Json(value.into()),
        Ok(other) => Scalar::Other(other.to_string()),
        Err(_) => Scalar::Other(written.to_owned()),
    }
}

/// Gives tables of headers and dotted keys the range from their first line to their last.
fn place_tables(node: &mut Node) {
    let (mut start, mut end) = match &node.form {
        Form::Section(range) => (range.start, range.end),
        Form::Implied => (usize::MAX, 0),
        _ => return,
    };
    if let Content::Map(entries) | Content::List(entries) = &mut node.content {
        for entry in entries {
            place_tables(&mut entry.value);
            start = start.min(entry.start);
            end = end.max(entry.value.span.end);
        }
    }
    node.span = start.min(end)..end;
}
