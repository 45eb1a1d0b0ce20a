//! fs.edit: a text, or what a pattern matches, found in a file or in a part of it and replaced; or the part itself.

mod part;

use std::sync::Arc;

use regex::RegexBuilder;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::change::{self, Placements};
use super::count::Count;
use super::file_part::PartInput;
use super::off_thread;
use super::refusal::refusal_fault;
use crate::base::WorkspacePath;
use crate::patch::{self, AppliedDiff, ExpectedPlaces, RefusalCode};
use crate::protocol::{CallEffects, Code, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::{CallScope, TextSnapshot};

/// Bytes that a compiled pattern may take.
const PATTERN: usize = 4 << 20;

/// Changes one file.
pub(super) struct EditFile;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct EditInput {
    path: String,
    at: Option<PartInput>,
    find: Option<String>,
    replace: Option<String>,
    /// The value of a key; a null is one.
    #[serde(default, deserialize_with = "read_present")]
    #[schemars(schema_with = "any_value")]
    value: Option<Value>,
    #[serde(default)]
    remove: bool,
    #[serde(default)]
    all: bool,
    expected_count: Option<Count>,
    #[serde(default)]
    regex: bool,
    expected_hash: Option<String>,
}

/// The schema of any value: each kind by its name.
fn any_value(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "number", "boolean", "object", "array", "null"] })
}

/// Reads a value that is there; a null is not taken as absent.
fn read_present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The answer, in addition to the state of the change.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EditOutput {
    #[serde(flatten)]
    placements: Placements,
    /// The number of places in which the change replaces what was found.
    replaced: usize,
}

impl Activity for EditFile {
    type Input = EditInput;
    type Output = EditOutput;

    fn call_effects(&self, input: &EditInput) -> CallEffects {
        CallEffects::write(&input.path)
    }

    async fn run_call(
        &self,
        input: Arc<EditInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<EditOutput>, Fault> {
        off_thread(scope, move |scope| edit_file(scope, &input)).await
    }
}

fn edit_file(scope: &CallScope, input: &EditInput) -> Result<ActivityOutput<EditOutput>, Fault> {
    let (path, before) = change::edit_target(scope, &input.path, input.expected_hash.as_deref())?;
    let Some(before) = before else {
        return Err(Fault::new(Code::NotFound, format!("there is no file {path} to find anything in"))
            .with_suggestion("make it with fs.write, or look for the file that is meant with fs.ls"));
    };
    let Some(at) = &input.at else {
        if input.value.is_some() || input.remove {
            return Err(Fault::new(
                Code::InvalidArgs,
                "`value` and `remove` change the part that `at` names",
            )
            .with_suggestion("add `at`, or give `find` and `replace`"));
        }
        let edited = find_and_replace(path.as_str(), &before.text, input)?;
        return edit_output(path, before, edited);
    };
    let edited = part::edit_part(&path, &before.text, &at.to_address()?, input)?;
    edit_output(path, before, edited)
}

/// A text after an edit.
struct EditedText {
    applied: AppliedDiff,
    replaced: usize,
}

/// Finds and replaces in a text.
fn find_and_replace(path: &str, text: &str, input: &EditInput) -> Result<EditedText, Fault> {
    let (Some(find), Some(replace)) = (input.find.as_deref(), input.replace.as_deref()) else {
        let missing = if input.find.is_none() { "find" } else { "replace" };
        return Err(Fault::new(Code::InvalidArgs, format!("`{missing}` is missing"))
            .with_suggestion("give `find` and `replace`, or name a part by `at`"));
    };
    let places = match input.expected_count {
        Some(count) => ExpectedPlaces::Exactly(count.as_usize()),
        None if input.all => ExpectedPlaces::All,
        None => ExpectedPlaces::One,
    };
    let (applied, found) = match input.regex {
        true => {
            let pattern = RegexBuilder::new(find).multi_line(true).crlf(true).size_limit(PATTERN).build();
            let pattern = pattern.map_err(|error| no_pattern(&error))?;
            let applied = patch::replace_matches(path, text, &pattern, replace, places);
            (applied, pattern.find_iter(text).count())
        }
        false => (patch::replace_text(path, text, find, replace, places), text.matches(find).count()),
    };
    let applied = applied.map_err(|mut refusal| {
        let last = text.lines().count().max(1);
        refusal.read.iter_mut().for_each(|read| read.end = read.end.min(last));
        match refusal.code {
            RefusalCode::Ambiguous if places == ExpectedPlaces::One => several_places(refusal_fault(refusal)),
            _ => refusal_fault(refusal),
        }
    })?;
    let replaced = match applied.unchanged {
        true => 0,
        // A text that is not there to the letter was placed by its lines.
        false => found.max(applied.hunks.len()),
    };
    Ok(EditedText { applied, replaced })
}

fn edit_output(
    path: WorkspacePath,
    before: TextSnapshot,
    EditedText { applied, replaced }: EditedText,
) -> Result<ActivityOutput<EditOutput>, Fault> {
    let after = applied.after.unwrap_or_else(|| before.text.clone());
    let draft = change::text_draft(path, Some(before), after, change::loose_lines(&applied.hunks))?;
    let note = "what was found stands there already as it is to be; nothing was changed";
    let placed = Some(applied.hunks).filter(|hunks| !hunks.is_empty());
    let placements = Placements { placed, note: applied.unchanged.then_some(note) };
    Ok(ActivityOutput::from_change(draft, EditOutput { placements, replaced }))
}

/// Says that `all` replaces each place, where one was expected and there are several. What to do next is to read them: an
/// agent that follows blindly is to replace none that it did not see.
fn several_places(fault: Fault) -> Fault {
    fault.with_suggestion(
        "Send `all: true` to replace it in every place, or give more of the text around one.",
    )
}

fn no_pattern(error: &regex::Error) -> Fault {
    Fault::new(Code::InvalidArgs, format!("`find` is no regular expression that can be used: {error}"))
        .with_suggestion("mend the pattern, or leave `regex` out to find the text as it is")
}
