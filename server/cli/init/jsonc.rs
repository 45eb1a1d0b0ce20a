//! Adds members to objects and items to lists in a JSON file with comments, and removes them; every other byte stays.
//!
//! The file is read into jsonc-parser's concrete syntax tree, which holds each comment, comma and blank as a node. Its
//! own `append` and `remove` are not used: they spread an object that is on one line, and remove comments and blank
//! lines. So the nodes of an object or a list are joined here again, with or without the member.

mod group;
mod layout;

use jsonc_parser::ast::Value as Node;
use jsonc_parser::cst::{CstNode, CstObject, CstObjectProp, CstRootNode};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::{Value, json};

use self::group::{NodeGroup, line_indentation, node_start, replace_node};
use self::layout::LayoutStyle;
use super::error::SettingsEditError;

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
/// The problem with it, and where.
pub(super) fn parse_jsonc(text: &str) -> Result<Value, SettingsEditError> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &RULES)?;
    Ok(parsed.value.map_or_else(|| json!({}), |value: Node<'_>| Value::from(value)))
}

/// Returns whether the text holds a comment.
pub(super) fn has_comments(text: &str) -> bool {
    let comments = CommentCollectionStrategy::Separate;
    let parsed = parse_to_ast(text, &CollectOptions { comments, tokens: false }, &RULES);
    parsed.ok().and_then(|parsed| parsed.comments).is_some_and(|comments| !comments.is_empty())
}

/// The text with the member `path` set, in nested objects. `head` begins a file that holds nothing yet.
///
/// # Errors
/// An error where it cannot be added.
pub(super) fn put_member(
    text: &str,
    path: &[&str],
    entry: &Value,
    head: &[(&str, Value)],
) -> Result<String, SettingsEditError> {
    let tree = parse_tree(text)?;
    let style = LayoutStyle::of(text, &tree);
    match look_up_member(&tree, path)? {
        MemberLookup::Nothing => Ok(new_file(text, &style, &nest_value(path, entry.clone()), head)),
        MemberLookup::Partly(inner, name, rest) => {
            Ok(insert_member(text, &inner, &style, name, &nest_value(rest, entry.clone())))
        }
        MemberLookup::Whole(old) => {
            let spread = style.spread || old.to_string().contains('\n');
            let new = style.render_value(entry, line_indentation(text, node_start(&old)), spread);
            Ok(replace_node(text, &old, &new))
        }
    }
}

/// The text with an item added to the list `path`, which is made if it is missing. `head` begins a file that holds nothing yet.
///
/// # Errors
/// An error where it cannot be added.
pub(super) fn append_item(
    text: &str,
    path: &[&str],
    item: &Value,
    head: &[(&str, Value)],
) -> Result<String, SettingsEditError> {
    let tree = parse_tree(text)?;
    let style = LayoutStyle::of(text, &tree);
    match look_up_member(&tree, path)? {
        MemberLookup::Nothing => Ok(new_file(text, &style, &nest_value(path, json!([item])), head)),
        MemberLookup::Partly(inner, name, rest) => {
            Ok(insert_member(text, &inner, &style, name, &nest_value(rest, json!([item]))))
        }
        MemberLookup::Whole(list) if list.as_array().is_some() => {
            let render = |indent: &str, spread| style.render_value(item, indent, spread);
            Ok(NodeGroup::of(list).insert_member(text, &style, render))
        }
        MemberLookup::Whole(_) => Err(SettingsEditError::NoList(dotted_path(path))),
    }
}

/// The text without the member `path`, and without its containers if they hold nothing else.
///
/// # Errors
/// The problem with the text.
pub(super) fn take_member(text: &str, path: &[&str]) -> Result<String, SettingsEditError> {
    let Some((name, above)) = path.split_last() else { return Ok(text.to_owned()) };
    let tree = parse_tree(text)?;
    let inner = match look_up_member(&tree, above)? {
        MemberLookup::Whole(inner) => inner.as_object(),
        _ => None,
    };
    let Some(inner) = inner else { return Ok(text.to_owned()) };
    match find_member(&inner, name) {
        Some(entry) => {
            let left = NodeGroup::of(inner.into()).without_member(text, &entry.into());
            // An object may say a name twice.
            take_member(&left, path)
        }
        None => prune_empty(text, above),
    }
}

/// The text without the selected items of the list `path`, and without its containers if they hold nothing else.
///
/// # Errors
/// The problem with the text.
pub(super) fn take_items(
    text: &str,
    path: &[&str],
    is_meant: &dyn Fn(&Value) -> bool,
) -> Result<String, SettingsEditError> {
    let tree = parse_tree(text)?;
    let list = match look_up_member(&tree, path)? {
        MemberLookup::Whole(list) => list.as_array(),
        _ => None,
    };
    let items = list.iter().flat_map(|list| list.elements());
    let meant = items.into_iter().find(|item| item.to_serde_value().is_some_and(|item| is_meant(&item)));
    let (Some(list), Some(item)) = (list, meant) else { return Ok(text.to_owned()) };
    let left = NodeGroup::of(list.into()).without_member(text, &item);
    // A node is lost with its tree.
    let rest = take_items(&left, path, is_meant)?;
    if rest == left { prune_empty(&left, path) } else { Ok(rest) }
}

/// The text without the member `path` and its containers, if they are empty.
fn prune_empty(text: &str, path: &[&str]) -> Result<String, SettingsEditError> {
    let Some((name, above)) = path.split_last() else { return Ok(text.to_owned()) };
    let tree = parse_tree(text)?;
    let empty = match look_up_member(&tree, path)? {
        MemberLookup::Whole(node) => NodeGroup::of(node).is_bare(),
        _ => false,
    };
    let inner = match look_up_member(&tree, above)? {
        MemberLookup::Whole(inner) => inner.as_object(),
        _ => None,
    };
    let entry = inner.as_ref().and_then(|inner| find_member(inner, name));
    match (inner, entry) {
        (Some(inner), Some(entry)) if empty => {
            prune_empty(&NodeGroup::of(inner.into()).without_member(text, &entry.into()), above)
        }
        _ => Ok(text.to_owned()),
    }
}

/// The part of a path that exists in a file.
enum MemberLookup<'a> {
    /// The file holds no more than comments.
    Nothing,
    /// An object lacks the member of that name; the other names are the rest of the path.
    Partly(CstObject, &'a str, &'a [&'a str]),
    /// The value at the end of the way.
    Whole(CstNode),
}

fn look_up_member<'a>(
    tree: &CstRootNode,
    path: &'a [&'a str],
) -> Result<MemberLookup<'a>, SettingsEditError> {
    let Some(mut node) = tree.value() else { return Ok(MemberLookup::Nothing) };
    if node.as_object().is_none() {
        return Err(SettingsEditError::NoObject);
    }
    for (at, name) in path.iter().enumerate() {
        let Some(object) = node.as_object() else {
            return Err(SettingsEditError::ContainerNoObject(dotted_path(&path[..at])));
        };
        node = match find_member(&object, name) {
            Some(member) => {
                member.value().ok_or_else(|| SettingsEditError::NoValue(dotted_path(&path[..=at])))?
            }
            None => return Ok(MemberLookup::Partly(object, name, &path[at + 1..])),
        };
    }
    Ok(MemberLookup::Whole(node))
}

