//! `wherefore/repository`: what commands did to the repository and waits, and the person's decision on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Repository, Request};
use crate::hub::Hub;
use crate::protocol::{Fault, RepositoryAct, RepositoryChange};

/// Params of `wherefore/repository`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RepositoryParams {
    /// The decision; only a listing when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub act: Option<RepositoryAct>,
    /// The workspace folder.
    pub root: Option<String>,
}

/// Answer of `wherefore/repository`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RepositoryAnswer {
    /// The waiting changes, or after a decision the changes that were decided on.
    pub changes: Vec<RepositoryChange>,
    /// Why the decision, or a part of it, was not carried out, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

impl Request for Repository {
    /// Fails if the decision cannot be logged.
    async fn answer_request(
        hub: &Hub,
        params: RepositoryParams,
        _: Asker,
    ) -> Result<RepositoryAnswer, Fault> {
        let folder = hub.folder_at(params.root.as_deref())?;
        let (changes, problems) = folder.repository(params.act).await?;
        Ok(RepositoryAnswer { changes, problems })
    }
}
