//! Reads `git blame`: the commit in which each line of a text was last changed.

use std::collections::BTreeMap;

use super::super::tracked_files::IndexStamp;
use super::{GitError, GitReader, is_hash, to_arguments};
use crate::base::WorkspacePath;
use crate::protocol::LineCommit;

/// A line of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlamedLine {
    /// The commit; none where the line is not committed.
    pub(crate) commit: Option<String>,
    /// The line in the commit, counted from 1.
    pub(crate) line: u32,
}

/// The origin of each line of a text.
#[derive(Debug, Default)]
pub(crate) struct GitBlame {
    /// Each line.
    pub(crate) lines: Vec<BlamedLine>,
    /// The commits by hash, each with the path that the file has in it.
    pub(crate) commits: BTreeMap<String, (LineCommit, String)>,
}

impl GitReader<'_> {
    /// Returns the commit of each line of `text`, the text of `path`. With `past_spaces` a line equals one that differs
    /// in nothing but spaces.
    ///
    /// # Errors
    /// Fails where the file is in no commit, git cannot be run, or git refuses.
    pub(crate) async fn blame_lines(
        &self,
        path: &WorkspacePath,
        text: &str,
        past_spaces: bool,
    ) -> Result<GitBlame, GitError> {
        if self.is_closed(path.as_str().as_bytes()) {
            return Ok(GitBlame::default());
        }
        let mut all = to_arguments(&["blame", "--porcelain"]);
        all.extend(past_spaces.then(|| "-w".into()));
        all.extend(to_arguments(&["--contents", "-", "--"]));
        all.push(path.as_str().into());
        let output = self.run_git(all, Some(text.as_bytes().to_vec())).await?;
        Ok(parse_blame(&String::from_utf8_lossy(&output.bytes)))
    }

    /// Returns whether git has a file in its index.
    pub(crate) async fn is_tracked(&self, path: &WorkspacePath) -> bool {
        let (known, index) = (&self.executor.tracked, IndexStamp::of_repository(&self.repository));
        if let Some(is_tracked) = known.known_answer(index, path) {
            return is_tracked;
        }
        let mut all = to_arguments(&["ls-files", "-z", "--"]);
        all.extend(super::path_arguments(std::slice::from_ref(path)));
        let Ok(output) = self.run_git(all, None).await else { return false };
        known.remember_answer(index, path, !output.bytes.is_empty());
        !output.bytes.is_empty()
    }
}

/// Reads what `git blame --porcelain` wrote. What is not as it should be is passed over.
fn parse_blame(text: &str) -> GitBlame {
    let mut blame = GitBlame::default();
    let mut commit: Option<String> = None;
    for line in text.split('\n') {
        if line.starts_with('\t') {
            continue;
        }
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        if is_hash(key.as_bytes()) {
            let mut numbers = value.split(' ').map(str::parse::<u32>);
            let (Some(Ok(from)), Some(Ok(to))) = (numbers.next(), numbers.next()) else { continue };
            // Git writes the lines in their order.
            if usize::try_from(to).ok() != Some(blame.lines.len() + 1) {
                continue;
            }
            // Lines that are not committed yet have a hash of zeros.
            commit = key.bytes().any(|digit| digit != b'0').then(|| key.to_owned());
            blame.lines.push(BlamedLine { commit: commit.clone(), line: from });
            continue;
        }
        let Some(commit) = &commit else { continue };
        let (known, path) = blame.commits.entry(commit.clone()).or_default();
        match key {
            "author" => value.clone_into(&mut known.author),
            "author-mail" => value.clone_into(&mut known.mail),
            "author-time" => known.time = value.parse().unwrap_or_default(),
            "author-tz" => value.clone_into(&mut known.zone),
            "summary" => value.clone_into(&mut known.summary),
            "filename" => value.clone_into(path),
            _ => {}
        }
    }
    blame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_commits_and_what_is_not_committed_has_none() {
        let one = "1".repeat(40);
        let text = format!(
            "{one} 1 1 1\nauthor A\nauthor-mail <a@b>\nauthor-time 5\nauthor-tz +0100\nsummary S\nfilename a.txt\n\tone\n\
             {} 2 2 1\nauthor Not Committed Yet\n\t{one} 1 1\n{one} 3 3 1\n\tthree\nrubbish\n{one} 9 99\n",
            "0".repeat(40)
        );
        let blame = parse_blame(&text);
        let line = |commit: Option<&String>, line| BlamedLine { commit: commit.cloned(), line };
        assert_eq!(blame.lines, [line(Some(&one), 1), line(None, 2), line(Some(&one), 3)]);
        let (commit, path) = &blame.commits[&one];
        assert_eq!((commit.author.as_str(), commit.time, path.as_str()), ("A", 5, "a.txt"));
        assert_eq!(blame.commits.len(), 1);
    }
}
