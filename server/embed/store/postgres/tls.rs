//! An encrypted connection to a server: its certificate is held to its name and to the authorities of this machine.

use std::path::Path;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::Verifier;
use tokio_postgres_rustls::MakeRustlsConnect;

/// What encrypts; `authority` is a file with the certificates of one more authority.
///
/// # Errors
/// Why it cannot be set up, as a clause.
pub(super) fn connector(authority: Option<&Path>) -> Result<MakeRustlsConnect, String> {
    let mut own = Vec::new();
    if let Some(path) = authority {
        let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        own = read.map_err(|error| format!("its sslrootcert {}: {error}", path.display()))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let wrong = |error: rustls::Error| format!("TLS cannot be set up: {error}");
    let verifier = Verifier::new_with_extra_roots(own, provider.clone()).map_err(wrong)?;
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(wrong)?.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}
