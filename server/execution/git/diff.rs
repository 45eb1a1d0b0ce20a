//! Reads the output of `git diff`: the changes between two states of the files.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use super::change::ChangeWord;
use super::{GitError, GitReader, exclude_argument, lossy_text, path_arguments, to_arguments};
use crate::base::WorkspacePath;

/// Bytes of the paths that one run of git is asked to leave out.
const LEFT_OUT: usize = 512 << 10;
/// The number of times that a diff is made again where closed files change in the meantime.
const TRIES: usize = 3;

/// The two sides of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DiffSides {
    /// The files, or what is staged, with a commit: with the staged files and the last commit where none is named.
    Now {
        /// True where what is staged is compared, not the files.
        staged: bool,
        /// The commit.
        from: Option<String>,
    },
    /// Two commits.
    Commits {
        /// The earlier one.
        from: String,
        /// The later one.
        to: String,
    },
    /// A commit with the one before it.
    Of(String),
}

/// The request of a diff.
#[derive(Clone, Debug)]
pub(crate) struct DiffRequest {
    /// The two sides of the comparison.
    pub(crate) sides: DiffSides,
    /// The files and folders; all where it is empty.
    pub(crate) paths: Vec<WorkspacePath>,
    /// Lines around each change.
    pub(crate) context: u64,
    /// True where the text is wanted, in addition to the list of files.
    pub(crate) has_text: bool,
}

/// The changes between two states.
#[derive(Debug, Default)]
pub(crate) struct GitDiff {
    /// The files.
    pub(crate) files: Vec<DiffedFile>,
    /// The unified diff.
    pub(crate) text: String,
    /// The number of files that the rules close.
    pub(crate) closed: usize,
    /// True where there is more than was read.
    pub(crate) is_cut: bool,
}

/// A file that changed.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DiffedFile {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_path: Option<String>,
    change: ChangeWord,
    added: u64,
    removed: u64,
    binary: bool,
}

/// A file of git's list of changes.
#[derive(Debug, PartialEq, Eq)]
struct RawChange<'o> {
    change: ChangeWord,
    old: Option<&'o [u8]>,
    path: &'o [u8],
}

/// The parts of git's output.
#[derive(Debug, Default)]
struct DiffParts<'o> {
    changes: Vec<RawChange<'o>>,
    /// Lines added and removed by path; nothing for a binary file.
    counts: HashMap<&'o [u8], Option<(u64, u64)>>,
    text: &'o [u8],
}

impl GitReader<'_> {
    /// Compares two states of the files. Git is not asked about files that the rules close by their current or earlier
    /// path.
    ///
    /// # Errors
    /// Fails where a revision names no commit, git cannot be run, or git refuses.
    pub(crate) async fn diff_files(&self, request: &DiffRequest) -> Result<GitDiff, GitError> {
        let sides = self.resolve_sides(&request.sides).await?;
        let mut left_out = BTreeSet::<Vec<u8>>::new();
        let mut closed = 0;
        // The first run asks for the paths alone.
        for attempt in 0..=TRIES {
            let form = diff_options(request, attempt > 0);
            let output = self.run_git(diff_arguments(&form, &sides, &request.paths, &left_out), None).await?;
            if output.is_cut && attempt == 0 {
                return Err(GitError::TooMuch);
            }
            let parts = split_parts(&output.bytes);
            let before = left_out.len();
            for change in &parts.changes {
                let paths: Vec<&[u8]> = change.old.into_iter().chain([change.path]).collect();
                if paths.iter().any(|path| self.is_closed(path)) {
                    closed += 1;
                    left_out.extend(paths.into_iter().map(<[u8]>::to_vec));
                }
            }
            if left_out.iter().map(Vec::len).sum::<usize>() > LEFT_OUT {
                return Err(GitError::TooMuch);
            }
            if attempt > 0 && left_out.len() == before {
                let (files, text) = (parts.diffed_files(), lossy_text(parts.text));
                return Ok(GitDiff { files, text, closed, is_cut: output.is_cut });
            }
        }
        Err(GitError::Restless)
    }

    /// The sides of a diff as git takes them.
    async fn resolve_sides(&self, sides: &DiffSides) -> Result<Vec<String>, GitError> {
        Ok(match sides {
            DiffSides::Now { staged, from } => {
                let mut taken: Vec<String> = staged.then(|| "--cached".to_owned()).into_iter().collect();
                match from {
                    Some(from) => taken.push(self.find_commit(from).await?),
                    // A file in conflict is compared as our side has it.
                    None if !staged => taken.push("--ours".to_owned()),
                    None => {}
                }
                taken
            }
            DiffSides::Commits { from, to } => {
                vec![self.find_commit(from).await?, self.find_commit(to).await?]
            }
            DiffSides::Of(revision) => {
                let to = self.find_commit(revision).await?;
                let parent = self.find_commits(&[format!("{to}^1")]).await?.pop().flatten();
                vec![parent.unwrap_or_else(|| empty_tree(&to)), to]
            }
        })
    }
}

/// The hash of the tree with no files, in a repository that has the hash `of`.
fn empty_tree(of: &str) -> String {
    match of.len() {
        40 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        _ => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    }
    .to_owned()
}

