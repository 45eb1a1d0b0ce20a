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
