//! git.log: the commits of a repository.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count::Count;
use super::repository;
use crate::execution::{CommandExecutor, CommitRange, GitReader, LogRequest, LoggedCommit};
use crate::protocol::{CallEffects, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::CallScope;

/// Commits in one answer, where the caller names no limit.
const LIMIT: Count = Count(20);

/// Lists commits.
pub(super) struct ListCommits(pub(super) Arc<CommandExecutor>);

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
pub(super) struct CommitsAnswer {
    commits: Vec<LoggedCommit>,
}

impl Activity for ListCommits {
    type Input = LogInput;
    type Output = CommitsAnswer;

    fn call_effects(&self, input: &LogInput) -> CallEffects {
        repository::repository_effects(&input.paths)
    }

    async fn run_call(
        &self,
        input: Arc<LogInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<CommitsAnswer>, Fault> {
        let limits = &scope.settings().limits;
        let limit = input.limit.unwrap_or(LIMIT).as_usize().min(limits.output_items);
        let request = LogRequest {
            range: input.rev.as_deref().map(CommitRange::from_text),
            paths: repository::parse_paths(scope, &input.paths)?,
            // An extra commit over the limit shows that there are more.
            limit: limit + 1,
            since: input.since.clone(),
            has_files: input.files,
        };
        let log = GitReader::open(&self.0, scope, &request.paths)?.read_log(&request).await?;
        scope.check_cancelled()?;
        let found = log.commits.len();
        let mut bytes = 0;
        let mut fits = |commit: &LoggedCommit| {
            bytes += commit.answer_size();
            bytes <= limits.output_bytes
        };
        let commits: Vec<LoggedCommit> =
            log.commits.into_iter().take(limit).take_while(|commit| fits(commit)).collect();
        let rest = (commits.len() < found || log.is_cut).then(|| {
            format!("{} commits are shown; raise `limit`, or name `paths`, `rev` or `since`", commits.len())
        });
        let warnings = repository::left_out(log.closed).into_iter().collect();
        Ok(ActivityOutput {
            truncated: rest.is_some(),
            rest,
            warnings,
            ..ActivityOutput::from_value(CommitsAnswer { commits })
        })
    }
}
