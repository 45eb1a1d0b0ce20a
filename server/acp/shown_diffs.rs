//! The diffs that an agent shows with a call of its own tool, and does not repeat when it asks permission afterwards.

use std::collections::VecDeque;

use serde_json::{Value, json};

/// Calls whose diffs are remembered; the oldest is forgotten first.
const REMEMBERED: usize = 16;

/// The diffs of calls that have not ended, by the calls' ids.
#[derive(Clone, Debug, Default)]
pub(super) struct ShownDiffs(VecDeque<(String, Vec<Value>)>);

impl ShownDiffs {
    /// Takes an update of a session.
    pub(super) fn take_update(&mut self, update: &Value) {
        let kind = update.get("sessionUpdate").and_then(Value::as_str);
        let (Some("tool_call" | "tool_call_update"), Some(id)) =
            (kind, update.get("toolCallId").and_then(Value::as_str))
        else {
            return;
        };
        let ended = matches!(update.get("status").and_then(Value::as_str), Some("completed" | "failed"));
        let content = update.get("content").and_then(Value::as_array);
        // An update without content leaves the shown diffs as they are.
        if ended || content.is_some() {
            self.0.retain(|(known, _)| known != id);
        }
        let diffs: Vec<_> = content.into_iter().flatten().filter(|part| is_diff(part)).cloned().collect();
        if ended || diffs.is_empty() {
            return;
        }
        if self.0.len() >= REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back((id.to_owned(), diffs));
    }

    /// The diffs of a call.
    pub(super) fn diffs_of_call(&self, id: &str) -> Option<Vec<Value>> {
        self.0.iter().find(|(known, _)| known == id).map(|(_, diffs)| diffs.clone())
    }
}

/// Returns whether a part of a call's content is a diff.
pub(super) fn is_diff(part: &Value) -> bool {
    part["type"] == json!("diff")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diffs_are_known_until_their_call_ends() {
        let mut shown = ShownDiffs::default();
        let text = json!({ "type": "content" });
        let diff = json!({ "type": "diff", "path": "/a" });
        let update = |kind: &str, more: Value| {
            let mut update = json!({ "sessionUpdate": kind, "toolCallId": "t" });
            update.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            update
        };
        shown.take_update(&update("tool_call", json!({ "content": [text, diff] })));
        assert_eq!(shown.diffs_of_call("t"), Some(vec![diff.clone()]));
        shown.take_update(&update("tool_call_update", json!({ "status": "in_progress" })));
        assert_eq!(
            (shown.diffs_of_call("t"), shown.diffs_of_call("other")),
            (Some(vec![diff.clone()]), None)
        );
        shown.take_update(&update("tool_call_update", json!({ "status": "failed", "content": [diff] })));
        assert_eq!(shown.diffs_of_call("t"), None);
        shown.take_update(&update("tool_call", json!({ "content": [diff] })));
        shown.take_update(&update("tool_call_update", json!({ "content": [] })));
        shown.take_update(&update("plan", json!({ "content": [diff] })));
        assert_eq!(shown.diffs_of_call("t"), None);
        for id in 0..2 * REMEMBERED {
            shown.take_update(
                &json!({ "sessionUpdate": "tool_call", "toolCallId": id.to_string(), "content": [diff] }),
            );
        }
        assert_eq!((shown.0.len(), shown.diffs_of_call("0")), (REMEMBERED, None));
    }
}
