//! Members of objects and items of lists in a JSON file with comments, put in and taken out again; every other byte
//! stays.
//!
//! The file is read into jsonc-parser's concrete syntax tree, which holds each comment, comma and blank as a node. Its own
//! `append` and `remove` are not used: they spread an object that stands on one line, and take comments and blank lines
//! with them. So the nodes of an object or a list are put together anew here, with the member among them or without it.

mod group;
mod layout;

use jsonc_parser::ast::Value as Node;
use jsonc_parser::cst::{CstNode, CstObject, CstObjectProp, CstRootNode};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::{Value, json};

use self::group::{Group, indentation, replaced, start};
use self::layout::LayoutStyle;
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

/// The text with the member `path` of objects in objects, in place of one that it has. `head` begins a file that holds
/// nothing yet.
///
/// # Errors
/// Where it cannot be put in.
pub(super) fn put(
    text: &str,
    path: &[&str],
    entry: &Value,
    head: &[(&str, Value)],
) -> Result<String, EditError> {
    let tree = tree(text)?;
    let style = LayoutStyle::of(text, &tree);
    match reach(&tree, path)? {
        Reached::Nothing => Ok(begin(text, &style, &nested(path, entry.clone()), head)),
        Reached::Partly(inner, name, rest) => {
            Ok(member(text, &inner, &style, name, &nested(rest, entry.clone())))
        }
        Reached::Whole(old) => {
            let spread = style.spread || old.to_string().contains('\n');
            let new = style.render(entry, indentation(text, start(&old)), spread);
            Ok(replaced(text, &old, &new))
        }
    }
}

/// The text with an item at the end of the list `path`, which is made where it is missing. `head` begins a file that
/// holds nothing yet.
///
/// # Errors
/// Where it cannot be put in.
pub(super) fn append(
    text: &str,
    path: &[&str],
    item: &Value,
    head: &[(&str, Value)],
) -> Result<String, EditError> {
    let tree = tree(text)?;
    let style = LayoutStyle::of(text, &tree);
    match reach(&tree, path)? {
        Reached::Nothing => Ok(begin(text, &style, &nested(path, json!([item])), head)),
        Reached::Partly(inner, name, rest) => {
            Ok(member(text, &inner, &style, name, &nested(rest, json!([item]))))
        }
        Reached::Whole(list) if list.as_array().is_some() => {
            let render = |indent: &str, spread| style.render(item, indent, spread);
            Ok(Group::of(list).insert(text, &style, render))
        }
        Reached::Whole(_) => Err(EditError::NoList(named(path))),
    }
}

/// The text without the member `path`, and without what it stood under where that holds nothing else.
///
/// # Errors
/// What is wrong with the text.
pub(super) fn take(text: &str, path: &[&str]) -> Result<String, EditError> {
    let Some((name, above)) = path.split_last() else { return Ok(text.to_owned()) };
    let tree = tree(text)?;
    let inner = match reach(&tree, above)? {
        Reached::Whole(inner) => inner.as_object(),
        _ => None,
    };
    let Some(inner) = inner else { return Ok(text.to_owned()) };
    match find(&inner, name) {
        Some(entry) => {
            let left = Group::of(inner.into()).without(text, &entry.into());
            // An object may say a name twice.
            take(&left, path)
        }
        None => prune(text, above),
    }
}

/// The text without those items of the list `path` that are meant, and without what they stood under where that holds
/// nothing else.
///
/// # Errors
/// What is wrong with the text.
pub(super) fn take_items(
    text: &str,
    path: &[&str],
    is_meant: &dyn Fn(&Value) -> bool,
) -> Result<String, EditError> {
    let tree = tree(text)?;
    let list = match reach(&tree, path)? {
        Reached::Whole(list) => list.as_array(),
        _ => None,
    };
    let items = list.iter().flat_map(|list| list.elements());
    let meant = items.into_iter().find(|item| item.to_serde_value().is_some_and(|item| is_meant(&item)));
    let (Some(list), Some(item)) = (list, meant) else { return Ok(text.to_owned()) };
    let left = Group::of(list.into()).without(text, &item);
    // A node is lost with its tree.
    let rest = take_items(&left, path, is_meant)?;
    if rest == left { prune(&left, path) } else { Ok(rest) }
}

/// The text without the member `path`, and those it stands under, where they are empty.
fn prune(text: &str, path: &[&str]) -> Result<String, EditError> {
    let Some((name, above)) = path.split_last() else { return Ok(text.to_owned()) };
    let tree = tree(text)?;
    let empty = match reach(&tree, path)? {
        Reached::Whole(node) => Group::of(node).is_bare(),
        _ => false,
    };
    let inner = match reach(&tree, above)? {
        Reached::Whole(inner) => inner.as_object(),
        _ => None,
    };
    let entry = inner.as_ref().and_then(|inner| find(inner, name));
    match (inner, entry) {
        (Some(inner), Some(entry)) if empty => {
            prune(&Group::of(inner.into()).without(text, &entry.into()), above)
        }
        _ => Ok(text.to_owned()),
    }
}

/// How far a file goes on the way to a member.
enum Reached<'a> {
    /// The file holds no more than comments.
    Nothing,
    /// An object lacks the member of that name; the other names are what is left of the way.
    Partly(CstObject, &'a str, &'a [&'a str]),
    /// The value at the end of the way.
    Whole(CstNode),
}

fn reach<'a>(tree: &CstRootNode, path: &'a [&'a str]) -> Result<Reached<'a>, EditError> {
    let Some(mut node) = tree.value() else { return Ok(Reached::Nothing) };
    if node.as_object().is_none() {
        return Err(EditError::NoObject);
    }
    for (at, name) in path.iter().enumerate() {
        let Some(object) = node.as_object() else {
            return Err(EditError::ContainerNoObject(named(&path[..at])));
        };
        node = match find(&object, name) {
            Some(member) => member.value().ok_or_else(|| EditError::NoValue(named(&path[..=at])))?,
            None => return Ok(Reached::Partly(object, name, &path[at + 1..])),
        };
    }
    Ok(Reached::Whole(node))
}

/// A path as a person reads it.
fn named(path: &[&str]) -> String {
    path.join(".")
}

/// A value in as many objects as there are names.
fn nested(path: &[&str], value: Value) -> Value {
    path.iter().rev().fold(value, |value, name| json!({ *name: value }))
}

/// A file that holds nothing yet, with its first members.
fn begin(text: &str, style: &LayoutStyle, first: &Value, head: &[(&str, Value)]) -> String {
    let mut fresh: serde_json::Map<_, _> =
        head.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    fresh.extend(first.as_object().cloned().unwrap_or_default());
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { style.newline };
    format!("{text}{gap}{}{}", style.render(&Value::Object(fresh), "", true), style.newline)
}

/// The text with a member more in one of its objects.
fn member(text: &str, object: &CstObject, style: &LayoutStyle, name: &str, value: &Value) -> String {
    let render = |indent: &str, spread| format!("{}: {}", json!(name), style.render(value, indent, spread));
    Group::of(object.clone().into()).insert(text, style, render)
}

fn tree(text: &str) -> Result<CstRootNode, EditError> {
    Ok(CstRootNode::parse(text, &RULES)?)
}

/// The last member of that name: it is the one that counts.
fn find(object: &CstObject, name: &str) -> Option<CstObjectProp> {
    object.properties().into_iter().rev().find(|member| member.decoded_name().as_deref() == Some(name))
}
