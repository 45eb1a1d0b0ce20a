//! The reasons why nothing was fetched.
#![expect(missing_docs, reason = "the message of a variant says what it is, and names its fields")]

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use crate::address::ReservedUse;

/// The reason why a fetch has no answer.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error(transparent)]
    Url(#[from] UrlError),
    #[error(transparent)]
    Header(#[from] HeaderError),
    #[error("{} is {kind}, and only public addresses are reached", at(.host, *.address))]
    Address { host: String, address: IpAddr, kind: ReservedUse },
    #[error("the host {host} is not found: {source}")]
    Resolve { host: String, source: io::Error },
    #[error("the host {host} has no address")]
    NoAddress { host: String },
    #[error("the host {host} may not be reached")]
    Refused { host: String },
    #[error("{host} does not take a connection: {source}")]
    Connect { host: String, source: io::Error },
    #[error("no encrypted connection to {host}: {source}")]
    Encrypt { host: String, source: io::Error },
    #[error("TLS cannot be set up: {0}")]
    Tls(#[source] rustls::Error),
    #[error("{host} breaks off or sends no HTTP: {source}")]
    Exchange { host: String, source: hyper::Error },
    #[error("its {coding} encoding cannot be read: {source}")]
    Decode { coding: &'static str, source: io::Error },
    #[error("its encoding {coding:?} is not one of gzip, deflate, br and zstd")]
    Coding { coding: String },
    #[error("no whole answer within {} s", .0.as_secs_f64())]
    Late(Duration),
    #[error("more than {most} redirects")]
    Redirects { most: usize },
    #[error("{from} redirects to where nothing is fetched: {source}")]
    Redirected { from: String, source: Box<Self> },
    #[error("the answer could not be read: {0}")]
    Thread(#[source] tokio::task::JoinError),
}

/// The errors of a URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("the URL holds a space or a control character")]
    Control,
    #[error("it is no URL: {0}")]
    Malformed(#[from] url::ParseError),
    #[error("the URL has more than {most} bytes")]
    Long { most: usize },
    #[error("the URL's scheme is {scheme:?}, and only http and https are fetched")]
    Scheme { scheme: String },
    #[error("the URL holds a user or a password")]
    Credentials,
    #[error("the URL names no host")]
    NoHost,
    #[error("the port {port} is none of 80, 443 and 8000 to 8999")]
    Port { port: u16 },
}

/// The errors of a request's headers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    #[error("{name:?} is no name of a header")]
    Name { name: String },
    #[error("the value of the header {name:?} cannot be sent: it may hold printable ASCII alone")]
    Value { name: String },
    #[error("the header {name:?} may not be set")]
    Forbidden { name: String },
    #[error("there are more than {most} headers or {bytes} bytes of them")]
    Many { most: usize, bytes: usize },
}

/// The error of a text that is no entry of [`HostPermits`](crate::HostPermits).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no host with a port, as localhost:3000")]
pub struct PermitError(pub(crate) String);

/// The error of a text that is no entry of [`HostList`](crate::HostList).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no host, as crates.io, .npmjs.org or localhost:5432")]
pub struct HostError(String);

impl HostError {
    pub(crate) fn new(entry: &str) -> Self {
        Self(entry.chars().take(100).collect())
    }
}

/// The reason why a proxy carries nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProxyError {
    #[error("the request cannot be read")]
    Malformed,
    #[error("{host}:{port} is not among the hosts that this command may reach")]
    Closed { host: String, port: u16 },
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("the connection broke: {0}")]
    Broken(#[from] io::Error),
}

fn at(host: &str, address: IpAddr) -> String {
    let literal = host.trim_matches(['[', ']']).parse() == Ok(address);
    if literal { address.to_string() } else { format!("{host} leads to {address}, which") }
}