/// The options of a diff.
fn diff_options(request: &DiffRequest, has_content: bool) -> Vec<OsString> {
    let mut form = to_arguments(&[
        "diff",
        "--raw",
        "-z",
        "--no-abbrev",
        "--find-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--ignore-submodules=all",
    ]);
    if has_content {
        form.push("--numstat".into());
    }
    if has_content && request.has_text {
        form.extend(to_arguments(&["--patch", "--src-prefix=a/", "--dst-prefix=b/"]));
        form.push(format!("--unified={}", request.context).into());
    }
    form
}

fn diff_arguments(
    form: &[OsString],
    sides: &[String],
    paths: &[WorkspacePath],
    left_out: &BTreeSet<Vec<u8>>,
) -> Vec<OsString> {
    let mut all = form.to_vec();
    all.extend(sides.iter().map(OsString::from));
    all.push("--".into());
    all.extend(path_arguments(paths));
    all.extend(left_out.iter().map(|path| exclude_argument(path)));
    all
}

/// Takes apart what git wrote: the list of changes, the counts of lines, an empty field, and the text.
fn split_parts(bytes: &[u8]) -> DiffParts<'_> {
    let mut parts = DiffParts::default();
    let mut rest = bytes;
    while let Some((token, after)) = split_field(rest) {
        rest = after;
        if token.is_empty() {
            break;
        }
        match token.first() {
            Some(b':') => rest = parts.take_change(token, rest),
            _ => rest = parts.take_count(token, rest),
        }
    }
    parts.text = rest;
    parts
}

/// Splits the bytes at the first NUL.
fn split_field(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(0, bytes)?;
    Some((bytes.get(..at)?, bytes.get(at + 1..)?))
}

impl<'o> DiffParts<'o> {
    /// Takes a change, `:100644 100644 HASH HASH M` and its paths, and returns the rest.
    fn take_change(&mut self, token: &[u8], rest: &'o [u8]) -> &'o [u8] {
        let Some((first, after)) = split_field(rest) else { return &[] };
        let states = token.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
        let change = states.first().and_then(|letter| ChangeWord::from_letter(*letter));
        let change = change.unwrap_or(ChangeWord::Modified);
        if !change.has_two_paths() {
            self.changes.push(RawChange { change, old: None, path: first });
            return after;
        }
        let Some((second, after)) = split_field(after) else { return &[] };
        self.changes.push(RawChange { change, old: Some(first), path: second });
        after
    }

    /// Takes the line counts of a file, `1\t2\tpath`, and returns the rest. After a rename both paths follow.
    fn take_count(&mut self, token: &'o [u8], rest: &'o [u8]) -> &'o [u8] {
        let mut fields = token.splitn(3, |byte| *byte == b'\t');
        let mut number =
            || std::str::from_utf8(fields.next()?).ok()?.trim_start_matches('\n').parse::<u64>().ok();
        let counts = number().zip(number());
        let path = fields.next().unwrap_or_default();
        if !path.is_empty() {
            self.counts.insert(path, counts);
            return rest;
        }
        let Some((_, after)) = split_field(rest) else { return &[] };
        let Some((path, after)) = split_field(after) else { return &[] };
        self.counts.insert(path, counts);
        after
    }

    fn diffed_files(&self) -> Vec<DiffedFile> {
        let mut files: Vec<DiffedFile> = Vec::with_capacity(self.changes.len());
        for change in &self.changes {
            let counts = self.counts.get(change.path).copied();
            let (added, removed) = counts.flatten().unwrap_or_default();
            let (path, old_path) = (lossy_text(change.path), change.old.map(lossy_text));
            let binary = counts == Some(None);
            files.push(DiffedFile { path, old_path, change: change.change, added, removed, binary });
        }
        // Git lists a file in conflict once more, as changed.
        files.dedup_by(|next, file| file.change == ChangeWord::Unmerged && next.path == file.path);
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_writes_is_taken_apart() {
        let hash = "0".repeat(40);
        let output = format!(
            ":1 1 {hash} {hash} M\0b.bin\0:1 1 {hash} {hash} R075\0a\0c \n\0:0 1 {hash} {hash} A\0n\0\
             -\t-\tb.bin\0\x31\t0\t\0a\0c \n\0\x32\t3\tn\0\0diff --git a/n b/n\n\0rest"
        );
        let parts = split_parts(output.as_bytes());
        assert_eq!(parts.text, b"diff --git a/n b/n\n\0rest");
        let file = |path: &str, old: Option<&str>, change, added, removed| DiffedFile {
            path: path.to_owned(),
            old_path: old.map(str::to_owned),
            change,
            added,
            removed,
            binary: path == "b.bin",
        };
        let expected = [
            file("b.bin", None, ChangeWord::Modified, 0, 0),
            file("c \n", Some("a"), ChangeWord::Renamed, 1, 0),
            file("n", None, ChangeWord::Added, 2, 3),
        ];
        assert_eq!(parts.diffed_files(), expected);
    }

    #[test]
    fn what_is_cut_or_empty_does_no_harm() {
        let whole = b":1 1 0 0 R1\0a\0b\0\x31\t1\t\0a\0b\0\0text";
        for end in 0..=whole.len() {
            let parts = split_parts(&whole[..end]);
            assert!(parts.changes.len() <= 1 && parts.diffed_files().len() <= 1);
        }
    }
}
