//! search.lexical: lines that match a pattern, in the files that are not ignored.

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{off_thread, text};
use crate::index::lexical::hit::{Hit, Place};
use crate::index::lexical::query::{Case, Query};
use crate::index::lexical::search::{Found, Options};
use crate::index::lexical::verify::LONGEST_LINE;
use crate::protocol::{Code, Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::{Scope, Where};

/// Lines of context on each side of a match, where the caller names none.
const CONTEXT: u64 = 2;

/// Matches in one answer, where the caller names no limit.
const LIMIT: u64 = 100;

/// Files that were not searched to their end and are named.
const NAMED: usize = 5;

/// Searches texts.
pub(super) struct Lexical;

impl Activity for Lexical {
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        Effects::read(scope_of(args))
    }

    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let args = call.call().args().clone();
        Box::pin(off_thread(scope, move |scope| search(scope, &args)))
    }
}

fn scope_of(args: &Map<String, Value>) -> &str {
    match text(args, "scope") {
        "" => ".",
        scope => scope,
    }
}

fn search(scope: &Scope, args: &Map<String, Value>) -> Result<Output, Fault> {
    let number = |name: &str, default: u64| {
        usize::try_from(args.get(name).and_then(Value::as_u64).unwrap_or(default)).unwrap_or(usize::MAX)
    };
    let case = match text(args, "case") {
        "insensitive" => Case::Insensitive,
        "smart" => Case::Smart,
        _ => Case::Sensitive,
    };
    let query = Query::new(text(args, "query"), case, args.get("literal") == Some(&json!(true)))?;
    let limits = &scope.settings().limits;
    let options = Options {
        context: number("context", CONTEXT),
        limit: number("limit", LIMIT).min(limits.output_items),
        bytes: limits.output_bytes,
        after: after(text(args, "cursor"))?,
        ..Options::default()
    };
    let place = Where { scope: scope_of(args), glob: text(args, "glob") };
    let found = scope.search_lines(&query, place, options)?;
    let left_out = scope.left_out(place)?;
    let warnings = left_out.into_iter().chain(unfinished(&found)).collect();
    let rest = found.next().map(|next| {
        let shown = found.hits.len();
        format!("{shown} matches are shown; narrow the scope, the glob or the query, or go on with the cursor {next}")
    });
    Ok(Output::Value { value: value(found), truncated: rest.is_some(), rest, blocks: Vec::new(), warnings })
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

fn value(found: Found) -> Value {
    let shown = |(path, hit): (_, Hit)| {
        let Hit { line, text, before, after } = hit;
        json!({ "path": path, "line": line, "content": text, "context": around(before, &text, after) })
    };
    found
        .hits
        .into_iter()
        .map(|(path, hit): (std::sync::Arc<str>, Hit)| shown((path.to_string(), hit)))
        .collect()
}

/// The lines around a match with the match among them; none where none were asked for.
fn around(before: Vec<String>, own: &str, after: Vec<String>) -> Vec<String> {
    if before.is_empty() && after.is_empty() {
        return Vec::new();
    }
    before.into_iter().chain([own.to_owned()]).chain(after).collect()
}
