//! The role of a file in a context, by its path: source, test, doc, reference or summary.

use crate::protocol::{Role, Truncate};

const DOCS: [&str; 8] = ["adoc", "htm", "html", "md", "mdx", "rst", "tex", "txt"];
const DATA: [&str; 14] = [
    "cfg", "conf", "csv", "ini", "json", "jsonc", "jsonl", "lock", "log", "toml", "tsv", "xml", "yaml", "yml",
];
/// Folders of what others wrote, or a program.
const VENDORED: [&str; 7] =
    ["dist", "generated", "node_modules", "target", "third_party", "thirdparty", "vendor"];

/// Returns the role of a file, by its path.
pub(super) fn role_of(path: &str) -> Role {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let mut folders = folders.split('/');
    if stem == "summary" || stem.ends_with(".summary") || stem.ends_with("-summary") {
        return Role::Summary;
    }
    if folders.clone().any(|folder| VENDORED.contains(&folder)) || name.ends_with(".d.ts") {
        return Role::Reference;
    }
    if DOCS.contains(&extension) {
        return Role::Doc;
    }
    if DATA.contains(&extension) {
        return Role::Reference;
    }
    let is_test = folders.any(|folder| matches!(folder, "test" | "tests" | "spec" | "specs" | "__tests__"))
        || stem.starts_with("test_")
        || ["_test", ".test", "_spec", ".spec", "_tests"].iter().any(|end| stem.ends_with(end))
        || stem == "tests";
    if is_test { Role::Test } else { Role::Source }
}

/// Returns the part of a file of that role that is cut by default.
pub(super) fn default_truncate(role: Role, path: &str) -> Truncate {
    match role {
        Role::Summary => Truncate::Never,
        // Of what grows at its end, the end is new.
        _ if path.ends_with(".log") => Truncate::Start,
        Role::Reference => Truncate::Middle,
        Role::Source | Role::Test | Role::Doc => Truncate::End,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_the_role() {
        for (path, role) in [
            ("src/main.rs", Role::Source),
            ("Makefile", Role::Source),
            ("tests/e2e/main.rs", Role::Test),
            ("pkg/a_test.go", Role::Test),
            ("web/a.spec.ts", Role::Test),
            ("server/memory/tests.rs", Role::Test),
            ("docs/guide.md", Role::Doc),
            ("tests/README.md", Role::Doc),
            ("Cargo.lock", Role::Reference),
            ("vendor/x/a.c", Role::Reference),
            ("types/a.d.ts", Role::Reference),
            ("notes/parser.summary.md", Role::Summary),
            ("src/latest.rs", Role::Source),
        ] {
            assert_eq!(role_of(path), role, "{path}");
        }
    }
}
