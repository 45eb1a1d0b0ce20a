//! A pending change to one or more files, cut into hunks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Origin;
use crate::base::{CallId, HunkId, ProposalId, WorkspacePath};

/// What a proposal does to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Changes the text of a file that exists.
    Edit,
    /// Makes a new file.
    Create,
    /// Removes a file.
    Delete,
    /// Makes a folder; its one hunk has no text.
    Mkdir,
    /// Copies a file byte for byte; its one hunk has no text.
    Copy,
    /// Removes an empty folder; its one hunk has no text.
    Rmdir,
    /// Gives a file or a symlink another path, whatever it holds; its one hunk has no text. Hunks of its text follow it.
    Rename,
    /// Makes a file executable, or takes that away; its one hunk has no text.
    Mode,
    /// Makes, retargets or removes a symlink; its one hunk has no text.
    Symlink,
    /// Makes, replaces or removes a file with no text, by hash; its one hunk has no text.
    Binary,
}

impl ChangeKind {
    /// Whether its hunks hold lines, and follow the text of the file.
    pub fn has_text(self) -> bool {
        matches!(self, Self::Edit | Self::Create | Self::Delete)
    }
}

/// What stands at a path, where it is no text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PathContent {
    /// A symlink, by its target as it is written.
    Symlink(String),
    /// The bytes of a file.
    Bytes {
        /// Their hash, under which the state folder keeps them.
        hash: String,
        /// How many they are.
        size: u64,
    },
}

/// Where a hunk stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HunkState {
    /// Nobody has decided.
    #[default]
    Pending,
    /// Accepted, and applied: read back from the buffer or the disk.
    Accepted,
    /// Rejected.
    Rejected,
    /// Its text changed so that it no longer fits; never forced.
    Stale,
}

impl HunkState {
    /// The word used in answers and the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Stale => "stale",
        }
    }
}

/// The smallest part of a change that is decided by itself: a run of changed lines; or a change with no lines, such as a
/// rename, a mode, a symlink, the bytes of a file. What such a change does stands with its file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]

pub struct Hunk {
    /// Unique in its proposal: `h1`, `h2`, … over all files, in order.
    pub id: HunkId,
    /// Where it stands.
    #[serde(default)]
    pub state: HunkState,
    /// The first line it replaces in the text as it is now, counted from 0; for an insertion the line
    /// before which it goes.
    pub start: u32,
    /// The lines it removes, each with its line end.
    pub old: Vec<String>,
    /// The lines it adds, each with its line end.
    pub new: Vec<String>,
    /// The person's word on the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Set where the patch engine placed it more loosely than exactly: how, for a person to look twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loose: Option<String>,
    /// Set where the file makes programs run, as a build file or a package's scripts do: how, for a person to look twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Whether a person decided on it. One that a policy applied waits for nobody, but may still be looked at: accepted
    /// then, it stays; rejected, it is taken back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reviewed: bool,
    /// Whether a person changed the lines that it adds before they accepted it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
}

impl Hunk {
    /// Whether it was applied and no person has looked at it.
    pub fn is_unreviewed(&self) -> bool {
        self.state == HunkState::Accepted && !self.reviewed
    }
}

/// How a file of a proposal stands, summed over its hunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    /// Some hunk waits.
    Pending,
    /// None waits.
    Decided,
}

/// One file of a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]

pub struct ProposedFile {
    /// Relative to the workspace's root, `/`-separated.
    pub path: WorkspacePath,
    /// Its `file:` URI, for editors.
    pub uri: String,
    /// What is done to it.
    pub kind: ChangeKind,
    /// The version of the open document in which the hunks' places count; absent where it is not open. An editor that
    /// is ahead of it keeps the places that it knows until the next word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// For a copy and a rename, where from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<WorkspacePath>,
    /// What a symlink or a binary file is before the change; none where there is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<PathContent>,
    /// What it is afterwards; none where nothing is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<PathContent>,
    /// Whether the file is executable afterwards: of a change of mode, and of a new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<bool>,
    /// What is done, as a sentence for a person, where no line of a hunk shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// Its hunks, in order of `start`.
    pub hunks: Vec<Hunk>,
}

