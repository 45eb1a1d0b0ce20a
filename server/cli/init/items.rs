//! Items of a list in a JSON settings file, put in at its end and taken out: nothing else in the file changes, or it is
//! left alone.

use serde_json::{Value, json};

use super::edit::MARK;
use super::error::EditError;
use super::jsonc;

/// The items of the list `path`; none where there is no such list.
///
/// # Errors
/// What is wrong with the file.
pub(super) fn of(text: &str, path: &[&str]) -> Result<Vec<Value>, EditError> {
    let whole = jsonc::parse(text.trim_start_matches(MARK))?;
    let list = path.iter().try_fold(&whole, |whole, name| whole.get(*name));
    Ok(list.and_then(Value::as_array).cloned().unwrap_or_default())
}

/// The text with an item at the end of the list `path`, which is made where it is missing. `head` begins a file that
/// holds nothing yet.
///
/// # Errors
/// What is wrong with the file, or why it cannot be changed.
pub(super) fn append(
    text: &str,
    path: &[&str],
    item: &Value,
    head: &[(&str, Value)],
) -> Result<String, EditError> {
    let old = text.trim_start_matches(MARK);
    let changed = jsonc::append(old, path, item, head)?;
    let before = jsonc::parse(old)?;
    let is_new = before == json!({});
    let wanted = self::changed(before, path, &|items| items.push(item.clone()));
    let new = jsonc::parse(&changed)?;
    let headed = || {
        let head = head.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        Value::Object(head.chain(wanted.as_object().cloned().unwrap_or_default()).collect())
    };
    match new == wanted || (is_new && new == headed()) {
        true => Ok([&text[..text.len() - old.len()], &changed].concat()),
        false => Err(EditError::ByHand(path.join("."))),
    }
}

/// The text without those items of the list `path` that are meant, and without what they stood under where that holds
/// nothing else.
///
/// # Errors
/// What is wrong with the file, or why it cannot be changed.
pub(super) fn take(
    text: &str,
    path: &[&str],
    is_meant: &dyn Fn(&Value) -> bool,
) -> Result<String, EditError> {
    let old = text.trim_start_matches(MARK);
    let changed = jsonc::take_items(old, path, is_meant)?;
    if changed == old {
        return Ok(text.to_owned());
    }
    let mut wanted = self::changed(jsonc::parse(old)?, path, &|items| items.retain(|item| !is_meant(item)));
    prune(&mut wanted, path);
    match jsonc::parse(&changed)? == wanted {
        true => Ok([&text[..text.len() - old.len()], &changed].concat()),
        false => Err(EditError::ByHand(path.join("."))),
    }
}

/// A value whose list `path` is as `change` makes it out of what it is; it is made where it is missing.
fn changed(whole: Value, path: &[&str], change: &dyn Fn(&mut Vec<Value>)) -> Value {
    match (path.split_first(), whole) {
        (Some((name, below)), Value::Object(mut members)) => {
            let member = members.get_mut(*name).map(Value::take).unwrap_or_default();
            members.insert((*name).to_owned(), changed(member, below, change));
            Value::Object(members)
        }
        (Some(_), _) => changed(json!({}), path, change),
        (None, list) => {
            let mut items = list.as_array().cloned().unwrap_or_default();
            change(&mut items);
            Value::Array(items)
        }
    }
}

/// Takes out the member `path`, and those it stands under, where they are empty.
fn prune(whole: &mut Value, path: &[&str]) {
    if let Some((name, below)) = path.split_first()
        && let Some(members) = whole.as_object_mut()
        && let Some(member) = members.get_mut(*name)
    {
        prune(member, below);
        if *member == json!({}) || *member == json!([]) {
            members.shift_remove(*name);
        }
    }
}
