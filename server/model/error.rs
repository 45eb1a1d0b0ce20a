//! The reasons why a model gave no answer, and a way out.

use std::time::Duration;

use crate::protocol::{Code, Fault};

/// The reason why there is no answer: a sentence, a way out, and a kind for a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// The kind, for a program.
    pub kind: ModelErrorKind,
    /// The message, for a reader.
    pub message: String,
    /// An act that helps.
    pub advice: String,
}

/// The kinds of a model's errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelErrorKind {
    /// No server answers there.
    Absent,
    /// The settings do not say which model, or name none that can be asked.
    Settings,
    /// The key is missing, or the server does not take it.
    KeyRefused,
    /// The server has no such model.
    UnknownModel,
    /// Too many requests; the server may say how long to wait.
    RateLimited {
        /// The time to wait, if the server gives one.
        retry_after: Option<Duration>,
    },
    /// The conversation is longer than the model takes: shorten it and ask again.
    ContextTooLong,
    /// The server does not take this request; the same one fails again.
    BadRequest,
    /// The answer is invalid: no UTF-8, empty, or a stream that broke off.
    BadAnswer,
    /// The server is overloaded or broken.
    Overloaded,
    /// Nothing came for too long.
    Timeout,
    /// The answer is larger than is taken.
    TooLarge,
    /// The server or the model cannot do this, or it is no server of models: it answers with HTML.
    Unsupported,
}

impl ModelError {
    /// An error of this kind.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { kind, message: message.into(), advice: advice.into() }
    }

    /// Returns whether the request may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self.kind {
            ModelErrorKind::RateLimited { .. }
            | ModelErrorKind::Overloaded
            | ModelErrorKind::BadAnswer
            | ModelErrorKind::Timeout => true,
            ModelErrorKind::Absent
            | ModelErrorKind::Settings
            | ModelErrorKind::KeyRefused
            | ModelErrorKind::UnknownModel
            | ModelErrorKind::ContextTooLong
            | ModelErrorKind::BadRequest
            | ModelErrorKind::TooLarge
            | ModelErrorKind::Unsupported => false,
        }
    }
}

impl From<ModelError> for Fault {
    fn from(error: ModelError) -> Self {
        let code = match error.kind {
            ModelErrorKind::Absent | ModelErrorKind::UnknownModel => Code::NotFound,
            ModelErrorKind::Settings | ModelErrorKind::BadRequest => Code::InvalidArgs,
            ModelErrorKind::KeyRefused => Code::NotAuthorized,
            ModelErrorKind::RateLimited { .. }
            | ModelErrorKind::ContextTooLong
            | ModelErrorKind::TooLarge => Code::QuotaExceeded,
            ModelErrorKind::Timeout => Code::Timeout,
            ModelErrorKind::Unsupported => Code::Unsupported,
            ModelErrorKind::BadAnswer | ModelErrorKind::Overloaded => Code::Internal,
        };
        Self::new(code, error.message).with_suggestion(error.advice)
    }
}
