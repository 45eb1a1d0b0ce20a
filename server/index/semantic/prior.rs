//! The evidence of a path alone on how likely a file is sought.

use super::language::SourceLanguage;

/// The kinds of a file, by its path: a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PathPrior(u8);

/// Tests, benchmarks and what they need.
pub(super) const TEST: usize = 0;
/// Examples and demonstrations.
pub(super) const EXAMPLE: usize = 1;
/// Text for readers.
pub(super) const PROSE: usize = 2;
/// Written by others, or by a program.
pub(super) const FOREIGN: usize = 3;
/// Settings and data.
pub(super) const DATA: usize = 4;
/// Declarations of what is elsewhere.
pub(super) const DECLARES: usize = 5;
/// Scripts of the build, tools next to the product, outdated files.
pub(super) const SECONDARY: usize = 6;

#[rustfmt::skip]
const TEST_FOLDERS: &[&str] = &[
    "test", "tests", "testing", "__tests__", "spec", "specs", "bench", "benches", "benchmark", "benchmarks", "fixtures",
    "testdata", "e2e", "t", "fuzz", "mocks", "__mocks__", "testsuite", "unittests", "test-d", "testutil", "testlib",
    "autotests", "unit_tests",
];
const TEST_FOLDER_ENDS: &[&str] = &["-tests", "_tests", "_test", "-test", ".tests", ".test"];
const TEST_ENDS: &[&str] = &["_test", "-test", "_spec", "_tests", "_bench", "_unittest"];
const TEST_CLASS_ENDS: &[&str] = &["Test", "Tests", "Spec", "Suite", "Benchmark", "TestCase"];
#[rustfmt::skip]
const EXAMPLE_FOLDERS: &[&str] = &[
    "example", "examples", "demo", "demos", "sample", "samples", "docs_src", "tutorial", "tutorials", "playground",
    "sandbox", "snippets", "cookbook",
];
const PROSE_FOLDERS: &[&str] = &["doc", "docs", "documentation", "man", "website"];
#[rustfmt::skip]
const FOREIGN_FOLDERS: &[&str] = &[
    "vendor", "vendored", "third_party", "thirdparty", "3rdparty", "external", "node_modules", "dist", "build", "deps",
    "extern", "_vendor", "generated", "gen", "out", "target", "min", "subprojects",
];
#[rustfmt::skip]
const SECONDARY_FOLDERS: &[&str] = &[
    "scripts", "script", "tools", "tool", "contrib", "ci", ".github", "hack", "misc", "deprecated", "legacy", "v1",
    "compat", "packaging", "extras", "support",
];
const SECONDARY_FILES: &[&str] =
    &["setup", "makefile", "cmakelists", "configure", "build", "gulpfile", "rakefile", "gruntfile"];
const DECLARING: &[&str] = &["d.ts", "pyi", "h", "hpp", "hh", "hxx", "mli", "fsi", "d.mts", "d.cts"];

impl PathPrior {
    /// The number of kinds.
    pub(super) const COUNT: usize = 7;

    /// Reads a path.
    pub(super) fn from_path(path: &str, language: SourceLanguage) -> Self {
        let lower = path.to_ascii_lowercase();
        let (folders, file) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let (stem, extension) = file.split_once('.').unwrap_or((file, ""));
        let is_in = |list: &[&str]| folders.split('/').any(|folder| list.contains(&folder));
        let ends = |text: &str, list: &[&str]| list.iter().any(|end| text.ends_with(end));
        let class = path.rsplit('/').next().and_then(|file| file.split('.').next()).unwrap_or("");
        let is_test_file = stem.starts_with("test_")
            || stem.starts_with("test-")
            || ends(stem, TEST_ENDS)
            || matches!(stem, "tests" | "test" | "conftest")
            || ["test.", "spec.", "bench."].iter().any(|kind| extension.starts_with(kind))
            || language == SourceLanguage::Classes && ends(class, TEST_CLASS_ENDS);
        let is_test_folder =
            is_in(TEST_FOLDERS) || folders.split('/').any(|folder| ends(folder, TEST_FOLDER_ENDS));
        let is_generated = extension.contains("min.")
            || stem.contains("generated")
            || extension.starts_with("pb.")
            || stem.ends_with("_pb2")
            || extension.starts_with("g.");
        let told = [
            is_test_file || is_test_folder,
            is_in(EXAMPLE_FOLDERS),
            language == SourceLanguage::Prose || is_in(PROSE_FOLDERS),
            is_generated || is_in(FOREIGN_FOLDERS),
            language == SourceLanguage::Data,
            DECLARING.contains(&extension),
            is_in(SECONDARY_FOLDERS) || SECONDARY_FILES.contains(&stem),
        ];
        Self(told.iter().enumerate().fold(0, |all, (at, is)| all | u8::from(*is) << at))
    }

    /// Returns whether the file is of one of those kinds.
    pub(super) fn has(self, what: usize) -> bool {
        self.0 >> what & 1 == 1
    }

    /// Returns whether it is the main code: of none of those kinds.
    pub(super) fn is_sought(self) -> bool {
        ![TEST, EXAMPLE, PROSE, FOREIGN, DATA, SECONDARY].iter().any(|what| self.has(*what))
    }

    /// Returns whether it is code at all.
    pub(super) fn is_code(self) -> bool {
        !self.has(PROSE) && !self.has(DATA)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantic::language::language_of;

    #[test]
    fn paths_tell_what_files_are() {
        let check = |path: &str, expected: &[usize]| {
            let prior = PathPrior::from_path(path, language_of(path));
            let told: Vec<usize> = (0..PathPrior::COUNT).filter(|what| prior.has(*what)).collect();
            assert_eq!(told, expected, "{path}");
        };
        check("src/parser.rs", &[]);
        check("tests/parser.rs", &[TEST]);
        check("src/parser_test.go", &[TEST]);
        check("src/app.test.ts", &[TEST]);
        check("core/src/ParserTest.java", &[TEST]);
        check("src/latest.java", &[]);
        check("src/click/testing.py", &[]);
        check("examples/run.py", &[EXAMPLE]);
        check("docs/guide.md", &[PROSE]);
        check("ChangeLog", &[PROSE]);
        check("vendor/a/b.go", &[FOREIGN]);
        check("package-lock.json", &[DATA]);
        check("include/uv.h", &[DECLARES]);
        check("tools/release.py", &[SECONDARY]);
    }
}
