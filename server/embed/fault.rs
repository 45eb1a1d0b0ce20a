//! The errors of models and of stores as faults: what a person reads.

use super::error::{EmbedError, EndpointError, FolderError, VectorModelError};
use super::store::StoreError;
use crate::protocol::{Code, Fault};

impl From<EmbedError> for Fault {
    fn from(error: EmbedError) -> Self {
        let code = match &error {
            EmbedError::Settings(_) | EmbedError::BadKey { .. } => Code::InvalidArgs,
            EmbedError::NoKey { .. } | EmbedError::NoFile { .. } => Code::NotFound,
            EmbedError::NoEncoder { .. } | EmbedError::NotBuiltIn => Code::Unsupported,
            EmbedError::Folder { source, .. } => match source {
                FolderError::Read { .. } | FolderError::NoFile { .. } => Code::NotFound,
                FolderError::Large { .. } | FolderError::Malformed(_) => Code::InvalidArgs,
            },
            EmbedError::Endpoint { source, .. } => endpoint_code(source),
            EmbedError::Model { source: VectorModelError::Late(_), .. } => Code::Timeout,
            EmbedError::Client(_) | EmbedError::Model { .. } => Code::Internal,
        };
        make_fault(code, error.to_string(), error.advice())
    }
}

fn endpoint_code(error: &EndpointError) -> Code {
    match error {
        EndpointError::Request { source, .. } if source.is_timeout() => Code::Timeout,
        EndpointError::Status { status, .. } => match status.as_u16() {
            401 | 403 => Code::NotAuthorized,
            404 => Code::NotFound,
            429 => Code::QuotaExceeded,
            300..=399 => Code::Unsupported,
            _ => Code::Internal,
        },
        _ => Code::Internal,
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::NoUrl { .. } | StoreError::NoDatabase { .. } => Code::NotFound,
            StoreError::BadUrl { .. } | StoreError::Tls { .. } | StoreError::OtherModel { .. } => {
                Code::InvalidArgs
            }
            StoreError::Login { .. } | StoreError::Rights { .. } => Code::NotAuthorized,
            StoreError::NoExtension { .. } | StoreError::Version { .. } => Code::Unsupported,
            StoreError::Late(_) => Code::Timeout,
            StoreError::Server { .. } | StoreError::File { .. } => Code::Internal,
        };
        make_fault(code, error.to_string(), error.advice())
    }
}

fn make_fault(code: Code, message: String, advice: Option<String>) -> Fault {
    let fault = Fault::new(code, message);
    match advice {
        Some(advice) => fault.with_suggestion(advice),
        None => fault,
    }
}
