//! Which module may know which: the order in `server/lib.rs` is the order of the layers. Some of these modules are crates
//! of their own, `wherefore-NAME` in `server/NAME`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::rust_code;
use crate::tree::{File, Finding, Tree};

/// The ways in. They know `hub`, `pipeline` and `catalogue`, never a tool.
const DOORS: [&str; 5] = ["lsp", "socket", "cli", "mcp", "acp"];

/// The modules of `server/lib.rs`, lowest first: its own, and the crates that it gives a name.
pub(crate) fn order(tree: &Tree) -> Vec<String> {
    let declared = |line: &str| {
        let line = line.strip_prefix("pub ").unwrap_or(line).strip_suffix(';')?;
        let name = line.strip_prefix("mod ").or_else(|| {
            let (package, name) = line.strip_prefix("use wherefore_")?.split_once(" as ")?;
            (package == name).then_some(name)
        })?;
        Some(name.to_owned())
    };
    rust_code::code(&tree.file("server/lib.rs").text).lines().filter_map(declared).collect()
}

/// A module imports only from those above it.
pub(crate) fn upward(tree: &Tree) -> Vec<Finding> {
    let order = order(tree);
    let rank = |module: &str| order.iter().position(|name| name == module);
    let wrong = |file: &File, line, from: &str, to: &str| {
        (rank(to)? > rank(from)?).then(|| {
            let rule = format!(
                "`{from}` imports `{to}`, which stands below it in server/lib.rs: move the code up, or hand it in as an argument"
            );
            file.finding(line, rule)
        })
    };
    imports(tree, wrong)
}

/// A door asks the pipeline; it never calls an activity itself.
pub(crate) fn doors(tree: &Tree) -> Vec<Finding> {
    imports(tree, |file, line, from, to| {
        (DOORS.contains(&from) && to == "tools")
            .then(|| file.finding(line, "a door imports `tools`: make a call through the pipeline instead"))
    })
}

/// A tool works in its scope: what else a session holds is out of its reach.
pub(crate) fn sessions(tree: &Tree) -> Vec<Finding> {
    words(
        tree,
        r"\bSession\b",
        |file| module(file) == "tools" && !file.path.ends_with("/tests.rs"),
        |_| "a tool names `Session`: give `Scope` the narrow method that it needs".to_owned(),
    )
}

/// The service's types stay behind one door.
pub(crate) fn tower_lsp(tree: &Tree) -> Vec<Finding> {
    words(
        tree,
        r"\btower_lsp(_server)?\b",
        |file| module(file) != "lsp",
        |word| format!("`{word}` outside server/lsp: turn it into a protocol type in server/lsp"),
    )
}

/// Unsafe code is in one file, where each block explains why it is sound; attempts to escape the sandbox use it, too.
pub(crate) fn unsafe_code(tree: &Tree) -> Vec<Finding> {
    words(
        tree,
        r"\bunsafe(_code)?\b",
        |file| {
            file.path != "server/sandbox/linux.rs" && !file.path.starts_with("server/sandbox/tests/escapes/")
        },
        |_| "unsafe code outside server/sandbox/linux.rs: find a safe crate, or move it there".to_owned(),
    )
}

/// A permitted call comes from the rules, and one file asks them for it.
pub(crate) fn permits(tree: &Tree) -> Vec<Finding> {
    words(
        tree,
        r"\bjudge_(call|further)\b|\bAllowed\s*\{",
        |file| module(file) != "rules" && file.path != "server/pipeline/permit.rs",
        |word| format!("`{word}` outside server/pipeline/permit.rs: a call is permitted there alone"),
    )
}

/// Findings for a pattern in the code of the selected server files.
fn words(
    tree: &Tree,
    pattern: &str,
    meant: impl Fn(&File) -> bool,
    rule: impl Fn(&str) -> String,
) -> Vec<Finding> {
    let pattern = Regex::new(pattern).expect("a pattern");
    let mut findings = Vec::new();
    for file in tree.server().filter(|file| meant(file)) {
        for (at, line) in rust_code::code(&file.text).lines().enumerate() {
            findings.extend(pattern.find(line).map(|found| file.finding(at + 1, rule(found.as_str()))));
        }
    }
    findings
}

