//! The files that a diff names by itself, for a caller that names none.

use super::hunk::FileSection;
use super::parse::{ParsedDiff, parse_diff};
use super::{PatchRefusal, RefusalCode, explain, names, parts};

/// A file that a diff names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// Its path, without the `a/` or `b/` of git.
    pub path: String,
    /// True if the diff makes it.
    pub is_new: bool,
}

/// The files that a diff names, each once, in its order.
///
/// # Errors
/// A text without a part of a diff, a part that names no file, a file that a part renames, a form that is not read, and a line outside of every hunk: none of
/// them may be passed over.
pub fn named_files(diff: &str) -> Result<Vec<NamedFile>, PatchRefusal> {
    let ParsedDiff { sections, format, stray, unsure } = parse_diff(diff, "");
    if let Some(format) = format {
        return Err(explain::unknown_format("these files", format));
    }
    if let Some(line) = stray {
        return Err(parts::refuse_stray_line("", line));
    }
    if let Some(unsure) = unsure {
        return Err(parts::refuse_unsure_name("", unsure.line));
    }
    let mut files: Vec<NamedFile> = Vec::new();
    for section in &sections {
        let path = named_path(section)?;
        if files.iter().all(|file| file.path != path) {
            files.push(NamedFile { path, is_new: section.creates });
        }
    }
    match files.is_empty() {
        true => Err(refuse_no_diff()),
        false => Ok(files),
    }
}

/// The path of a section's file.
fn named_path(section: &FileSection) -> Result<String, PatchRefusal> {
    let (old, new) = (section.old.as_deref(), section.new.as_deref());
    let has_prefixes = section.named
        && old.is_none_or(|old| old.starts_with("a/"))
        && new.is_none_or(|new| new.starts_with("b/"));
    let bare = |name: Option<&str>| {
        let name = name.filter(|name| !names::is_placeholder(name))?;
        Some(if has_prefixes { names::strip_git_prefix(name) } else { name }.to_owned())
    };
    match (bare(old), bare(new)) {
        (Some(old), Some(new)) if old != new => Err(refuse_two_names(old, new)),
        (old, new) => new.or(old).ok_or_else(refuse_nameless),
    }
}

fn refuse_no_diff() -> PatchRefusal {
    let message = "the text is no diff: it has no hunk".to_owned();
    let advice = "Send a diff that names its files, or `path` beside one: each hunk begins with `@@` and each of its lines with a \
                  space, `-` or `+`.";
    PatchRefusal::new(RefusalCode::Empty, "", message, advice)
}

fn refuse_two_names(old: String, new: String) -> PatchRefusal {
    let message =
        format!("a part of the diff names {old} and {new}, so it is not clear which file it is for");
    let advice =
        "Name one file in each part, or send the diff as `git diff` writes it, where a rename is stated.";
    PatchRefusal { files: vec![old, new], ..PatchRefusal::new(RefusalCode::OtherFile, "", message, advice) }
}

fn refuse_nameless() -> PatchRefusal {
    let message = "a part of the diff names no file".to_owned();
    let advice = "Put the file's name above each part, as `--- a/NAME` and `+++ b/NAME` or `*** Update File: NAME`, or send each \
                  part in a call of its own with `path`.";
    PatchRefusal::new(RefusalCode::OtherFile, "", message, advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(diff: &str) -> Result<Vec<String>, String> {
        let named = named_files(diff).map_err(|refusal| refusal.message)?;
        Ok(named
            .into_iter()
            .map(|file| if file.is_new { format!("+{}", file.path) } else { file.path })
            .collect())
    }

    #[test]
    fn each_file_is_named_once_without_the_prefixes_of_git() {
        for (diff, expected) in [
            ("--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-a\n+b\n", &["x.txt"][..]),
            ("--- src/x.txt\n+++ src/x.txt\n@@ -1 +1 @@\n-a\n+b\n", &["src/x.txt"]),
            ("--- b/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-a\n+b\n", &["b/x.txt"]),
            ("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+b\n", &["+new.txt"]),
            ("--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", &["old.txt"]),
            (
                "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n--- a/x\n+++ b/x\n@@ -9 +9 @@\n-c\n+d\n",
                &["x", "y"],
            ),
            ("x.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", &["x.py"]),
        ] {
            assert_eq!(paths(diff).unwrap(), expected, "{diff}");
        }
    }

    #[test]
    fn a_part_that_names_no_one_file_is_refused() {
        for (diff, words) in [
            ("@@ -1 +1 @@\n-a\n+b\n", "names no file"),
            ("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n", "names no file"),
            ("--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "names x and y"),
            ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "names no file"),
            ("words, and no diff", "no hunk"),
            ("\0\u{1}binary", "no hunk"),
        ] {
            assert!(paths(diff).unwrap_err().contains(words), "{diff}");
        }
    }
}
