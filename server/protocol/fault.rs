//! The error of a call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::PathError;
use crate::base::random::NoRandomness;

/// What went wrong, for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "the message of each fault says what its code means there")]
pub enum Code {
    NotFound,
    PermissionDenied,
    Timeout,
    InvalidArgs,
    MissingWhy,
    QuotaExceeded,
    ToolNotFound,
    UnknownPath,
    NoMatchInCategory,
    NotAuthorized,
    PatchMismatch,
    Stale,
    Rejected,
    Cancelled,
    Unsupported,
    SandboxUnavailable,
    Internal,
}

/// The error of a call: names the thing, the limit and the value, and a way out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{code:?}: {message}")]
pub struct Fault {
    /// What went wrong, for a program.
    pub code: Code,
    /// What went wrong, for a reader.
    pub message: String,
    /// Whether another call of the same agent can mend it.
    pub recoverable: bool,
    /// An act that the model can take next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// Nearest names, places, other ways.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// Whether `hints` are names like the one that was asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub near: bool,
    /// How to recover, in a form that a program can follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_action: Option<Value>,
    /// Set where a write took effect although a later step failed (the folder's fsync).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<bool>,
    /// What the code alone cannot say: schema violations, a patch's report, the fresh hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

impl Fault {
    /// A fault that another call can mend.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            recoverable: !matches!(code, Code::Internal | Code::Unsupported | Code::NotAuthorized),
            suggestion: None,
            hints: Vec::new(),
            near: false,
            next_action: None,
            applied: None,
            details: None,
        }
    }

    /// An error of ours: the message says what failed.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Code::Internal, message)
    }

    /// Adds the act to take next.
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Adds hints.
    pub fn hint(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        self.hints.extend(hints);
        self
    }

    /// Adds names like the one that was asked for.
    pub fn near(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.hints.extend(names);
        self.near = !self.hints.is_empty();
        self
    }

    /// Adds the act to take next, for a program.
    pub fn next(mut self, action: Value) -> Self {
        self.next_action = Some(action);
        self
    }

    /// Adds what the code alone cannot say.
    pub fn detail(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// Says that nothing of the same kind will help.
    pub fn fatal(mut self) -> Self {
        self.recoverable = false;
        self
    }
}

impl From<PathError> for Fault {
    fn from(error: PathError) -> Self {
        let message = error.to_string();
        match error {
            PathError::Empty => Self::new(Code::InvalidArgs, message)
                .suggest("name a file or folder relative to the workspace, or `.` for its root"),
            PathError::TooLong(_) => {
                Self::new(Code::InvalidArgs, message).suggest("name a file or folder of the workspace")
            }
            PathError::Nul(_) | PathError::Spelling { .. } => Self::new(Code::InvalidArgs, message),
            PathError::Outside(_) => Self::new(Code::PermissionDenied, message)
                .suggest("use a path relative to the workspace's root, without leaving it by `..`"),
        }
    }
}

impl From<NoRandomness> for Fault {
    fn from(error: NoRandomness) -> Self {
        Self::internal(error.to_string())
    }
}
