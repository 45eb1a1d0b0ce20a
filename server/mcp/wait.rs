//! The time that a change of an agent waits for the person: as long as the agent's client waits for a call.

use crate::agents;

/// The known time limits of a client for a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientWait {
    /// Seconds to wait, from the agent's entry.
    pub wait_s: Option<u64>,
    /// The time limit of a call in seconds, as the person configured the agent.
    pub limit_s: Option<u64>,
}

impl ClientWait {
    /// Seconds that a change of the client waits for the person; none if that is not known.
    pub(super) fn seconds_for(self, client: Option<&str>) -> Option<u64> {
        let known = client.and_then(agents::find_mcp_client).map(|client| client.wait_s);
        let wait_s = self.wait_s.or(known)?;
        Some(self.limit_s.map_or(wait_s, |limit_s| limit_s.min(wait_s)))
    }
}

#[cfg(test)]
mod tests {
    use super::ClientWait;

    #[test]
    fn a_change_waits_no_longer_than_its_client() {
        let seconds =
            |wait_s, limit_s, client: &str| ClientWait { wait_s, limit_s }.seconds_for(Some(client));
        assert_eq!(seconds(None, None, "claude-code"), Some(3570));
        assert_eq!(seconds(None, Some(55), "claude-code"), Some(55));
        assert_eq!(seconds(None, Some(99999), "claude-code"), Some(3570));
        assert_eq!(seconds(None, Some(55), "another"), None);
        assert_eq!(seconds(Some(570), None, "another"), Some(570));
        assert_eq!(ClientWait { wait_s: Some(9), limit_s: None }.seconds_for(None), Some(9));
    }
}
