//! What is there where an address of a key leads nowhere.

use std::collections::HashSet;

use wherefore_base::nearest::nearest_names;
use wherefore_base::numbers::format_count;

use crate::error::{StructureError, StructureErrorCode};
use crate::key_path::member_address;
use crate::node::{Content, Entry, Node};

/// Addresses that a hint lists at most.
const HINTS: usize = 8;

/// The address of the node that an anchor stands at.
pub(crate) fn anchor_address(node: &Node, address: &str, anchor: &str) -> Option<String> {
    if node.anchor.as_deref() == Some(anchor) {
        return Some(address.to_owned());
    }
    let children = node.entries().iter().enumerate();
    let mut found = children.filter_map(|(at, entry)| {
        anchor_address(&entry.value, &entry_address(node, address, at, entry), anchor)
    });
    found.next()
}

fn entry_address(parent: &Node, address: &str, at: usize, entry: &Entry) -> String {
    match parent.is_list() {
        true => format!("{address}[{at}]"),
        false => member_address(address, &entry.key),
    }
}

/// The error of an address that leads nowhere, with what is there instead.
pub(crate) fn not_there(
    text: &str,
    root: &Node,
    path: &[usize],
    address: &str,
    step: &str,
) -> StructureError {
    let mut parent = root;
    let mut prefix = String::new();
    for at in path {
        let Some(entry) = parent.entries().get(*at) else { break };
        prefix = entry_address(parent, &prefix, *at, entry);
        parent = &entry.value;
    }
    let whole = if prefix.is_empty() { "the file".to_owned() } else { format!("`{prefix}`") };
    let kind = match &parent.content {
        Content::Map(_) => "a mapping",
        Content::List(entries) if entries.is_empty() => "an empty list",
        Content::List(_) => "a list",
        Content::Scalar(_) => "a scalar",
        Content::Alias(_) => "an alias",
    };
    let mut all = Vec::new();
    collect_addresses(root, "", &mut all);
    let entries = parent.entries();
    let mut near: Vec<String> = Vec::new();
    let names: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
    if parent.is_map() {
        near.extend(
            nearest_names(step, names.iter().copied(), 3)
                .into_iter()
                .map(|name| member_address(&prefix, name)),
        );
    }
    near.extend(nearest_names(address, all.iter().map(String::as_str), 3).into_iter().map(str::to_owned));
    near.extend(
        entries.iter().enumerate().take(HINTS).map(|(at, entry)| entry_address(parent, &prefix, at, entry)),
    );
    let mut seen = HashSet::new();
    near.retain(|name| seen.insert(name.clone()));
    near.truncate(HINTS);
    let merged = entries.iter().any(|entry| entry.key == "<<");
    let count = match parent.is_list() {
        true => {
            format!(", which has {}", format_count(entries.len() as u64, "element"))
        }
        false => String::new(),
    };
    let merge =
        if merged { "; it merges others by `<<`, and what comes from there is changed there" } else { "" };
    StructureError::new(
        StructureErrorCode::NotThere,
        format!("`{address}` is not there: {whole} is {kind}{count} without `{step}`{merge}"),
        "send an address that is there; a missing key is added only as the last step, so set its parent's `value` for more",
    )
    .at_byte(text, parent.span.start)
    .with_hints(near)
}

fn collect_addresses(node: &Node, address: &str, all: &mut Vec<String>) {
    for (at, entry) in node.entries().iter().enumerate() {
        if all.len() >= 2000 {
            return;
        }
        let address = entry_address(node, address, at, entry);
        all.push(address.clone());
        collect_addresses(&entry.value, &address, all);
    }
}
