//! What the pages for people who change the program name is there: files, folders, and names of the code.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::tree::{File, Finding, Tree};

/// The pages. Of the decisions only the files are looked up: a reason may name what others have.
const PAGES: [(&str, bool); 3] =
    [("server/ARCHITECTURE.md", true), ("CONTRIBUTING.md", true), ("docs/dev/decisions.md", false)];

/// Folders that a path on a page may begin in.
const BASES: [&str; 3] = ["", "server/", "editors/vscode/"];

/// Endings of the files that hold names.
const CODE: [&str; 10] = ["rs", "lua", "ts", "js", "mjs", "json", "yaml", "toml", "sh", "txt"];

/// Endings by which a word of a page is a file's.
const FILES: [&str; 10] = ["rs", "lua", "ts", "js", "mjs", "yaml", "toml", "md", "txt", "sh"];

/// What stands between backticks outside of blocks of code, with its line, from 1.
fn quoted(page: &File) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut found = Vec::new();
    for (at, line) in page.text.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        if !fenced && !line.starts_with("    ") {
            found.extend(line.split('`').skip(1).step_by(2).map(|quoted| (at + 1, quoted)));
        }
    }
    found
}

/// Whether a part of a path is a word in the place of a name, as `NAME.rs`.
fn is_placeholder(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default();
    stem.len() > 1
        && stem.chars().all(|c| c.is_ascii_uppercase())
        && stem != "README"
        && stem != "CONTRIBUTING"
}

/// Whether a quoted word is the path of a file or a folder of the repository.
fn is_path(word: &str) -> bool {
    static PATH: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^[\w.-]+(?:/[\w.-]+)*/?$").expect("a pattern"));
    let ending = word.rsplit_once('.').is_some_and(|(_, ending)| FILES.contains(&ending));
    let begins = ["server/", "tests/", "editors/", "schemas/", "docs/", ".ci/"]
        .iter()
        .any(|base| word.starts_with(base));
    PATH.is_match(word) && (ending || begins)
}

/// Whether something stands at a path. A word in the place of a name stands for any.
fn is_there(tree: &Tree, word: &str) -> bool {
    let parts = word.trim_end_matches('/').split('/');
    let path = parts.take_while(|part| !is_placeholder(part)).collect::<Vec<_>>().join("/");
    let has = |known: &String| {
        let at = |base: &&str| {
            let rest = known.strip_prefix(*base).and_then(|rest| rest.strip_prefix(path.as_str()));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // A file may be named alone, as `swap.rs`.
        BASES.iter().any(at) || (!path.contains('/') && known.ends_with(&format!("/{path}")))
    };
    path.is_empty() || tree.paths.iter().any(has)
}

/// Each path and each name of the code is there.
pub(crate) fn exist(tree: &Tree) -> Vec<Finding> {
    static NAME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^[A-Za-z_]\w+(?:::[A-Za-z_]\w*)*!?$").expect("a pattern"));
    static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[A-Za-z_]\w+").expect("a pattern"));
    let code =
        tree.files.iter().filter(|file| CODE.contains(&file.extension()) || file.extension().is_empty());
    let known: HashSet<&str> =
        code.flat_map(|file| WORD.find_iter(&file.text)).map(|word| word.as_str()).collect();
    let mut findings = Vec::new();
    for (page, names) in PAGES {
        let page = tree.file(page);
        for (line, word) in quoted(page) {
            if is_path(word) {
                if !is_there(tree, word) {
                    findings.push(
                        page.finding(
                            line,
                            format!("names `{word}`, which is not there: say where it is now"),
                        ),
                    );
                }
            } else if names && NAME.is_match(word) {
                let lacking = |part: &&str| !known.contains(part);
                if let Some(part) = word.trim_end_matches('!').split("::").find(lacking) {
                    findings.push(
                        page.finding(line, format!("names `{part}`, which no code has: name what there is")),
                    );
                }
            }
        }
        if names {
            findings.extend(misplaced_names(tree, page));
        }
    }
    findings
}

/// Finds names that a page says are in a file, as `hover_of` in `lsp/review.rs`, and that the file lacks.
fn misplaced_names(tree: &Tree, page: &File) -> Vec<Finding> {
    static PLACE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"`([A-Za-z_]\w+)`(?:\s+and\s+`([A-Za-z_]\w+)`)?\s+in\s+`([\w./-]+\.(?:rs|ts|lua))`")
            .expect("a pattern")
    });
    let mut findings = Vec::new();
    for place in PLACE.captures_iter(&page.text) {
        let (whole, path) = (place.get(0).expect("the match"), &place[3]);
        let line = page.text[..whole.start()].lines().count().max(1);
        let file = |file: &&File| file.path == path || file.path.ends_with(&format!("/{path}"));
        let holds = |name: &str| tree.files.iter().filter(file).any(|file| file.text.contains(name));
        for name in [place.get(1), place.get(2)].into_iter().flatten().map(|name| name.as_str()) {
            if !is_placeholder(path.rsplit('/').next().unwrap_or(path)) && !holds(name) {
                findings
                    .push(page.finding(line, format!("names `{name}` in `{path}`, which does not hold it")));
            }
        }
    }
    findings
}
