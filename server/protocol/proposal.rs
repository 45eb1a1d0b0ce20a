//! A pending change to one or more files, cut into hunks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Origin;
use crate::base::{CallId, HunkId, ProposalId, WorkspacePath};

/// The change of a proposal to a path.
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
    /// Returns whether its hunks hold lines, and follow the text of the file.
    pub fn has_text(self) -> bool {
        matches!(self, Self::Edit | Self::Create | Self::Delete)
    }
}

/// The content of a path that is not text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PathContent {
    /// A symlink, by its target as it is written.
    Symlink(String),
    /// The bytes of a file.
    Bytes {
        /// Their hash, under which the state folder keeps them.
        hash: String,
        /// The size in bytes.
        size: u64,
    },
}

/// The state of a hunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HunkState {
    /// No decision yet.
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
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Stale => "stale",
        }
    }
}

/// The smallest part of a change that is decided by itself: a run of changed lines; or a change with no lines, such
/// as a rename, a mode, a symlink, the bytes of a file. The details of such a change are in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]

pub struct Hunk {
    /// Unique in its proposal: `h1`, `h2`, … over all files, in order.
    pub id: HunkId,
    /// The state of the hunk.
    #[serde(default)]
    pub state: HunkState,
    /// The first line it replaces in the text as it is now, counted from 0; for an insertion the line
    /// before which it goes.
    pub start: u32,
    /// The lines it removes, each with its line end.
    pub old: Vec<String>,
    /// The lines it adds, each with its line end.
    pub new: Vec<String>,
    /// The person's reason for the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Set if the patch engine placed it more loosely than exactly: the difference, so that a person looks twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loose: Option<String>,
    /// Set if the file makes programs run, as a build file or a package's scripts do: the way it does so, so that a
    /// person looks twice. The first hunk of a command also names the files that the command wrote without a review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// True if a person decided on it. A hunk that a policy applied is not pending, but can still be reviewed:
    /// accepted then, it stays; rejected, it is taken back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reviewed: bool,
    /// True if a person changed its added lines before they accepted it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
}

impl Hunk {
    /// Returns whether it was applied and not reviewed by a person.
    pub fn is_unreviewed(&self) -> bool {
        self.state == HunkState::Accepted && !self.reviewed
    }
}

/// The state of a file of a proposal, over all its hunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    /// Some hunk is pending.
    Pending,
    /// No hunk is pending.
    Decided,
}

/// A file of a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]

pub struct ProposedFile {
    /// Relative to the workspace's root, `/`-separated.
    pub path: WorkspacePath,
    /// Its `file:` URI, for editors.
    pub uri: String,
    /// The kind of change.
    pub kind: ChangeKind,
    /// The version of the open document that the hunks' positions refer to; absent if it is not open. An editor that
    /// is ahead of it keeps the positions that it knows until the next notice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// The source of a copy or a rename.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<WorkspacePath>,
    /// The symlink or binary file before the change; none if there was nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<PathContent>,
    /// The symlink or binary file afterwards; none if nothing is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<PathContent>,
    /// True if the file is executable afterwards: for a change of mode, and for a new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<bool>,
    /// The change as a sentence for a person, if no line of a hunk shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// Its hunks, in order of `start`.
    pub hunks: Vec<Hunk>,
}

impl ProposedFile {
    /// Returns whether a hunk is pending.
    pub fn state(&self) -> FileState {
        match self.hunks.iter().any(|hunk| hunk.state == HunkState::Pending) {
            true => FileState::Pending,
            false => FileState::Decided,
        }
    }

    /// Returns whether accepting it removes the entry at a path: by a removal there, or a rename from there.
    pub fn frees_path(&self, path: &WorkspacePath) -> bool {
        match self.kind {
            ChangeKind::Delete | ChangeKind::Rmdir => self.path == *path,
            ChangeKind::Symlink | ChangeKind::Binary => self.after.is_none() && self.path == *path,
            ChangeKind::Rename => self.from.as_ref() == Some(path),
            _ => false,
        }
    }

    /// Returns whether it follows the file at its path when that file is renamed.
    pub fn follows_a_rename(&self) -> bool {
        // A removed file is not the one at its path by now.
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

/// The state of a proposal, over all its hunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProposalState {
    /// Some hunk is pending.
    Pending,
    /// Every hunk was accepted and applied.
    Applied,
    /// Some were applied; the others were rejected or went stale.
    PartlyApplied,
    /// None was applied, and a person or a policy rejected at least one.
    Rejected,
    /// None was applied: the text changed under every one of them.
    Stale,
}

impl ProposalState {
    /// The word used in answers and the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Applied => "applied",
            Self::PartlyApplied => "partly_applied",
            Self::Rejected => "rejected",
            Self::Stale => "stale",
        }
    }
}

/// The command or the code that made a change, for the one who decides on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalCommand {
    /// The command line, the script or the code.
    pub script: String,
    /// The last lines that it wrote; empty if it wrote nothing, or to its agent's own shell.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

impl ProposalCommand {
    /// The lines of the command and of its output, each with a prefix for its kind.
    pub fn display_rows(&self) -> Vec<String> {
        let sign = |at: usize| if at == 0 { "$" } else { " " };
        let lines: Vec<&str> = self.script.lines().collect();
        let more = lines.len().saturating_sub(SCRIPT_LINES);
        let script =
            lines.iter().take(SCRIPT_LINES).enumerate().map(|(at, line)| format!("{} {line}", sign(at)));
        let more = (more > 0).then(|| format!("  … {more} more lines"));
        script.chain(more).chain(self.output.lines().map(|line| format!("| {line}"))).collect()
    }
}

/// Lines of a script that stand above a hunk.
const SCRIPT_LINES: usize = 12;

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
    /// The reason for the call.
    pub why: String,
    /// The caller.
    pub origin: Origin,
    /// When it was made, RFC 3339.
    pub created: String,
    /// The command that made it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<ProposalCommand>,
    /// The files that it changes.
    pub files: Vec<ProposedFile>,
}

impl Proposal {
    /// Returns every hunk, in order.
    pub fn hunks(&self) -> impl Iterator<Item = &Hunk> {
        self.files.iter().flat_map(|file| &file.hunks)
    }

    /// The hunk that has to be accepted before the file at index `at` can be: it frees the path that the file needs.
    pub fn waits_for(&self, at: usize) -> Option<&Hunk> {
        let file = self.files.get(at)?;
        let frees = |other: &&ProposedFile| other.frees_path(&file.path) && !std::ptr::eq(*other, file);
        let needs = matches!(
            file.kind,
            ChangeKind::Create | ChangeKind::Mkdir | ChangeKind::Copy | ChangeKind::Rename
        ) || (matches!(file.kind, ChangeKind::Symlink | ChangeKind::Binary)
            && file.before.is_none());
        let hunks = self.files.iter().filter(|_| needs).filter(frees).flat_map(|other| &other.hunks);
        hunks.into_iter().find(|hunk| hunk.state == HunkState::Pending)
    }

    /// Returns the state, over all hunks.
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
