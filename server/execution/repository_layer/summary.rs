//! A one-line summary of the commands' changes of a repository: "commit 3 files on main: fix the limit".

use super::changes::RepositoryChanges;
use super::refs::RefChange;
use super::states::work_under_way;
use crate::base::hidden::escape_to_line;
use crate::base::numbers::format_count;

/// The most characters of a commit's subject.
const SUBJECT: usize = 100;
/// The most parts that are named; more are counted.
const PARTS: usize = 6;

/// The commits that are new in a reference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NewCommits {
    /// The number of commits that no reference held before.
    pub(super) count: usize,
    /// The number of files that they change.
    pub(super) files: usize,
    /// The subject of the last commit.
    pub(super) subject: String,
}

/// Describes all changes of a repository at `place` below the workspace's root; an empty `place` is the root itself.
pub(super) fn words(
    changes: &RepositoryChanges,
    commits: &dyn Fn(&str) -> NewCommits,
    place: &str,
) -> String {
    let mut parts: Vec<String> = changes.refs.iter().map(|change| of_ref(change, commits)).collect();
    if let Some((_, head)) = &changes.head {
        parts.push(match head.strip_prefix("ref: refs/heads/") {
            Some(branch) => format!("switch to {}", escape_to_line(branch)),
            None => format!("switch to commit {}", short(head)),
        });
    }
    parts.extend(changes.states.iter().find_map(work_under_way).map(str::to_owned));
    let is_stash = |change: &RefChange| change.name == "refs/stash";
    if parts.is_empty() && changes.logs.iter().any(|(log, _)| log.path.ends_with("refs/stash")) {
        parts.push("drop a stash".to_owned());
    }
    if !changes.index.is_empty()
        && !changes.refs.iter().any(|change| !is_stash(change))
        && changes.head.is_none()
    {
        parts.push(format!("stage {}", format_count(changes.index.len() as u64, "file")));
    }
    if parts.is_empty() {
        parts.push("what was under way has ended".to_owned());
    }
    let more = parts.len().saturating_sub(PARTS);
    parts.truncate(PARTS);
    parts.extend((more > 0).then(|| format!("{} more", format_count(more as u64, "change"))));
    match place {
        "" => parts.join("; "),
        place => format!("in {}: {}", escape_to_line(place), parts.join("; ")),
    }
}

fn of_ref(change: &RefChange, commits: &dyn Fn(&str) -> NewCommits) -> String {
    let (kind, name) = kind_and_name(&change.name);
    let name = escape_to_line(name);
    let Some(new) = &change.new else { return format!("delete {kind}{name}") };
    let NewCommits { count, files, subject } = commits(&change.name);
    let subject: String = escape_to_line(&subject).chars().take(SUBJECT).collect();
    match (change.name.as_str(), count) {
        ("refs/stash", _) => format!("stash: {subject}"),
        (_, 0) if change.old.is_none() => format!("make {kind}{name} at {}", short(new)),
        (_, 0) => format!("move {kind}{name} to {}: {subject}", short(new)),
        (_, 1) if kind.is_empty() && files == 0 => format!("commit on {name}: {subject}"),
        (_, 1) if kind.is_empty() => {
            format!("commit {} on {name}: {subject}", format_count(files as u64, "file"))
        }
        (_, count) => {
            let commits = format_count(count as u64, "commit");
            format!("{commits} of {} on {kind}{name}: {subject}", format_count(files as u64, "file"))
        }
    }
}

fn kind_and_name(name: &str) -> (&'static str, &str) {
    let kinds = [("refs/heads/", ""), ("refs/tags/", "tag "), ("refs/remotes/", "remote branch ")];
    let found = kinds.into_iter().find_map(|(start, kind)| Some((kind, name.strip_prefix(start)?)));
    found.unwrap_or(("", name))
}

fn short(hash: &str) -> &str {
    hash.get(..8).unwrap_or(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_a_repository_is_said_in_one_line() {
        let hash = |digit: &str| Some(digit.repeat(40));
        let change = |name: &str, old, new| RefChange { name: name.to_owned(), old, new };
        let commits = |name: &str| match name {
            "refs/heads/main" => NewCommits { count: 1, files: 3, subject: "fix the limit".to_owned() },
            "refs/heads/topic" => NewCommits { count: 2, files: 1, subject: "again".to_owned() },
            _ => NewCommits { subject: "old".to_owned(), ..NewCommits::default() },
        };
        let said = |refs: Vec<RefChange>| {
            words(&RepositoryChanges { refs, ..RepositoryChanges::default() }, &commits, "")
        };
        assert_eq!(
            said(vec![change("refs/heads/main", hash("1"), hash("2"))]),
            "commit 3 files on main: fix the limit"
        );
        assert_eq!(
            said(vec![change("refs/heads/topic", None, hash("2")), change("refs/tags/v1", None, hash("3"))]),
            "2 commits of 1 file on topic: again; make tag v1 at 33333333"
        );
        assert_eq!(said(vec![change("refs/heads/x", hash("1"), None)]), "delete x");
        assert_eq!(said(vec![change("refs/heads/x", hash("1"), hash("2"))]), "move x to 22222222: old");
    }
}
