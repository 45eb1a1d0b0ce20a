//! fs.edit: a text, or what a pattern matches, found in a file and replaced.

use regex::RegexBuilder;
use serde_json::{Map, Value, json};

use super::refused::refused;
use super::{change, text};
use crate::patch::{self, Places};
use crate::protocol::{Code, Fault};
use crate::registry::Draft;
use crate::session::Scope;

/// Bytes that a compiled pattern may take.
const PATTERN: usize = 4 << 20;

/// Replaces what is found in one file.
///
/// # Errors
/// NOT_FOUND, STALE, PATCH_MISMATCH, INVALID_ARGS for a pattern that is none.
pub(super) fn draft(scope: &Scope, args: &Map<String, Value>) -> Result<Draft, Fault> {
    let (path, before) = change::target(scope, args)?;
    let Some(before) = before else {
        return Err(Fault::new(Code::NotFound, format!("there is no file {path} to find anything in"))
            .suggest("make it with fs.write, or look for the file that is meant with fs.ls"));
    };
    let flag = |name: &str| args.get(name).and_then(Value::as_bool).unwrap_or(false);
    let (find, replace) = (text(args, "find"), text(args, "replace"));
    let expected = args.get("expected_count").and_then(Value::as_u64);
    let places = match expected.and_then(|count| usize::try_from(count).ok()) {
        Some(count) => Places::Exactly(count),
        None if flag("all") => Places::All,
        None => Places::One,
    };
    let applied = match flag("regex") {
        true => {
            let pattern = RegexBuilder::new(find).multi_line(true).crlf(true).size_limit(PATTERN).build();
            let pattern = pattern.map_err(|error| no_pattern(&error))?;
            patch::replace_matches(path.as_str(), &before.text, &pattern, replace, places)
        }
        false => patch::replace(path.as_str(), &before.text, find, replace, places),
    };
    let applied = applied.map_err(refused)?;
    let after = applied.after.unwrap_or_else(|| before.text.clone());
    let mut draft = change::draft(path, Some(before), after, change::loose(&applied.hunks))?;
    if !applied.hunks.is_empty() {
        draft.notes.insert("placed".into(), json!(applied.hunks));
    }
    if applied.unchanged {
        let note = "what was found stands there already as it is to be; nothing was changed";
        draft.notes.insert("note".into(), json!(note));
    }
    Ok(draft)
}

fn no_pattern(error: &regex::Error) -> Fault {
    Fault::new(Code::InvalidArgs, format!("`find` is no regular expression that can be used: {error}"))
        .suggest("mend the pattern, or leave `regex` out to find the text as it is")
}
