//! One member of a JSON file with comments, put in and taken out again; every other byte stays.

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::{Value, json};

use super::edit::Place;

/// JSON with comments and trailing commas, and nothing looser.
const RULES: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The file's value; an empty object where there is none.
///
/// # Errors
/// What is wrong with it, and where.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    Ok(node(text)?.map_or_else(|| json!({}), Value::from))
}

/// Whether a comment stands in it.
pub(super) fn has_comments(text: &str) -> bool {
    let comments = CommentCollectionStrategy::Separate;
    let parsed = parse_to_ast(text, &CollectOptions { comments, tokens: false }, &RULES);
    parsed.ok().and_then(|parsed| parsed.comments).is_some_and(|comments| !comments.is_empty())
}

/// The text with the entry in it, in place of one that it has. `head` begins a file that holds nothing yet.
///
/// # Errors
/// Where it cannot be put in.
pub(super) fn put(text: &str, place: Place, entry: &Value, head: &[(&str, Value)]) -> Result<String, String> {
    let style = Style::of(text)?;
    let Some(root) = root(text)? else {
        let mut fresh: serde_json::Map<_, _> =
            head.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        fresh.insert(place.container.to_owned(), json!({ place.name: entry }));
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { style.newline };
        return Ok(format!("{text}{gap}{}{}", style.render(&Value::Object(fresh), "", true), style.newline));
    };
    let Some(container) = find(&root, place.container) else {
        return Ok(insert(text, &root, &style, place.container, &json!({ place.name: entry })));
    };
    let Node::Object(inner) = &container.value else {
        return Err(format!("its `{}` is no object", place.container));
    };
    Ok(match find(inner, place.name) {
        None => insert(text, inner, &style, place.name, entry),
        Some(old) => {
            let old = old.value.range();
            let spread = text[old.start..old.end].contains('\n') || style.spread;
            let new = style.render(entry, indentation(text, old.start), spread);
            [&text[..old.start], &new, &text[old.end..]].concat()
        }
    })
}

/// The text without the entry, and without what it stood under where that holds nothing else.
///
/// # Errors
/// What is wrong with the text.
pub(super) fn take(text: &str, place: Place) -> Result<String, String> {
    let mut text = text.to_owned();
    loop {
        let Some(root) = root(&text)? else { return Ok(text) };
        let Some(container) = find(&root, place.container) else { return Ok(text) };
        let Node::Object(inner) = &container.value else { return Ok(text) };
        text = match find(inner, place.name) {
            Some(entry) => remove(&text, inner, entry),
            None if inner.properties.is_empty() && inside(&text, inner).is_empty() => {
                return Ok(remove(&text, &root, container));
            }
            None => return Ok(text),
        };
    }
}

fn node(text: &str) -> Result<Option<Node<'_>>, String> {
    let parsed = parse_to_ast(text, &Default::default(), &RULES).map_err(|error| error.to_string())?;
    Ok(parsed.value)
}

/// The file's object; nothing where the file holds no more than comments.
fn root(text: &str) -> Result<Option<Object<'_>>, String> {
    match node(text)? {
        None => Ok(None),
        Some(Node::Object(object)) => Ok(Some(object)),
        Some(_) => Err("it holds no object".to_owned()),
    }
}

/// The last member of that name: it is the one that counts.
fn find<'a, 'text>(object: &'a Object<'text>, name: &str) -> Option<&'a ObjectProp<'text>> {
    object.properties.iter().rev().find(|member| member.name.as_str() == name)
}

/// How a file is laid out.
struct Style {
    newline: &'static str,
    /// One step to the right.
    unit: String,
    /// Whether each member has a line of its own.
    spread: bool,
}

impl Style {
    fn of(text: &str) -> Result<Self, String> {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let root = root(text)?;
        let first = root.as_ref().and_then(|root| root.properties.first());
        let step = first.and_then(|first| own_line(text, first.start())).unwrap_or_default();
        let unit = if step.is_empty() { "  " } else { step }.to_owned();
        let one_line = |root: &Object| !root.properties.is_empty() && !root.text(text).contains('\n');
        Ok(Self { newline, unit, spread: !root.as_ref().is_some_and(one_line) })
    }

    /// A value as it stands in the file, its first line where it begins.
    fn render(&self, value: &Value, indent: &str, spread: bool) -> String {
        let deeper = format!("{indent}{}", self.unit);
        match value {
            Value::Object(members) => {
                let member = |(name, value): (&String, &Value)| {
                    format!("{}: {}", json!(name), self.render(value, &deeper, spread))
                };
                let members: Vec<String> = members.iter().map(member).collect();
                match spread {
                    true => {
                        let between = format!(",{}{deeper}", self.newline);
                        let (newline, all) = (self.newline, members.join(&between));
                        format!("{{{newline}{deeper}{all}{newline}{indent}}}")
                    }
                    false => format!("{{{}}}", members.join(", ")),
                }
            }
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| self.render(item, &deeper, false)).collect();
                format!("[{}]", items.join(", "))
            }
            value => value.to_string(),
        }
    }
}

