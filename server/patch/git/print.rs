//! Prints the change of one file with git's headers, as [`git_files`](super::git_files) reads it.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::binary::DIGITS;
use crate::names::show_path;
use crate::unified::unified_hunks;

/// Bytes of one line of a binary patch at most.
const LINE: usize = 52;

/// A file's change, to be printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitChange<'c> {
    /// Its path before; `None` if it is new.
    pub old: Option<&'c str>,
    /// Its path after; `None` if it is removed.
    pub new: Option<&'c str>,
    /// Its mode before, such as `0o100644`; `None` if that is not known or does not change.
    pub old_mode: Option<u32>,
    /// Its mode after.
    pub new_mode: Option<u32>,
    /// The change of its content.
    pub body: GitContent<'c>,
}

/// The change of a file's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitContent<'c> {
    /// Nothing: it is moved, or its mode changes.
    Same,
    /// The text before and after; empty if there is no file.
    Text(&'c str, &'c str),
    /// The bytes before and after; empty if there is no file.
    Bytes(&'c [u8], &'c [u8]),
}

/// Prints a change.
#[must_use]
pub fn print_git_change(change: &GitChange<'_>) -> String {
    let GitChange { old, new, old_mode, new_mode, .. } = change;
    let (Some(a), Some(b)) = (old.or(*new), new.or(*old)) else { return String::new() };
    let (a, b) = (show_path("a/", a), show_path("b/", b));
    let mut diff = format!("diff --git {} {}\n", a.trim_end_matches('\t'), b.trim_end_matches('\t'));
    match (old, new, old_mode, new_mode) {
        (None, _, _, mode) => diff.push_str(&format!("new file mode {:o}\n", mode.unwrap_or(0o100_644))),
        (_, None, mode, _) => diff.push_str(&format!("deleted file mode {:o}\n", mode.unwrap_or(0o100_644))),
        (_, _, Some(before), Some(after)) if before != after => {
            diff.push_str(&format!("old mode {before:o}\nnew mode {after:o}\n"));
        }
        _ => {}
    }
    if let (Some(from), Some(to)) = (old, new)
        && from != to
    {
        let [from, to] = [from, to].map(|path| show_path("", path).trim_end_matches('\t').to_owned());
        diff.push_str(&format!("rename from {from}\nrename to {to}\n"));
    }
    match &change.body {
        GitContent::Same => {}
        GitContent::Text(before, after) => {
            let hunks = unified_hunks(before, after);
            if !hunks.is_empty() {
                let name = |path: &Option<&str>, name: &str| {
                    path.map_or("/dev/null".to_owned(), |_| name.to_owned())
                };
                diff.push_str(&format!("--- {}\n+++ {}\n{hunks}", name(old, &a), name(new, &b)));
            }
        }
        GitContent::Bytes(before, after) => {
            diff.push_str(&format!(
                "GIT binary patch\n{}\n{}\n",
                literal_block(after),
                literal_block(before)
            ));
        }
    }
    diff
}

/// Bytes, compressed, in lines of base 85.
fn literal_block(bytes: &[u8]) -> String {
    let mut text = format!("literal {}\n", bytes.len());
    for line in compress_bytes(bytes).chunks(LINE) {
        let count = u8::try_from(line.len()).unwrap_or_default();
        text.push(char::from(if count <= 26 { b'A' + count - 1 } else { b'a' + count - 27 }));
        for group in line.chunks(4) {
            let mut four = [0; 4];
            four[..group.len()].copy_from_slice(group);
            let mut number = u32::from_be_bytes(four);
            let mut digits = ['0'; 5];
            for digit in digits.iter_mut().rev() {
                *digit = char::from(DIGITS[(number % 85) as usize]);
                number /= 85;
            }
            text.extend(digits);
        }
        text.push('\n');
    }
    text
}

fn compress_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // A vector takes every write.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::{GitBody, git_files};

    fn same<'c>(old: Option<&'c str>, new: Option<&'c str>, body: GitContent<'c>) -> GitChange<'c> {
        GitChange { old, new, old_mode: None, new_mode: None, body }
    }

    #[test]
    fn bytes_come_back_as_they_were() {
        for size in [0, 1, 3, 4, 5, 52, 53, 5000] {
            let after: Vec<u8> = (0..size).map(|at: u32| (at * 7919 % 251) as u8).collect();
            let before = b"\0old".as_slice();
            let diff =
                print_git_change(&same(Some("a b.bin"), Some("a b.bin"), GitContent::Bytes(before, &after)));
            let files = git_files(&diff);
            let GitBody::Binary(patch) = &files[0].body else { panic!("{diff}") };
            assert_eq!(patch.apply(before, 1 << 20).unwrap(), after, "{diff}");
            assert_eq!(files[0].new.as_deref(), Some("a b.bin"));
        }
    }

    #[test]
    fn headers_are_those_of_git() {
        let moved = GitChange {
            old_mode: Some(0o100_644),
            new_mode: Some(0o100_755),
            ..same(Some("a.txt"), Some("b.txt"), GitContent::Text("one\ntwo\n", "one\n2"))
        };
        assert_eq!(
            print_git_change(&moved),
            "diff --git a/a.txt b/b.txt\nold mode 100644\nnew mode 100755\nrename from a.txt\nrename to b.txt\n\
             --- a/a.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\\ No newline at end of file\n"
        );
        let link =
            GitChange { new_mode: Some(0o120_000), ..same(None, Some("l"), GitContent::Text("", "to")) };
        assert!(
            print_git_change(&link)
                .starts_with("diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@")
        );
        let gone = print_git_change(&same(Some("x"), None, GitContent::Text("1\n", "")));
        assert!(gone.contains("deleted file mode 100644\n--- a/x\n+++ /dev/null\n"), "{gone}");
    }
}
