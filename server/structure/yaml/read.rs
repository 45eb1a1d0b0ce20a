//! The trees of a YAML stream's documents, made from the parser's events.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};
use serde_json::Value;

use super::scalar::resolve_plain;
use crate::bracketed::{CommentSign, skip_blanks};
use crate::error::{StructureError, unreadable};
use crate::lines::line_start;
use crate::node::{Content, Entry, Form, Node, Scalar};

/// Reads every document of a text. One without any is a document without a value.
pub(crate) fn read_documents(text: &str) -> Result<Vec<Node>, StructureError> {
    let options = granit_parser::options! { emit_comments: false, emit_anchor_events: true };
    let mut builder = TreeBuilder { text, ..TreeBuilder::default() };
    for event in Parser::new_from_str_with_options(text, options) {
        match event {
            Ok((event, span)) => builder.take(event, &span),
            Err(error) => {
                let at = error.marker().byte_offset().unwrap_or_else(|| {
                    text.char_indices().nth(error.marker().index()).map_or(text.len(), |(at, _)| at)
                });
                return Err(unreadable("YAML", text, at, &error.info()));
            }
        }
    }
    let mut documents = builder.documents;
    if documents.is_empty() {
        documents.push(Node::new(text.len()..text.len(), null(), Form::Inline));
    }
    for document in &mut documents {
        let from = document.properties.as_ref().map_or(document.span.start, |properties| properties.end);
        settle(text, document, from);
    }
    Ok(documents)
}

fn null() -> Content {
    Content::Scalar(Scalar::Json(Value::Null))
}

/// A collection under construction: what is read of it, and the key that waits for its value.
struct OpenNode {
    node: Node,
    key: Option<Node>,
}

#[derive(Default)]
struct TreeBuilder<'t> {
    text: &'t str,
    documents: Vec<Node>,
    open: Vec<OpenNode>,
    /// The name of each anchor by its number.
    anchors: Vec<(usize, String)>,
    in_document: bool,
}

impl TreeBuilder<'_> {
    fn take(&mut self, event: Event, span: &Span) {
        let range = span.byte_range().unwrap_or_default();
        let tag = span.tag_span().and_then(|tag| tag.byte_range());
        match event {
            Event::DocumentStart(..) => self.in_document = true,
            Event::DocumentEnd => self.in_document = false,
            Event::Anchor(number, name) => {
                self.anchors.push((number, name.to_string()));
                self.name_anchor(&name, range);
            }
            Event::Alias(number) => {
                let known = self.anchors.iter().rev().find(|(known, _)| *known == number);
                let name = known.map_or_else(String::new, |(_, name)| name.clone());
                self.close(Node::new(range, Content::Alias(name), Form::Inline));
            }
            Event::Scalar(value, style, _, _) => {
                let node = self.scalar_node(&value, style, range);
                let node = self.with_tag(node, tag);
                self.close(node);
            }
            Event::SequenceStart(style, ..) => self.open_node(Content::List(Vec::new()), style, range, tag),
            Event::MappingStart(style, ..) => self.open_node(Content::Map(Vec::new()), style, range, tag),
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(OpenNode { mut node, .. }) = self.open.pop() {
                    node.span.end = range.end.max(node.span.start);
                    self.close(node);
                }
            }
            _ => {}
        }
    }

    fn open_node(
        &mut self,
        content: Content,
        style: StructureStyle,
        range: Range<usize>,
        tag: Option<Range<usize>>,
    ) {
        let form = match style {
            StructureStyle::Block => Form::Block,
            StructureStyle::Flow => Form::Inline,
        };
        let node = self.with_tag(Node::new(range, content, form), tag);
        self.open.push(OpenNode { node, key: None });
    }

    fn with_tag(&self, mut node: Node, tag: Option<Range<usize>>) -> Node {
        node.tag = tag.clone().map(|tag| self.text[tag].to_owned());
        node.properties = tag;
        node
    }

    fn scalar_node(&self, value: &str, style: ScalarStyle, range: Range<usize>) -> Node {
        let written = self.text.get(range.clone()).unwrap_or_default();
        let (scalar, form, end) = match style {
            ScalarStyle::Plain => (resolve_plain(value), Form::Inline, written.trim_end().len()),
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                (Scalar::Json(value.into()), Form::Inline, written.trim_end().len())
            }
            // Its span begins behind the header; both ends are found where the key is known.
            ScalarStyle::Literal | ScalarStyle::Folded => {
                (Scalar::Json(value.into()), Form::BlockScalar, written.len())
            }
        };
        Node::new(range.start..range.start + end, Content::Scalar(scalar), form)
    }

    /// Gives the node that was read last its anchor.
    fn name_anchor(&mut self, name: &str, range: Range<usize>) {
        let node = match self.open.last_mut() {
            Some(OpenNode { node, key }) if node.entries().is_empty() && key.is_none() => Some(node),
            Some(OpenNode { key: Some(key), .. }) => Some(key),
            Some(OpenNode { node, .. }) => match &mut node.content {
                Content::Map(entries) | Content::List(entries) => {
                    entries.last_mut().map(|entry| &mut entry.value)
                }
                Content::Scalar(_) | Content::Alias(_) => None,
            },
            None => self.documents.last_mut(),
        };
        let Some(node) = node else { return };
        node.anchor = Some(name.to_owned());
        node.properties = Some(match &node.properties {
            Some(tag) => tag.start.min(range.start)..tag.end.max(range.end),
            None => range,
        });
    }

    /// Puts a complete node into the collection that is open.
    fn close(&mut self, node: Node) {
        let Some(open) = self.open.last_mut() else {
            self.documents.push(node);
            return;
        };
        match (&mut open.node.content, open.key.take()) {
            (Content::Map(entries), Some(key)) => {
                let (name, named) = match &key.content {
                    Content::Scalar(Scalar::Json(Value::String(name)) | Scalar::Other(name)) => {
                        (name.clone(), true)
                    }
                    Content::Scalar(Scalar::Json(_)) => (self.text[key.span.clone()].to_owned(), true),
                    // The text of a key that is no scalar tells it from others.
                    _ => (self.text.get(key.span.clone()).unwrap_or_default().trim().to_owned(), false),
                };
                let start = key.properties.as_ref().map_or(key.span.start, |properties| properties.start);
                entries.push(Entry { key: name, key_span: key.span, start, value: node, named });
            }
            (Content::List(entries), _) => {
                let start = node.properties.as_ref().map_or(node.span.start, |properties| properties.start);
                entries.push(Entry {
                    key: String::new(),
                    key_span: start..start,
                    start,
                    value: node,
                    named: true,
                });
            }
            (Content::Map(_), None) => open.key = Some(node),
            (Content::Scalar(_) | Content::Alias(_), _) => {}
        }
    }
}

