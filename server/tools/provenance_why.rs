//! provenance.why: why lines of a file are as they are.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::execution::{CommandExecutor, WhyRequest, line_whys};
use crate::protocol::{CallEffects, Fault, LineBy, LineWhys};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::CallScope;

/// Explains why lines are as they are.
pub(super) struct ExplainLines(pub(super) Arc<CommandExecutor>);

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WhyInput {
    path: String,
    start: Option<u32>,
    end: Option<u32>,
}

/// The lines, in groups.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WhyOutput {
    groups: Vec<ExplainedLines>,
}

/// Lines that have all in common that is known of them.
#[derive(Debug, Serialize, JsonSchema)]
struct ExplainedLines {
    start: u32,
    end: u32,
    by: LineBy,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// `altered`, where the session log that holds the call was: nothing here is taken from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
}

impl Activity for ExplainLines {
    type Input = WhyInput;
    type Output = WhyOutput;

    fn call_effects(&self, input: &WhyInput) -> CallEffects {
        CallEffects { reads: vec![input.path.clone(), ".git".to_owned()], ..CallEffects::default() }
    }

    async fn run_call(
        &self,
        input: Arc<WhyInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<WhyOutput>, Fault> {
        let request = WhyRequest {
            path: scope.parse_path(&input.path)?,
            start: input.start.unwrap_or(1),
            end: input.end,
            has_commits: true,
            text: None,
        };
        let whys = line_whys(&self.0, scope, &request).await?;
        scope.check_cancelled()?;
        let limit = scope.settings().limits.output_items;
        let groups: Vec<ExplainedLines> =
            whys.groups.iter().take(limit).map(|group| explain_group(&whys, group)).collect();
        let rest = (groups.len() < whys.groups.len()).then(|| {
            let next = groups.last().map_or(1, |last| last.end + 1);
            format!("{} groups of lines are shown; go on with `start: {next}`", groups.len())
        });
        let warnings = whys.altered_warnings().chain(whys.warnings.iter().cloned()).collect();
        Ok(ActivityOutput {
            truncated: rest.is_some(),
            rest,
            warnings,
            ..ActivityOutput::from_value(WhyOutput { groups })
        })
    }
}

fn explain_group(whys: &LineWhys, group: &crate::protocol::LineGroup) -> ExplainedLines {
    let call = group.call.and_then(|at| whys.calls.get(at as usize));
    let commit = group.commit.as_ref();
    ExplainedLines {
        start: group.start,
        end: group.end,
        by: group.by,
        call: call.map(|call| call.call.to_string()),
        agent: call.and_then(|call| call.agent.clone()),
        why: call.and_then(|call| call.why.clone()),
        decision: call.and_then(|call| {
            let by = call.decided_by.as_deref()?;
            Some(format!("{} by {by}", call.decision.as_deref()?))
        }),
        reason: call.and_then(|call| call.reason.clone()),
        log: call.and_then(|call| whys.log_of(call)),
        commit: commit.cloned(),
        subject: commit.and_then(|hash| whys.commits.get(hash)).map(|commit| commit.summary.clone()),
    }
}
