//! `wherefore/decide`: a person accepts or rejects hunks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Decide, Request};
use crate::hub::Hub;
use crate::protocol::{Code, DecideParams, DecidedBy, Door, Fault, Proposal};

/// Answer of `wherefore/decide`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecideAnswer {
    /// The proposals touched, as they stand now, read back.
    pub proposals: Vec<Proposal>,
    /// The parts that were not carried out, a sentence each: a hunk that went stale, an edit that the editor refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

impl Request for Decide {
    /// Carries out the decision, in every folder where none is named; NOT_FOUND where it selects no hunk, or names one
    /// that its proposal does not have, and INVALID_ARGS where hunks are named and their proposal is not.
    async fn answer_request(hub: &Hub, params: DecideParams, asker: Asker) -> Result<DecideAnswer, Fault> {
        if params.proposal.is_none() && !params.hunks.is_empty() {
            return Err(Fault::new(
                Code::InvalidArgs,
                "`hunks` are those of one proposal, and none is named",
            )
            .with_suggestion(
                "name the proposal as `proposal`; `wherefore/proposals` lists those that wait",
            ));
        }
        // An agent's editor may be set to answer what it is asked by itself.
        let by = if asker.origin.door == Door::Acp { DecidedBy::Client } else { DecidedBy::Person };
        let mut answer = DecideAnswer { proposals: Vec::new(), problems: Vec::new() };
        let mut last = None;
        let mut folders = hub.folders_for(params.root.as_deref())?;
        // Where there is one folder, the decision itself finds out whether it has the proposal.
        if let Some(id) = params.proposal.as_ref().filter(|_| folders.len() > 1) {
            let having = folders.iter().filter(|folder| folder.queue().store().get(id).is_some());
            let having: Vec<_> = having.cloned().collect();
            folders = if having.is_empty() { folders } else { having };
        }
        for folder in folders {
            folder.session().reload_settings().await?;
            match folder.queue().decisions().decide_hunks(&params, by).await {
                Ok(more) => {
                    answer.proposals.extend(more.proposals);
                    answer.problems.extend(more.faults.into_iter().map(|fault| fault.message));
                }
                Err(fault) => last = Some(fault),
            }
        }
        match (answer.proposals.is_empty(), last) {
            (true, Some(fault)) => Err(fault),
            _ => Ok(answer),
        }
    }
}