/// Finds the dash of each element and the end of each collection, and puts values that are not written behind their keys.
/// `from` is a byte behind the key or dash of the node and its properties.
fn settle(text: &str, node: &mut Node, from: usize) {
    if node.is_null() && text.get(node.span.clone()).is_none_or(|written| written.trim().is_empty()) {
        let from = node.properties.as_ref().map_or(from, |properties| properties.end);
        node.span = from..from;
        return;
    }
    if node.form == Form::BlockScalar {
        let from = node.properties.as_ref().map_or(from, |properties| properties.end.max(from));
        node.span = block_scalar_span(text, from, node.span.end);
        return;
    }
    let block = node.form == Form::Block;
    let mut from = from;
    match &mut node.content {
        Content::List(entries) => {
            for entry in entries.iter_mut() {
                if block {
                    let dash = skip_blanks(text, from, CommentSign::Hash);
                    entry.start = dash;
                    entry.key_span = dash..(dash + 1).min(text.len());
                }
                settle(text, &mut entry.value, if block { entry.key_span.end } else { entry.start });
                from = entry.span().end;
            }
        }
        Content::Map(entries) => {
            for entry in entries.iter_mut() {
                if block {
                    entry.start = skip_blanks(text, from, CommentSign::Hash).min(entry.start);
                }
                let behind = entry.behind_key(text, ':').unwrap_or(entry.key_span.end);
                settle(text, &mut entry.value, behind);
                from = entry.span().end;
            }
        }
        Content::Scalar(_) | Content::Alias(_) => {}
    }
    let bracket = text[node.span.start..].starts_with(['{', '[']);
    if let (Some(first), Some(last)) = (node.entries().first(), node.entries().last())
        && (block || !bracket)
    {
        node.span = first.start..last.span().end;
        if !block {
            // A single pair in a flow list has no brackets of its own.
            node.form = Form::Implied;
        }
    }
}

/// The bytes of a block scalar from its header on. Blank lines at its end are its own where the header keeps them.
fn block_scalar_span(text: &str, from: usize, end: usize) -> Range<usize> {
    let start = skip_blanks(text, from, CommentSign::Hash).min(end);
    let written = &text[start..end];
    let header = written.lines().next().unwrap_or_default();
    let keeps = header.split('#').next().is_some_and(|header| header.contains('+'));
    let inner = if keeps { written.trim_end_matches(['\n', '\r']) } else { written.trim_end() };
    let last = if keeps { line_start(text, end.saturating_sub(1)).max(start + inner.len()) } else { 0 };
    start..last.max(start + inner.len())
}
