//! The means of this machine to confine a command.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The strengths of confinement, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SandboxLevel {
    /// Namespaces that this program makes, Landlock and seccomp.
    #[serde(rename = "A")]
    Namespaces,
    /// Namespaces that the system's `bwrap` makes, Landlock and seccomp inside.
    #[serde(rename = "A'")]
    Bubblewrap,
    /// Landlock and seccomp alone.
    #[serde(rename = "B")]
    Landlock,
    /// Nothing: no command runs.
    #[serde(rename = "C")]
    Nothing,
}

impl SandboxLevel {
    /// Returns whether a command that may run in `lowest` may run in this level.
    #[must_use]
    pub fn is_enough_for(self, lowest: Self) -> bool {
        let rank = |level| match level {
            Self::Namespaces | Self::Bubblewrap => 0,
            Self::Landlock => 1,
            Self::Nothing => 2,
        };
        self != Self::Nothing && rank(self) <= rank(lowest)
    }
}

impl fmt::Display for SandboxLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Namespaces => "tier A (namespaces, Landlock and seccomp)",
            Self::Bubblewrap => "tier A' (namespaces of bwrap, Landlock and seccomp)",
            Self::Landlock => "tier B (Landlock and seccomp)",
            Self::Nothing => "tier C (nothing)",
        })
    }
}

/// The confinement of a command: its level, and whether that is without Landlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandTier {
    /// The level.
    pub level: SandboxLevel,
    /// The version of Landlock's interface; 0 if the kernel has none, and the other walls stand alone.
    pub landlock: i32,
}

impl fmt::Display for CommandTier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.level, self.landlock) {
            (SandboxLevel::Namespaces, 0) => {
                f.write_str("tier A (namespaces and seccomp; this kernel has no Landlock)")
            }
            (SandboxLevel::Bubblewrap, 0) => {
                f.write_str("tier A' (namespaces of bwrap, and seccomp; this kernel has no Landlock)")
            }
            (level, _) => level.fmt(f),
        }
    }
}

impl MachineTier {
    /// Returns the tier of this machine's commands.
    #[must_use]
    pub fn of_commands(&self) -> CommandTier {
        CommandTier { level: self.level, landlock: self.landlock }
    }
}

/// The best level of this machine, and the reasons why there is no better one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineTier {
    /// The strongest level that a real command ran in.
    pub level: SandboxLevel,
    /// The version of Landlock's interface; 0 if the kernel has none.
    pub landlock: i32,
    /// The reason why each stronger level is missing, and the remedy.
    pub reasons: Vec<String>,
}
