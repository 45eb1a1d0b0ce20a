//! The connection to a server on another machine: encrypted, and to that server only.

use std::process::Command;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::server::{PASSWORD, Server, say};
use super::*;

/// Makes an authority in `folder`, and its certificate for 127.0.0.1; `None` if openssl is missing.
fn certify(folder: &Path) -> Option<()> {
    let curve = "-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
    for rest in [
        "-keyout ca.key -out ca.pem -subj /CN=authority",
        "-keyout key.pem -out cert.pem -subj /CN=server -CA ca.pem -CAkey ca.key -addext subjectAltName=IP:127.0.0.1 \
         -addext basicConstraints=critical,CA:FALSE",
    ] {
        let mut command = Command::new("openssl");
        command.current_dir(folder).arg("req").args(curve.split(' ')).args(rest.split_whitespace());
        let output = command.output().ok()?;
        assert!(output.status.success(), "{output:?}");
    }
    Some(())
}

/// Decrypts for a server that does not itself: Postgres as it is packed for Python cannot. Its port.
async fn front(folder: &Path, server: u16) -> u16 {
    let chain = CertificateDer::pem_file_iter(folder.join("cert.pem")).unwrap();
    let chain = chain.collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join("key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.unwrap().with_no_client_auth().with_single_cert(chain, key).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut asked = [0; 8];
                stream.read_exact(&mut asked).await.ok()?;
                assert_eq!(asked, [0, 0, 0, 8, 4, 210, 22, 47], "it asks for TLS before it says anything");
                stream.write_all(b"S").await.ok()?;
                let mut stream = acceptor.accept(stream).await.ok()?;
                let mut behind = TcpStream::connect(("127.0.0.1", server)).await.ok()?;
                copy_bidirectional(&mut stream, &mut behind).await.ok()
            });
        }
    });
    port
}

#[tokio::test]
async fn a_server_is_held_to_its_certificate() {
    let Some(server) = Server::start().await else { return };
    let folder = tempfile::tempdir().unwrap();
    if certify(folder.path()).is_none() {
        say("skipped: openssl is missing: an encrypted way to the team's store is not tested");
        return;
    }
    let port = front(folder.path(), server.port()).await;
    let store = |port: u16, query: &str| {
        let url = format!("postgres://postgres:{PASSWORD}@127.0.0.1:{port}/postgres?sslmode={query}");
        PostgresStore::at_url("URL", Some(&url), "m").unwrap()
    };
    let authority = folder.path().join("ca.pem").display().to_string();
    let known = store(port, &format!("verify-full&sslrootcert={authority}"));
    assert!(known.inspect().await.unwrap().ends_with("/postgres: 0 vectors of m"));

    let unknown = store(port, "require").inspect().await.unwrap_err();
    assert!(unknown.to_string().contains("certificate"), "{unknown:?}");
    let plain = store(server.port(), "require").inspect().await.unwrap_err();
    assert!(plain.to_string().contains("TLS"), "{plain:?}");
    let nowhere = store(port, "require&sslrootcert=/nowhere.pem").inspect().await.unwrap_err();
    assert!(nowhere.to_string().contains("sslrootcert /nowhere.pem"), "{nowhere:?}");
}
