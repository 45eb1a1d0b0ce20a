//! Diffs as git writes them, file by file: the extended headers that say what befell a file beside its lines.

mod binary;
mod print;

use super::names;
pub use binary::{BinaryError, BinaryPatch};
pub use print::{GitChange, GitContent, git_change};

/// The type of a file in git: the first digits of its mode.
const TYPE: u32 = 0o170_000;
const LINK: u32 = 0o120_000;
const MODULE: u32 = 0o160_000;

/// What a diff says of the content of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitBody<'d> {
    /// It stays as it is.
    Same,
    /// Its lines change: the part of the diff that says how, from its `---` line on.
    Lines(&'d str),
    /// Its bytes change.
    Binary(BinaryPatch<'d>),
    /// Its bytes change, and the diff does not say to what.
    Unsaid,
    /// Its bytes change, in a form that does not hold together: why.
    Broken(String),
}

/// What a diff says of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitFile<'d> {
    /// Its path before; none for a new file.
    pub old: Option<String>,
    /// Its path afterwards; none for one that is removed.
    pub new: Option<String>,
    /// Its mode before, where that is said.
    pub old_mode: Option<u32>,
    /// Its mode afterwards, where that is said.
    pub new_mode: Option<u32>,
    /// Whether the file at the old path stays.
    pub copies: bool,
    /// What its content becomes.
    pub body: GitBody<'d>,
}

impl GitFile<'_> {
    /// The paths that it names: the new one first.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        [&self.new, &self.old].into_iter().flatten().map(String::as_str)
    }

    /// Whether it gives a file another path.
    pub fn renames(&self) -> bool {
        !self.copies && self.old.is_some() && self.new.is_some() && self.old != self.new
    }

    /// Whether it is about a symlink.
    pub fn is_link(&self) -> bool {
        [self.old_mode, self.new_mode].into_iter().flatten().any(|mode| mode & TYPE == LINK)
    }

    /// Whether it is about a submodule, which is no file.
    pub fn is_module(&self) -> bool {
        [self.old_mode, self.new_mode].into_iter().flatten().any(|mode| mode & TYPE == MODULE)
    }

    /// Whether the file becomes executable, or is so no longer; none where that stays.
    pub fn executable(&self) -> Option<bool> {
        let is = |mode: u32| mode & 0o111 != 0;
        match (self.old_mode, self.new_mode) {
            _ if self.is_link() => None,
            (None, Some(new)) => is(new).then_some(true),
            (Some(old), Some(new)) if is(old) != is(new) => Some(is(new)),
            _ => None,
        }
    }

    /// Whether its lines say all of it, so that the engine for lines can take it whatever its headers are.
    pub fn is_plain(&self) -> bool {
        matches!(self.body, GitBody::Lines(_))
            && !self.copies
            && !self.renames()
            && !self.is_link()
            && self.executable().is_none()
    }

    /// How well it fits a path: 2 where it names it, 1 where the tails are one, 0 for another file.
    pub fn fit(&self, path: &str) -> u8 {
        self.paths().map(|name| names::fit(name, path)).max().unwrap_or(0)
    }
}

/// Reads every `diff --git` part of a diff; none where it has no such line.
pub fn git_files(diff: &str) -> Vec<GitFile<'_>> {
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in diff.split_inclusive('\n') {
        if line.starts_with("diff --git ") {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([diff.len()]);
    starts.iter().zip(ends).filter_map(|(start, end)| one(diff.get(*start..end)?)).collect()
}

/// The headers of a part, as far as they are read.
#[derive(Default)]
struct Headers {
    old: Option<String>,
    new: Option<String>,
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    copies: bool,
    creates: bool,
    deletes: bool,
}

fn one(part: &str) -> Option<GitFile<'_>> {
    let (first, rest) = part.split_once('\n').unwrap_or((part, ""));
    let named = names::of_git(first.trim_end_matches('\r').strip_prefix("diff --git ")?);
    let mut headers = Headers::default();
    let mut body = GitBody::Same;
    let mut at = part.len() - rest.len();
    for line in rest.split_inclusive('\n') {
        let text = line.trim_end_matches(['\n', '\r']);
        if text.starts_with("--- ") || text.starts_with("@@") {
            body = GitBody::Lines(part.get(at..)?);
            break;
        }
        at += line.len();
        if text == "GIT binary patch" {
            body = binary::read(part.get(at..)?).map_or_else(GitBody::Broken, GitBody::Binary);
            break;
        }
        if text.starts_with("Binary files ") {
            body = GitBody::Unsaid;
        }
        headers.read(text);
    }
    let named = named.map(|(old, new)| (plain(&old), plain(&new)));
    let named = headers.lines(&body, named);
    let (old, new) = named.unzip();
    let old = headers.old.or(old).filter(|_| !headers.creates);
    let new = headers.new.or(new).filter(|_| !headers.deletes);
    if old.is_none() && new.is_none() {
        body = GitBody::Broken(format!("the line {:?} names no file", first.trim_end_matches('\r')));
    }
    Some(GitFile {
        old,
        new,
        old_mode: headers.old_mode,
        new_mode: headers.new_mode,
        copies: headers.copies,
        body,
    })
}

