//! The errors of stores of vectors.
#![expect(missing_docs, reason = "the message of a variant says what it is, and names its fields")]

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use super::postgres::{AddressError, TlsError, grant_statements};
use crate::base::hidden::escape_hidden;
use crate::http;

/// The reason why vectors were not read from a store, or not kept in it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The file of vectors cannot be written.
    #[error("vectors cannot be kept in {}: {source}", path.display())]
    File { path: PathBuf, source: Arc<io::Error> },
    /// The environment variable of the server's URL is not set.
    #[error("embeddings.store: the environment variable {variable} is not set")]
    NoUrl { variable: String },
    /// The environment variable holds no usable URL.
    #[error("embeddings.store: what {variable} holds cannot be used: {source}")]
    BadUrl { variable: String, source: AddressError },
    /// Encryption cannot be set up.
    #[error("the team's vectors at {place}: {source}")]
    Tls { place: String, source: TlsError },
    /// The server refuses the user or the password.
    #[error("the team's vectors at {place}: {}", said(source))]
    Login { place: String, source: Arc<Error> },
    /// The server has no such database.
    #[error("the team's vectors at {place}: {}", said(source))]
    NoDatabase { place: String, source: Arc<Error> },
    /// The server lacks pgvector.
    #[error("the team's vectors at {place}: {}", said(source))]
    NoExtension { place: String, source: Arc<Error> },
    /// The role may not make or use the tables.
    #[error("the team's vectors at {place}: {}", said(source))]
    Rights { place: String, role: String, source: Arc<Error> },
    /// Something else failed at the server or on the way to it.
    #[error("the team's vectors at {place}: {}", said(source))]
    Server { place: String, source: Arc<Error> },
    /// Another version of this program made the tables.
    #[error("the tables of vectors at {place} are of version {version}")]
    Version { place: String, version: i32 },
    /// The store holds the vectors of another model under the same name.
    #[error(
        "the team's vectors of {model} are of another model than the one here (cosine {cosine:.2} for one text)"
    )]
    OtherModel { model: String, cosine: f32 },
    /// The store took too long.
    #[error("the team's store of vectors did not answer within {0:?}")]
    Late(Duration),
}

impl StoreError {
    /// The error of the server at `place` for `role`.
    pub(super) fn from_server(place: &str, role: &str, error: Error) -> Self {
        let (place, state) = (place.to_owned(), error.code().cloned());
        let source = Arc::new(error);
        let is = |states: [SqlState; 2]| state.as_ref().is_some_and(|state| states.contains(state));
        if is([SqlState::INVALID_PASSWORD, SqlState::INVALID_AUTHORIZATION_SPECIFICATION]) {
            Self::Login { place, source }
        } else if state == Some(SqlState::INVALID_CATALOG_NAME) {
            Self::NoDatabase { place, source }
        } else if is([SqlState::UNDEFINED_FILE, SqlState::FEATURE_NOT_SUPPORTED]) {
            // Which of them depends on the server's version.
            Self::NoExtension { place, source }
        } else if is([SqlState::INSUFFICIENT_PRIVILEGE, SqlState::UNDEFINED_OBJECT]) {
            Self::Rights { place, role: role.to_owned(), source }
        } else {
            Self::Server { place, source }
        }
    }

    /// Returns advice for the person.
    pub(crate) fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::NoUrl { variable } | Self::BadUrl { variable, .. } => {
                return Some(format!(
                    "set {variable} to postgres://user:password@host/database where wherefore is started"
                ));
            }
            Self::Login { .. } => "mend the user and the password in that environment variable",
            Self::NoDatabase { .. } => "make that database, or name another one",
            Self::NoExtension { .. } => {
                "have pgvector installed on that server (as Debian's package postgresql-NN-pgvector)"
            }
            Self::Rights { role, .. } => {
                return Some(format!("have an administrator run there: {}", grant_statements(role)));
            }
            Self::Server { .. } => "look whether that server runs and can be reached from here",
            Self::Version { .. } => "use the same version of wherefore everywhere",
            Self::OtherModel { .. } => {
                "use the model that the team uses, or give another name as embeddings.store.model"
            }
            Self::File { .. } | Self::Tls { .. } | Self::Late(_) => return None,
        };
        Some(advice.to_owned())
    }
}

/// Returns the error of the server, or of the way to it.
fn said(error: &Error) -> String {
    let said = error
        .as_db_error()
        .map_or_else(|| http::with_sources(error.to_string(), error), |said| said.message().to_owned());
    escape_hidden(&said).into_owned()
}