impl ProposedFile {
    /// Whether a hunk waits.
    pub fn state(&self) -> FileState {
        match self.hunks.iter().any(|hunk| hunk.state == HunkState::Pending) {
            true => FileState::Pending,
            false => FileState::Decided,
        }
    }

    /// Whether accepting it leaves nothing at a path where something stands now: removed there, or renamed from there.
    pub fn frees(&self, path: &WorkspacePath) -> bool {
        match self.kind {
            ChangeKind::Delete | ChangeKind::Rmdir => self.path == *path,
            ChangeKind::Symlink | ChangeKind::Binary => self.after.is_none() && self.path == *path,
            ChangeKind::Rename => self.from.as_ref() == Some(path),
            _ => false,
        }
    }

    /// Whether it goes with the file that stands at its path where that is renamed.
    pub fn follows_a_rename(&self) -> bool {
        // What was removed is not what stands at its path by now.
        let stays = || !self.hunks.iter().any(|hunk| hunk.state == HunkState::Accepted);
        match self.kind {
            ChangeKind::Edit | ChangeKind::Mode => true,
            ChangeKind::Delete => stays(),
            ChangeKind::Symlink | ChangeKind::Binary => {
                self.before.is_some() && (self.after.is_some() || stays())
            }
            _ => false,
        }
    }
}

/// How a proposal stands, summed over its hunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProposalState {
    /// Some hunk waits.
    Pending,
    /// Every hunk was accepted and applied.
    Applied,
    /// Some were applied; the others were rejected or went stale.
    PartlyApplied,
    /// None was applied, and a person or a policy said no to at least one.
    Rejected,
    /// None was applied: the text changed under every one of them.
    Stale,
}

impl ProposalState {
    /// The word used in answers and the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Applied => "applied",
            Self::PartlyApplied => "partly_applied",
            Self::Rejected => "rejected",
            Self::Stale => "stale",
        }
    }
}

/// A change that waits for decisions, or has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]

pub struct Proposal {
    /// Unique in the workspace: `p-…`.
    pub id: ProposalId,
    /// The call that made it.
    pub call_id: CallId,
    /// The session that holds the call.
    pub session: String,
    /// The tool called.
    pub tool: String,
    /// Why it was called.
    pub why: String,
    /// Who called.
    pub origin: Origin,
    /// When it was made, RFC 3339.
    pub created: String,
    /// What it changes.
    pub files: Vec<ProposedFile>,
}

impl Proposal {
    /// Every hunk, in order.
    pub fn hunks(&self) -> impl Iterator<Item = &Hunk> {
        self.files.iter().flat_map(|file| &file.hunks)
    }

    /// The hunk that has to be accepted before the file at `at` can be: it frees the path that the file needs.
    pub fn waits_for(&self, at: usize) -> Option<&Hunk> {
        let file = self.files.get(at)?;
        let frees = |other: &&ProposedFile| other.frees(&file.path) && !std::ptr::eq(*other, file);
        let needs = matches!(
            file.kind,
            ChangeKind::Create | ChangeKind::Mkdir | ChangeKind::Copy | ChangeKind::Rename
        ) || (matches!(file.kind, ChangeKind::Symlink | ChangeKind::Binary)
            && file.before.is_none());
        let hunks = self.files.iter().filter(|_| needs).filter(frees).flat_map(|other| &other.hunks);
        hunks.into_iter().find(|hunk| hunk.state == HunkState::Pending)
    }

    /// How it stands, summed over its hunks.
    pub fn state(&self) -> ProposalState {
        let count = |state| self.hunks().filter(|hunk| hunk.state == state).count();
        let (all, accepted) = (self.hunks().count(), count(HunkState::Accepted));
        match () {
            () if count(HunkState::Pending) > 0 => ProposalState::Pending,
            () if accepted == all => ProposalState::Applied,
            () if accepted > 0 => ProposalState::PartlyApplied,
            () if count(HunkState::Rejected) > 0 => ProposalState::Rejected,
            () => ProposalState::Stale,
        }
    }
}
