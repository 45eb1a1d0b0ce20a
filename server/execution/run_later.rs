//! The table of files that programs outside of the sandbox run, where a command writes them directly.

use std::sync::LazyLock;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::base::WorkspacePath;

/// The rows of the table, and one set of all its globs.
static TABLE: LazyLock<RunLaterTable> =
    LazyLock::new(|| RunLaterTable::parse_table(include_str!("run_later.txt")));

/// A file that something runs later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunLater {
    /// The program that runs it.
    pub(super) by: &'static str,
    /// True where a package manager alone has a reason to change it.
    pub(super) is_installed: bool,
}

/// Globs of files that a program outside of the sandbox runs later, each with that program.
#[derive(Debug)]
struct RunLaterTable {
    globs: GlobSet,
    /// The row of each glob.
    rows: Vec<RunLater>,
}

impl RunLaterTable {
    /// Reads the headings `installed: PROGRAM` and `built: PROGRAM`, and under each the globs of the files that it runs.
    /// Leaves out globs that are not valid.
    fn parse_table(text: &'static str) -> Self {
        let (mut globs, mut rows) = (GlobSetBuilder::new(), Vec::new());
        let mut row = RunLater { by: "", is_installed: false };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let heading = ["installed: ", "built: "].iter().find_map(|kind| line.strip_prefix(kind));
            if let Some(by) = heading {
                row = RunLater { by, is_installed: line.starts_with("installed") };
                continue;
            }
            for glob in line.split_ascii_whitespace() {
                let built = GlobBuilder::new(&format!("**/{glob}")).literal_separator(true).build();
                // The tests build each.
                if let Ok(glob) = built {
                    globs.add(glob);
                    rows.push(row);
                }
            }
        }
        Self { globs: globs.build().unwrap_or_else(|_| GlobSet::empty()), rows }
    }
}

/// Returns the program that runs a file later, where there is one.
pub(super) fn run_later(path: &WorkspacePath) -> Option<RunLater> {
    let first = *TABLE.globs.matches(path.as_str()).first()?;
    TABLE.rows.get(first).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_editors_shells_and_builds_run_is_named() {
        let globs = include_str!("run_later.txt").lines().filter(|line| !line.starts_with('#'));
        let globs = globs.filter(|line| !line.contains(": ")).flat_map(str::split_ascii_whitespace);
        assert_eq!(TABLE.rows.len(), globs.count(), "each glob can be built");
        let of = |path: &str| run_later(&WorkspacePath::from_relative(path).unwrap());
        for (path, by, is_installed) in [
            ("node_modules/typescript/lib/tsserver.js", "your editor", true),
            ("web/node_modules/.pnpm/eslint@9/node_modules/eslint/bin/eslint.js", "your editor", true),
            ("node_modules/@biomejs/cli-linux-x64/biome", "your editor", true),
            ("node_modules/.bin/tsc", "your shell", true),
            ("app/.venv/bin/python", "your shell", true),
            ("env/lib/python3.12/site-packages/x.pth", "each start of the interpreter", true),
            ("target/debug/build/x-1/build-script-build", "your editor and the next build", false),
            ("target/release/deps/libserde_derive-1.so", "your editor and the next build", false),
        ] {
            assert_eq!(of(path), Some(RunLater { by, is_installed }), "{path}");
        }
        for other in ["node_modules/lodash/index.js", "target/debug/deps/x.rlib", "dist/bundle.js"] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
