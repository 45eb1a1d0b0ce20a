//! Params read to the letter. A member that a request does not know is a slip, or one of a newer client: passed over, it would
//! make another request of it, as `hunk` in place of `hunks` means every hunk.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_ignored::Path;
use serde_json::{Map, Value};

use super::complete::{PathStep, members_at};
use crate::base::nearest::likely_name;

/// Reads params, and every object in them; none at all are an empty object.
///
/// # Errors
/// The problem of the params, as a sentence: each member that is not known, with the one that was probably intended.
pub(crate) fn read_exactly<T: DeserializeOwned + JsonSchema>(params: Value) -> Result<T, String> {
    let params = if params.is_null() { Value::Object(Map::new()) } else { params };
    let mut unknown = Vec::new();
    let read = serde_ignored::deserialize(params, |path| unknown.push(path_steps(&path)));
    match (read, unknown.is_empty()) {
        (Ok(params), true) => Ok(params),
        (Err(error), true) => Err(error.to_string()),
        (read, false) => {
            let schema = Value::from(schemars::schema_for!(T));
            let mut wrong: Vec<String> = unknown.iter().map(|path| unknown_member(&schema, path)).collect();
            wrong.extend(read.err().map(|error| error.to_string()));
            Err(wrong.join("; "))
        }
    }
}

fn unknown_member(schema: &Value, path: &[PathStep]) -> String {
    let Some((PathStep::Key(name), above)) = path.split_last() else {
        return "a member is not known".to_owned();
    };
    let known = members_at(schema, above);
    let name: String = name.chars().take(60).collect();
    let place: Vec<String> = above
        .iter()
        .map(|step| match step {
            PathStep::Key(key) => key.clone(),
            PathStep::Item(number) => number.to_string(),
        })
        .collect();
    let place = if place.is_empty() { String::new() } else { format!(" of `{}`", place.join(".")) };
    let hint = match likely_name(&name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "it takes none".to_owned(),
        None => format!("it takes only {}", known.join(", ")),
    };
    format!("`{name}` is no member{place}: {hint}")
}

/// The steps from the params to what was passed over.
fn path_steps(path: &Path<'_>) -> Vec<PathStep> {
    match path {
        Path::Root => Vec::new(),
        Path::Seq { parent, index } => append_step(parent, PathStep::Item(*index)),
        Path::Map { parent, key } => append_step(parent, PathStep::Key(key.clone())),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => {
            path_steps(parent)
        }
    }
}

fn append_step(parent: &Path<'_>, last: PathStep) -> Vec<PathStep> {
    let mut steps = path_steps(parent);
    steps.push(last);
    steps
}
