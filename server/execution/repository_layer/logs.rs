//! The logs of references: each line holds the values of a reference before and after a change.

use std::path::{Path, PathBuf};

use super::refs::is_hash;
use super::view::{RepositoryView, ViewTime};

/// A changed log; no lines if the log is to be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogChange {
    pub(super) path: PathBuf,
    pub(super) lines: Option<Vec<String>>,
}

impl LogChange {
    /// Returns the commits that its lines name.
    pub(super) fn hashes(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().flatten().flat_map(|line| line.splitn(3, ' ').take(2))
    }
}

/// Returns the logs below a view that differ, with the lines that have git's form. Other lines are left out.
pub(super) fn changes(view: &RepositoryView) -> Vec<LogChange> {
    let logs = Path::new("logs");
    if !view.touches(logs) {
        return Vec::new();
    }
    let mut paths = view.files(logs, ViewTime::After);
    let gone = view.files(logs, ViewTime::Before).into_iter().filter(|path| !paths.contains(path));
    let gone: Vec<PathBuf> = gone.collect();
    paths.extend(gone);
    let changed = paths.into_iter().filter(|path| view.differs(path));
    let change = |path: PathBuf| {
        let lines = view.read(&path, ViewTime::After).map(|bytes| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            text.lines().filter(|line| is_line(line)).map(str::to_owned).collect()
        });
        LogChange { path, lines }
    };
    changed.map(change).collect()
}

/// Returns whether a line has the form `OLD NEW NAME <MAIL> TIME ZONE`, with or without a message after that.
fn is_line(line: &str) -> bool {
    let mut parts = line.splitn(3, ' ');
    let mut is_next = || parts.next().is_some_and(is_hash);
    is_next() && is_next() && parts.next().is_some_and(|rest| rest.contains('<') && rest.contains('>'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_log_are_told_from_others() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        assert!(is_line(&format!("{one} {two} A <a@b> 1 +0000\tcommit: x")));
        for odd in ["", "x", &one, &format!("{one} {two}"), &format!("{one} x A <a@b>")] {
            assert!(!is_line(odd), "{odd}");
        }
        let log =
            LogChange { path: "logs/HEAD".into(), lines: Some(vec![format!("{one} {two} A <a@b> 1 +0")]) };
        assert_eq!(log.hashes().collect::<Vec<_>>(), [one, two]);
    }
}