/// A path as a person reads it.
fn dotted_path(path: &[&str]) -> String {
    path.join(".")
}

/// A value in as many objects as there are names.
fn nest_value(path: &[&str], value: Value) -> Value {
    path.iter().rev().fold(value, |value, name| json!({ *name: value }))
}

/// A file that holds nothing yet, with its first members.
fn new_file(text: &str, style: &LayoutStyle, first: &Value, head: &[(&str, Value)]) -> String {
    let mut fresh: serde_json::Map<_, _> =
        head.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    fresh.extend(first.as_object().cloned().unwrap_or_default());
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { style.newline };
    format!("{text}{gap}{}{}", style.render_value(&Value::Object(fresh), "", true), style.newline)
}

/// The text with a member more in one of its objects.
fn insert_member(text: &str, object: &CstObject, style: &LayoutStyle, name: &str, value: &Value) -> String {
    let render =
        |indent: &str, spread| format!("{}: {}", json!(name), style.render_value(value, indent, spread));
    NodeGroup::of(object.clone().into()).insert_member(text, style, render)
}

fn parse_tree(text: &str) -> Result<CstRootNode, SettingsEditError> {
    Ok(CstRootNode::parse(text, &RULES)?)
}

/// The last member of that name: it is the one that counts.
fn find_member(object: &CstObject, name: &str) -> Option<CstObjectProp> {
    object.properties().into_iter().rev().find(|member| member.decoded_name().as_deref() == Some(name))
}
