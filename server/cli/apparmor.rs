//! The profile of AppArmor with which this program may make user namespaces, where the system's restriction of them keeps
//! commands from being kept apart: Ubuntu restricts programs without a profile since 24.04.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sandbox::{SandboxLauncher, SandboxLevel};

/// The setting of the kernel that restricts programs without a profile.
const RESTRICTION: &str = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
/// The file that the person writes.
const PROFILE_FILE: &str = "/etc/apparmor.d/wherefore";
/// Characters that stand for others in a path of a profile.
const SPECIAL: [char; 10] = ['\\', '"', '*', '?', '[', ']', '{', '}', '^', '@'];

/// The profile of a program.
#[derive(Debug)]
pub(super) struct AppArmorProfile {
    program: PathBuf,
}

impl AppArmorProfile {
    /// The profile that this program lacks; none where something else is missing, or nothing.
    pub(super) fn find_lacking() -> Option<Self> {
        let is_restricted = fs::read_to_string(RESTRICTION).is_ok_and(|value| value.trim() == "1");
        if !is_restricted || SandboxLauncher::own().probe().level == SandboxLevel::Namespaces {
            return None;
        }
        Some(Self { program: std::env::current_exe().ok()?.canonicalize().ok()? })
    }

    /// The text of the profile.
    fn profile_text(&self) -> String {
        format!(
            "abi <abi/4.0>,\ninclude <tunables/global>\n\nprofile wherefore {} flags=(unconfined) {{\n  userns,\n\n  include if \
             exists <local/wherefore>\n}}\n",
            quoted_path(&self.program)
        )
    }

    /// The reason for the profile, and the lines with which the person writes and loads it.
    pub(super) fn describe(&self) -> (String, Vec<String>) {
        let purpose = format!(
            "AppArmor keeps {} from making user namespaces, so commands of agents write in place. This profile lets it make \
             them, and any program that somebody puts in its place.",
            self.program.display()
        );
        let mut lines = vec![format!("sudo tee {PROFILE_FILE} <<'END'")];
        lines.extend(self.profile_text().lines().map(str::to_owned));
        lines.extend(["END".to_owned(), format!("sudo apparmor_parser -r {PROFILE_FILE}")]);
        (purpose, lines)
    }
}

/// A path as a profile takes it.
fn quoted_path(path: &Path) -> String {
    let mut quoted = String::from('"');
    for char in path.to_string_lossy().chars() {
        quoted.extend(SPECIAL.contains(&char).then_some('\\'));
        quoted.push(char);
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_names_this_program_alone() {
        let profile = AppArmorProfile { program: PathBuf::from("/opt/my tools*/wherefore") };
        let (purpose, lines) = profile.describe();
        assert!(purpose.contains("/opt/my tools*/wherefore"), "{purpose}");
        assert!(
            lines.contains(
                &r#"profile wherefore "/opt/my tools\*/wherefore" flags=(unconfined) {"#.to_owned()
            )
        );
        assert_eq!(lines.first().map(String::as_str), Some("sudo tee /etc/apparmor.d/wherefore <<'END'"));
        assert_eq!(
            lines.last().map(String::as_str),
            Some("sudo apparmor_parser -r /etc/apparmor.d/wherefore")
        );
    }
}
