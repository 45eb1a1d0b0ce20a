//! A value of a YAML file set or added, with the comments around it left as they are.

use serde_json::{Value, json};

use super::render::{Quoting, RenderedValue, join_head};
use super::style::{QuoteSign, YamlStyle};
use crate::bracketed::{self, CommentSign};
use crate::error::StructureError;
use crate::lines::{Splice, begins_line, column, end_above, line_end, line_is_blank, line_start};
use crate::node::{Content, Form, Node, Scalar};

/// Characters of a collection in one line, at most.
const WIDTH: usize = 100;

/// Writes another value at a path.
pub(crate) fn set_value(
    text: &str,
    document: &Node,
    path: &[usize],
    value: &Value,
) -> Result<Vec<Splice>, StructureError> {
    let mut style = YamlStyle::of(text, document);
    let node = document.descend(path);
    let Some((last, above)) = path.split_last() else { return set_root(text, node, &style, value) };
    let parent = document.descend(above);
    let Some(entry) = parent.entries().get(*last) else { return Ok(Vec::new()) };
    let quoting = quoting_of(text, node);
    if parent.form != Form::Block {
        let rendered = style.render_inline(value, true, quoting);
        if !node.is_unwritten() {
            return Ok(vec![Splice::new(node.span.clone(), rendered)]);
        }
        return match entry.behind_key(text, ':') {
            Some(behind) => Ok(vec![Splice::insert(behind.max(node.span.start), format!(" {rendered}"))]),
            None => Ok(vec![Splice::insert(node.span.start, format!(": {rendered}"))]),
        };
    }
    let in_list = parent.is_list();
    let own = column(text, entry.start);
    let behind = match in_list {
        true => entry.key_span.end,
        false => entry.behind_key(text, ':').unwrap_or(entry.key_span.end),
    };
    let behind = node.properties.as_ref().map_or(behind, |properties| properties.end.max(behind));
    let same_line = line_start(text, node.span.start) == line_start(text, behind);
    if in_list && same_line && !node.is_unwritten() && node.properties.is_none() {
        style.dash_width = column(text, node.span.start).saturating_sub(own);
    }
    if !in_list && node.form == Form::Block {
        let indent = column(text, node.span.start).saturating_sub(own);
        match node.is_map() {
            true => style.step = indent.max(1),
            false => style.dash_indent = indent,
        }
    }
    let flow = is_collection(value) && is_flow(node, parent);
    let below = in_list && (node.properties.is_some() || !same_line);
    let rendered = render(&style, value, own, (in_list, below), quoting, flow);
    Ok(Replacement { text, style: &style, node, behind, in_list, same_line }.splices(&rendered))
}

/// Renders a value behind a key or a dash, between brackets where it fits in one line and is wanted so.
fn render(
    style: &YamlStyle,
    value: &Value,
    own: usize,
    (in_list, below): (bool, bool),
    quoting: Quoting,
    flow: bool,
) -> RenderedValue {
    let inline = style.render_inline(value, true, quoting);
    if flow && own + inline.chars().count() <= WIDTH {
        return RenderedValue { head: inline, lines: Vec::new(), ends_line: false };
    }
    let mut rendered = style.render_value(value, own, in_list, quoting);
    if below && is_collection(value) && !rendered.head.starts_with(['[', '{']) {
        let indent = " ".repeat(own + style.dash_width);
        rendered.lines.insert(0, format!("{indent}{}", std::mem::take(&mut rendered.head)));
    }
    rendered
}

fn is_collection(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

/// Returns whether a new collection is written between brackets: as the one before it, or as all others beside it.
fn is_flow(node: &Node, parent: &Node) -> bool {
    if !node.entries().is_empty() {
        return node.form == Form::Inline;
    }
    let mut beside = parent
        .entries()
        .iter()
        .map(|entry| &entry.value)
        .filter(|value| !value.entries().is_empty())
        .peekable();
    beside.peek().is_some() && beside.all(|value| value.form == Form::Inline)
}

/// The quotes that a value has, for the one in its place.
fn quoting_of(text: &str, node: &Node) -> Quoting {
    match &node.content {
        Content::Scalar(_) => sign_of(text, node).map_or(Quoting::AsNeeded, Quoting::Always),
        Content::Map(_) | Content::List(_) => quoting_beside(text, node),
        Content::Alias(_) => Quoting::AsNeeded,
    }
}

/// The quotes that all texts in a collection have.
fn quoting_beside(text: &str, parent: &Node) -> Quoting {
    let texts = parent.entries().iter().map(|entry| &entry.value);
    let mut signs = texts
        .filter(|node| matches!(node.content, Content::Scalar(Scalar::Json(Value::String(_)))))
        .map(|node| sign_of(text, node))
        .peekable();
    match signs.peek().copied().flatten() {
        Some(sign) if signs.all(|other| other == Some(sign)) => Quoting::Always(sign),
        _ => Quoting::AsNeeded,
    }
}

fn sign_of(text: &str, node: &Node) -> Option<QuoteSign> {
    match text.as_bytes().get(node.span.start) {
        Some(b'"') => Some(QuoteSign::Double),
        Some(b'\'') => Some(QuoteSign::Single),
        _ => None,
    }
}

/// A value in block form that another one replaces.
struct Replacement<'r> {
    text: &'r str,
    style: &'r YamlStyle,
    node: &'r Node,
    /// The byte behind the key's colon or the dash, and the properties.
    behind: usize,
    in_list: bool,
    same_line: bool,
}

