//! The state of the working tree: `git status` read.

use schemars::JsonSchema;
use serde::Serialize;

use super::change::ChangeWord;
use super::{GitError, GitReader, lossy_text, to_arguments};

/// The state of a working tree.
#[derive(Debug, Default)]
pub(crate) struct GitStatus {
    /// The branch that is checked out; none where a commit is by itself.
    pub(crate) branch: Option<String>,
    /// The commit that is checked out; none before the first.
    pub(crate) commit: Option<String>,
    /// The branch that it follows.
    pub(crate) upstream: Option<String>,
    /// Commits that the upstream lacks.
    pub(crate) ahead: Option<u64>,
    /// Commits of the upstream that it lacks.
    pub(crate) behind: Option<u64>,
    /// The files that differ from the last commit.
    pub(crate) entries: Vec<StatusEntry>,
    /// The number of entries that the rules close.
    pub(crate) closed: usize,
    /// True where there are more than were read.
    pub(crate) is_cut: bool,
}

/// A file that is not as it was committed.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct StatusEntry {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    staged: Option<ChangeWord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unstaged: Option<ChangeWord>,
    kind: StatusKind,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StatusKind {
    Changed,
    Renamed,
    Unmerged,
    Untracked,
}

impl GitReader<'_> {
    /// The state of the working tree. Submodules are not looked into.
    ///
    /// # Errors
    /// Fails where git cannot be run, or refuses.
    pub(crate) async fn read_status(&self) -> Result<GitStatus, GitError> {
        let asked = [
            "status",
            "--porcelain=v2",
            "-z",
            "--branch",
            "--find-renames",
            "--untracked-files=normal",
            "--ignore-submodules=all",
        ];
        let output = self.run_git(to_arguments(&asked), None).await?;
        let mut status = GitStatus { is_cut: output.is_cut, ..GitStatus::default() };
        let mut tokens = output.bytes.split(|byte| *byte == 0).peekable();
        while let Some(token) = tokens.next() {
            // The bytes after the last NUL are empty, or an entry that was cut.
            if tokens.peek().is_none() {
                break;
            }
            match token.strip_prefix(b"# ") {
                Some(header) => status.add_header(&lossy_text(header)),
                None => {
                    let old = if token.first() == Some(&b'2') { tokens.next() } else { None };
                    self.add_entry(&mut status, token, old);
                }
            }
        }
        Ok(status)
    }

    fn add_entry(&self, status: &mut GitStatus, token: &[u8], old: Option<&[u8]>) {
        let Some((path, staged, unstaged, kind)) = split_entry(token) else { return };
        if self.is_closed(path) || old.is_some_and(|old| self.is_closed(old)) {
            status.closed += 1;
            return;
        }
        let (path, old_path) = (lossy_text(path), old.map(lossy_text));
        status.entries.push(StatusEntry { path, old_path, staged, unstaged, kind });
    }
}

type EntryFields<'t> = (&'t [u8], Option<ChangeWord>, Option<ChangeWord>, StatusKind);

/// An entry of the second porcelain format: its kind, fields apart by spaces, and the path to the end.
fn split_entry(token: &[u8]) -> Option<EntryFields<'_>> {
    let (kind, before) = match token.first()? {
        b'1' => (StatusKind::Changed, 8),
        b'2' => (StatusKind::Renamed, 9),
        b'u' => (StatusKind::Unmerged, 10),
        b'?' => (StatusKind::Untracked, 1),
        _ => return None,
    };
    let mut parts = token.splitn(before + 1, |byte| *byte == b' ');
    let states = parts.nth(1)?;
    if kind == StatusKind::Untracked {
        return Some((states, None, None, kind));
    }
    let path = parts.nth(before - 2)?;
    let [staged, unstaged] = *states else { return None };
    Some((path, ChangeWord::from_letter(staged), ChangeWord::from_letter(unstaged), kind))
}

impl GitStatus {
    fn add_header(&mut self, header: &str) {
        match header.split_once(' ') {
            Some(("branch.oid", commit)) if commit != "(initial)" => self.commit = Some(commit.to_owned()),
            Some(("branch.head", branch)) if branch != "(detached)" => self.branch = Some(branch.to_owned()),
            Some(("branch.upstream", upstream)) => self.upstream = Some(upstream.to_owned()),
            Some(("branch.ab", counts)) => {
                let mut counts = counts.split(' ').map(|count| count.get(1..)?.parse().ok());
                self.ahead = counts.next().flatten();
                self.behind = counts.next().flatten();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_to_the_end_of_their_path() {
        let hash = "0".repeat(40);
        let changed = format!("1 .M N... 100644 100644 100644 {hash} {hash} a b  c");
        let renamed = format!("2 RM N... 100644 100644 100644 {hash} {hash} R100 new");
        let unmerged = format!("u UU N... 1 2 3 4 {hash} {hash} {hash} both");
        let read = |text: &'static str| split_entry(text.as_bytes());
        let (modified, renamed_word) = (Some(ChangeWord::Modified), Some(ChangeWord::Renamed));
        assert_eq!(
            split_entry(changed.as_bytes()),
            Some((&b"a b  c"[..], None, modified, StatusKind::Changed))
        );
        assert_eq!(
            split_entry(renamed.as_bytes()),
            Some((&b"new"[..], renamed_word, modified, StatusKind::Renamed))
        );
        let both = Some(ChangeWord::Unmerged);
        assert_eq!(split_entry(unmerged.as_bytes()), Some((&b"both"[..], both, both, StatusKind::Unmerged)));
        assert_eq!(read("? a b"), Some((&b"a b"[..], None, None, StatusKind::Untracked)));
        assert_eq!(read("1 .M"), None);
        assert_eq!(read(""), None);
    }
}
