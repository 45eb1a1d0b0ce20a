//! Diffs as git writes them, file by file: the extended headers that describe changes beyond the lines of a file.

mod binary;
mod print;

use super::names;
pub use binary::{BinaryError, BinaryPatch};
pub use print::{GitChange, GitContent, print_git_change};

/// The type of a file in git: the first digits of its mode.
const TYPE: u32 = 0o170_000;
const LINK: u32 = 0o120_000;
const MODULE: u32 = 0o160_000;

/// A diff's description of the content of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitBody<'d> {
    /// The contents stay unchanged.
    Same,
    /// Its lines change: the part of the diff from its `---` line on.
    Lines(&'d str),
    /// Its bytes change.
    Binary(BinaryPatch<'d>),
    /// Its bytes change, and the diff does not state the new ones.
    Unsaid,
    /// Its bytes change, in an invalid form, with the reason.
    Broken(String),
}

/// A diff's description of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitFile<'d> {
    /// Its path before; none for a new file.
    pub old: Option<String>,
    /// Its path afterwards; none for one that is removed.
    pub new: Option<String>,
    /// Its mode before, if stated.
    pub old_mode: Option<u32>,
    /// Its mode afterwards, if stated.
    pub new_mode: Option<u32>,
    /// True if the file at the old path stays.
    pub copies: bool,
    /// True if the diff states that it was empty before.
    pub was_empty: bool,
    /// The change of its content.
    pub body: GitBody<'d>,
}

impl GitFile<'_> {
    /// The paths that it names: the new one first.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        [&self.new, &self.old].into_iter().flatten().map(String::as_str)
    }

    /// Returns whether it gives a file another path.
    pub fn is_rename(&self) -> bool {
        !self.copies && self.old.is_some() && self.new.is_some() && self.old != self.new
    }

    /// Returns whether it is about a symlink.
    pub fn is_link(&self) -> bool {
        [self.old_mode, self.new_mode].into_iter().flatten().any(|mode| mode & TYPE == LINK)
    }

    /// Returns whether it is about a submodule, which is no file.
    pub fn is_module(&self) -> bool {
        [self.old_mode, self.new_mode].into_iter().flatten().any(|mode| mode & TYPE == MODULE)
    }

    /// True if the file becomes executable, false if it is so no longer; none if that stays.
    pub fn executable_change(&self) -> Option<bool> {
        let is = |mode: u32| mode & 0o111 != 0;
        match (self.old_mode, self.new_mode) {
            _ if self.is_link() => None,
            (None, Some(new)) => is(new).then_some(true),
            (Some(old), Some(new)) if is(old) != is(new) => Some(is(new)),
            _ => None,
        }
    }

    /// Returns whether its lines are the whole change, so that the engine for lines can apply it whatever its headers
    /// are.
    pub fn is_plain(&self) -> bool {
        matches!(self.body, GitBody::Lines(_))
            && !self.copies
            && !self.is_rename()
            && !self.is_link()
            && self.executable_change().is_none()
    }

    /// The fit to a path: 2 if it names the path, 1 if the tails match, 0 for another file.
    pub fn path_fit(&self, path: &str) -> u8 {
        self.paths().map(|name| names::name_fit(name, path)).max().unwrap_or(0)
    }
}

/// Reads every `diff --git` part of a diff; none if it has no such line.
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
    starts.iter().zip(ends).filter_map(|(start, end)| parse_part(diff.get(*start..end)?)).collect()
}

/// The headers of a part that were read so far.
#[derive(Default)]
struct GitHeaders {
    old: Option<String>,
    new: Option<String>,
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    copies: bool,
    creates: bool,
    deletes: bool,
    /// The hashes of the contents before and afterwards, possibly abbreviated.
    hashes: Option<(String, String)>,
    /// True if a header states a rename.
    renames: bool,
    /// The first thing in the headers that cannot be so.
    fault: Option<String>,
    /// The similarity of the two files of a rename or a copy, in percent.
    similarity: Option<u32>,
}

