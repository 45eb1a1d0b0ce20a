//! What this machine can confine a command with.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How strongly a command is confined, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
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

impl Level {
    /// Whether a command that may run in `lowest` may run in this level.
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

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Namespaces => "tier A (namespaces, Landlock and seccomp)",
            Self::Bubblewrap => "tier A' (namespaces of bwrap, Landlock and seccomp)",
            Self::Landlock => "tier B (Landlock and seccomp)",
            Self::Nothing => "tier C (nothing)",
        })
    }
}

/// What confines a command: its level, and whether that is without Landlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandTier {
    /// How strongly.
    pub level: Level,
    /// The version of Landlock's interface; 0 where the kernel has none, and the other walls stand alone.
    pub landlock: i32,
}

impl fmt::Display for CommandTier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.level, self.landlock) {
            (Level::Namespaces, 0) => {
                f.write_str("tier A (namespaces and seccomp; this kernel has no Landlock)")
            }
            (Level::Bubblewrap, 0) => {
                f.write_str("tier A' (namespaces of bwrap, and seccomp; this kernel has no Landlock)")
            }
            (level, _) => level.fmt(f),
        }
    }
}

impl Tier {
    /// What confines the commands of this machine.
    #[must_use]
    pub fn of_commands(&self) -> CommandTier {
        CommandTier { level: self.level, landlock: self.landlock }
    }
}

/// What this machine offers, and why it offers no more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tier {
    /// The strongest level that a real command ran in.
    pub level: Level,
    /// The version of Landlock's interface; 0 where the kernel has none.
    pub landlock: i32,
    /// Why each stronger level is not there, and how to mend it.
    pub reasons: Vec<String>,
}
