//! The commits of a repository: `git log` read.

use std::ffi::OsString;
use std::iter::Peekable;

use schemars::JsonSchema;
use serde::Serialize;

use super::change::ChangeWord;
use super::{GitError, GitReader, is_hash, lossy_text, path_arguments, to_arguments};
use crate::base::WorkspacePath;

/// The fields that are listed of a commit, with a NUL between them.
const FORMAT: &str = "--format=tformat:%H%x00%an <%ae>%x00%aI%x00%s%x00%b";

/// The commits that are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CommitRange {
    /// The commits that lead to a revision, including itself.
    To(String),
    /// The commits that lead to the second revision and not to the first.
    Between(String, String),
    /// The commits that lead to exactly one of both revisions.
    Either(String, String),
}

/// The request of a log.
#[derive(Clone, Debug)]
pub(crate) struct LogRequest {
    /// The commits to list; those of the branch that is checked out where none is named.
    pub(crate) range: Option<CommitRange>,
    /// The files and folders that they change; any where it is empty.
    pub(crate) paths: Vec<WorkspacePath>,
    /// The most commits.
    pub(crate) limit: usize,
    /// The earliest date.
    pub(crate) since: Option<String>,
    /// True where the files of each are wanted.
    pub(crate) has_files: bool,
}

/// The commits of a log.
#[derive(Debug, Default)]
pub(crate) struct GitLog {
    /// The commits, newest first.
    pub(crate) commits: Vec<LoggedCommit>,
    /// The number of their files that the rules close.
    pub(crate) closed: usize,
    /// True where there are more than were read.
    pub(crate) is_cut: bool,
}

/// A commit.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct LoggedCommit {
    hash: String,
    author: String,
    date: String,
    subject: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    body: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<TouchedFile>>,
}

/// A file that a commit changed.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TouchedFile {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_path: Option<String>,
    change: ChangeWord,
}

impl LoggedCommit {
    /// About how many bytes an answer takes to hold it.
    pub(crate) fn answer_size(&self) -> usize {
        let files = self.files.iter().flatten();
        let of_files: usize = files.map(|file| file.path.len() + 50).sum();
        self.author.len() + self.subject.len() + self.body.len() + of_files + 160
    }
}

impl CommitRange {
    /// Reads a revision or a range, `main..topic` or `main...topic`; a side that is left out is `HEAD`.
    pub(crate) fn from_text(text: &str) -> Self {
        let side = |side: &str| if side.is_empty() { "HEAD".to_owned() } else { side.to_owned() };
        match (text.split_once("..."), text.split_once("..")) {
            (Some((one, other)), _) => Self::Either(side(one), side(other)),
            (None, Some((one, other))) => Self::Between(side(one), side(other)),
            (None, None) => Self::To(text.to_owned()),
        }
    }
}

impl GitReader<'_> {
    /// The commits, newest first. Before the first commit there are none.
    ///
    /// # Errors
    /// Fails where a revision names no commit, git cannot be run, or git refuses.
    pub(crate) async fn read_log(&self, request: &LogRequest) -> Result<GitLog, GitError> {
        let Some(range) = self.resolve_range(request.range.as_ref()).await? else {
            return Ok(GitLog::default());
        };
        let mut all = to_arguments(&[
            "log",
            "-z",
            FORMAT,
            "--no-show-signature",
            "--no-notes",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=all",
            "--find-renames",
        ]);
        all.push(if request.has_files { "--name-status" } else { "--no-patch" }.into());
        all.push(format!("--max-count={}", request.limit).into());
        all.extend(request.since.iter().map(|since| OsString::from(format!("--since={since}"))));
        all.extend(range.into_iter().map(OsString::from));
        all.push("--".into());
        all.extend(path_arguments(&request.paths));
        let output = self.run_git(all, None).await?;
        let mut log = parse_log(&output.bytes, request.has_files, |path| self.is_closed(path));
        log.is_cut = output.is_cut;
        if log.is_cut {
            // It is not whole.
            log.commits.pop();
        }
        Ok(log)
    }

    /// A range as git takes it; nothing where there is no commit yet.
    async fn resolve_range(&self, range: Option<&CommitRange>) -> Result<Option<Vec<String>>, GitError> {
        Ok(Some(match range {
            None => match self.find_commits(&["HEAD".to_owned()]).await?.pop().flatten() {
                Some(head) => vec![head],
                None => return Ok(None),
            },
            Some(CommitRange::To(revision)) => vec![self.find_commit(revision).await?],
            Some(CommitRange::Between(one, other)) => {
                vec![format!("^{}", self.find_commit(one).await?), self.find_commit(other).await?]
            }
            Some(CommitRange::Either(one, other)) => {
                vec![format!("{}...{}", self.find_commit(one).await?, self.find_commit(other).await?)]
            }
        }))
    }
}

