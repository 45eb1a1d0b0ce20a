//! fs.edit: a text, or what a pattern matches, found in a file and replaced.

use std::sync::Arc;

use regex::RegexBuilder;
use schemars::JsonSchema;
use serde::Deserialize;

use super::change::{self, Placements};
use super::count::Count;
use super::off_thread;
use super::refused::refused;
use crate::patch::{self, Places};
use crate::protocol::{Code, Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;

/// Bytes that a compiled pattern may take.
const PATTERN: usize = 4 << 20;

/// Replaces what is found in one file.
pub(super) struct EditFile;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct EditInput {
    path: String,
    find: String,
    replace: String,
    #[serde(default)]
    all: bool,
    expected_count: Option<Count>,
    #[serde(default)]
    regex: bool,
    expected_hash: Option<String>,
}

impl Activity for EditFile {
    type Input = EditInput;
    type Output = Placements;

    fn effects(&self, input: &EditInput) -> Effects {
        Effects::write(&input.path)
    }

    async fn run(
        &self,
        input: Arc<EditInput>,
        _: &Permitted,
        scope: &Scope,
    ) -> Result<Output<Placements>, Fault> {
        off_thread(scope, move |scope| edited(scope, &input)).await
    }
}

fn edited(scope: &Scope, input: &EditInput) -> Result<Output<Placements>, Fault> {
    let (path, before) = change::target(scope, &input.path, input.expected_hash.as_deref())?;
    let Some(before) = before else {
        return Err(Fault::new(Code::NotFound, format!("there is no file {path} to find anything in"))
            .suggest("make it with fs.write, or look for the file that is meant with fs.ls"));
    };
    let (find, replace) = (input.find.as_str(), input.replace.as_str());
    let places = match input.expected_count {
        Some(count) => Places::Exactly(count.size()),
        None if input.all => Places::All,
        None => Places::One,
    };
    let applied = match input.regex {
        true => {
            let pattern = RegexBuilder::new(find).multi_line(true).crlf(true).size_limit(PATTERN).build();
            let pattern = pattern.map_err(|error| no_pattern(&error))?;
            patch::replace_matches(path.as_str(), &before.text, &pattern, replace, places)
        }
        false => patch::replace(path.as_str(), &before.text, find, replace, places),
    };
    let applied = applied.map_err(refused)?;
    let after = applied.after.unwrap_or_else(|| before.text.clone());
    let draft = change::draft(path, Some(before), after, change::loose(&applied.hunks))?;
    let note = "what was found stands there already as it is to be; nothing was changed";
    let placed = Some(applied.hunks).filter(|hunks| !hunks.is_empty());
    Ok(Output::change(draft, Placements { placed, note: applied.unchanged.then_some(note) }))
}

fn no_pattern(error: &regex::Error) -> Fault {
    Fault::new(Code::InvalidArgs, format!("`find` is no regular expression that can be used: {error}"))
        .suggest("mend the pattern, or leave `regex` out to find the text as it is")
}
