//! fs.append: text at the end of a file.

use serde_json::{Map, Value};

use super::{change, text};
use crate::protocol::Fault;
use crate::registry::Draft;
use crate::session::Scope;

/// Appends to a file, or makes it.
///
/// # Errors
/// STALE, or that the file cannot hold the text.
pub(super) fn draft(scope: &Scope, args: &Map<String, Value>) -> Result<Draft, Fault> {
    let (path, before) = change::target(scope, args)?;
    let mut after = before.as_ref().map(|before| before.text.clone()).unwrap_or_default();
    after.push_str(&change::like(before.as_ref(), text(args, "text")));
    change::draft(path, before, after, Vec::new())
}
