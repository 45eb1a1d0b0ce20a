//! The mark of a line.

use serde::{Deserialize, Serialize};
use wherefore_base::{CallId, HunkId};

/// The author of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WrittenBy {
    /// An agent, by a call.
    Agent,
    /// A person.
    Human,
    /// An agent and a person.
    Mixed,
    /// The author of the file before anything was recorded of it.
    Earlier,
    /// Not known: the needed records are not kept any more.
    Unknown,
}

impl WrittenBy {
    /// Returns whether a person may have written some of it while it was recorded.
    pub(crate) fn is_personal(self) -> bool {
        matches!(self, Self::Human | Self::Mixed)
    }
}

/// The author of a line, and the call if an agent had a part in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineMark {
    /// The author.
    pub by: WrittenBy,
    /// The number of its call and hunk for [`crate::LineProvenance::origin`]; `None` if no agent had a part in it.
    pub origin: Option<u32>,
    /// True if it may be a line that a person wrote: an equal one is or was next to it.
    pub is_unsure: bool,
}

impl LineMark {
    pub(crate) const HUMAN: Self = Self { by: WrittenBy::Human, origin: None, is_unsure: false };
    pub(crate) const EARLIER: Self = Self { by: WrittenBy::Earlier, origin: None, is_unsure: false };
    pub(crate) const UNKNOWN: Self = Self { by: WrittenBy::Unknown, origin: None, is_unsure: false };

    /// Returns whether a person may have written some of it while it was recorded.
    pub(crate) fn is_personal(self) -> bool {
        self.is_unsure || self.by.is_personal()
    }

    /// The mark of a line that may be one of a person's, which is marked `other`: never an agent's.
    pub(crate) fn as_doubtful(self, other: Self) -> Self {
        match self.by {
            WrittenBy::Agent => other,
            WrittenBy::Earlier => Self { is_unsure: true, ..self },
            _ => self,
        }
    }

    pub(crate) fn of_agent(origin: u32) -> Self {
        Self { by: WrittenBy::Agent, origin: Some(origin), is_unsure: false }
    }

    pub(crate) fn of_mixed(origin: Option<u32>) -> Self {
        match origin {
            Some(_) => Self { by: WrittenBy::Mixed, origin, is_unsure: false },
            None => Self::HUMAN,
        }
    }
}

/// The call and the hunk that a line comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LineOrigin {
    /// The session that holds the call.
    pub session: String,
    /// The call.
    pub call: CallId,
    /// The hunk, if it is known which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunk: Option<HunkId>,
}
