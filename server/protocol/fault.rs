//! The error of a call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::PathError;
use crate::base::random::RandomnessError;

/// The error code, for a program.
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
    NoMatch,
    NotAuthorized,
    PatchMismatch,
    Stale,
    Rejected,
    Cancelled,
    Unsupported,
    SandboxUnavailable,
    Internal,
}

impl Code {
    /// The word used in answers and the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotFound => "NOT_FOUND",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::Timeout => "TIMEOUT",
            Self::InvalidArgs => "INVALID_ARGS",
            Self::MissingWhy => "MISSING_WHY",
            Self::QuotaExceeded => "QUOTA_EXCEEDED",
            Self::ToolNotFound => "TOOL_NOT_FOUND",
            Self::UnknownPath => "UNKNOWN_PATH",
            Self::NoMatchInCategory => "NO_MATCH_IN_CATEGORY",
            Self::NoMatch => "NO_MATCH",
            Self::NotAuthorized => "NOT_AUTHORIZED",
            Self::PatchMismatch => "PATCH_MISMATCH",
            Self::Stale => "STALE",
            Self::Rejected => "REJECTED",
            Self::Cancelled => "CANCELLED",
            Self::Unsupported => "UNSUPPORTED",
            Self::SandboxUnavailable => "SANDBOX_UNAVAILABLE",
            Self::Internal => "INTERNAL",
        }
    }
}

/// The error of a call: names the thing, the limit and the value, and a way out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{code:?}: {message}")]
pub struct Fault {
    /// The error code, for a program.
    pub code: Code,
    /// The error message, for a reader.
    pub message: String,
    /// True if another call of the same agent can succeed.
    pub recoverable: bool,
    /// An action that the model can take next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// Nearest names, places, alternatives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// True if `hints` are names similar to the requested one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub near: bool,
    /// The way to recover, in a form that a program can follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_action: Option<Value>,
    /// Set if a write took effect although a later step failed (the folder's fsync).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<bool>,
    /// Details beyond the code: schema violations, a patch's report, the fresh hash.
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

    /// An internal error: the message names the failure.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Code::Internal, message)
    }

    /// Adds the act to take next.
    pub fn with_suggestion(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Adds hints.
    pub fn with_hints(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        self.hints.extend(hints);
        self
    }

    /// Adds names like the one that was asked for.
    pub fn with_near_names(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.hints.extend(names);
        self.near = !self.hints.is_empty();
        self
    }

    /// Adds the act to take next, for a program.
    pub fn with_next_action(mut self, action: Value) -> Self {
        self.next_action = Some(action);
        self
    }

    /// Adds details beyond the code.
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// Marks the fault as not recoverable by a similar call.
    pub fn as_fatal(mut self) -> Self {
        self.recoverable = false;
        self
    }
}

impl From<PathError> for Fault {
    fn from(error: PathError) -> Self {
        let message = error.to_string();
        match error {
            PathError::Empty => Self::new(Code::InvalidArgs, message)
                .with_suggestion("name a file or folder relative to the workspace, or `.` for its root"),
            PathError::TooLong(_) => Self::new(Code::InvalidArgs, message)
                .with_suggestion("name a file or folder of the workspace"),
            PathError::Nul(_) | PathError::Spelling { .. } => Self::new(Code::InvalidArgs, message),
            PathError::Outside(_) => Self::new(Code::PermissionDenied, message)
                .with_suggestion("use a path relative to the workspace's root, without leaving it by `..`"),
        }
    }
}

impl From<RandomnessError> for Fault {
    fn from(error: RandomnessError) -> Self {
        Self::internal(error.to_string())
    }
}
