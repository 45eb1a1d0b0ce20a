//! The errors of a session as faults: what an agent or a person reads.

use super::error::{CallCancelled, HintError, SearchError, SessionError, TextError};
use crate::index::lexical::walk::WalkError;
use crate::protocol::{Code, Fault};

impl From<SessionError> for Fault {
    fn from(error: SessionError) -> Self {
        let message = error.to_string();
        match error {
            SessionError::Root(error) => error.into(),
            SessionError::Log(error) => error.into(),
            SessionError::Settings(_) => Self::internal(message),
        }
    }
}

impl From<CallCancelled> for Fault {
    fn from(error: CallCancelled) -> Self {
        Self::new(Code::Cancelled, error.to_string())
    }
}

impl From<SearchError> for Fault {
    fn from(error: SearchError) -> Self {
        let message = error.to_string();
        match error {
            SearchError::Path(error) => error.into(),
            SearchError::Scope(error) => error.into(),
            SearchError::NoScope { near, .. } => Self::new(Code::NotFound, message)
                .with_near_names(near)
                .with_suggestion("fs.ls shows what is there"),
            SearchError::Query(_) => Self::new(Code::InvalidArgs, message)
                .with_suggestion("mend the expression, or set `literal` to search for the text as it stands"),
            SearchError::Walk(error) => of_walk(&error, message),
            SearchError::Busy { .. } => Self::new(Code::Timeout, message).with_suggestion(
                "search again in a moment, or use search.lexical, which does not wait for that",
            ),
            SearchError::Cancelled(error) => error.into(),
        }
    }
}

/// The fault of a folder whose files cannot be listed.
fn of_walk(error: &WalkError, message: String) -> Fault {
    match error {
        WalkError::Glob { .. } => {
            Fault::new(Code::InvalidArgs, message).with_suggestion("write one like *.rs or src/**/*.ts")
        }
        WalkError::Odd(_) => Fault::new(Code::Unsupported, message)
            .with_suggestion("ask the person to remove it, or search another folder"),
        WalkError::Io(_) => Fault::internal(message),
        WalkError::Stopped => CallCancelled.into(),
    }
}

impl From<TextError> for Fault {
    fn from(error: TextError) -> Self {
        let message = error.to_string();
        match error {
            TextError::File(error) => error.into(),
            TextError::Binary { .. } => Self::new(Code::Unsupported, message)
                .with_suggestion("fs.copy moves bytes about; only texts are read and edited"),
            TextError::Unencodable { .. } => Self::new(Code::InvalidArgs, message).with_suggestion(
                "use a character that the file's encoding has, or write the text to a new file, which is UTF-8",
            ),
        }
    }
}

impl From<HintError> for Fault {
    fn from(error: HintError) -> Self {
        let message = error.to_string();
        match error {
            HintError::Path(error) => error.into(),
            HintError::File(error) => error.into(),
            HintError::Notes(_) => Self::new(Code::InvalidArgs, message)
                .with_suggestion("mend that file, or remove it, then say it again"),
            HintError::Log(error) => error.into(),
        }
    }
}
