//! An encrypted connection to a server: its certificate is held to its name and to the authorities of this machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::Verifier;
use tokio_postgres_rustls::MakeRustlsConnect;

/// The reason why a connection cannot be encrypted, as a clause.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TlsError {
    /// The file of one more authority does not read.
    #[error("its sslrootcert {}: {source}", path.display())]
    Authority { path: PathBuf, source: Arc<rustls::pki_types::pem::Error> },
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Setup(#[source] rustls::Error),
}

/// Returns the encrypting connector; `authority` is a file with the certificates of a further authority.
///
/// # Errors
/// Why it cannot be set up.
pub(super) fn tls_connector(authority: Option<&Path>) -> Result<MakeRustlsConnect, TlsError> {
    let mut own = Vec::new();
    if let Some(path) = authority {
        let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        own =
            read.map_err(|source| TlsError::Authority { path: path.to_owned(), source: Arc::new(source) })?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Verifier::new_with_extra_roots(own, provider.clone()).map_err(TlsError::Setup)?;
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config =
        config.map_err(TlsError::Setup)?.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}
