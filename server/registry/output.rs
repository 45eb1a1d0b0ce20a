//! What a call brought about: a value, a change, or both.

use serde::Serialize;
use serde_json::{Map, Value};

use super::Draft;
use crate::protocol::Fault;

/// What a call brought about. `V` is the type of its value.
#[derive(Debug)]
pub struct Output<V = Value> {
    /// The answer, by the tool's output schema. Beside a change it is what the answer says more than how the change
    /// stands.
    pub value: V,
    /// A change that goes to review before anything is written. A draft with no changes means that nothing had to change.
    pub change: Option<Draft>,
    /// Whether a limit cut the value.
    pub truncated: bool,
    /// How to get the rest, where it was cut.
    pub rest: Option<String>,
    /// What a model is shown instead of the value as text, where that is more than text: content blocks of the Model
    /// Context Protocol. The log keeps the value alone.
    pub blocks: Vec<Value>,
    /// What the caller has to know beside the value.
    pub warnings: Vec<String>,
}

impl<V> Output<V> {
    /// A whole value.
    pub fn value(value: V) -> Self {
        Self { value, change: None, truncated: false, rest: None, blocks: Vec::new(), warnings: Vec::new() }
    }

    /// A change, and what its answer says beside how it stands.
    pub fn change(draft: Draft, value: V) -> Self {
        Self { change: Some(draft), ..Self::value(value) }
    }
}

impl<V: Serialize> Output<V> {
    /// The same, its value as JSON.
    pub(super) fn erased(self) -> Result<Output, Fault> {
        let Self { value, change, truncated, rest, blocks, warnings } = self;
        let value = serde_json::to_value(value)
            .map_err(|error| Fault::internal(format!("the answer cannot be written as JSON: {error}")))?;
        Ok(Output { value, change, truncated, rest, blocks, warnings })
    }
}

impl Output {
    /// The value's members, which stand in the answer beside how the change stands, and count before it. One that is no
    /// object stands there as `value`.
    pub(crate) fn members(value: Value) -> Map<String, Value> {
        match value {
            Value::Null => Map::new(),
            Value::Object(members) => members,
            other => Map::from_iter([("value".to_owned(), other)]),
        }
    }
}
