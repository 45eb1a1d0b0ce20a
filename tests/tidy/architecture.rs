//! The map shows the whole land: `server/ARCHITECTURE.md` has a paragraph for each module, in the order of the layers, and is
//! read in one go.

use crate::layers;
use crate::tree::{Finding, Tree};

/// The page.
const PAGE: &str = "server/ARCHITECTURE.md";

/// Lines of the longest map.
const LONGEST: usize = 400;

/// Its paragraphs of modules are in the order of `server/lib.rs`.
pub(crate) fn modules(tree: &Tree) -> Vec<Finding> {
    let page = tree.file(PAGE);
    let paragraph = |line: &str| Some(line.strip_prefix("**`")?.split_once("`** —")?.0.to_owned());
    let shown: Vec<String> = page.text.lines().filter_map(paragraph).collect();
    let order = layers::order(tree);
    let rule = format!(
        "the paragraphs \"**`NAME`** —\" are of {shown:?}, server/lib.rs says {order:?}: make them follow it"
    );
    (shown != order).then(|| page.finding(1, rule)).into_iter().collect()
}

/// It stays a map: details are in the modules and in the decisions.
pub(crate) fn length(tree: &Tree) -> Vec<Finding> {
    let page = tree.file(PAGE);
    let lines = page.text.lines().count();
    let rule = format!(
        "{lines} lines, {LONGEST} is the limit: an invariant belongs into the `//!` of its file, a reason into docs/dev/decisions.md"
    );
    (lines > LONGEST).then(|| page.finding(lines, rule)).into_iter().collect()
}
