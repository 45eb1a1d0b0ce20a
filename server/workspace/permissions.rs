//! The permission bits that a file gets.

use serde::{Deserialize, Serialize};

/// What a file is permitted, and to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Permissions {
    /// Those of a new file: these bits, less what the umask takes.
    Masked(u32),
    /// Exactly these bits: those of a file that stood there before.
    Exactly(u32),
}

impl Permissions {
    /// Those of a new file.
    pub(crate) const PLAIN: Self = Self::Masked(0o666);
    /// Those of a new executable file.
    pub(crate) const EXECUTABLE: Self = Self::Masked(0o777);

    /// Those of a new file that is executable, or is not.
    pub(crate) fn of_new(executable: bool) -> Self {
        if executable { Self::EXECUTABLE } else { Self::PLAIN }
    }

    /// Whether a file with them is executable.
    pub(crate) fn executable(self) -> bool {
        let (Self::Masked(bits) | Self::Exactly(bits)) = self;
        is_executable(bits)
    }

    /// The bits of a file that has `bits` and gets these. Whoever reads an executable file may run it, as git has it.
    pub(crate) fn on(self, bits: u32) -> u32 {
        match self {
            Self::Exactly(exact) => exact,
            Self::Masked(_) if self.executable() => bits | ((bits & 0o444) >> 2),
            Self::Masked(_) => bits & !0o111,
        }
    }
}

/// Whether bits let anyone execute the file.
pub(crate) fn is_executable(bits: u32) -> bool {
    bits & 0o111 != 0
}
