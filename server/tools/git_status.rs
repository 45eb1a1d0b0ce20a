//! git.status: what is not as it was committed.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::repository;
use crate::execution::{CommandExecutor, GitReader, StatusEntry};
use crate::protocol::{CallEffects, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::CallScope;

/// Shows the state of the working tree.
pub(super) struct ShowStatus(pub(super) Arc<CommandExecutor>);

/// The arguments: none.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StatusInput {}

/// The state of a working tree.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WorkingTreeAnswer {
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
    type Output = WorkingTreeAnswer;

    fn call_effects(&self, _: &StatusInput) -> CallEffects {
        repository::repository_effects(&[])
    }

    async fn run_call(
        &self,
        _: Arc<StatusInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<WorkingTreeAnswer>, Fault> {
        let mut status = GitReader::open(&self.0, scope, &[])?.read_status().await?;
        scope.check_cancelled()?;
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
        let answer = WorkingTreeAnswer {
            branch: status.branch,
            commit: status.commit,
            upstream: status.upstream,
            ahead: status.ahead,
            behind: status.behind,
            entries: status.entries,
        };
        let warnings = repository::left_out(status.closed).into_iter().collect();
        Ok(ActivityOutput { truncated, rest, warnings, ..ActivityOutput::from_value(answer) })
    }
}