impl Headers {
    /// Reads the two names above the lines. `/dev/null` is no file. Without a header of a rename or a copy these names
    /// count, as for git, where those of the first line are two or none.
    fn lines(&mut self, body: &GitBody<'_>, named: Option<(String, String)>) -> Option<(String, String)> {
        let GitBody::Lines(lines) = body else { return named };
        let mut lines = lines.lines();
        let mut stated = |mark| lines.next().and_then(|line| line.strip_prefix(mark)).map(names::of_header);
        let (Some(old), Some(new)) = (stated("--- "), stated("+++ ")) else { return named };
        self.creates |= old.is_none();
        self.deletes |= new.is_none();
        let is_certain = self.old.is_some() || named.as_ref().is_some_and(|(old, new)| old == new);
        match (old.or_else(|| new.clone()), new) {
            (Some(old), new) if !is_certain => Some((plain(&old), plain(new.as_ref().unwrap_or(&old)))),
            _ => named,
        }
    }

    fn read(&mut self, line: &str) {
        let name = |rest: &str| names::of_header(rest);
        let mode = |rest: &str| u32::from_str_radix(rest.trim(), 8).ok();
        if let Some(rest) = line.strip_prefix("rename from ") {
            self.old = name(rest);
        } else if let Some(rest) = line.strip_prefix("rename to ") {
            self.new = name(rest);
        } else if let Some(rest) = line.strip_prefix("copy from ") {
            (self.old, self.copies) = (name(rest), true);
        } else if let Some(rest) = line.strip_prefix("copy to ") {
            (self.new, self.copies) = (name(rest), true);
        } else if let Some(rest) = line.strip_prefix("old mode ") {
            self.old_mode = mode(rest);
        } else if let Some(rest) = line.strip_prefix("new mode ") {
            self.new_mode = mode(rest);
        } else if let Some(rest) = line.strip_prefix("new file mode ") {
            (self.new_mode, self.creates) = (mode(rest), true);
        } else if let Some(rest) = line.strip_prefix("deleted file mode ") {
            (self.old_mode, self.deletes) = (mode(rest), true);
        } else if let Some(rest) = line.strip_prefix("index ")
            && let Some((_, stays)) = rest.split_once(' ')
        {
            self.old_mode = self.old_mode.or(mode(stays));
            self.new_mode = self.new_mode.or(mode(stays));
        }
    }
}

fn plain(name: &str) -> String {
    names::plain(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_extended_header_is_read() {
        let diff = "diff --git a/a.txt b/b.txt\nsimilarity index 90%\nrename from a.txt\nrename to b.txt\n\
            index 1111111..2222222 100644\n--- a/a.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-a\n+b\n\
            diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n\
            diff --git \"a/t\\303\\244.bin\" \"b/t\\303\\244.bin\"\ndeleted file mode 100644\nindex 1..0\n\
            Binary files \"a/t\\303\\244.bin\" and /dev/null differ\n\
            diff --git a/l b/l\nnew file mode 120000\nindex 0000000..1\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+to\n\
            \\ No newline at end of file\n";
        let files = git_files(diff);
        let [moved, mode, gone, link] = &files[..] else { panic!("{files:?}") };
        assert!(moved.renames() && moved.executable().is_none() && !moved.is_plain());
        assert!(
            matches!(moved.body, GitBody::Lines(lines) if lines.starts_with("--- a/a.txt") && lines.ends_with("+b\n"))
        );
        assert_eq!((mode.executable(), &mode.body), (Some(true), &GitBody::Same));
        assert_eq!((gone.old.as_deref(), &gone.new, &gone.body), (Some("tä.bin"), &None, &GitBody::Unsaid));
        assert!(link.is_link() && link.old.is_none());
    }

    #[test]
    fn a_file_is_named_by_its_lines_where_the_first_line_does_not_say() {
        let names = |first: &str, old: &str, new: &str| {
            let diff = format!("diff --git {first}\n--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n");
            let [file] = &git_files(&diff)[..] else { panic!("{diff}") };
            (file.old.clone(), file.new.clone())
        };
        let some = |old: &str, new: &str| (Some(old.to_owned()), Some(new.to_owned()));
        assert_eq!(names("a/x b/x", "a/x", "b/x"), some("x", "x"));
        assert_eq!(names("what it is", "a/x", "b/x"), some("x", "x"));
        assert_eq!(names("a/x b/y", "a/x", "b/x"), some("x", "x"), "no header says that it is renamed");
        assert_eq!(names("a/x b/x", "/dev/null", "b/x"), (None, Some("x".to_owned())));
        assert_eq!(names("nothing", "a/x", "/dev/null"), (Some("x".to_owned()), None));
    }

    #[test]
    fn a_part_that_names_no_file_is_told_and_not_passed_over() {
        for diff in ["diff --git nothing\n@@ -1 +1 @@\n-a\n+b\n", "diff --git \n", "diff --git x"] {
            let [file] = &git_files(diff)[..] else { panic!("{diff}") };
            assert!(matches!(&file.body, GitBody::Broken(why) if why.contains("names no file")), "{file:?}");
        }
    }
}
