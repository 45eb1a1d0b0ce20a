//! search.lexical: lines that match a pattern, in the files that are not ignored.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count::Count;
use super::{off_thread, whole_unless};
use crate::index::lexical::hit::{Hit, Place};
use crate::index::lexical::query::{Case, Query};
use crate::index::lexical::search::{Found, Options};
use crate::index::lexical::verify::LONGEST_LINE;
use crate::protocol::{Code, Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::{Scope, SearchError, Where};

/// Lines of context on each side of a match, where the caller names none.
const CONTEXT: Count = Count(2);

/// Matches in one answer, where the caller names no limit.
const LIMIT: Count = Count(100);

/// Files that were not searched to their end and are named.
const NAMED: usize = 5;

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

/// Whether capitals count.
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

    fn effects(&self, input: &LexicalInput) -> Effects {
        Effects::read(whole_unless(&input.scope))
    }

    async fn run(
        &self,
        input: Arc<LexicalInput>,
        _: &Permitted,
        scope: &Scope,
    ) -> Result<Output<Vec<MatchingLine>>, Fault> {
        off_thread(scope, move |scope| search(scope, &input)).await
    }
}

fn search(scope: &Scope, input: &LexicalInput) -> Result<Output<Vec<MatchingLine>>, Fault> {
    let case = match input.case {
        AskedCase::Insensitive => Case::Insensitive,
        AskedCase::Smart => Case::Smart,
        AskedCase::Sensitive => Case::Sensitive,
    };
    let query = Query::new(&input.query, case, input.literal).map_err(SearchError::from)?;
    let limits = &scope.settings().limits;
    let options = Options {
        context: input.context.unwrap_or(CONTEXT).size(),
        limit: input.limit.unwrap_or(LIMIT).size().min(limits.output_items),
        bytes: limits.output_bytes,
        after: after(&input.cursor)?,
        ..Options::default()
    };
    let place = Where { scope: whole_unless(&input.scope), glob: &input.glob };
    let found = scope.search_lines(&query, place, options)?;
    let left_out = scope.left_out(place)?;
    let warnings = left_out.into_iter().chain(unfinished(&found)).collect();
    let rest = found.next().map(|next| {
        let shown = found.hits.len();
        format!("{shown} matches are shown; narrow the scope, the glob or the query, or go on with the cursor {next}")
    });
    let lines = found.hits.into_iter().map(|(path, hit)| line(path, hit)).collect();
    Ok(Output { truncated: rest.is_some(), rest, warnings, ..Output::value(lines) })
}

/// Which files were not searched to their end, and why that may be.
fn unfinished(found: &Found) -> Option<String> {
    let named = found.unfinished.iter().take(NAMED).map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    let more = found.unfinished.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let most = LONGEST_LINE >> 20;
    (!named.is_empty()).then(|| {
        format!(
            "{named}{more}: not searched to the end; a line above {most} MB, or a file that cannot be read"
        )
    })
}

fn after(cursor: &str) -> Result<Option<Place>, Fault> {
    if cursor.is_empty() {
        return Ok(None);
    }
    cursor.parse().map(Some).map_err(|error| Fault::new(Code::InvalidArgs, format!("{error}")))
}

/// A match with the lines around it, itself among them; none where none were asked for.
fn line(path: Arc<str>, hit: Hit) -> MatchingLine {
    let Hit { line, text, before, after } = hit;
    let context = match before.is_empty() && after.is_empty() {
        true => Vec::new(),
        false => before.into_iter().chain([text.clone()]).chain(after).collect(),
    };
    MatchingLine { path, line, content: text, context }
}
