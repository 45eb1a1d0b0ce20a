//! The mode that an agent works in. In some modes an agent writes without asking, and the person gets a warning.

use serde_json::{Value, json};

use super::message::{RpcRequest, notification_message};
use super::proxy::AcpProxy;

/// The mode of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct SessionModes {
    current: Option<String>,
    /// The modes, as the agent listed them.
    available: Vec<Value>,
    /// The mode of the last warning to the person.
    last_warned: Option<String>,
}

impl SessionModes {
    /// Reads the answer that begins the session.
    pub(super) fn read_first_answer(&mut self, answer: &Value) {
        self.set_mode(answer.pointer("/modes/currentModeId").and_then(Value::as_str));
        let listed = answer.pointer("/modes/availableModes").and_then(Value::as_array);
        self.available = listed.cloned().unwrap_or_default();
    }

    /// Sets the mode; none leaves it as it is.
    pub(super) fn set_mode(&mut self, mode: Option<&str>) {
        if let Some(mode) = mode {
            self.current = Some(mode.to_owned());
        }
    }

    /// Takes an update of a session.
    pub(super) fn take_update(&mut self, update: &Value) {
        if update.get("sessionUpdate") == Some(&json!("current_mode_update")) {
            self.set_mode(update.get("currentModeId").and_then(Value::as_str));
        }
    }

    /// The names of its mode and of the mode that asks, if they differ and the person was not warned yet.
    fn take_warning(&mut self, asks_in: &str) -> Option<(String, String)> {
        let current = self.current.clone().filter(|current| current != asks_in)?;
        if self.last_warned.as_ref() == Some(&current) {
            return None;
        }
        self.last_warned = Some(current.clone());
        Some((self.mode_name(&current), self.mode_name(asks_in)))
    }

    fn mode_name(&self, id: &str) -> String {
        let mode = self.available.iter().find(|mode| mode["id"] == json!(id));
        mode.and_then(|mode| mode["name"].as_str()).unwrap_or(id).to_owned()
    }
}

/// The warning before a turn in a mode in which the agent does not ask, as a message of the session.
pub(super) fn mode_warning(proxy: &AcpProxy, asked: &RpcRequest) -> Option<Value> {
    let (session, asks_in) = (asked.text_param("sessionId")?, proxy.agent_profile().ask_mode?);
    let (current, asking) =
        proxy.sessions.with_session(session, |session| session.modes.take_warning(asks_in))?;
    let text = format!(
        "wherefore: in its mode \"{current}\" this agent edits files without asking, and its edits go past the review. In \
         the mode \"{asking}\" they are reviewed.\n\n"
    );
    let content = json!({ "type": "text", "text": text });
    let update = json!({ "sessionUpdate": "agent_message_chunk", "content": content });
    Some(notification_message("session/update", json!({ "sessionId": session, "update": update })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_that_does_not_ask_is_told_once() {
        let mut modes = SessionModes::default();
        assert_eq!(modes.take_warning("default"), None);
        let listed = json!([{ "id": "auto", "name": "Auto" }, { "id": "default", "name": "Manual" }]);
        modes.read_first_answer(&json!({ "modes": { "currentModeId": "auto", "availableModes": listed } }));
        let both = |current: &str| Some((current.to_owned(), "Manual".to_owned()));
        assert_eq!(modes.take_warning("default"), both("Auto"));
        assert_eq!(modes.take_warning("default"), None);
        modes.set_mode(Some("default"));
        modes.set_mode(None);
        assert_eq!(modes.take_warning("default"), None);
        modes.take_update(&json!({ "sessionUpdate": "current_mode_update", "currentModeId": "acceptEdits" }));
        assert_eq!(modes.take_warning("default"), both("acceptEdits"));
    }
}
