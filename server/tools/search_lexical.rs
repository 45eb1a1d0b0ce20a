//! search.lexical: lines that match a pattern, in the files that are not ignored.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count::Count;
use super::unmatched_place::describe_no_files;
use super::{off_thread, whole_unless};
use crate::index::lexical::hit::{HitPlace, LineHit};
use crate::index::lexical::query::{CaseSensitivity, LineQuery};
use crate::index::lexical::search::{FoundLines, SearchOptions};
use crate::index::lexical::verify::LONGEST_LINE;
use crate::protocol::{CallEffects, Code, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::{CallScope, SearchError, SearchScope};

/// Lines of context on each side of a match, where the caller names none.
const CONTEXT: Count = Count(2);

/// Matches in one answer, where the caller names no limit.
const LIMIT: Count = Count(100);

/// Files that were not searched to their end and are named.
const NAMED_FILES: usize = 5;

/// Searches texts.
pub(super) struct SearchLines;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct LexicalInput {
    query: String,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    glob: String,
    #[serde(default)]
    case: AskedCase,
    #[serde(default)]
    literal: bool,
    context: Option<Count>,
    limit: Option<Count>,
    #[serde(default)]
    cursor: String,
}

/// The way capitals count.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AskedCase {
    Smart,
    #[default]
    Sensitive,
    Insensitive,
}

/// A matching line.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MatchingLine {
    path: Arc<str>,
    line: u64,
    content: String,
    context: Vec<String>,
}

impl Activity for SearchLines {
    type Input = LexicalInput;
    type Output = Vec<MatchingLine>;

    fn call_effects(&self, input: &LexicalInput) -> CallEffects {
        CallEffects::read(whole_unless(&input.scope))
    }

    async fn run_call(
        &self,
        input: Arc<LexicalInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<Vec<MatchingLine>>, Fault> {
        off_thread(scope, move |scope| search_lines(scope, &input)).await
    }
}

fn search_lines(scope: &CallScope, input: &LexicalInput) -> Result<ActivityOutput<Vec<MatchingLine>>, Fault> {
    let case = match input.case {
        AskedCase::Insensitive => CaseSensitivity::Insensitive,
        AskedCase::Smart => CaseSensitivity::Smart,
        AskedCase::Sensitive => CaseSensitivity::Sensitive,
    };
    let query = LineQuery::new(&input.query, case, input.literal).map_err(SearchError::from)?;
    let limits = &scope.settings().limits;
    let options = SearchOptions {
        context: input.context.unwrap_or(CONTEXT).as_usize(),
        limit: input.limit.unwrap_or(LIMIT).as_usize().min(limits.output_items),
        bytes: limits.output_bytes,
        after: parse_cursor(&input.cursor)?,
        ..SearchOptions::default()
    };
    let place = SearchScope { scope: whole_unless(&input.scope), glob: &input.glob };
    let found = scope.search().search_lines(&query, place, options)?;
    let left_out = scope.search().left_out(place)?;
    let no_files = match found.hits.is_empty() {
        true => describe_no_files(scope, place)?,
        false => None,
    };
    let warnings = left_out.into_iter().chain(unfinished_note(&found)).chain(no_files).collect();
    let rest = found.next_place().map(|next| {
        let shown = found.hits.len();
        format!("{shown} matches are shown; narrow the scope, the glob or the query, or go on with the cursor {next}")
    });
    let lines = found.hits.into_iter().map(|(path, hit)| matching_line(path, hit)).collect();
    Ok(ActivityOutput { truncated: rest.is_some(), rest, warnings, ..ActivityOutput::from_value(lines) })
}

/// Names the files that were not searched to their end, and the reason for that.
fn unfinished_note(found: &FoundLines) -> Option<String> {
    let named =
        found.unfinished.iter().take(NAMED_FILES).map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    let more = found.unfinished.len().saturating_sub(NAMED_FILES);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let most = LONGEST_LINE >> 20;
    (!named.is_empty()).then(|| {
        format!(
            "{named}{more}: not searched to the end; a line above {most} MB, or a file that cannot be read"
        )
    })
}

fn parse_cursor(cursor: &str) -> Result<Option<HitPlace>, Fault> {
    if cursor.is_empty() {
        return Ok(None);
    }
    cursor.parse().map(Some).map_err(|error| Fault::new(Code::InvalidArgs, format!("{error}")))
}

/// A match with the lines around it, itself among them; none where none were asked for.
fn matching_line(path: Arc<str>, hit: LineHit) -> MatchingLine {
    let LineHit { line, text, before, after } = hit;
    let context = match before.is_empty() && after.is_empty() {
        true => Vec::new(),
        false => before.into_iter().chain([text.clone()]).chain(after).collect(),
    };
    MatchingLine { path, line, content: text, context }
}
