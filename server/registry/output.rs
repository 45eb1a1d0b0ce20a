//! The output of a call: a value, a change, or both.

use serde::Serialize;
use serde_json::{Map, Value};

use super::CallDraft;
use crate::protocol::Fault;

/// The output of a call. `V` is the type of its value.
#[derive(Debug)]
pub struct ActivityOutput<V = Value> {
    /// The answer, by the tool's output schema. With a change it holds the members in addition to the change's state.
    pub value: V,
    /// A change that goes to review before anything is written. A draft with no changes means that nothing had to change.
    pub change: Option<CallDraft>,
    /// True where a limit cut the value.
    pub truncated: bool,
    /// The advice on how to get the rest, where it was cut.
    pub rest: Option<String>,
    /// The content blocks of the Model Context Protocol that a model is shown instead of the value as text, where they
    /// are more than text. The log keeps the value alone.
    pub blocks: Vec<Value>,
    /// The warnings for the caller, in addition to the value.
    pub warnings: Vec<String>,
}

impl<V> ActivityOutput<V> {
    /// A whole value.
    pub fn from_value(value: V) -> Self {
        Self { value, change: None, truncated: false, rest: None, blocks: Vec::new(), warnings: Vec::new() }
    }

    /// Returns a change, with the members of its answer in addition to the change's state.
    pub fn from_change(draft: CallDraft, value: V) -> Self {
        Self { change: Some(draft), ..Self::from_value(value) }
    }
}

impl<V: Serialize> ActivityOutput<V> {
    /// The same, its value as JSON.
    pub(super) fn into_json(self) -> Result<ActivityOutput, Fault> {
        let Self { value, change, truncated, rest, blocks, warnings } = self;
        let value = serde_json::to_value(value)
            .map_err(|error| Fault::internal(format!("the answer cannot be written as JSON: {error}")))?;
        Ok(ActivityOutput { value, change, truncated, rest, blocks, warnings })
    }
}

impl ActivityOutput {
    /// Returns the value's members, which are in the answer with the change's state, and take precedence over it. A
    /// value that is no object is there as `value`.
    pub(crate) fn value_members(value: Value) -> Map<String, Value> {
        match value {
            Value::Null => Map::new(),
            Value::Object(members) => members,
            other => Map::from_iter([("value".to_owned(), other)]),
        }
    }
}
