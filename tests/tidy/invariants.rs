//! Each invariant of `server/ARCHITECTURE.md` and each promise of `docs/security.md` names the test that holds it.

use std::sync::LazyLock;

use regex::Regex;

use crate::tree::{File, Finding, Tree};

/// The pages, each with the heading under which it lists them.
const PAGES: [(&str, &str); 2] =
    [("server/ARCHITECTURE.md", "## Invariants"), ("docs/security.md", "## Promises")];

/// The bullets under a page's heading, with the line each begins at.
fn bullets(page: &File, heading: &str) -> Vec<(usize, String)> {
    let mut inside = false;
    let mut found: Vec<(usize, String)> = Vec::new();
    for (at, line) in page.text.lines().enumerate() {
        match line {
            _ if line.starts_with("## ") => inside = line == heading,
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

/// Each names one test or more as "Test: `name`", and each of these exists.
pub(crate) fn tested(tree: &Tree) -> Vec<Finding> {
    static TESTS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"Tests?: ((?:`\w+`(?:, )?)+)").expect("a pattern"));
    let mut findings = Vec::new();
    let listed = PAGES.iter().flat_map(|(page, heading)| {
        let page = tree.file(page);
        bullets(page, heading).into_iter().map(move |(line, text)| (page, line, text))
    });
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

/// Whether some Rust or Lua file holds a test of that name; the tidy checks are named in their list.
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
