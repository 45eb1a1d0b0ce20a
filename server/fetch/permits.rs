//! Servers that a person opens, of their own machine or network, by host and port.

use url::Host;

use crate::error::PermitError;

/// The servers that a person named. Such a server may have an address of this machine or of a private network, and any
/// port; no other address becomes reachable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostPermits(Vec<HostPermit>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct HostPermit {
    host: HostName,
    port: u16,
}

/// A host, or every host below a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostName {
    /// IDNA-encoded, in small letters; an IPv6 address in brackets.
    host: String,
    /// True if the hosts below it count, and not it itself.
    below: bool,
}

impl HostPermits {
    /// Reads entries such as `localhost:3000`, `[::1]:8080` and, for every host below a domain, `.dev.test:80`.
    ///
    /// # Errors
    /// The first entry that is none.
    pub fn parse<'a>(entries: impl IntoIterator<Item = &'a str>) -> Result<Self, PermitError> {
        entries.into_iter().map(HostPermit::parse).collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn grants(&self, host: &str, port: u16) -> bool {
        self.0.iter().any(|permit| permit.port == port && permit.host.matches_host(host))
    }
}

impl HostPermit {
    fn parse(entry: &str) -> Result<Self, PermitError> {
        let wrong = || PermitError(entry.chars().take(100).collect());
        let (host, port) = entry.rsplit_once(':').ok_or_else(wrong)?;
        let host = HostName::parse(host).ok_or_else(wrong)?;
        let port = port.parse().ok().filter(|port| *port != 0).ok_or_else(wrong)?;
        Ok(Self { host, port })
    }
}

impl HostName {
    /// Reads `example.com`, `[::1]` and, for every host below a domain, `.example.com`.
    pub(crate) fn parse(entry: &str) -> Option<Self> {
        let (host, below) = entry.strip_prefix('.').map_or((entry, false), |host| (host, true));
        let host = Host::parse(host.strip_suffix('.').unwrap_or(host)).ok()?;
        // A star would name no host that there is.
        let is_one = !(below && !matches!(host, Host::Domain(_)) || entry.contains('*'));
        is_one.then(|| Self { host: host.to_string(), below })
    }

    pub(crate) fn matches_host(&self, host: &str) -> bool {
        if self.below {
            host.strip_suffix(&self.host).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
        } else {
            host == self.host
        }
    }
}
