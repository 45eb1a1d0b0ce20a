//! git.log: the commits of a repository.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count::Count;
use super::repository;
use crate::execution::{CommitRange, Executor, GitReader, LogRequest, LoggedCommit};
use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;

/// Commits in one answer, where the caller names no limit.
const LIMIT: Count = Count(20);

/// Lists commits.
pub(super) struct ListCommits(pub(super) Arc<Executor>);

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct LogInput {
    #[serde(default)]
    paths: Vec<String>,
    rev: Option<String>,
    since: Option<String>,
    limit: Option<Count>,
    #[serde(default)]
    files: bool,
}

/// The commits.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LogAnswer {
    commits: Vec<LoggedCommit>,
}

impl Activity for ListCommits {
    type Input = LogInput;
    type Output = LogAnswer;

    fn effects(&self, input: &LogInput) -> Effects {
        repository::effects(&input.paths)
    }

    async fn run(
        &self,
        input: Arc<LogInput>,
        _: &Permitted,
        scope: &Scope,
    ) -> Result<Output<LogAnswer>, Fault> {
        let limits = &scope.settings().limits;
        let limit = input.limit.unwrap_or(LIMIT).size().min(limits.output_items);
        let request = LogRequest {
            range: input.rev.as_deref().map(CommitRange::of),
            paths: repository::paths(scope, &input.paths)?,
            // One more than is shown says whether there are more.
            limit: limit + 1,
            since: input.since.clone(),
            has_files: input.files,
        };
        let log = GitReader::open(&self.0, scope, &request.paths)?.log(&request).await?;
        scope.check()?;
        let found = log.commits.len();
        let mut bytes = 0;
        let mut fits = |commit: &LoggedCommit| {
            bytes += commit.size();
            bytes <= limits.output_bytes
        };
        let commits: Vec<LoggedCommit> =
            log.commits.into_iter().take(limit).take_while(|commit| fits(commit)).collect();
        let rest = (commits.len() < found || log.is_cut).then(|| {
            format!("{} commits are shown; raise `limit`, or name `paths`, `rev` or `since`", commits.len())
        });
        let warnings = repository::left_out(log.closed).into_iter().collect();
        Ok(Output { truncated: rest.is_some(), rest, warnings, ..Output::value(LogAnswer { commits }) })
    }
}
