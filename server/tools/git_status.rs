//! git.status: what is not as it was committed.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::repository;
use crate::execution::{Executor, GitReader, StatusEntry};
use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;

/// Shows the state of the working tree.
pub(super) struct ShowStatus(pub(super) Arc<Executor>);

/// The arguments: none.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StatusInput {}

/// The state of a working tree.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StatusAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ahead: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    behind: Option<u64>,
    entries: Vec<StatusEntry>,
}

impl Activity for ShowStatus {
    type Input = StatusInput;
    type Output = StatusAnswer;

    fn effects(&self, _: &StatusInput) -> Effects {
        repository::effects(&[])
    }

    async fn run(
        &self,
        _: Arc<StatusInput>,
        _: &Permitted,
        scope: &Scope,
    ) -> Result<Output<StatusAnswer>, Fault> {
        let mut status = GitReader::open(&self.0, scope, &[])?.status().await?;
        scope.check()?;
        let most = scope.settings().limits.output_items;
        let all = status.entries.len();
        status.entries.truncate(most);
        let truncated = all > most || status.is_cut;
        let rest = truncated.then(|| {
            format!(
                "{} of {all} entries are shown; git.diff with `stat` and `paths` lists more",
                most.min(all)
            )
        });
        let answer = StatusAnswer {
            branch: status.branch,
            commit: status.commit,
            upstream: status.upstream,
            ahead: status.ahead,
            behind: status.behind,
            entries: status.entries,
        };
        let warnings = repository::left_out(status.closed).into_iter().collect();
        Ok(Output { truncated, rest, warnings, ..Output::value(answer) })
    }
}
