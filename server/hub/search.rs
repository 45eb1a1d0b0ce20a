//! A person's own search: it needs no why and stands in no log.

use std::sync::Arc;
use std::time::Duration;

use super::Hub;
use crate::index::lexical::hit::Hit;
use crate::index::lexical::query::{Case, Query};
use crate::index::lexical::search::Options;
use crate::protocol::{Code, Fault, SearchAnswer, SearchCase, SearchHit, SearchKind, SearchParams};
use crate::rules::Opener;
use crate::session::{Session, Wanted, Where};

/// Results where no number is named: lines, and files.
const LINES: u32 = 100;
const FILES: u32 = 10;

impl Hub {
    /// Searches a folder's files, as the rules let them be read. Dropping it ends the search.
    ///
    /// # Errors
    /// INVALID_ARGS for an empty query, a pattern or a glob that does not parse, a cursor of no search; NOT_FOUND and
    /// PERMISSION_DENIED for the scope.
    pub async fn search(&self, params: SearchParams) -> Result<SearchAnswer, Fault> {
        if params.query.is_empty() {
            return Err(Fault::new(Code::InvalidArgs, "the query is empty").suggest("say what is sought"));
        }
        let session = self.meant(params.root.as_deref())?.session().clone();
        session.hear().await?;
        // Who asked may not want the answer any more: then nothing waits here.
        let wanted = Arc::new(());
        let waits = Arc::downgrade(&wanted);
        let done = tokio::task::spawn_blocking(move || {
            let go_on = || waits.strong_count() > 0;
            match params.kind {
                SearchKind::Lexical => lines(&session, &params, &go_on),
                SearchKind::Vector => files(&session, &params, &go_on),
            }
        });
        done.await.unwrap_or_else(|error| Err(Fault::internal(format!("the search failed: {error}"))))
    }
}

fn lines(
    session: &Session,
    params: &SearchParams,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<SearchAnswer, Fault> {
    let case = match params.case {
        SearchCase::Sensitive => Case::Sensitive,
        SearchCase::Insensitive => Case::Insensitive,
        SearchCase::Smart => Case::Smart,
    };
    let query = Query::new(&params.query, case, params.literal)?;
    let after = params.cursor.as_deref().map(str::parse).transpose();
    let options = Options {
        context: params.context as usize,
        limit: params.limit.unwrap_or(LINES) as usize,
        bytes: session.settings().limits.output_bytes,
        after: after.map_err(|error| Fault::new(Code::InvalidArgs, format!("{error}")))?,
        ..Options::default()
    };
    let (scope, glob) = (params.scope.as_deref(), params.glob.as_deref());
    let place = Where { scope: scope.unwrap_or_default(), glob: glob.unwrap_or_default() };
    let found = session.lines(&session.files_for(Opener::Person), &query, place, options, go_on)?;
    let cursor = found.next().map(|next| next.to_string());
    let hit = |(path, hit): (Arc<str>, Hit)| {
        let line = u32::try_from(hit.line).unwrap_or(u32::MAX);
        let Hit { text, before, after, .. } = hit;
        SearchHit { path: path.to_string(), start: line, end: line, line, score: 1.0, text, before, after }
    };
    Ok(SearchAnswer { results: found.hits.into_iter().map(hit).collect(), cursor, ..SearchAnswer::default() })
}

fn files(
    session: &Arc<Session>,
    params: &SearchParams,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<SearchAnswer, Fault> {
    let limit = params.limit.unwrap_or(FILES) as usize;
    let scope = params.scope.as_deref().unwrap_or_default();
    let wait = Duration::from_millis(params.wait_ms);
    let wanted = Wanted { text: &params.query, scope, limit, wait };
    let found = session.meant(&session.files_for(Opener::Person), &wanted, &|_, _| {}, go_on)?;
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
    Ok(SearchAnswer { results, ranker, embedded: found.embedded, trouble: found.trouble, cursor: None })
}
