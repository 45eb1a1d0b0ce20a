//! URLs that a request may go to, judged by the URL alone.

use std::net::IpAddr;

use url::{Host, Url};

use crate::error::{HeaderError, UrlError};
use crate::permits::HostPermits;

/// Bytes that a URL has at most.
const LONGEST: usize = 8192;

/// Returns the host of a URL that may be fetched, without checking permits: see [`FetchTarget::host`].
///
/// # Errors
/// The error in the URL, except for its port.
pub fn host_of(text: &str) -> Result<String, UrlError> {
    FetchTarget::parse_any_port(text).map(|target| target.host)
}

/// A URL that was looked at: http or https, no credentials, a host, and a port that is for the web.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchTarget {
    url: Url,
    host: String,
    port: u16,
    /// True if a person named this host and port.
    granted: bool,
}

impl FetchTarget {
    /// Reads a URL that somebody wrote.
    ///
    /// # Errors
    /// The error in it.
    pub fn parse(text: &str, permits: &HostPermits) -> Result<Self, UrlError> {
        Self::parse_any_port(text)?.with_port(permits)
    }

    fn parse_any_port(text: &str) -> Result<Self, UrlError> {
        // The parser would leave tabs and line ends out, and so read another URL than a person does.
        if text.chars().any(|c| c.is_control() || c == ' ') {
            return Err(UrlError::Control);
        }
        Self::check_url(Url::parse(text)?, text.len())
    }

    /// Reads where a redirect of this URL leads.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub(crate) fn follow_redirect(&self, location: &[u8], permits: &HostPermits) -> Result<Self, UrlError> {
        let location = String::from_utf8_lossy(location);
        let location = location.trim_matches(' ');
        if location.chars().any(char::is_control) {
            return Err(UrlError::Control);
        }
        Self::check_url(self.url.join(location)?, location.len())?.with_port(permits)
    }

    fn check_url(mut url: Url, length: usize) -> Result<Self, UrlError> {
        if length.max(url.as_str().len()) > LONGEST {
            return Err(UrlError::Long { most: LONGEST });
        }
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlError::Scheme { scheme: url.scheme().chars().take(40).collect() });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlError::Credentials);
        }
        url.set_fragment(None);
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return Err(UrlError::NoHost);
        };
        let host = host.strip_suffix('.').unwrap_or(host).to_owned();
        if host.is_empty() || host.split('.').any(str::is_empty) {
            return Err(UrlError::NoHost);
        }
        Ok(Self { url, host, port, granted: false })
    }

    /// The same, once its port is one of the web or a permit names it.
    fn with_port(self, permits: &HostPermits) -> Result<Self, UrlError> {
        let granted = permits.grants(&self.host, self.port);
        match self.port {
            80 | 443 | 8000..=8999 => Ok(Self { granted, ..self }),
            _ if granted => Ok(Self { granted, ..self }),
            port => Err(UrlError::Port { port }),
        }
    }

    /// The URL, without a fragment.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the host: IDNA-encoded, in small letters, without a last dot. An IPv6 address is in brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address, if the host is one. However it was written (`0x7f.1`), this is what it means.
    pub fn ip_literal(&self) -> Option<IpAddr> {
        match self.url.host()? {
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
            Host::Domain(_) => None,
        }
    }

    pub(crate) fn is_granted(&self) -> bool {
        self.granted
    }

    pub(crate) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Returns whether data for one target may go to the other.
    pub(crate) fn same_origin(&self, other: &Self) -> bool {
        (self.url.scheme(), &self.host, self.port) == (other.url.scheme(), &other.host, other.port)
    }

    /// The value of the header `Host`.
    pub(crate) fn authority(&self) -> Result<hyper::header::HeaderValue, HeaderError> {
        let text = match self.url.port() {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.clone(),
        };
        hyper::header::HeaderValue::from_str(&text)
            .map_err(|_| HeaderError::Value { name: "Host".to_owned() })
    }

    /// Returns the target of a request line: the path and the query.
    pub(crate) fn path(&self) -> &str {
        &self.url[url::Position::BeforePath..url::Position::AfterQuery]
    }
}
