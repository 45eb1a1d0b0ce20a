//! The effects of settings that concern wherefore, and what of a value has them.

use serde_json::Value;

use super::PROGRAM;
use super::profile::SettingEffect;
use super::profile::SettingEffect::{Off, Past};

pub(super) const OURS_OFF: SettingEffect = Off("turns wherefore off");
pub(super) const TOOLS_OFF: SettingEffect = Off("keeps it from tools of wherefore's");
pub(super) const EDITS: SettingEffect = Past("has it make its own edits without a question");
pub(super) const ALL_TOOLS: SettingEffect = Past("has it use all of its own tools without a question");

/// The texts of a list.
pub(super) fn list_items(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Returns whether a list has items.
pub(super) fn has_items(list: &Value) -> bool {
    list.as_array().is_some_and(|items| !items.is_empty())
}

/// Returns whether a list names wherefore.
pub(super) fn names_us(list: &Value) -> bool {
    list_items(list).any(|item| item == PROGRAM)
}

/// Returns whether a list of what is allowed lacks wherefore.
pub(super) fn leaves_us_out(list: &Value) -> bool {
    list.is_array() && !names_us(list)
}
