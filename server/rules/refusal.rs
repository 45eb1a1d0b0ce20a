//! Explains why the rules refuse an access.

use serde_json::json;
use thiserror::Error;

use super::touch::{PathTouch, access_verb};
use crate::base::WorkspacePath;
use crate::protocol::{Code, Fault, PathAccess};

/// An access that the rules refuse.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AccessRefusal {
    /// A rule is against it.
    #[error("rule {rule} refuses to {} {touch}", access_verb(touch.access))]
    Denied {
        /// The access.
        touch: PathTouch,
        /// The rule's name and its glob.
        rule: String,
    },
    /// A rule is against a command.
    #[error("rule {rule} refuses to run {command}")]
    Command {
        /// The command, each word quoted.
        command: String,
        /// The rule's name and why it is there.
        rule: String,
        /// The commands that were found in it.
        found: Vec<String>,
    },
    /// A rule asks a person first, and they were not asked for this file.
    #[error("{rule} asks before a tool may {} `{path}`", access_verb(*access))]
    NotAsked {
        /// The access to the path.
        access: PathAccess,
        /// The path.
        path: WorkspacePath,
        /// The rule's name and its glob.
        rule: String,
    },
}

impl AccessRefusal {
    /// The refusal of an access to a path that leads nowhere else.
    pub(super) fn of_access(access: PathAccess, path: &WorkspacePath, rule: String) -> Self {
        let touch = PathTouch { access, asked: path.clone(), resolved: path.clone(), file: None };
        Self::Denied { touch, rule }
    }
}

impl From<AccessRefusal> for Fault {
    fn from(refusal: AccessRefusal) -> Self {
        let fault = Self::new(Code::PermissionDenied, refusal.to_string());
        match refusal {
            AccessRefusal::Denied { touch: PathTouch { access, asked, resolved, .. }, rule } => fault
                .as_fatal()
                .with_suggestion(match access {
                    PathAccess::Read => {
                        "go on without it; where something in it matters, ask the person for that part"
                    }
                    PathAccess::Write => {
                        "leave it as it is, and tell the person which change you wanted there"
                    }
                })
                .with_details(json!({ "rule": rule, "path": asked, "resolved": resolved })),
            AccessRefusal::Command { rule, found, .. } => fault
                .as_fatal()
                .with_suggestion("go on without it, or tell the person which command you wanted and why")
                .with_details(json!({ "rule": rule, "commands": found })),
            AccessRefusal::NotAsked { path, rule, .. } => fault
                .with_suggestion("name the file in a call of its own, as fs.read: then the person is asked")
                .with_details(json!({ "rule": rule, "path": path })),
        }
    }
}
