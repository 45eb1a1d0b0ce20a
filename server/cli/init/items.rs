//! Adds items to the end of a list in a JSON settings file, and removes them: the rest of the file stays as it is, or
//! the whole file does.

use serde_json::{Value, json};

use super::edit::BYTE_ORDER_MARK;
use super::error::SettingsEditError;
use super::jsonc;

/// The items of the list `path`; none where there is no such list.
///
/// # Errors
/// The problem with the file.
pub(super) fn list_items(text: &str, path: &[&str]) -> Result<Vec<Value>, SettingsEditError> {
    let whole = jsonc::parse_jsonc(text.trim_start_matches(BYTE_ORDER_MARK))?;
    let list = path.iter().try_fold(&whole, |whole, name| whole.get(*name));
    Ok(list.and_then(Value::as_array).cloned().unwrap_or_default())
}

/// The text with an item added to the list `path`, which is made if it is missing. `head` begins a file that holds nothing yet.
///
/// # Errors
/// The problem with the file, or why it cannot be changed.
pub(super) fn append_item(
    text: &str,
    path: &[&str],
    item: &Value,
    head: &[(&str, Value)],
) -> Result<String, SettingsEditError> {
    let old = text.trim_start_matches(BYTE_ORDER_MARK);
    let changed = jsonc::append_item(old, path, item, head)?;
    let before = jsonc::parse_jsonc(old)?;
    let is_new = before == json!({});
    let wanted = self::change_list(before, path, &|items| items.push(item.clone()));
    let new = jsonc::parse_jsonc(&changed)?;
    let headed = || {
        let head = head.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        Value::Object(head.chain(wanted.as_object().cloned().unwrap_or_default()).collect())
    };
    match new == wanted || (is_new && new == headed()) {
        true => Ok([&text[..text.len() - old.len()], &changed].concat()),
        false => Err(SettingsEditError::ByHand(path.join("."))),
    }
}

/// The text without the selected items of the list `path`, and without its containers if they hold nothing else.
///
/// # Errors
/// The problem with the file, or why it cannot be changed.
pub(super) fn take_items(
    text: &str,
    path: &[&str],
    is_meant: &dyn Fn(&Value) -> bool,
) -> Result<String, SettingsEditError> {
    let old = text.trim_start_matches(BYTE_ORDER_MARK);
    let changed = jsonc::take_items(old, path, is_meant)?;
    if changed == old {
        return Ok(text.to_owned());
    }
    let mut wanted =
        self::change_list(jsonc::parse_jsonc(old)?, path, &|items| items.retain(|item| !is_meant(item)));
    prune_empty(&mut wanted, path);
    match jsonc::parse_jsonc(&changed)? == wanted {
        true => Ok([&text[..text.len() - old.len()], &changed].concat()),
        false => Err(SettingsEditError::ByHand(path.join("."))),
    }
}

/// A value whose list `path` is changed by `change`; the list is made if it is missing.
fn change_list(whole: Value, path: &[&str], change: &dyn Fn(&mut Vec<Value>)) -> Value {
    match (path.split_first(), whole) {
        (Some((name, below)), Value::Object(mut members)) => {
            let member = members.get_mut(*name).map(Value::take).unwrap_or_default();
            members.insert((*name).to_owned(), change_list(member, below, change));
            Value::Object(members)
        }
        (Some(_), _) => change_list(json!({}), path, change),
        (None, list) => {
            let mut items = list.as_array().cloned().unwrap_or_default();
            change(&mut items);
            Value::Array(items)
        }
    }
}

/// Removes the member `path` and its containers if they are empty.
fn prune_empty(whole: &mut Value, path: &[&str]) {
    if let Some((name, below)) = path.split_first()
        && let Some(members) = whole.as_object_mut()
        && let Some(member) = members.get_mut(*name)
    {
        prune_empty(member, below);
        if *member == json!({}) || *member == json!([]) {
            members.shift_remove(*name);
        }
    }
}
