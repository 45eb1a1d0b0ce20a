//! The permission bits that a file gets.

use serde::{Deserialize, Serialize};

/// The permission bits of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Permissions {
    /// The permissions of a new file: these bits, less those that the umask takes.
    Masked(u32),
    /// Exactly these bits: those of a file that stood there before.
    Exactly(u32),
}

impl Permissions {
    /// The permissions of a new file.
    pub(crate) const PLAIN: Self = Self::Masked(0o666);
    /// The permissions of a new executable file.
    pub(crate) const EXECUTABLE: Self = Self::Masked(0o777);

    /// Returns the permissions of a new file that is executable, or is not.
    pub(crate) fn of_new(executable: bool) -> Self {
        if executable { Self::EXECUTABLE } else { Self::PLAIN }
    }

    /// Returns whether a file with them is executable.
    pub(crate) fn is_executable(self) -> bool {
        let (Self::Masked(bits) | Self::Exactly(bits)) = self;
        is_executable(bits)
    }

    /// Returns the bits of a file with `bits` after these permissions are set. Readers of an executable file may run
    /// it, as in git.
    pub(crate) fn apply_to(self, bits: u32) -> u32 {
        match self {
            Self::Exactly(exact) => exact,
            Self::Masked(_) if self.is_executable() => bits | ((bits & 0o444) >> 2),
            Self::Masked(_) => bits & !0o111,
        }
    }
}

/// Returns whether bits let anyone execute the file.
pub(crate) fn is_executable(bits: u32) -> bool {
    bits & 0o111 != 0
}
