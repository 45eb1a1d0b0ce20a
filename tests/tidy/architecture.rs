//! The map shows the whole land: `server/ARCHITECTURE.md` has a row for each module, in the order of the layers.

use crate::layers;
use crate::tree::{Finding, Tree};

/// Its table of modules is the order in `server/lib.rs`.
pub(crate) fn modules(tree: &Tree) -> Vec<Finding> {
    let page = tree.file("server/ARCHITECTURE.md");
    let row = |line: &str| Some(line.strip_prefix("| `")?.split_once("` |")?.0.to_owned());
    let shown: Vec<String> = page.text.lines().filter_map(row).collect();
    let order = layers::order(tree);
    let rule = format!("the table shows {shown:?}, server/lib.rs says {order:?}: make the rows follow it");
    (shown != order).then(|| page.finding(1, rule)).into_iter().collect()
}

/// Each file that the page names is there: as it stands in the repository, or under `server`.
pub(crate) fn files(tree: &Tree) -> Vec<Finding> {
    let page = tree.file("server/ARCHITECTURE.md");
    let is_there = |name: &str| {
        let ends = |file: &crate::tree::File| file.path == name || file.path.ends_with(&format!("/{name}"));
        tree.files.iter().any(ends)
    };
    let mut findings = Vec::new();
    for (at, line) in page.text.lines().enumerate() {
        let named =
            line.split('`').skip(1).step_by(2).filter(|name| name.ends_with(".rs") || name.ends_with(".txt"));
        for name in named.filter(|name| !is_there(name)) {
            findings.push(
                page.finding(at + 1, format!("names {name}, which is not there: say where it stands now")),
            );
        }
    }
    findings
}
