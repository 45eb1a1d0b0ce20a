//! The rules for every text file: its length, its first line, and no trace of one machine.

use std::sync::LazyLock;

use regex::Regex;

use crate::tree::{File, Finding, Tree};

/// Lines of the longest source file.
const LONGEST: usize = 500;

/// Endings of source files.
const SOURCES: [&str; 9] = ["rs", "lua", "ts", "js", "mjs", "cjs", "sh", "py", "vim"];

/// Returns whether `file` is code that people write; generated code is marked in its first line.
fn is_source(file: &File) -> bool {
    let script = file.extension().is_empty() && file.text.starts_with("#!");
    let generated = file.text.lines().next().is_some_and(|line| line.to_lowercase().contains("generated"));
    (script || SOURCES.contains(&file.extension())) && !generated
}

/// No source file is past the limit.
pub(crate) fn sizes(tree: &Tree) -> Vec<Finding> {
    let long = |file: &File| {
        let lines = file.text.lines().count();
        let rule = format!("{lines} lines, {LONGEST} is the limit: split it by what its parts are for");
        (lines > LONGEST).then(|| file.finding(lines, rule))
    };
    tree.files.iter().filter(|file| is_source(file)).filter_map(long).collect()
}

/// A Rust file opens with one sentence of purpose.
pub(crate) fn purpose(tree: &Tree) -> Vec<Finding> {
    let silent = |file: &File| {
        let said = file.text.lines().next().and_then(|line| line.strip_prefix("//! "));
        let rule = "the first line is not a `//! ` sentence: say what the file is for";
        said.is_none_or(|words| words.trim().len() < 10).then(|| file.finding(1, rule))
    };
    let ours = |file: &&File| file.extension() == "rs" && !file.path.starts_with("tests/cases/");
    tree.files.iter().filter(ours).filter_map(silent).collect()
}

/// No path of one machine, no host of a package registry. Lock files are the package managers' own.
pub(crate) fn machines(tree: &Tree) -> Vec<Finding> {
    static MACHINE: LazyLock<Regex> = LazyLock::new(|| {
        let folders = r"(?:^|[^A-Za-z0-9_.~-])/(?:hom[e]|User[s]|roo[t]|wor[k]|far[m])/[A-Za-z.]";
        let hosts = r"registry\.npm|static\.crates|deb\.debian";
        Regex::new(&format!("{folders}|{hosts}")).expect("a pattern")
    });
    let lock = |file: &File| file.path.ends_with(".lock") || file.path.ends_with("package-lock.json");
    let wrong = |line: &str| {
        let found = MACHINE.find(line)?;
        Some(format!(
            "`{}` belongs to one machine: use a relative path, a variable or a default",
            found.as_str()
        ))
    };
    let allowed = |file: &&File| !lock(file) && file.path != "tests/tidy/text.rs";
    tree.files.iter().filter(allowed).flat_map(|file| file.findings_by_line(wrong)).collect()
}

/// No marker of unfinished work, no test that is switched off.
pub(crate) fn unfinished(tree: &Tree) -> Vec<Finding> {
    static MARKER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:TODO|FIXME|XXX)\b|\btodo!\(|unimplemented!\(|#\[ignore|\.skip\(|\bxit\(")
            .expect("a pattern")
    });
    let wrong = |line: &str| {
        let found = MARKER.find(line)?;
        Some(format!("`{}`: finish it, or take it out", found.as_str()))
    };
    let meant = |file: &&File| {
        is_source(file) && !file.path.starts_with("tests/cases/") && file.path != "tests/tidy/text.rs"
    };
    // `.skip(` is how an iterator leaves things out in Rust and how a test is switched off elsewhere.
    let iterator = |file: &File, line: &str| file.extension() == "rs" && line.contains(".skip(");
    let checked = |file: &File| file.findings_by_line(|line| wrong(line).filter(|_| !iterator(file, line)));
    tree.files.iter().filter(meant).flat_map(checked).collect()
}