impl Replacement<'_> {
    fn splices(&self, new: &RenderedValue) -> Vec<Splice> {
        let Self { text, node, behind, .. } = *self;
        let below = |at: usize| self.lines_below(new, at);
        let head = if new.head.is_empty() { String::new() } else { format!(" {}", new.head) };
        if node.is_unwritten() {
            let end = line_end(text, behind);
            let blank = if text[behind..end].trim().is_empty() { end } else { behind };
            return vec![Splice::new(behind..blank, head), Splice::insert(end, below(end))];
        }
        match node.form {
            Form::Block if self.in_list && self.same_line => {
                let end = line_end(text, node.span.end);
                vec![Splice::new(node.span.start..end, format!("{}{}", new.head, below(end)))]
            }
            Form::Block => {
                let end = line_end(text, node.span.end);
                let start = end_above(text, line_start(text, node.span.start));
                vec![Splice::insert(behind, head), Splice::new(start..end, below(end))]
            }
            Form::BlockScalar => {
                let header = text[node.span.start..]
                    .find([' ', '\r', '\n'])
                    .map_or(text.len(), |end| node.span.start + end);
                let body = line_end(text, node.span.start);
                vec![
                    Splice::new(behind..header, head),
                    Splice::new(body..node.span.end.max(body), below(node.span.end.max(body))),
                ]
            }
            _ => {
                let end = line_end(text, node.span.end);
                let old = if new.head.is_empty() { behind..node.span.end } else { node.span.clone() };
                vec![Splice::new(old, new.head.clone()), Splice::insert(end, below(end))]
            }
        }
    }

    /// The lines below the one of the key, each behind a line end.
    fn lines_below(&self, new: &RenderedValue, at: usize) -> String {
        let newline = self.style.newline;
        let mut lines: String = new.lines.iter().map(|line| format!("{newline}{line}")).collect();
        if new.ends_line && at >= self.text.len() {
            lines.push_str(newline);
        }
        lines
    }
}

/// Writes the value of a whole document.
fn set_root(
    text: &str,
    node: &Node,
    style: &YamlStyle,
    value: &Value,
) -> Result<Vec<Splice>, StructureError> {
    let rendered = match (node.form == Form::Inline && !node.is_unwritten(), value) {
        (true, _) => style.render_inline(value, true, quoting_of(text, node)),
        (false, _) => {
            // As the value of a key that stands nowhere, its lines begin at the first column.
            let flush = YamlStyle { step: 0, dash_indent: 0, ..*style };
            let nested = YamlStyle { step: style.step.max(1), ..*style };
            let lines = match value {
                Value::Object(members) if !members.is_empty() => nested.map_lines(members, 0),
                _ => flush.render_value(value, 0, false, Quoting::AsNeeded).lines,
            };
            match lines.is_empty() {
                true => style.render_inline(value, false, Quoting::AsNeeded),
                false => lines.join(style.newline),
            }
        }
    };
    if node.is_unwritten() {
        if node.span.start < text.trim_end().len() && text[node.span.start..].contains("\n---") {
            return Err(StructureError::unsupported("the document of several that it would go to is empty"));
        }
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { style.newline };
        return Ok(vec![Splice::insert(text.len(), format!("{gap}{rendered}{}", style.newline))]);
    }
    let range = match node.form {
        Form::Block => node.span.start..line_end(text, node.span.end),
        _ => node.span.clone(),
    };
    Ok(vec![Splice::new(range, rendered)])
}

/// Adds a member or an element at the end of the collection at a path.
pub(crate) fn add_entry(
    text: &str,
    document: &Node,
    path: &[usize],
    key: Option<&str>,
    value: &Value,
) -> Result<Vec<Splice>, StructureError> {
    let mut style = YamlStyle::of(text, document);
    let node = document.descend(path);
    let quoting = quoting_beside(text, node);
    match node.form {
        Form::Inline => {
            let rendered = match key {
                Some(key) => style.render_pair(key, value, quoting),
                None => style.render_inline(value, true, quoting),
            };
            let step = " ".repeat(style.step);
            return Ok(bracketed::add_entry(text, node, &rendered, &step, CommentSign::Hash));
        }
        Form::Block => {}
        _ => return Err(StructureError::unsupported("a pair without braces in a list takes no further key")),
    }
    let (Some(first), Some(last)) = (node.entries().first(), node.entries().last()) else {
        return Ok(Vec::new());
    };
    let own = column(text, first.start);
    if key.is_none() && line_start(text, last.value.span.start) == line_start(text, last.start) {
        let width = column(text, last.value.span.start).saturating_sub(column(text, last.start));
        style.dash_width = if last.value.is_unwritten() { 2 } else { width };
    }
    let flow = is_collection(value)
        && is_flow(&Node::new(0..0, Content::Scalar(Scalar::Json(json!(null))), Form::Inline), node);
    let rendered = render(&style, value, own, (key.is_none(), false), quoting, flow);
    let indent = " ".repeat(own);
    let line = match key {
        Some(key) => join_head(&format!("{indent}{}:", style.render_key(key, false)), &rendered.head),
        None => format!("{indent}{}{}", style.dash(), rendered.head),
    };
    let end = line_end(text, last.span().end);
    let newline = style.newline;
    let gap = if is_spaced(text, node) { newline } else { "" };
    let mut new = format!("{gap}{newline}{line}");
    for line in &rendered.lines {
        new.push_str(newline);
        new.push_str(line);
    }
    if rendered.ends_line && end >= text.len() {
        new.push_str(newline);
    }
    Ok(vec![Splice::insert(end, new)])
}

/// Returns whether a blank line stands between the last two entries.
fn is_spaced(text: &str, node: &Node) -> bool {
    let [.., before, last] = node.entries() else { return false };
    let end = before.span().end;
    let mut at = line_start(text, last.start);
    while begins_line(text, last.start) && at > end + 1 {
        at -= 1;
        if line_is_blank(text, at) {
            return true;
        }
        at = line_start(text, at);
    }
    false
}
