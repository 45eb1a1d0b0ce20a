//! `wherefore/search`: a person's own search. It needs no reason and is in no log.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Request, Search};
use crate::hub::Hub;
use crate::index::lexical::hit::LineHit;
use crate::index::lexical::query::{CaseSensitivity, LineQuery};
use crate::index::lexical::search::SearchOptions;
use crate::protocol::{Code, Fault};
use crate::rules::FileOpener;
use crate::session::{SearchError, SearchScope, WantedFiles, WantedLines, WorkspaceSession};

/// Results where no number is named: lines, and files.
const LINES: u32 = 100;
const FILES: u32 = 10;

/// The kind of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    /// Lines that match a pattern.
    Lexical,
    /// Files that are about what is asked for.
    #[default]
    Vector,
}

/// The way capitals count in a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchCase {
    /// They do.
    #[default]
    Sensitive,
    /// They do not.
    Insensitive,
    /// They do where the pattern has one.
    Smart,
}

/// Params of `wherefore/search`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchParams {
    /// The workspace folder, where a server has several: an absolute path inside it.
    pub root: Option<String>,
    /// The query: a regular expression, a plain text with `literal`, or words.
    pub query: String,
    /// The kind of the search.
    pub kind: SearchKind,
    /// The folder or the file to search, relative to the root; the whole workspace where it is left out.
    pub scope: Option<String>,
    /// Only files that match, as `*.rs`; for patterns.
    pub glob: Option<String>,
    /// The way capitals count; for patterns.
    pub case: SearchCase,
    /// True where the query is plain text; for patterns.
    pub literal: bool,
    /// Lines to give on each side of a match; for patterns.
    pub context: u32,
    /// The most results; 10 files or 100 lines where it is left out.
    pub limit: Option<u32>,
    /// The cursor of an earlier answer, to go on from there; for patterns.
    pub cursor: Option<String>,
    /// Milliseconds to wait for vectors of files that are not made yet, where the person set a model; for files.
    pub wait_ms: u64,
}

/// A place that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchHit {
    /// The file, relative to the root.
    pub path: String,
    /// Its first line, counted from 1.
    pub start: u32,
    /// Its last line.
    pub end: u32,
    /// The line of it to be shown first: where a piece holds most of what is asked for.
    pub line: u32,
    /// The score relative to the others of the same answer; 1 for each line that matches a pattern.
    pub score: f32,
    /// The line, or the piece of the file.
    pub text: String,
    /// The lines before it that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// The lines after it that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
}

/// Answer of `wherefore/search`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchAnswer {
    /// The results: lines by path and number, files best first.
    pub results: Vec<SearchHit>,
    /// The ranker of the files: `words`, or `words+` and a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranker: Option<String>,
    /// The share of the files' pieces that have a vector, 0 to 1; absent where no model is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedded: Option<f32>,
    /// The reason why the configured model was not used, or why there is none where the settings are wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// The reason why no file was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty: Option<String>,
    /// The cursor of the next answer; absent where there is no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl Request for Search {
    /// Searches a folder's files, as the rules let them be read. INVALID_ARGS for an empty query, a pattern or a glob
    /// that does not parse, a cursor of no search; NOT_FOUND and PERMISSION_DENIED for the scope.
    async fn answer_request(hub: &Hub, params: SearchParams, _: Asker) -> Result<SearchAnswer, Fault> {
        if params.query.is_empty() {
            return Err(Fault::new(Code::InvalidArgs, "the query is empty")
                .with_suggestion("give the query as words, or as a regular expression for lines"));
        }
        let session = hub.folder_at(params.root.as_deref())?.session().clone();
        session.reload_settings().await?;
        // Who asked may not want the answer any more: then nothing waits here.
        let wanted = Arc::new(());
        let waits = Arc::downgrade(&wanted);
        let done = tokio::task::spawn_blocking(move || {
            let go_on = || waits.strong_count() > 0;
            match params.kind {
                SearchKind::Lexical => search_lines(&session, &params, &go_on),
                SearchKind::Vector => search_files(&session, &params, &go_on),
            }
        });
        done.await.unwrap_or_else(|error| Err(Fault::internal(format!("the search failed: {error}"))))
    }
}

fn search_lines(
    session: &WorkspaceSession,
    params: &SearchParams,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<SearchAnswer, Fault> {
    let case = match params.case {
        SearchCase::Sensitive => CaseSensitivity::Sensitive,
        SearchCase::Insensitive => CaseSensitivity::Insensitive,
        SearchCase::Smart => CaseSensitivity::Smart,
    };
    let query = LineQuery::new(&params.query, case, params.literal).map_err(SearchError::from)?;
    let after = params.cursor.as_deref().map(str::parse).transpose();
    let options = SearchOptions {
        context: params.context as usize,
        limit: params.limit.unwrap_or(LINES) as usize,
        bytes: session.workspace().settings().limits.output_bytes,
        after: after.map_err(|error| Fault::new(Code::InvalidArgs, format!("{error}")))?,
        ..SearchOptions::default()
    };
    let (scope, glob) = (params.scope.as_deref(), params.glob.as_deref());
    let place = SearchScope { scope: scope.unwrap_or_default(), glob: glob.unwrap_or_default() };
    let wanted = WantedLines { query: &query, place, options };
    let found =
        session.search().search_lines(&session.files().opened_by(FileOpener::Person), wanted, go_on)?;
    let cursor = found.next_place().map(|next| next.to_string());
    let hit = |(path, hit): (Arc<str>, LineHit)| {
        let line = u32::try_from(hit.line).unwrap_or(u32::MAX);
        let LineHit { text, before, after, .. } = hit;
        SearchHit { path: path.to_string(), start: line, end: line, line, score: 1.0, text, before, after }
    };
    Ok(SearchAnswer { results: found.hits.into_iter().map(hit).collect(), cursor, ..SearchAnswer::default() })
}

fn search_files(
    session: &Arc<WorkspaceSession>,
    params: &SearchParams,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<SearchAnswer, Fault> {
    let limit = params.limit.unwrap_or(FILES) as usize;
    let scope = params.scope.as_deref().unwrap_or_default();
    let wait = Duration::from_millis(params.wait_ms);
    let wanted = WantedFiles { text: &params.query, scope, limit, wait };
    let found = session.search().search_meaning(
        &session.files().opened_by(FileOpener::Person),
        &wanted,
        &|_, _| {},
        go_on,
    )?;
    let hits = found.hits.into_iter().map(|hit| SearchHit {
        path: hit.path,
        start: hit.start,
        end: hit.end,
        line: hit.line,
        score: hit.score,
        text: hit.snippet,
        before: Vec::new(),
        after: Vec::new(),
    });
    let (results, ranker) = (hits.collect(), Some(found.ranker));
    let empty = found.empty.map(str::to_owned);
    let (embedded, trouble) = (found.embedded, found.trouble);
    Ok(SearchAnswer { results, ranker, embedded, trouble, empty, cursor: None })
}