/// The top module that a file belongs to.
fn module(file: &File) -> &str {
    let inside = file.path.strip_prefix("server/").unwrap_or(&file.path);
    inside.split(['/', '.']).next().unwrap_or_default()
}

/// Asks `wrong` about every import of one top module by another: file, line, importing, imported.
fn imports(tree: &Tree, wrong: impl Fn(&File, usize, &str, &str) -> Option<Finding>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in
        tree.server().filter(|file| !file.path.ends_with("/tests.rs") && !file.path.contains("/tests/"))
    {
        let (code, from) = (rust_code::code(&file.text), module(file));
        // In a crate `crate::` names its own modules: it knows others by their packages only.
        let is_crate = tree.paths.iter().any(|path| *path == format!("server/{from}/Cargo.toml"));
        let named = if is_crate { BTreeSet::new() } else { imported(&code, depth(&file.path)) };
        for (line, to) in named.into_iter().chain(packages(&code)) {
            findings.extend(wrong(file, line, from, &to));
        }
    }
    findings
}

/// The number of `super::` that lead from a file to the crate's root.
fn depth(path: &str) -> usize {
    path.strip_prefix("server/").map_or(0, |inside| inside.split('/').count())
}

/// Each top module that `code` names through `crate::…` or enough `super::…`, with its line.
fn imported(code: &str, depth: usize) -> BTreeSet<(usize, String)> {
    static PATH: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b(crate|super(?:\s*::\s*super)*)\s*::\s*").expect("a pattern"));
    let mut found = BTreeSet::new();
    for path in PATH.captures_iter(code) {
        let climbs = path[1].matches("super").count();
        if &path[1] != "crate" && climbs < depth {
            continue;
        }
        let end = path.get(0).map_or(0, |all| all.end());
        let line = code[..end].matches('\n').count() + 1;
        found.extend(heads(&code[end..]).into_iter().map(|name| (line, name)));
    }
    found
}

/// Each wherefore crate that `code` names, with its line.
fn packages(code: &str) -> BTreeSet<(usize, String)> {
    static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bwherefore_(\w+)").expect("a pattern"));
    let line = |at: usize| code[..at].matches('\n').count() + 1;
    let found = NAME.captures_iter(code).filter_map(|name| name.get(1));
    found.map(|name| (line(name.start()), name.as_str().to_owned())).collect()
}

/// The first name of a path, or of each path of a group in braces.
fn heads(rest: &str) -> Vec<String> {
    let word = |text: &str| {
        let name: String =
            text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        (!name.is_empty()).then_some(name)
    };
    let Some(group) = rest.strip_prefix('{') else { return word(rest).into_iter().collect() };
    let mut depth = 0_i32;
    let mut parts = vec![String::new()];
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => parts.push(String::new()),
            _ if depth == 0 => parts.last_mut().expect("one at least").push(c),
            _ => {}
        }
    }
    parts.iter().filter_map(|part| word(part)).collect()
}

#[test]
fn every_way_to_name_a_module_is_seen() {
    type Case<'a> = (&'a str, usize, &'a [(usize, &'a str)]);
    let cases: [Case<'_>; 6] = [
        ("use crate::rules;", 1, &[(1, "rules")]),
        ("\nuse crate::{base::{a, b}, rules::c,\n  hub};", 2, &[(2, "base"), (2, "hub"), (2, "rules")]),
        ("let x = crate::tools::all();", 1, &[(1, "tools")]),
        ("use super::super::lsp::x;", 2, &[(1, "lsp")]),
        ("use super::sibling;", 2, &[]),
        ("use super::patch;", 1, &[(1, "patch")]),
    ];
    for (code, depth, expected) in cases {
        let expected = expected.iter().map(|(line, name)| (*line, (*name).to_owned())).collect();
        assert_eq!(imported(code, depth), expected, "{code}");
    }
}

#[test]
fn a_crate_is_known_by_its_package() {
    let code = "use wherefore_base as base;\nfn f() { wherefore_patch::cut(crate::index::all()) }";
    let found: Vec<_> = packages(code).into_iter().collect();
    assert_eq!(found, [(1, "base".to_owned()), (2, "patch".to_owned())]);
}