fn parse_part(part: &str) -> Option<GitFile<'_>> {
    let (first, rest) = part.split_once('\n').unwrap_or((part, ""));
    let named = names::parse_git_names(first.trim_end_matches('\r').strip_prefix("diff --git ")?);
    let mut headers = GitHeaders::default();
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
            body = binary::parse_binary_patch(part.get(at..)?).map_or_else(GitBody::Broken, GitBody::Binary);
            break;
        }
        if text.starts_with("Binary files ") {
            body = GitBody::Unsaid;
        }
        headers.read_header(text);
    }
    let named = named.map(|(old, new)| (plain_name(&old), plain_name(&new)));
    let named = headers.read_names(&body, named);
    let (old, new) = named.unzip();
    let old = headers.old.take().or(old).filter(|_| !headers.creates);
    let new = headers.new.take().or(new).filter(|_| !headers.deletes);
    if body == GitBody::Same && headers.announces_more(&old, &new) {
        let name = new.as_deref().or(old.as_deref()).unwrap_or("a file");
        body = GitBody::Broken(format!("the part of the diff for {name} ends before it says what changes"));
    }
    if let Some(fault) = headers.contradiction() {
        body = GitBody::Broken(fault);
    }
    if old.is_none() && new.is_none() {
        body = GitBody::Broken(format!("the line {:?} names no file", first.trim_end_matches('\r')));
    }
    Some(GitFile {
        old,
        new,
        old_mode: headers.old_mode,
        new_mode: headers.new_mode,
        copies: headers.copies,
        was_empty: headers.hashes.is_some_and(|(before, _)| is_empty_blob(&before)),
        body,
    })
}

impl GitHeaders {
    /// Reads the two names above the lines. `/dev/null` is no file. Without a header of a rename or a copy these names
    /// count, as for git, where those of the first line are two or none.
    fn read_names(
        &mut self,
        body: &GitBody<'_>,
        named: Option<(String, String)>,
    ) -> Option<(String, String)> {
        let GitBody::Lines(lines) = body else { return named };
        let mut lines = lines.lines();
        let mut stated =
            |mark| lines.next().and_then(|line| line.strip_prefix(mark)).map(names::parse_header_name);
        let (Some(old), Some(new)) = (stated("--- "), stated("+++ ")) else { return named };
        self.creates |= old.is_none();
        self.deletes |= new.is_none();
        let is_certain = self.old.is_some() || named.as_ref().is_some_and(|(old, new)| old == new);
        if is_certain {
            let stated = |own: &Option<String>, first: Option<&String>| own.as_ref().or(first).cloned();
            let (first_old, first_new) = named.as_ref().map(|(old, new)| (old, new)).unzip();
            let sides = [(&old, stated(&self.old, first_old)), (&new, stated(&self.new, first_new))];
            for (name, known) in sides {
                if let (Some(name), Some(known)) = (name, known)
                    && !names::is_same_file(name, &known)
                {
                    self.set_fault(other_name(name, &known));
                }
            }
        }
        match (old.or_else(|| new.clone()), new) {
            (Some(old), new) if !is_certain => {
                Some((plain_name(&old), plain_name(new.as_ref().unwrap_or(&old))))
            }
            _ => named,
        }
    }

    fn set_fault(&mut self, fault: String) {
        self.fault.get_or_insert(fault);
    }

    /// The reason why the headers cannot all be true, if there is one.
    fn contradiction(&mut self) -> Option<String> {
        let pairs = [
            (self.creates && self.copies, "a new file and a copy"),
            (self.creates && self.renames, "a new file and a rename"),
            (self.deletes && self.copies, "a removal and a copy"),
            (self.deletes && self.renames, "a removal and a rename"),
            (self.copies && self.renames, "a copy and a rename"),
            (self.creates && self.deletes, "a new file and a removal"),
        ];
        let pair = pairs.into_iter().find(|(both, _)| *both);
        self.fault.take().or_else(|| pair.map(|(_, what)| contradicting_headers(what)))
    }

