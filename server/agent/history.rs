//! The conversation of a run: its messages, an estimate of their tokens, and how far the log has them.
//!
//! # Invariants
//!
//! - No conversation with a model parts a call from its result, however it is made shorter, cancelled or resumed.
//!   Test: `older_steps_are_left_out_with_what_they_were_for_and_no_pair_is_parted`,
//!   `a_turn_is_cancelled_and_the_run_goes_on_with_the_persons_words_and_is_resumed`

use serde_json::{Value, json};

use crate::model::{ModelCall, ModelMessage};

/// Characters per token, until the model's server reports the tokens of a request.
const PER_TOKEN: f64 = 4.0;
/// Tokens of a message in addition to its text.
const OVERHEAD: u64 = 6;
/// The most that the estimate is corrected by, up and down.
const CORRECTION: f64 = 3.0;

/// A conversation.
#[derive(Clone, Debug)]
pub(super) struct ConversationHistory {
    messages: Vec<ModelMessage>,
    /// The index of the first message that is not logged in its current form.
    unlogged: usize,
    /// Characters of one token, as measured.
    per_token: f64,
}

impl Default for ConversationHistory {
    fn default() -> Self {
        Self { messages: Vec::new(), unlogged: 0, per_token: PER_TOKEN }
    }
}

impl ConversationHistory {
    /// A conversation that is continued.
    pub(super) fn of(messages: Vec<ModelMessage>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// The messages.
    pub(super) fn messages(&self) -> &[ModelMessage] {
        &self.messages
    }

    /// Adds a message.
    pub(super) fn push_message(&mut self, message: ModelMessage) {
        self.messages.push(message);
    }

    /// Adds a text of the person, or of wherefore, to the model.
    pub(super) fn push_words(&mut self, text: impl Into<String>) {
        let text = text.into();
        // Two in a row are refused by some servers.
        match self.messages.last_mut() {
            Some(ModelMessage::User { text: last }) => {
                last.push_str("\n\n");
                last.push_str(&text);
                self.unlogged = self.unlogged.min(self.messages.len() - 1);
            }
            _ => self.messages.push(ModelMessage::User { text }),
        }
    }

    /// Takes the newest message out.
    pub(super) fn drop_newest(&mut self) {
        self.messages.pop();
        self.unlogged = self.unlogged.min(self.messages.len());
    }

    /// Puts other messages in place of those from `from` on.
    pub(super) fn replace_from(&mut self, from: usize, messages: Vec<ModelMessage>) {
        self.messages.truncate(from);
        self.messages.extend(messages);
        self.unlogged = self.unlogged.min(from);
    }

    /// The estimated tokens of all messages, and of `beside` characters that are sent with them.
    pub(super) fn estimate_tokens(&self, beside: usize) -> u64 {
        let characters: usize = self.messages.iter().map(message_characters).sum();
        let overhead = OVERHEAD * self.messages.len() as u64;
        self.tokens_of(characters + beside) + overhead
    }

    /// The estimated tokens of a number of characters.
    pub(super) fn tokens_of(&self, characters: usize) -> u64 {
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an estimate"
        )]
        let tokens = (characters as f64 / self.per_token).ceil() as u64;
        tokens
    }

    /// Learns the characters per token from the server's count; ignores a count of 0.
    pub(super) fn learn_token_size(&mut self, beside: usize, tokens: u64) {
        if tokens == 0 {
            return;
        }
        let characters: usize = self.messages.iter().map(message_characters).sum::<usize>() + beside;
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let measured = characters as f64 / tokens as f64;
        self.per_token = measured.clamp(PER_TOKEN / CORRECTION, PER_TOKEN * CORRECTION);
    }

    /// The messages that are not logged, and the index of the first; they count as logged from now on.
    pub(super) fn take_unlogged(&mut self) -> (usize, Vec<Value>) {
        let from = self.unlogged.min(self.messages.len());
        self.unlogged = self.messages.len();
        (from, self.messages[from..].iter().map(to_json).collect())
    }

    /// Marks the newest message as logged, since the model's output was.
    pub(super) fn mark_newest_logged(&mut self) {
        if self.unlogged + 1 == self.messages.len() {
            self.unlogged = self.messages.len();
        }
    }
}

/// Characters of a message.
pub(super) fn message_characters(message: &ModelMessage) -> usize {
    match message {
        ModelMessage::User { text } => text.len(),
        ModelMessage::Assistant { text, calls, .. } => {
            text.len() + calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>()
        }
        ModelMessage::ToolResult { name, text, .. } => name.len() + text.len(),
    }
}

/// A call as the log has it.
pub(super) fn call_json(call: &ModelCall) -> Value {
    json!({ "id": call.id, "name": call.name, "arguments": call.arguments })
}

/// A message as the log has it.
pub(super) fn to_json(message: &ModelMessage) -> Value {
    match message {
        ModelMessage::User { text } => json!({ "role": "user", "text": text }),
        ModelMessage::Assistant { text, calls, .. } => {
            json!({ "role": "assistant", "text": text, "calls": calls.iter().map(call_json).collect::<Vec<_>>() })
        }
        ModelMessage::ToolResult { call_id, name, text, failed } => {
            json!({ "role": "tool", "call": call_id, "name": name, "text": text, "failed": failed })
        }
    }
}

/// A message read back from the log; none if it is malformed.
pub(super) fn from_json(message: &Value) -> Option<ModelMessage> {
    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(match message.get("role")?.as_str()? {
        "user" => ModelMessage::User { text: text("text") },
        "assistant" => {
            let calls = message.get("calls").and_then(Value::as_array);
            let calls = calls.into_iter().flatten().filter_map(call_from_json).collect();
            ModelMessage::Assistant { text: text("text"), calls, state: None }
        }
        "tool" => ModelMessage::ToolResult {
            call_id: text("call"),
            name: text("name"),
            text: text("text"),
            failed: message.get("failed") == Some(&Value::Bool(true)),
        },
        _ => return None,
    })
}

/// A call read back from the log.
pub(super) fn call_from_json(call: &Value) -> Option<ModelCall> {
    let text = |key: &str| call.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(ModelCall { id: text("id")?, name: text("name")?, arguments: text("arguments").unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_back_as_they_were_written() {
        let call = ModelCall { id: "1".to_owned(), name: "fs_read".to_owned(), arguments: "{}".to_owned() };
        let messages = [
            ModelMessage::User { text: "do it".to_owned() },
            ModelMessage::Assistant { text: "I look".to_owned(), calls: vec![call], state: None },
            ModelMessage::ToolResult {
                call_id: "1".to_owned(),
                name: "fs_read".to_owned(),
                text: "x".to_owned(),
                failed: true,
            },
        ];
        for message in messages {
            assert_eq!(from_json(&to_json(&message)), Some(message));
        }
    }

    #[test]
    fn the_log_gets_each_message_once_and_what_was_replaced_anew() {
        let mut history = ConversationHistory::default();
        history.push_words("a");
        assert_eq!(history.take_unlogged().0, 0);
        assert_eq!(history.take_unlogged(), (1, Vec::new()));
        history.push_message(ModelMessage::Assistant {
            text: "b".to_owned(),
            calls: Vec::new(),
            state: None,
        });
        history.mark_newest_logged();
        history.push_words("c");
        assert_eq!(history.take_unlogged(), (2, vec![json!({ "role": "user", "text": "c" })]));
        history.push_words("d");
        assert_eq!(history.take_unlogged(), (2, vec![json!({ "role": "user", "text": "c\n\nd" })]));
        history.replace_from(1, Vec::new());
        assert_eq!(history.take_unlogged(), (1, Vec::new()));
    }
}
