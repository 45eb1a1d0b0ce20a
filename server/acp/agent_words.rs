//! The agent's last text: the reason of its next action.

use serde_json::Value;

use crate::hooks::last_sentence;

/// Bytes of the text that are kept: enough for a sentence.
const KEPT: usize = 4 << 10;

/// The text of an agent in the current turn.
#[derive(Clone, Debug, Default)]
pub(super) struct AgentWords(String);

impl AgentWords {
    /// Takes an update of a session.
    pub(super) fn take_update(&mut self, update: &Value) {
        let kind = update.get("sessionUpdate").and_then(Value::as_str);
        match (kind, update.pointer("/content/text").and_then(Value::as_str)) {
            (Some("agent_message_chunk"), Some(text)) => self.push_text(text),
            // Text before another message of the person is no reason for the actions after it.
            (Some("user_message_chunk"), _) => self.0.clear(),
            // A new message begins after a tool.
            (Some("tool_call"), _) if !self.0.ends_with('\n') => self.0.push('\n'),
            _ => {}
        }
    }

    fn push_text(&mut self, text: &str) {
        self.0.push_str(text);
        if self.0.len() > KEPT {
            let cut = self.0.ceil_char_boundary(self.0.len() - KEPT);
            self.0.drain(..cut);
        }
    }

    /// Its last sentence; none if there is no text.
    pub(super) fn last_sentence(&self) -> Option<String> {
        last_sentence(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_sentence_is_found() {
        for (chunks, sentence) in [
            (
                &["I looked. Now I ", "fix the limit in v1.2 of a.rs."][..],
                Some("Now I fix the limit in v1.2 of a.rs."),
            ),
            (&["First.\n\nThen I rename it:\n\n"], Some("Then I rename it")),
            (&["- **Make** it fast"], Some("Make** it fast")),
            (&["...", "\n"], None),
            (&[], None),
        ] {
            let mut said = AgentWords::default();
            for chunk in chunks {
                said.take_update(&json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": chunk } }));
            }
            assert_eq!(said.last_sentence().as_deref(), sentence, "{chunks:?}");
        }
    }

    #[test]
    fn long_talk_is_cut_at_its_begin_and_another_message_begins_anew() {
        let chunk = |kind: &str, text: &str| json!({ "sessionUpdate": kind, "content": { "text": text } });
        let mut said = AgentWords::default();
        said.take_update(&chunk("agent_message_chunk", &"é ".repeat(KEPT)));
        said.take_update(&chunk("agent_message_chunk", ". The end."));
        assert!(said.0.len() <= KEPT);
        assert_eq!(said.last_sentence().as_deref(), Some("The end."));
        said.take_update(&chunk("user_message_chunk", "go on"));
        assert_eq!(said.last_sentence(), None);
    }
}
