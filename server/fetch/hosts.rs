//! The hosts that a person opens to a program.

use url::Host;

use crate::error::HostError;
use crate::permits::{HostName, HostPermits};

/// Named hosts. An entry without a port opens the ports 80 and 443 of public addresses; one with a port opens that port,
/// also at an address of this machine or of a private network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostList {
    public: Vec<HostName>,
    named: HostPermits,
    /// True where the ports 80 and 443 of every public address are open.
    all_public: bool,
}

/// The extent to which a host is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostAccess {
    /// At its public addresses.
    Public,
    /// At every address that a person may open.
    Anywhere,
}

impl HostList {
    /// Reads entries such as `crates.io`, `.npmjs.org` for every host below a domain, and `localhost:5432`.
    ///
    /// # Errors
    /// The first entry that is none.
    pub fn parse<'a>(entries: impl IntoIterator<Item = &'a str>) -> Result<Self, HostError> {
        let (named, public): (Vec<&str>, Vec<&str>) = entries.into_iter().partition(|entry| has_port(entry));
        let public =
            public.into_iter().map(|entry| HostName::parse(entry).ok_or_else(|| HostError::new(entry)));
        let wrong = |entry: &&str| HostPermits::parse([*entry]).is_err();
        match named.iter().find(|entry| wrong(entry)) {
            Some(entry) => Err(HostError::new(entry)),
            None => Ok(Self {
                public: public.collect::<Result<_, _>>()?,
                named: HostPermits::parse(named).unwrap_or_default(),
                all_public: false,
            }),
        }
    }

    /// Opens the ports 80 and 443 of every public address, where `is_open`.
    #[must_use]
    pub fn with_every_public_host(self, is_open: bool) -> Self {
        Self { all_public: is_open, ..self }
    }

    /// Returns whether no host is open.
    pub fn is_empty(&self) -> bool {
        self.public.is_empty() && self.named.is_empty() && !self.all_public
    }

    /// Returns the extent to which a port of a host is open.
    pub(crate) fn access_to(&self, host: &str, port: u16) -> Option<HostAccess> {
        if self.named.grants(host, port) {
            return Some(HostAccess::Anywhere);
        }
        let is_web = matches!(port, 80 | 443);
        let is_open = is_web && (self.all_public || self.public.iter().any(|name| name.matches_host(host)));
        is_open.then_some(HostAccess::Public)
    }
}

/// Returns whether an entry ends with a port. An IPv6 address holds colons too.
fn has_port(entry: &str) -> bool {
    entry.rsplit_once(':').is_some_and(|(host, _)| !host.is_empty() && Host::parse(entry).is_err())
}
