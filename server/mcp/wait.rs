//! How long a change of an agent waits for the person: as long as the agent's client waits for a call.

/// Seconds that Claude Code's calls wait. Its own limit is 27 hours, unless the person sets a shorter one.
const CLAUDE_CODE_S: u64 = 3570;

/// Claude Code, as it names itself.
const CLAUDE_CODE: &str = "claude-code";

/// What is known of how long a client waits for a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientWait {
    /// Seconds to wait, as the agent's entry says.
    pub wait_s: Option<u64>,
    /// Seconds that no call may take, as the person has told the agent.
    pub limit_s: Option<u64>,
}

impl ClientWait {
    /// Seconds that a change waits for the person where the client of that name made it; nothing where that is not known.
    pub(super) fn seconds(self, client: Option<&str>) -> Option<u64> {
        let known = (client == Some(CLAUDE_CODE)).then_some(CLAUDE_CODE_S);
        let wait_s = self.wait_s.or(known)?;
        Some(self.limit_s.map_or(wait_s, |limit_s| limit_s.min(wait_s)))
    }
}

#[cfg(test)]
mod tests {
    use super::ClientWait;

    #[test]
    fn a_change_waits_no_longer_than_its_client() {
        let seconds = |wait_s, limit_s, client: &str| ClientWait { wait_s, limit_s }.seconds(Some(client));
        assert_eq!(seconds(None, None, "claude-code"), Some(3570));
        assert_eq!(seconds(None, Some(55), "claude-code"), Some(55));
        assert_eq!(seconds(None, Some(99999), "claude-code"), Some(3570));
        assert_eq!(seconds(None, Some(55), "another"), None);
        assert_eq!(seconds(Some(570), None, "another"), Some(570));
        assert_eq!(ClientWait { wait_s: Some(9), limit_s: None }.seconds(None), Some(9));
    }
}
