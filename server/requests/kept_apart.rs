//! `wherefore/keptApart`: what commands changed of ignored paths and is kept apart, and the person's decision on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, KeptApart, Request};
use crate::hub::Hub;
use crate::protocol::{ApartAct, DirectWrites, Fault};

/// Params of `wherefore/keptApart`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct KeptApartParams {
    /// The decision; only a listing when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub act: Option<ApartAct>,
    /// The workspace folder.
    pub root: Option<String>,
}

/// Answer of `wherefore/keptApart`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct KeptApartAnswer {
    /// The changes that are kept apart, by ignored folder; after a decision those that it was about.
    pub files: Vec<DirectWrites>,
    /// The changes that were not taken over, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl Request for KeptApart {
    /// The system's error where the layer cannot be removed.
    async fn answer_request(hub: &Hub, params: KeptApartParams, _: Asker) -> Result<KeptApartAnswer, Fault> {
        let folder = hub.folder_at(params.root.as_deref())?;
        let (files, left_out) = folder.kept_apart(params.act).await?;
        Ok(KeptApartAnswer { files, left_out })
    }
}