    /// Returns whether the headers of a part with nothing below them announce more, or state nothing.
    fn announces_more(&self, old: &Option<String>, new: &Option<String>) -> bool {
        let is_part = self.similarity.is_some_and(|similarity| similarity < 100);
        let differs = |(before, after): &(String, String)| {
            before != after && !(is_empty_content(before) && is_empty_content(after))
        };
        let is_moved = self.copies || old != new;
        let mode = self.old_mode.is_some() && self.new_mode.is_some() && self.old_mode != self.new_mode;
        let says = is_moved || self.creates || self.deletes || mode;
        is_part || self.hashes.as_ref().is_some_and(differs) || !says
    }

    fn read_header(&mut self, line: &str) {
        let name = |rest: &str| names::parse_header_name(rest);
        let mode = names::parse_mode;
        if let Some(fault) = names::mode_fault(line) {
            self.set_fault(fault);
        }
        self.renames |= line.starts_with("rename from ") || line.starts_with("rename to ");
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
        } else if let Some(rest) = line.strip_prefix("similarity index ") {
            self.similarity = rest.trim_end_matches('%').parse().ok();
        } else if let Some(rest) = line.strip_prefix("index ") {
            let (hashes, stays) = rest.split_once(' ').map_or((rest, None), |(all, mode)| (all, Some(mode)));
            self.hashes = hashes.split_once("..").map(|(old, new)| (old.to_owned(), new.to_owned()));
            if let Some(stays) = stays {
                self.old_mode = self.old_mode.or(mode(stays));
                self.new_mode = self.new_mode.or(mode(stays));
            }
        }
    }
}

/// Returns whether a possibly abbreviated hash is that of no file or of an empty one.
fn is_empty_content(hash: &str) -> bool {
    !hash.is_empty() && (hash.bytes().all(|byte| byte == b'0') || is_empty_blob(hash))
}

/// Returns whether a possibly abbreviated hash is that of an empty file.
pub(super) fn is_empty_blob(hash: &str) -> bool {
    const EMPTY: [&str; 2] = [
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
        "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
    ];
    // Git abbreviates to no fewer signs.
    hash.len() >= 4 && EMPTY.iter().any(|empty| empty.starts_with(hash))
}

/// The fault of a part whose names are not those of its first line.
pub(super) fn other_name(name: &str, known: &str) -> String {
    let [name, known] = [name, known].map(names::strip_git_prefix);
    format!("its headers name {name} where its `diff --git` line names {known}")
}

/// The fault of a part whose headers state two things that cannot both be so.
pub(super) fn contradicting_headers(what: &str) -> String {
    format!("its headers state {what}, which it cannot be at once")
}

fn plain_name(name: &str) -> String {
    names::strip_git_prefix(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_like_the_prefixes_of_git() {
        for path in ["a/x", "b/x", "a/b/x", "b/a/b/x"] {
            let diff =
                format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-1\n+2\n");
            let moved = format!(
                "diff --git a/{path} b/b/{path}\nrename from {path}\nrename to b/{path}\n\
                 --- a/{path}\n+++ b/b/{path}\n@@ -1 +1 @@\n-1\n+2\n"
            );
            for (diff, new) in [(diff, path.to_owned()), (moved, format!("b/{path}"))] {
                let files = git_files(&diff);
                let [file] = files.as_slice() else { panic!("{files:?}") };
                assert_eq!(
                    (file.old.as_deref(), file.new.as_deref()),
                    (Some(path), Some(new.as_str())),
                    "{diff}"
                );
                assert!(matches!(file.body, GitBody::Lines(_)), "{file:?}");
            }
        }
    }

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
        assert!(moved.is_rename() && moved.executable_change().is_none() && !moved.is_plain());
        assert!(
            matches!(moved.body, GitBody::Lines(lines) if lines.starts_with("--- a/a.txt") && lines.ends_with("+b\n"))
        );
        assert_eq!((mode.executable_change(), &mode.body), (Some(true), &GitBody::Same));
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
