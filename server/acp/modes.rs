//! The mode that an agent works in. In some an agent writes by itself and asks nobody: the person is told so.

use serde_json::{Value, json};

use super::message::{AskedRequest, notification};
use super::proxy::Proxy;

/// The mode of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct SessionModes {
    current: Option<String>,
    /// The modes, as the agent listed them.
    listed: Vec<Value>,
    /// The mode that the person was told about last.
    told: Option<String>,
}

impl SessionModes {
    /// Reads the answer that begins the session.
    pub(super) fn begin(&mut self, answer: &Value) {
        self.set(answer.pointer("/modes/currentModeId").and_then(Value::as_str));
        let listed = answer.pointer("/modes/availableModes").and_then(Value::as_array);
        self.listed = listed.cloned().unwrap_or_default();
    }

    /// Another mode is set; one that is not named leaves it as it is.
    pub(super) fn set(&mut self, mode: Option<&str>) {
        if let Some(mode) = mode {
            self.current = Some(mode.to_owned());
        }
    }

    /// Hears the update of a session.
    pub(super) fn hear(&mut self, update: &Value) {
        if update.get("sessionUpdate") == Some(&json!("current_mode_update")) {
            self.set(update.get("currentModeId").and_then(Value::as_str));
        }
    }

    /// The names of its mode and of the one that asks, where they differ and the person does not know it yet.
    fn unasking(&mut self, asks_in: &str) -> Option<(String, String)> {
        let current = self.current.clone().filter(|current| current != asks_in)?;
        if self.told.as_ref() == Some(&current) {
            return None;
        }
        self.told = Some(current.clone());
        Some((self.name(&current), self.name(asks_in)))
    }

    fn name(&self, id: &str) -> String {
        let mode = self.listed.iter().find(|mode| mode["id"] == json!(id));
        mode.and_then(|mode| mode["name"].as_str()).unwrap_or(id).to_owned()
    }
}

/// What the person is told before a turn in a mode in which the agent asks nobody, as a message of the session.
pub(super) fn warning(proxy: &Proxy, asked: &AskedRequest) -> Option<Value> {
    let (session, asks_in) = (asked.text("sessionId")?, proxy.manners().asks_in?);
    let (current, asking) = proxy.sessions.with(session, |session| session.modes.unasking(asks_in))?;
    let text = format!(
        "wherefore: in its mode \"{current}\" this agent edits files without asking, and its edits go past the review. In \
         the mode \"{asking}\" they are reviewed.\n\n"
    );
    let content = json!({ "type": "text", "text": text });
    let update = json!({ "sessionUpdate": "agent_message_chunk", "content": content });
    Some(notification("session/update", json!({ "sessionId": session, "update": update })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_that_does_not_ask_is_told_once() {
        let mut modes = SessionModes::default();
        assert_eq!(modes.unasking("default"), None);
        let listed = json!([{ "id": "auto", "name": "Auto" }, { "id": "default", "name": "Manual" }]);
        modes.begin(&json!({ "modes": { "currentModeId": "auto", "availableModes": listed } }));
        let both = |current: &str| Some((current.to_owned(), "Manual".to_owned()));
        assert_eq!(modes.unasking("default"), both("Auto"));
        assert_eq!(modes.unasking("default"), None);
        modes.set(Some("default"));
        modes.set(None);
        assert_eq!(modes.unasking("default"), None);
        modes.hear(&json!({ "sessionUpdate": "current_mode_update", "currentModeId": "acceptEdits" }));
        assert_eq!(modes.unasking("default"), both("acceptEdits"));
    }
}
