//! The repository's tracked files and what is found wrong in them.

use std::fmt;
use std::path::Path;
use std::process::Command;

/// A tracked text file.
pub(crate) struct File {
    /// Relative to the repository's root, `/`-separated.
    pub path: String,
    /// Its content.
    pub text: String,
}

impl File {
    /// The part of its name after the last dot.
    pub(crate) fn extension(&self) -> &str {
        Path::new(&self.path).extension().and_then(|end| end.to_str()).unwrap_or_default()
    }

    /// Returns whether it is Rust code of the server.
    pub(crate) fn is_server(&self) -> bool {
        self.path.starts_with("server/") && self.extension() == "rs"
    }

    /// A finding on a line counted from 1.
    pub(crate) fn finding(&self, line: usize, rule: impl Into<String>) -> Finding {
        Finding { place: format!("{}:{line}", self.path), rule: rule.into() }
    }

    /// The lines for which `wrong` returns a problem.
    pub(crate) fn findings_by_line(&self, wrong: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
        let lines = self.text.lines().enumerate();
        lines.filter_map(|(at, line)| wrong(line).map(|rule| self.finding(at + 1, rule))).collect()
    }
}

/// Something to mend.
pub(crate) struct Finding {
    /// Where: a path, with a line where there is one.
    pub place: String,
    /// The problem, and its remedy.
    pub rule: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "  {}: {}", self.place, self.rule)
    }
}

/// Every tracked file, and those new ones that are not ignored.
pub(crate) struct Tree {
    /// Paths of all of them, binary ones too.
    pub paths: Vec<String>,
    /// The text files.
    pub files: Vec<File>,
}

impl Tree {
    /// Asks git for the names and reads them.
    pub(crate) fn tracked() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let asked = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output()
            .expect("git is installed");
        assert!(asked.status.success(), "git ls-files: {}", String::from_utf8_lossy(&asked.stderr));
        let names = String::from_utf8(asked.stdout).expect("paths are UTF-8");
        let kept = |path: &&str| !path.is_empty() && root.join(path).is_file();
        let paths: Vec<String> = names.split('\0').filter(kept).map(str::to_owned).collect();
        let read = |path: &String| {
            let text = String::from_utf8(std::fs::read(root.join(path)).ok()?).ok()?;
            Some(File { path: path.clone(), text })
        };
        let files = paths.iter().filter_map(read).collect();
        Self { paths, files }
    }

    /// The file at `path`, which must be there.
    pub(crate) fn file(&self, path: &str) -> &File {
        let found = self.files.iter().find(|file| file.path == path);
        found.unwrap_or_else(|| panic!("{path} is missing from the repository"))
    }

    /// The server's Rust files.
    pub(crate) fn server(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.is_server())
    }
}
