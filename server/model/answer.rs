//! An answer while it comes: pieces are passed on, and the whole is kept, within bounds.

use serde_json::Value;

use crate::base::random;
use crate::bounds::AnswerBounds;
use crate::{AnswerPiece, ModelCall, ModelError, ModelErrorKind, ModelReply, Pieces, StopReason};

/// The part of the answer that came so far.
pub(crate) struct AnswerBuilder<'a> {
    pieces: Pieces<'a>,
    bounds: AnswerBounds,
    /// The answer.
    pub(crate) reply: ModelReply,
    /// The number of pieces that were passed on.
    pub(crate) passed: u64,
    /// True if the server marked the answer as complete.
    pub(crate) complete: bool,
    /// True if bytes of the event that is being read were replaced, since they were no UTF-8.
    pub(crate) replaced: bool,
}

impl<'a> AnswerBuilder<'a> {
    pub(crate) fn new(pieces: Pieces<'a>, bounds: AnswerBounds) -> Self {
        let reply = ModelReply::default();
        Self { pieces, bounds, reply, passed: 0, complete: false, replaced: false }
    }

    fn pass_piece(&mut self, piece: AnswerPiece) {
        self.passed += 1;
        (self.pieces)(piece);
    }

    /// More text.
    pub(crate) fn add_text(&mut self, text: &str) -> Result<(), ModelError> {
        if text.is_empty() {
            return Ok(());
        }
        check_length("text", self.reply.text.len() + text.len(), self.bounds.text)?;
        self.reply.text.push_str(text);
        self.pass_piece(AnswerPiece::Text { text: text.to_owned() });
        Ok(())
    }

    /// More thinking.
    pub(crate) fn add_thinking(&mut self, text: &str) -> Result<(), ModelError> {
        if text.is_empty() {
            return Ok(());
        }
        check_length("thinking", self.reply.thinking.len() + text.len(), self.bounds.thinking)?;
        self.reply.thinking.push_str(text);
        self.pass_piece(AnswerPiece::Thinking { text: text.to_owned() });
        Ok(())
    }

    /// A call begins. Its place.
    pub(crate) fn begin_call(&mut self, id: Option<&str>, name: &str) -> usize {
        let index = self.reply.calls.len();
        let id = match id.filter(|id| !id.is_empty()) {
            Some(id) => id.to_owned(),
            None => make_id(index),
        };
        self.reply.calls.push(ModelCall { id, name: name.to_owned(), arguments: String::new() });
        if !name.is_empty() {
            self.pass_piece(AnswerPiece::CallStarted { index, name: name.to_owned() });
        }
        index
    }

    /// The name of a call that began without one.
    pub(crate) fn set_call_name(&mut self, index: usize, name: &str) {
        let Some(call) = self.reply.calls.get_mut(index).filter(|call| call.name.is_empty()) else { return };
        name.clone_into(&mut call.name);
        self.pass_piece(AnswerPiece::CallStarted { index, name: name.to_owned() });
    }

    /// More of a call's arguments.
    pub(crate) fn add_arguments(&mut self, index: usize, text: &str) -> Result<(), ModelError> {
        if text.is_empty() {
            return Ok(());
        }
        if self.replaced && text.contains('\u{fffd}') {
            return Err(bad_answer("it sent arguments of a call that are no UTF-8"));
        }
        let Some(call) = self.reply.calls.get_mut(index) else {
            return Err(bad_answer("it sent arguments of a call that never began"));
        };
        check_length("arguments of a call", call.arguments.len() + text.len(), self.bounds.arguments)?;
        call.arguments.push_str(text);
        self.pass_piece(AnswerPiece::CallArguments { index, text: text.to_owned() });
        Ok(())
    }

    /// The reason why it ended.
    pub(crate) fn set_stop(&mut self, reason: StopReason) {
        self.reply.stop = reason;
        self.complete = true;
    }

    /// The answer, if it came whole.
    pub(crate) fn finish(mut self) -> Result<ModelReply, ModelError> {
        if !self.complete {
            return Err(bad_answer("its answer broke off before the end"));
        }
        if self.reply.stop == StopReason::End && !self.reply.calls.is_empty() {
            self.reply.stop = StopReason::Calls;
        }
        Ok(self.reply)
    }
}

/// The text of arguments, which some servers send as an object.
pub(crate) fn arguments_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// An answer that is none; the server's name is put before the sentence later.
pub(crate) fn bad_answer(what: &str) -> ModelError {
    ModelError::new(ModelErrorKind::BadAnswer, what, "ask again, or look at the log of that server")
}

fn check_length(what: &str, length: usize, most: usize) -> Result<(), ModelError> {
    if length <= most {
        return Ok(());
    }
    let message = format!("it sent {what} of more than {most} bytes");
    Err(ModelError::new(ModelErrorKind::TooLarge, message, "ask for less at a time"))
}

/// An id for a call whose server gives none: calls of one conversation must differ.
fn make_id(index: usize) -> String {
    let token = random::random_token().unwrap_or_default();
    format!("call_{}{index}", token.get(..12).unwrap_or_default())
}
