//! The address of a Postgres server: the URL, which is in an environment variable, and whether the connection is
//! encrypted.

use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use crate::base::hidden::escape_hidden;
use crate::http;

/// The longest time for making a connection.
const CONNECT: Duration = Duration::from_secs(3);

/// The errors in a server's URL, as a clause. It holds nothing of the password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("it is no URL as postgres://user:password@host/database")]
    NoUrl,
    #[error("it has a part that cannot be read")]
    Unreadable,
    #[error("it names no host")]
    NoHost,
    #[error("its sslmode is {0}: it is disable, require or verify-full")]
    Mode(String),
}

/// The address of a server.
#[derive(Clone, Debug)]
pub(super) struct ServerAddress {
    /// The settings of the connection.
    pub config: Config,
    /// True if it is encrypted, and the server's certificate compared with the host's name.
    pub encrypted: bool,
    /// A file with the certificates of a team's own authority.
    pub authority: Option<PathBuf>,
    /// The address for a reader: without its password.
    pub place: String,
}

impl ServerAddress {
    /// Reads a URL as `postgres://user:password@host:5432/database?sslmode=require`.
    ///
    /// # Errors
    /// The error in it. It holds nothing of the password.
    pub(super) fn parse_url(text: &str) -> Result<Self, AddressError> {
        let mut url = Url::parse(text.trim()).map_err(|_| AddressError::NoUrl)?;
        if !matches!(url.scheme(), "postgres" | "postgresql") {
            return Err(AddressError::NoUrl);
        }
        let (mut mode, mut authority, mut rest) = (None, None, Vec::new());
        for (name, value) in url.query_pairs().into_owned() {
            match &*name {
                "sslmode" => mode = Some(value),
                "sslrootcert" => authority = Some(value).filter(|value| value != "system"),
                _ => rest.push((name, value)),
            }
        }
        url.set_query(None);
        if !rest.is_empty() {
            url.query_pairs_mut().extend_pairs(rest);
        }
        // In a form's pairs a space is a `+`, in those of Postgres' URLs it is not.
        let query = url.query().map(|query| query.replace('+', "%20"));
        url.set_query(query.as_deref());
        // Its error may quote what it cannot read.
        let mut config: Config = url.as_str().parse().map_err(|_| AddressError::Unreadable)?;
        let host = url.host_str().unwrap_or_default();
        let socket = matches!(config.get_hosts(), [tokio_postgres::config::Host::Unix(_)]);
        let here = socket || http::is_loopback(&format!("http://{host}"));
        if config.get_hosts().is_empty() {
            return Err(AddressError::NoHost);
        }
        let encrypted = match mode.as_deref() {
            Some("disable") => false,
            // The connection within this machine cannot be intercepted.
            None | Some("prefer" | "allow") => !here,
            Some("require" | "verify-ca" | "verify-full") => true,
            Some(other) => {
                return Err(AddressError::Mode(escape_hidden(other).into_owned()));
            }
        };
        config.ssl_mode(if encrypted { SslMode::Require } else { SslMode::Disable });
        config.connect_timeout(CONNECT).application_name("wherefore");
        let database = config.get_dbname().or(config.get_user()).unwrap_or("postgres").to_owned();
        let host = if socket { "a socket of this machine" } else { host };
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let place = escape_hidden(&format!("{host}:{port}/{database}")).into_owned();
        Ok(Self { config, encrypted, authority: authority.map(PathBuf::from), place })
    }
}

#[cfg(test)]
mod tests {
    use super::ServerAddress;

    #[test]
    fn what_leaves_the_machine_is_encrypted_unless_the_url_says_otherwise() {
        for (url, encrypted, place) in [
            ("postgres://me:pw@127.0.0.1:5433/team", false, "127.0.0.1:5433/team"),
            ("postgres://me@localhost", false, "localhost:5432/me"),
            ("postgres://me@[::1]/a?sslmode=verify-full", true, "[::1]:5432/a"),
            ("postgresql://me:p%40w@db.example/team", true, "db.example:5432/team"),
            ("postgres://me@db.example/team?sslmode=prefer", true, "db.example:5432/team"),
            ("postgres://me@db.example/team?sslmode=disable", false, "db.example:5432/team"),
            (
                "postgres://me@192.168.0.7/team?sslmode=verify-ca&sslrootcert=/ca.pem",
                true,
                "192.168.0.7:5432/team",
            ),
            ("postgres:///team?host=/run/postgresql", false, "a socket of this machine:5432/team"),
        ] {
            let address = ServerAddress::parse_url(url).unwrap_or_else(|wrong| panic!("{url}: {wrong}"));
            assert_eq!((address.encrypted, &*address.place), (encrypted, place), "{url}");
        }
        let address =
            ServerAddress::parse_url("postgres://me:a+b%20c@h/d?sslrootcert=/ca.pem&application_name=x")
                .unwrap();
        assert_eq!(address.config.get_password(), Some(&b"a+b c"[..]));
        assert_eq!(address.authority.as_deref(), Some("/ca.pem".as_ref()));
    }

    #[test]
    fn what_is_wrong_is_said_without_the_password() {
        for (url, expected) in [
            ("", "no URL"),
            ("host=db password=hidden", "no URL"),
            ("https://me:hidden@db/team", "no URL"),
            ("postgres://me:hidden@db/team?sslmode=maybe", "sslmode is maybe"),
            ("postgres://me:hidden@db/team?keepalives=hidden", "cannot be read"),
            ("postgres:///team", "no host"),
        ] {
            let wrong = ServerAddress::parse_url(url).unwrap_err().to_string();
            assert!(wrong.contains(expected) && !wrong.contains("hidden"), "{url}: {wrong}");
        }
    }
}
