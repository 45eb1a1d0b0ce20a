//! The guard of a confined command's direct writes: it closes the paths that the rules close.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, Mode, OFlags};

use crate::base::WorkspacePath;
use crate::rules::WorkspaceRules;
use crate::sandbox::PathGuard;

/// The first bytes of the weight files that machine learning programs write: archives, and pickled objects.
const WEIGHTS: [&[u8]; 2] = [b"PK\x03\x04", b"\x80"];

/// The guard of the workspace at `root`. A path outside of it is judged from its first folder on.
pub(super) fn workspace_guard(rules: Arc<WorkspaceRules>, root: PathBuf) -> PathGuard {
    PathGuard::new(move |path| {
        let below = path.strip_prefix(&root).or_else(|_| path.strip_prefix("/")).unwrap_or(path);
        let below = WorkspacePath::from_relative(&below.to_string_lossy());
        below.is_some_and(|below| rules.paths().closes_entry(&below)) && !is_weights(path)
    })
}

/// Returns whether a file that is named as one of Python's start-up files holds weights. Python reads such a file in
/// its own folders of packages alone, and only a text makes it run anything.
pub(super) fn is_weights(path: &Path) -> bool {
    let is_named = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("pth"));
    if !is_named || path.parent().is_some_and(|folder| folder.ends_with("site-packages")) {
        return false;
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut start = Vec::new();
    let read = rustix::fs::openat(CWD, path, flags, Mode::empty())
        .ok()
        .and_then(|file| File::from(file).take(4).read_to_end(&mut start).ok());
    read.is_some() && WEIGHTS.iter().any(|magic| start.starts_with(magic))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::protocol::RuleSettings;

    #[test]
    fn what_runs_is_closed_to_commands_and_what_package_managers_install_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let settings = RuleSettings { allow: vec!["out/mise.toml".to_owned()], ..RuleSettings::default() };
        let project = RuleSettings { read_only: vec!["out/kept/**".to_owned()], ..RuleSettings::default() };
        let (rules, _) = WorkspaceRules::new(&settings, &project);
        let guard = workspace_guard(Arc::new(rules), at.to_owned());
        let closes = |path: &str| guard.closes(&at.join(path));
        for closed in [
            "out/.vimrc",
            "out/.GDBINIT",
            "out/.codex",
            "out/.config/nvim",
            "target/.cargo/config.toml",
            "out/sub/mise.toml",
            "out/.envrc",
            "out/.npmrc",
            "out/.git",
            "out/kept",
            "node_modules/.vscode",
            "node_modules/some/.git",
            ".venv/.vscode",
            ".venv/lib/python3.13/site-packages/sitecustomize.py",
            "out/evil.pth",
        ] {
            assert!(closes(closed), "{closed}");
        }
        for open in [
            "out/main.rs",
            "out/mise.toml",
            "out/.env",
            ".venv",
            ".venv/pyvenv.cfg",
            "venv/bin",
            "venv/lib/python3.13/site-packages/distutils-precedence.pth",
            "venv/lib/python3.13/site-packages/debugpy/sitecustomize.py",
            "node_modules/.bin",
            "node_modules/some/.vscode",
            "node_modules/@some/one/.husky",
        ] {
            assert!(!closes(open), "{open}");
        }
    }

    #[test]
    fn weights_are_no_start_up_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("site-packages")).unwrap();
        for (name, text, is) in [
            ("model.pth", &b"PK\x03\x04..."[..], true),
            ("old.PTH", b"\x80\x02}q", true),
            ("evil.pth", b"import os; os.system('x')", false),
            ("model.pt", b"PK\x03\x04...", false),
            ("site-packages/model.pth", b"PK\x03\x04\nimport os", false),
        ] {
            fs::write(at(name), text).unwrap();
            assert_eq!(is_weights(&at(name)), is, "{name}");
        }
        assert!(!is_weights(&at("missing.pth")));
    }
}
