//! The person's own settings of git, as a command finds them in its home folder: who they are, and how git shows, merges and
//! stores. What names a program or may hold a secret is left out.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};

use super::git::personal_settings;
use crate::base::person;
use crate::sandbox::FileReplacement;

/// Bytes of the longest file that is read.
const LONGEST: u64 = 1 << 18;
/// The depth to which included files are read.
const DEEPEST: usize = 4;

/// The files that a command's home folder holds for git, each by its path below it.
pub(super) fn home_files() -> Vec<FileReplacement> {
    let Some(home) = person::home_dir() else { return Vec::new() };
    let config =
        std::env::var_os("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from).join("git");
    let files = match std::env::var_os("GIT_CONFIG_GLOBAL") {
        Some(file) => vec![PathBuf::from(file)],
        None => vec![config.join("config"), home.join(".gitconfig")],
    };
    let (mut settings, mut excludes) = (String::new(), None);
    for file in files {
        add_settings(&file, &home, 0, &mut settings, &mut excludes);
    }
    let excludes = excludes.unwrap_or_else(|| config.join("ignore"));
    let named = [
        (".gitconfig", Some(settings).filter(|text| !text.is_empty())),
        (".config/git/ignore", text_of(&excludes)),
    ];
    let file = |(path, text): (&str, Option<String>)| {
        Some(FileReplacement { path: path.into(), bytes: text?.into_bytes().into() })
    };
    named.into_iter().filter_map(file).collect()
}

/// Adds the settings of a file, and of those that it includes.
fn add_settings(
    file: &Path,
    home: &Path,
    depth: usize,
    settings: &mut String,
    excludes: &mut Option<PathBuf>,
) {
    let Some(text) = text_of(file).filter(|_| depth < DEEPEST) else { return };
    let found = personal_settings(&text);
    let named = |text: &str| match text.strip_prefix("~/") {
        Some(below) => home.join(below),
        None => file.parent().unwrap_or(home).join(text),
    };
    for included in &found.includes {
        add_settings(&named(included), home, depth + 1, settings, excludes);
    }
    settings.push_str(&found.kept);
    if let Some(file) = &found.excludes_file {
        *excludes = Some(named(file));
    }
}

/// The text of a regular file.
fn text_of(file: &Path) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(CWD, file, flags, Mode::empty()).ok()?);
    let is_regular = file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST);
    let mut text = String::new();
    (is_regular && file.take(LONGEST).read_to_string(&mut text).is_ok()).then_some(text)
}
