//! What an agent said last: the reason of what it does next.

use serde_json::Value;

use crate::native::last_sentence;

/// Bytes of what was said that are kept: enough for a sentence.
const KEPT: usize = 4 << 10;

/// The words of an agent in a turn, up to now.
#[derive(Clone, Debug, Default)]
pub(super) struct SaidWords(String);

impl SaidWords {
    /// Hears the update of a session.
    pub(super) fn hear(&mut self, update: &Value) {
        let kind = update.get("sessionUpdate").and_then(Value::as_str);
        match (kind, update.pointer("/content/text").and_then(Value::as_str)) {
            (Some("agent_message_chunk"), Some(text)) => self.add(text),
            // What was said before another message of the person is no reason for what comes after it.
            (Some("user_message_chunk"), _) => self.0.clear(),
            // A new message begins after a tool.
            (Some("tool_call"), _) if !self.0.ends_with('\n') => self.0.push('\n'),
            _ => {}
        }
    }

    fn add(&mut self, text: &str) {
        self.0.push_str(text);
        if self.0.len() > KEPT {
            let cut = self.0.ceil_char_boundary(self.0.len() - KEPT);
            self.0.drain(..cut);
        }
    }

    /// Its last sentence; none where nothing was said.
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
            let mut said = SaidWords::default();
            for chunk in chunks {
                said.hear(&json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": chunk } }));
            }
            assert_eq!(said.last_sentence().as_deref(), sentence, "{chunks:?}");
        }
    }

    #[test]
    fn long_talk_is_cut_at_its_begin_and_another_message_begins_anew() {
        let chunk = |kind: &str, text: &str| json!({ "sessionUpdate": kind, "content": { "text": text } });
        let mut said = SaidWords::default();
        said.hear(&chunk("agent_message_chunk", &"é ".repeat(KEPT)));
        said.hear(&chunk("agent_message_chunk", ". The end."));
        assert!(said.0.len() <= KEPT);
        assert_eq!(said.last_sentence().as_deref(), Some("The end."));
        said.hear(&chunk("user_message_chunk", "go on"));
        assert_eq!(said.last_sentence(), None);
    }
}
