//! A request is a row of the table in `server/requests.rs` with a file of its own, and its method is written nowhere else.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::tree::{Finding, Tree};

const TABLE: &str = "server/requests.rs";

/// The name and the method of each row.
fn rows(tree: &Tree) -> Vec<(String, String)> {
    static ROW: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"(?m)^    (\w+)\([^=]* = ("wherefore/\w+"),"#).expect("a pattern"));
    let rows = ROW.captures_iter(&tree.file(TABLE).text);
    rows.map(|row| (snake(&row[1]), row[2].to_owned())).collect()
}

/// The name of a type as that of its file.
fn snake(name: &str) -> String {
    let mut file = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !file.is_empty() {
            file.push('_');
        }
        file.push(c.to_ascii_lowercase());
    }
    file
}

/// Each file is a request of the table, and each request has its file.
pub(crate) fn files(tree: &Tree) -> Vec<Finding> {
    let name = |path: &String| Some(path.strip_prefix("server/requests/")?.strip_suffix(".rs")?.to_owned());
    let files: BTreeSet<String> = tree.paths.iter().filter_map(name).filter(|name| name != "tests").collect();
    let rows: BTreeSet<String> = rows(tree).into_iter().map(|(name, _)| name).collect();
    let stray =
        |name: &String| format!("`requests/{name}.rs` is no row of the table: add its row, or move the file");
    let bare =
        |name: &String| format!("the row `{name}` has no file: put its handler into requests/{name}.rs");
    let wrong = files.difference(&rows).map(stray).chain(rows.difference(&files).map(bare));
    wrong.map(|rule| tree.file(TABLE).finding(1, rule)).collect()
}

/// The server's code names a request by its type.
pub(crate) fn methods(tree: &Tree) -> Vec<Finding> {
    let rows = rows(tree);
    let elsewhere = tree.server().filter(|file| file.path != TABLE);
    let named = |line: &str| {
        let (name, method) = rows.iter().find(|(_, method)| line.contains(method.as_str()))?;
        Some(format!("{method} stands in the table: take the METHOD of the request in requests/{name}.rs"))
    };
    elsewhere.flat_map(|file| file.findings_by_line(named)).collect()
}
