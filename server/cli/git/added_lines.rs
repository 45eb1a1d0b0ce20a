//! The lines that a commit has and none of its parents, and the whole text of a file in it.

use std::collections::BTreeMap;

use super::repository::GitRepository;
use crate::patch::{GitBody, git_files};
use crate::protocol::Fault;

/// Bytes of the longest text of a file that is looked at.
const LONGEST: usize = 8 << 20;

/// The number of files whose texts are requested together.
const TOGETHER: usize = 64;

/// Lines of a file by their numbers, counted from 1.
pub(super) type AddedLines = BTreeMap<u32, String>;

impl GitRepository<'_> {
    /// The lines that a commit adds, by file. Of a merge those that differ from each parent.
    ///
    /// # Errors
    /// An error where git cannot be run or fails, or where the commit is too large.
    pub(super) fn added_by_commit(self, commit: &str) -> Result<BTreeMap<String, AddedLines>, Fault> {
        let parents = self.parents(commit)?.len().max(1);
        let all = ["diff-tree", "--root", "--no-commit-id", "-r", "-m", "-p", "-U0", "-M", "--no-color"];
        let form = ["--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", commit];
        let diff = self.run_git_with_input(&[&all[..], &form].concat(), None)?;
        let mut seen: BTreeMap<String, BTreeMap<u32, (String, usize)>> = BTreeMap::new();
        for file in git_files(&diff) {
            let (Some(path), GitBody::Lines(body)) = (&file.new, &file.body) else { continue };
            if file.is_link() || file.is_module() {
                continue;
            }
            let lines = seen.entry(path.clone()).or_default();
            for (line, text) in added_lines(body) {
                lines.entry(line).or_insert_with(|| (text.to_owned(), 0)).1 += 1;
            }
        }
        let in_all = |lines: BTreeMap<u32, (String, usize)>| -> AddedLines {
            let lines = lines.into_iter().filter(|(_, (_, count))| *count >= parents);
            lines.map(|(line, (text, _))| (line, text)).collect()
        };
        let files = seen.into_iter().map(|(path, lines)| (path, in_all(lines)));
        Ok(files.filter(|(_, lines)| !lines.is_empty()).collect())
    }

    /// The texts of files in a commit. A text that is too long or no UTF-8 is left out.
    pub(super) fn texts_in_commit(self, commit: &str, paths: &[&str]) -> BTreeMap<String, String> {
        let mut texts = BTreeMap::new();
        let paths: Vec<&str> = paths.iter().copied().filter(|path| !path.contains('\n')).collect();
        for paths in paths.chunks(TOGETHER) {
            let asked: String = paths.iter().map(|path| format!("{commit}:{path}\n")).collect();
            let said = self.git_output(&["cat-file", "--batch"], Some(&asked)).unwrap_or_default();
            let mut rest = said.as_slice();
            for path in paths {
                let Some((content, after)) = parse_object(rest) else { break };
                rest = after;
                let text = content.filter(|content| content.len() <= LONGEST);
                if let Some(text) = text.and_then(|content| std::str::from_utf8(content).ok()) {
                    texts.insert((*path).to_owned(), text.to_owned());
                }
            }
        }
        texts
    }
}

/// The content of the first object in the output of `git cat-file --batch`, none if it is missing, and the rest of the output.
fn parse_object(said: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let end = said.iter().position(|byte| *byte == b'\n')?;
    let (heading, rest) = (std::str::from_utf8(&said[..end]).ok()?, &said[end + 1..]);
    if heading.ends_with(" missing") {
        return Some((None, rest));
    }
    let size: usize = heading.rsplit(' ').next()?.parse().ok()?;
    let content = rest.get(..size)?;
    let is_text = heading.split(' ').nth(1) == Some("blob");
    Some((is_text.then_some(content), rest.get(size + 1..)?))
}

/// The added lines of a diff without context, with their numbers.
fn added_lines(body: &str) -> Vec<(u32, &str)> {
    let (mut lines, mut next, mut left) = (Vec::new(), 0u32, 0u32);
    for line in body.split_terminator('\n') {
        if left == 0 {
            if let Some((first, count)) = line.strip_prefix("@@ -").and_then(added_range) {
                (next, left) = (first, count);
            }
        } else if let Some(text) = line.strip_prefix('+') {
            lines.push((next, text));
            (next, left) = (next.saturating_add(1), left - 1);
        }
    }
    lines
}

/// The first added line and their count, from the text after `@@ -`.
fn added_range(heading: &str) -> Option<(u32, u32)> {
    let added = heading.split_once(" +")?.1.split(' ').next()?;
    match added.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((added.parse().ok()?, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_read_one_after_the_other() {
        let said = b"1234 blob 4\na\nb\n\nmain:x y missing\n1234 tree 2\nxx\n";
        let (first, rest) = parse_object(said).unwrap();
        assert_eq!(first, Some(b"a\nb\n".as_slice()));
        let (missing, rest) = parse_object(rest).unwrap();
        assert_eq!(missing, None);
        assert_eq!(parse_object(rest), Some((None, b"".as_slice())));
        for odd in [b"".as_slice(), b"1234 blob 9\nab\n", b"1234 blob x\n", b"1234 blob 1\na"] {
            assert_eq!(parse_object(odd), None);
        }
    }

    #[test]
    fn added_lines_have_their_numbers_whatever_they_hold() {
        let body = "--- a/f\n+++ b/f\n@@ -1 +1,2 @@ fn\n-old\n+++ new\n+@@ -9 +9 @@\n@@ -5,2 +6,0 @@\n-a\n-b\n@@ -9,0 +9 @@\n+c\r\n\\ No newline at end of file\n";
        assert_eq!(added_lines(body), [(1, "++ new"), (2, "@@ -9 +9 @@"), (9, "c\r")]);
        assert_eq!(added_lines("rubbish\n@@ -x +y @@\n+z\n"), []);
    }
}
