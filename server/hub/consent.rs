//! The person's consent to servers and the words of their tools.

use super::Hub;
use crate::protocol::Fault;
use crate::upstream::waiting::{Consented, Waiting};

impl Hub {
    /// What waits for the person in a folder, or in the first.
    ///
    /// # Errors
    /// NOT_FOUND where no folder is open.
    pub fn waiting(&self, root: Option<&str>) -> Result<Vec<Waiting>, Fault> {
        Ok(self.meant(root)?.custom().upstreams().waiting())
    }

    /// What the person consented to there.
    ///
    /// # Errors
    /// As [`Hub::waiting`].
    pub fn consented(&self, root: Option<&str>) -> Result<Vec<Consented>, Fault> {
        Ok(self.meant(root)?.custom().upstreams().consented())
    }

    /// The person consents to a server as it is now.
    ///
    /// # Errors
    /// NOT_FOUND where no such server is named; what keeps the consent from being written.
    pub fn consent(&self, root: Option<&str>, server: &str) -> Result<(), Fault> {
        self.meant(root)?.custom().upstreams().consent(server)
    }

    /// The person consents to a server as it was shown to them.
    ///
    /// # Errors
    /// As [`Hub::consent`].
    pub fn consent_to(&self, root: Option<&str>, shown: &Waiting) -> Result<(), Fault> {
        self.meant(root)?.custom().upstreams().consent_to(&shown.server, shown.bound.clone())
    }

    /// The person takes their consent back.
    ///
    /// # Errors
    /// NOT_FOUND where they have given none; what keeps that from being written.
    pub fn revoke(&self, root: Option<&str>, server: &str) -> Result<(), Fault> {
        self.meant(root)?.custom().upstreams().revoke(server)
    }
}
