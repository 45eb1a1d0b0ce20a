//! fs.write: the whole text of a file.

use serde_json::{Map, Value};

use super::{change, text};
use crate::protocol::Fault;
use crate::registry::Draft;
use crate::session::Scope;

/// Writes a whole file. Where no hash is expected, it is that of the text which the agent was shown last.
///
/// # Errors
/// STALE, or that the file cannot hold the text.
pub(super) fn draft(scope: &Scope, args: &Map<String, Value>) -> Result<Draft, Fault> {
    let (path, before) = change::target(scope, args)?;
    if !args.contains_key("expected_hash") {
        change::expect_as_shown(scope, &path, before.as_ref())?;
    }
    let after = change::like(before.as_ref(), text(args, "content")).into_owned();
    change::draft(path, before, after, Vec::new())
}