fn parse_log(bytes: &[u8], has_files: bool, is_closed: impl Fn(&[u8]) -> bool) -> GitLog {
    let mut log = GitLog::default();
    let mut tokens = bytes.split(|byte| *byte == 0).peekable();
    while let Some(hash) = tokens.next() {
        let hash = lossy_text(hash).trim().to_owned();
        let mut text = || tokens.next().map(lossy_text);
        let (Some(author), Some(date), Some(subject), Some(body)) = (text(), text(), text(), text()) else {
            break;
        };
        let body = body.trim().to_owned();
        let touched = touched_paths(&mut tokens);
        let mut files = Vec::with_capacity(touched.len());
        for (change, old, path) in touched {
            if is_closed(path) || old.is_some_and(&is_closed) {
                log.closed += 1;
                continue;
            }
            files.push(TouchedFile { path: lossy_text(path), old_path: old.map(lossy_text), change });
        }
        let files = has_files.then_some(files);
        log.commits.push(LoggedCommit { hash, author, date, subject, body, files });
    }
    log
}

/// The kind of change of a file, its earlier path where that differs, and its path.
type TouchedPath<'o> = (ChangeWord, Option<&'o [u8]>, &'o [u8]);

/// The files of a commit, up to the hash of the next.
fn touched_paths<'o>(tokens: &mut Peekable<impl Iterator<Item = &'o [u8]>>) -> Vec<TouchedPath<'o>> {
    let mut all = Vec::new();
    while let Some(state) = tokens.next_if(|token| !is_hash(token.trim_ascii())) {
        let change = state.trim_ascii_start().first().and_then(|letter| ChangeWord::from_letter(*letter));
        let Some(change) = change else { continue };
        let Some(first) = tokens.next() else { break };
        match change.has_two_paths() {
            false => all.push((change, None, first)),
            true => all.extend(tokens.next().map(|second| (change, Some(first), second))),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_read_with_their_files() {
        let (one, two) = ("a".repeat(40), "b".repeat(64));
        let output = format!(
            "{one}\0n <e>\0d\0s\0body\nline\n\0\nM\0b.bin\0R075\0a.pem\0c\0R100\0x\0{two}\0\
             {two}\0n <e>\0d\0subject\0\0\nA\0A\0"
        );
        let log = parse_log(output.as_bytes(), true, |path| path.ends_with(b".pem"));
        assert_eq!(log.closed, 1);
        let [first, second] = &log.commits[..] else { panic!("{log:?}") };
        assert_eq!((&first.hash, first.body.as_str()), (&one, "body\nline"));
        let files: Vec<_> = first.files.iter().flatten().map(|file| file.path.as_str()).collect();
        assert_eq!(files, ["b.bin", &two]);
        assert_eq!((second.subject.as_str(), second.body.as_str()), ("subject", ""));
        assert_eq!(second.files.as_ref().unwrap()[0].path, "A");
    }

    #[test]
    fn a_log_without_files_is_fields_alone() {
        let hash = "a".repeat(40);
        let log = parse_log(format!("{hash}\0n\0d\0s\0\0{hash}\0n\0d\0s\0b\0").as_bytes(), false, |_| true);
        assert_eq!((log.commits.len(), log.closed), (2, 0));
        assert_eq!(parse_log(b"", false, |_| true).commits, []);
    }

    #[test]
    fn ranges_have_two_sides() {
        let text = str::to_owned;
        assert_eq!(CommitRange::from_text("a..b"), CommitRange::Between(text("a"), text("b")));
        assert_eq!(CommitRange::from_text("..b"), CommitRange::Between(text("HEAD"), text("b")));
        assert_eq!(CommitRange::from_text("a..."), CommitRange::Either(text("a"), text("HEAD")));
        assert_eq!(CommitRange::from_text("v1.0"), CommitRange::To(text("v1.0")));
    }
}
