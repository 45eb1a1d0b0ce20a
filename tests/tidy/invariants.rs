//! Each invariant in the `//!` of a file of the server, and each promise of `docs/security.md`, names the test that holds it.

use std::sync::LazyLock;

use regex::Regex;

use crate::tree::{File, Finding, Tree};

/// The page of promises, and the heading above them.
const PROMISES: (&str, &str) = ("docs/security.md", "## Promises");

/// The heading of a file's invariants.
const INVARIANTS: &str = "# Invariants";

/// The bullets under a heading of a text, with the line each begins at.
fn bullets<'a>(lines: impl Iterator<Item = &'a str>, heading: &str) -> Vec<(usize, String)> {
    let level = heading.split_once(' ').map_or(heading, |(signs, _)| signs);
    let mut inside = false;
    let mut found: Vec<(usize, String)> = Vec::new();
    for (at, line) in lines.enumerate() {
        match line {
            _ if line.split_once(' ').is_some_and(|(signs, _)| signs == level) => inside = line == heading,
            _ if inside && line.starts_with("- ") => found.push((at + 1, line.to_owned())),
            _ if inside && line.starts_with("  ") => {
                if let Some((_, text)) = found.last_mut() {
                    text.push_str(line);
                }
            }
            _ => {}
        }
    }
    found
}

/// What a file of the server says of itself as a whole.
fn opening(file: &File) -> impl Iterator<Item = &str> {
    file.text
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|text| text.strip_prefix(' ').unwrap_or(text))
}

/// Every invariant and every promise, with the file and the line that it begins at.
fn listed(tree: &Tree) -> Vec<(&File, usize, String)> {
    let (page, heading) = PROMISES;
    let page = tree.file(page);
    let promises =
        bullets(page.text.lines(), heading).into_iter().map(move |(line, text)| (page, line, text));
    let server =
        tree.files.iter().filter(|file| file.extension() == "rs" && file.path.starts_with("server/"));
    let invariants = server.flat_map(|file| {
        bullets(opening(file), INVARIANTS).into_iter().map(move |(line, text)| (file, line, text))
    });
    promises.chain(invariants).collect()
}

/// Each names one test or more as "Test: `name`", and each of these exists.
pub(crate) fn tested(tree: &Tree) -> Vec<Finding> {
    static TESTS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"Tests?: ((?:`\w+`(?:, )?)+)").expect("a pattern"));
    let mut findings = Vec::new();
    let listed = listed(tree);
    if !listed.iter().any(|(file, ..)| file.path.starts_with("server/")) {
        let rule = format!(
            "no file of the server has `{INVARIANTS}` in its `//!`: say what never happens, and the test"
        );
        findings.push(tree.file("server/lib.rs").finding(1, rule));
    }
    for (page, line, text) in listed {
        let Some(named) = TESTS.captures(&text) else {
            findings.push(page.finding(line, "this bullet names no test: end it with \"Test: `name`\""));
            continue;
        };
        for name in named[1].split(", ").map(|name| name.trim_matches('`')).filter(|name| !exists(tree, name))
        {
            findings
                .push(page.finding(line, format!("no test is called `{name}`: write it, or mend the name")));
        }
    }
    findings
}

/// Returns whether some Rust or Lua file holds a test of that name; the tidy checks are named in their list.
fn exists(tree: &Tree, name: &str) -> bool {
    let function = format!("fn {name}(");
    let check = format!("    {name}: ");
    let in_lua = format!("\"{name}\"");
    tree.files.iter().any(|file| match file.extension() {
        "rs" => {
            file.text.contains(&function) || (file.path == "tests/tidy/main.rs" && file.text.contains(&check))
        }
        "lua" => file.text.contains(&in_lua),
        _ => false,
    })
}
