//! `wherefore/decide`: a person accepts or rejects hunks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Decide, Request};
use crate::hub::Hub;
use crate::protocol::{DecideParams, DecidedBy, Door, Fault, Proposal};

/// Answer of `wherefore/decide`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecideAnswer {
    /// The proposals touched, as they stand now, read back.
    pub proposals: Vec<Proposal>,
    /// What could not be done, a sentence each: a hunk that went stale, an editor that said no.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

impl Request for Decide {
    /// Carries out the decision, in every folder where none is named; NOT_FOUND where no hunk is meant by it.
    async fn answer(hub: &Hub, params: DecideParams, asker: Asker) -> Result<DecideAnswer, Fault> {
        // An agent's editor may be set to answer what it is asked by itself.
        let by = if asker.origin.door == Door::Acp { DecidedBy::Client } else { DecidedBy::Person };
        let mut answer = DecideAnswer { proposals: Vec::new(), problems: Vec::new() };
        let mut last = None;
        for folder in hub.meant(params.root.as_deref())? {
            folder.session().hear().await?;
            match folder.queue().decide(&params, by).await {
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
