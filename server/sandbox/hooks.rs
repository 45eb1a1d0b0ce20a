//! Folders of git's hooks that a repository's settings name, in addition to the default one.

use std::fs;
use std::path::{Path, PathBuf};

/// The longest settings that are read, in bytes.
const LONGEST: u64 = 1 << 20;

/// The folder that the settings of the repository at `git` name for hooks.
pub(crate) fn hooks_folder(git: &Path) -> Option<PathBuf> {
    let config = git.join("config");
    let readable = fs::symlink_metadata(&config).is_ok_and(|found| found.is_file() && found.len() < LONGEST);
    let text = readable.then(|| fs::read(config).ok()).flatten()?;
    let named = hooks_path(&String::from_utf8_lossy(&text))?;
    // A program is started in the folder that git works in.
    fs::canonicalize(git.parent()?.join(named)).ok()
}

/// The last `core.hooksPath` of git's settings.
fn hooks_path(text: &str) -> Option<String> {
    let (mut in_core, mut found) = (false, None);
    for line in text.lines().map(str::trim) {
        let line = match line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            Some((section, rest)) => {
                in_core = section.trim().eq_ignore_ascii_case("core");
                rest.trim()
            }
            None => line,
        };
        if let Some((name, value)) = line.split_once('=').filter(|_| in_core)
            && name.trim().eq_ignore_ascii_case("hookspath")
        {
            found = Some(value.trim().replace('"', ""));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::hooks_path;

    #[test]
    fn the_last_setting_counts_in_any_letters() {
        let text = "[user]\n hooksPath = no\n[core]\n\tbare = false\n\thooksPath = one\n[CORE] HooksPath=\"my hooks\"\n[a]\n";
        assert_eq!(hooks_path(text).as_deref(), Some("my hooks"));
        assert_eq!(hooks_path("[core]\nhookspath\n[core \"x\"]\nhookspath = x\n"), None);
    }
}
