//! One member of a JSON file with comments, put in and taken out again; every other byte stays.
//!
//! The file is read into jsonc-parser's concrete syntax tree, which holds each comment, comma and blank as a node. Its own
//! `append` and `remove` are not used: they spread an object that stands on one line, and take comments and blank lines
//! with them. So the object's nodes are put together anew here, with the member among them or without it.

use std::ops::Range;

use jsonc_parser::ast::Value as Node;
use jsonc_parser::cst::{CstLeafNode, CstNode, CstObject, CstObjectProp, CstRootNode};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::{Value, json};

use super::edit::Place;
use super::error::EditError;

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
pub(super) fn parse(text: &str) -> Result<Value, EditError> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &RULES)?;
    Ok(parsed.value.map_or_else(|| json!({}), |value: Node<'_>| Value::from(value)))
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
pub(super) fn put(
    text: &str,
    place: Place,
    entry: &Value,
    head: &[(&str, Value)],
) -> Result<String, EditError> {
    let tree = tree(text)?;
    let root = object(&tree)?;
    let style = LayoutStyle::of(text, &tree);
    let Some(root) = root else {
        let mut fresh: serde_json::Map<_, _> =
            head.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        fresh.insert(place.container.to_owned(), json!({ place.name: entry }));
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { style.newline };
        return Ok(format!("{text}{gap}{}{}", style.render(&Value::Object(fresh), "", true), style.newline));
    };
    let Some(container) = find(&root, place.container) else {
        return Ok(insert(text, &root, &style, place.container, &json!({ place.name: entry })));
    };
    let Some(inner) = container.object_value() else {
        return Err(EditError::ContainerNoObject(place.container));
    };
    let Some(old) = find(&inner, place.name) else {
        return Ok(insert(text, &inner, &style, place.name, entry));
    };
    let old = old.value().ok_or(EditError::NoValue(place.name))?;
    let spread = style.spread || old.to_string().contains('\n');
    let new = style.render(entry, indentation(text, start(&old)), spread);
    Ok(replaced(text, &old, &new))
}

/// The text without the entry, and without what it stood under where that holds nothing else.
///
/// # Errors
/// What is wrong with the text.
pub(super) fn take(text: &str, place: Place) -> Result<String, EditError> {
    let mut text = text.to_owned();
    loop {
        // A node is lost with its tree.
        let tree = tree(&text)?;
        let Some(root) = object(&tree)? else { return Ok(text) };
        let Some(container) = find(&root, place.container) else { return Ok(text) };
        let Some(inner) = container.object_value() else { return Ok(text) };
        let is_bare = inner.children().iter().all(|node| node.is_token() || is_blank(node));
        text = match find(&inner, place.name) {
            Some(entry) => remove(&text, &inner, &entry),
            None if is_bare => return Ok(remove(&text, &root, &container)),
            None => return Ok(text),
        };
    }
}

fn tree(text: &str) -> Result<CstRootNode, EditError> {
    Ok(CstRootNode::parse(text, &RULES)?)
}

/// The file's object; nothing where the file holds no more than comments.
fn object(tree: &CstRootNode) -> Result<Option<CstObject>, EditError> {
    match tree.value() {
        None => Ok(None),
        Some(value) => value.as_object().map(Some).ok_or(EditError::NoObject),
    }
}

/// The last member of that name: it is the one that counts.
fn find(object: &CstObject, name: &str) -> Option<CstObjectProp> {
    object.properties().into_iter().rev().find(|member| member.decoded_name().as_deref() == Some(name))
}

/// How a file is laid out.
struct LayoutStyle {
    newline: &'static str,
    /// One step to the right.
    unit: String,
    /// Whether each member has a line of its own.
    spread: bool,
}

impl LayoutStyle {
    fn of(text: &str, tree: &CstRootNode) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let unit = tree.single_indent_text().filter(|step| !step.is_empty());
        let one_line = |root: CstObject| !root.properties().is_empty() && !root.to_string().contains('\n');
        Self {
            newline,
            unit: unit.unwrap_or_else(|| "  ".to_owned()),
            spread: !tree.object_value().is_some_and(one_line),
        }
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
fn insert(text: &str, object: &CstObject, style: &LayoutStyle, name: &str, value: &Value) -> String {
    let around = indentation(text, start(&object.clone().into()));
    let last = object.properties().pop();
    let spread = match last {
        Some(_) => object.to_string().contains('\n'),
        None => style.spread,
    };
    let indent = last.as_ref().and_then(own_line).unwrap_or_else(|| format!("{around}{}", style.unit));
    let member = format!("{}: {}", json!(name), style.render(value, &indent, spread));
    let lead = if spread { format!("{}{indent}", style.newline) } else { " ".to_owned() };
    let nodes = object.children();
    let new = match last {
        Some(last) => behind(&nodes, &last, &format!("{lead}{member}")),
        None => inside(&nodes, &lead, &member, &(spread.then(|| format!("{}{around}", style.newline)))),
    };
    replaced(text, &object.clone().into(), &new)
}

/// The nodes of an object with a member behind the last one, and behind the comments that begin on the last one's line.
fn behind(nodes: &[CstNode], last: &CstObjectProp, member: &str) -> String {
    let comma = last.trailing_comma();
    let (before, after) = if comma.is_some() { ("", ",") } else { (",", "") };
    let end = comma.map_or_else(|| last.clone().into(), CstNode::from);
    let on_line = end.next_siblings().take_while(|node| node.is_whitespace() || node.is_comment());
    let at = on_line.filter(CstNode::is_comment).last().unwrap_or(end).child_index() + 1;
    let name = last.child_index() + 1;
    [&joined(&nodes[..name]), before, &joined(&nodes[name..at]), member, after, &joined(&nodes[at..])]
        .concat()
}

/// The nodes of an object without members, with one in it, behind its comments. `end` stands before the brace where
/// members have lines of their own.
fn inside(nodes: &[CstNode], lead: &str, member: &str, end: &Option<String>) -> String {
    let close = nodes.len().saturating_sub(1);
    let at = nodes.iter().rposition(CstNode::is_comment).map_or(1, |comment| comment + 1);
    let rest = joined(&nodes[at..close]);
    let (lead, rest) = match end {
        Some(_) if rest.contains('\n') => (lead, rest.as_str()),
        Some(end) => (lead, end.as_str()),
        None if at == 1 => ("", ""),
        None => (lead, ""),
    };
    [&joined(&nodes[..at]), lead, member, rest, &joined(&nodes[close..])].concat()
}

/// Takes a member out, with the blanks before it and the comma that is needed no more: its own, else, since the last member
/// needs none, the one before it.
fn remove(text: &str, object: &CstObject, member: &CstObjectProp) -> String {
    let nodes = object.children();
    let at = member.child_index();
    let from = nodes[..at].iter().rposition(|node| !is_blank(node)).map_or(0, |before| before + 1);
    let before = || member.previous_siblings().find(CstNode::is_comma);
    let comma = member.trailing_comma().map(CstNode::from).or_else(before).map(|comma| comma.child_index());
    let part = |range: Range<usize>| -> Vec<CstNode> {
        range.filter(|at| Some(*at) != comma).map(|at| nodes[at].clone()).collect()
    };
    let (head, rest) = (part(0..from), part(at + 1..nodes.len()));
    let new = match head.iter().chain(&rest).all(|node| is_blank(node) || node.is_token()) {
        true if !head.iter().chain(&rest).any(CstNode::is_comma) => "{}".to_owned(),
        _ => {
            let (is_open, rest) = (head.last().is_some_and(is_line_comment), joined(&rest));
            // A comment to the end of its line must not swallow what follows.
            let swallows = is_open && rest.lines().next().is_some_and(|line| !line.trim().is_empty());
            [joined(&head).as_str(), if swallows { "\n" } else { "" }, &rest].concat()
        }
    };
    replaced(text, &object.clone().into(), &new)
}

fn is_blank(node: &CstNode) -> bool {
    node.is_whitespace() || node.is_newline()
}

fn is_line_comment(node: &CstNode) -> bool {
    matches!(node, CstNode::Leaf(CstLeafNode::Comment(comment)) if comment.is_line_comment())
}

fn joined(nodes: &[CstNode]) -> String {
    nodes.iter().map(CstNode::to_string).collect()
}

/// The text with another one in a node's place.
fn replaced(text: &str, node: &CstNode, new: &str) -> String {
    let start = start(node);
    [&text[..start], new, &text[start + node.to_string().len()..]].concat()
}

/// Where a node begins in the text.
fn start(node: &CstNode) -> usize {
    let before: usize = node.previous_siblings().map(|sibling| sibling.to_string().len()).sum();
    before + node.parent().map_or(0, |parent| start(&CstNode::Container(parent)))
}

/// The blanks that the line of a place begins with.
fn indentation(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    &line[..line.len() - line.trim_start().len()]
}

/// The blanks before a member that is the first on its line; nothing where something stands before it.
fn own_line(member: &CstObjectProp) -> Option<String> {
    let at_margin = || member.previous_sibling().filter(CstNode::is_newline).map(|_| String::new());
    member.indent_text().or_else(at_margin)
}
