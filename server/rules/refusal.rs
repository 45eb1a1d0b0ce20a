//! Why the rules refuse an access.

use serde_json::json;
use thiserror::Error;

use super::touch::{PathTouch, verb};
use crate::base::WorkspacePath;
use crate::protocol::{Access, Code, Fault};

/// An access that the rules refuse.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// A rule is against it.
    #[error("rule {rule} refuses to {} {touch}", verb(touch.access))]
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
    /// A rule asks a person first, and nobody asked them for this file.
    #[error("{rule} asks before a tool may {} `{path}`", verb(*access))]
    Unasked {
        /// How the path is touched.
        access: Access,
        /// The path.
        path: WorkspacePath,
        /// The rule's name and its glob.
        rule: String,
    },
}

impl Refusal {
    /// The refusal of an access to a path that leads nowhere else.
    pub(super) fn of(access: Access, path: &WorkspacePath, rule: String) -> Self {
        let touch = PathTouch { access, asked: path.clone(), resolved: path.clone(), file: None };
        Self::Denied { touch, rule }
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        let fault = Self::new(Code::PermissionDenied, refusal.to_string());
        match refusal {
            Refusal::Denied { touch: PathTouch { access, asked, resolved, .. }, rule } => fault
                .fatal()
                .suggest(match access {
                    Access::Read => {
                        "go on without it; where something in it matters, ask the person for that part"
                    }
                    Access::Write => "leave it as it is, and tell the person which change you wanted there",
                })
                .detail(json!({ "rule": rule, "path": asked, "resolved": resolved })),
            Refusal::Command { rule, found, .. } => fault
                .fatal()
                .suggest("go on without it, or tell the person which command you wanted and why")
                .detail(json!({ "rule": rule, "commands": found })),
            Refusal::Unasked { path, rule, .. } => fault
                .suggest("name the file in a call of its own, as fs.read: then the person is asked")
                .detail(json!({ "rule": rule, "path": path })),
        }
    }
}
