//! Which commit each line of a text was last changed in: `git blame` read.

use std::collections::BTreeMap;

use super::super::tracked::IndexStamp;
use super::{GitError, GitReader, arguments, is_hash};
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

/// Where the lines of a text come from.
#[derive(Debug, Default)]
pub(crate) struct GitBlame {
    /// Each line.
    pub(crate) lines: Vec<BlamedLine>,
    /// The commits by hash, each with the path that the file has in it.
    pub(crate) commits: BTreeMap<String, (LineCommit, String)>,
}

impl GitReader<'_> {
    /// The commit of each line of `text`, which stands at `path`.
    ///
    /// # Errors
    /// Where the file is in no commit, git cannot be run, or says no.
    pub(crate) async fn blame(&self, path: &WorkspacePath, text: &str) -> Result<GitBlame, GitError> {
        if self.is_closed(path.as_str().as_bytes()) {
            return Ok(GitBlame::default());
        }
        let mut all = arguments(&["blame", "--porcelain", "--contents", "-", "--"]);
        all.push(path.as_str().into());
        let output = self.run(all, Some(text.as_bytes().to_vec())).await?;
        Ok(read(&String::from_utf8_lossy(&output.bytes)))
    }

    /// Whether git has a file in its index.
    pub(crate) async fn tracks(&self, path: &WorkspacePath) -> bool {
        let (known, index) = (&self.executor.tracked, IndexStamp::of(&self.repository));
        if let Some(is_tracked) = known.said(index, path) {
            return is_tracked;
        }
        let mut all = arguments(&["ls-files", "-z", "--"]);
        all.extend(super::only(std::slice::from_ref(path)));
        let Ok(output) = self.run(all, None).await else { return false };
        known.remember(index, path, !output.bytes.is_empty());
        !output.bytes.is_empty()
    }
}

/// Reads what `git blame --porcelain` wrote. What is not as it should be is passed over.
fn read(text: &str) -> GitBlame {
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
        let blame = read(&text);
        let line = |commit: Option<&String>, line| BlamedLine { commit: commit.cloned(), line };
        assert_eq!(blame.lines, [line(Some(&one), 1), line(None, 2), line(Some(&one), 3)]);
        let (commit, path) = &blame.commits[&one];
        assert_eq!((commit.author.as_str(), commit.time, path.as_str()), ("A", 5, "a.txt"));
        assert_eq!(blame.commits.len(), 1);
    }
}