/// Puts a member behind the others.
fn insert(text: &str, object: &Object, style: &Style, name: &str, value: &Value) -> String {
    let close = object.end() - 1;
    let last = object.properties.last();
    let spread = match last {
        Some(_) => object.text(text).contains('\n'),
        None => style.spread,
    };
    let around = indentation(text, object.start());
    let indent = match last.and_then(|last| own_line(text, last.start())) {
        Some(indent) => indent.to_owned(),
        None => format!("{around}{}", style.unit),
    };
    let member = format!("{}: {}", json!(name), style.render(value, &indent, spread));
    let newline = style.newline;
    let lead = if spread { format!("{newline}{indent}") } else { " ".to_owned() };
    let Some(last) = last else {
        let open = object.start() + 1;
        let at = inside(text, object).last().map_or(open, |piece| piece.end);
        let lead = if at == open && !spread { String::new() } else { lead };
        let tail = match spread {
            true if text[at..close].contains('\n') => text[at..close].to_owned(),
            true => format!("{newline}{around}"),
            false => String::new(),
        };
        return [&text[..at], &lead, &member, &tail, &text[close..]].concat();
    };
    let comma = comma(text, last.end(), close);
    let (before, after) = if comma.is_some() { ("", ",") } else { (",", "") };
    let at = line_end(text, comma.map_or(last.end(), |comma| comma + 1), close);
    [&text[..last.end()], before, &text[last.end()..at], &lead, &member, after, &text[at..]].concat()
}

/// Takes a member out, with the comma that it needs no more.
fn remove(text: &str, object: &Object, member: &ObjectProp) -> String {
    let (open, close, end) = (object.start() + 1, object.end() - 1, member.end());
    let at = object.properties.iter().position(|one| one.start() == member.start()).unwrap_or_default();
    let before = at.checked_sub(1).map_or(open, |at| object.properties[at].end());
    let next = object.properties.get(at + 1).map_or(close, Ranged::start);
    let between = pieces(text, before, member.start());
    let start = between.last().map_or(before, |piece| piece.end);
    let (gap, tail) = match comma(text, end, next) {
        Some(comma) => (&text[end..comma], comma + 1),
        None => ("", end),
    };
    let blank = |part: &str| part.trim().is_empty();
    if start == open && next == close && blank(gap) && blank(&text[tail..close]) {
        return [&text[..open], &text[close..]].concat();
    }
    // The last one needs no comma before it, unless that file likes one behind the last.
    let spare = between.iter().find(|piece| piece.kind == Kind::Comma).filter(|_| tail == end);
    let head = match spare {
        Some(comma) => [&text[..comma.start], &text[comma.end..start]].concat(),
        None => text[..start].to_owned(),
    };
    let rest = [gap, &text[tail..]].concat();
    // A comment to the end of its line must not swallow what follows.
    let open_ended = between.last().is_some_and(|piece| piece.kind == Kind::Line);
    let newline = if open_ended && !blank(rest.lines().next().unwrap_or_default()) { "\n" } else { "" };
    [&head, newline, &rest].concat()
}

/// What stands between members.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Comma,
    /// A comment to the end of its line.
    Line,
    /// A comment with an end of its own.
    Block,
}

#[derive(Clone, Copy)]
struct Piece {
    kind: Kind,
    start: usize,
    end: usize,
}

/// The commas and comments between two places that hold nothing else but blanks.
fn pieces(text: &str, from: usize, to: usize) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut start = from;
    while let Some(c) = text[start..to].chars().next() {
        let rest = &text[start..to];
        let (kind, length) = match c {
            ',' => (Kind::Comma, 1),
            '/' if rest.starts_with("/*") => (Kind::Block, rest.find("*/").map_or(rest.len(), |at| at + 2)),
            '/' => (Kind::Line, rest.lines().next().map_or(rest.len(), str::len)),
            c => {
                start += c.len_utf8();
                continue;
            }
        };
        found.push(Piece { kind, start, end: start + length });
        start += length;
    }
    found
}

/// The pieces in an object without members.
fn inside(text: &str, object: &Object) -> Vec<Piece> {
    match object.properties.is_empty() {
        true => pieces(text, object.start() + 1, object.end() - 1),
        false => Vec::new(),
    }
}

/// Where the comma stands between two places.
fn comma(text: &str, from: usize, to: usize) -> Option<usize> {
    pieces(text, from, to).iter().find(|piece| piece.kind == Kind::Comma).map(|piece| piece.start)
}

/// Where the comments end that begin on the line of `from`.
fn line_end(text: &str, from: usize, to: usize) -> usize {
    let mut end = from;
    for piece in pieces(text, from, to) {
        if text[end..piece.start].contains('\n') {
            break;
        }
        end = piece.end;
    }
    end
}

/// The blanks that the line of a place begins with.
fn indentation(text: &str, at: usize) -> &str {
    let line = line_to(text, at);
    &line[..line.len() - line.trim_start().len()]
}

/// The blanks before a place that is the first on its line; nothing where something stands before it.
fn own_line(text: &str, at: usize) -> Option<&str> {
    let line = line_to(text, at);
    (line.len() < at && line.trim().is_empty()).then_some(line)
}

/// The line of a place, as far as that place.
fn line_to(text: &str, at: usize) -> &str {
    &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at]
}
