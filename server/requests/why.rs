//! `wherefore/why`: why lines of a file are as they are, for a person. It needs no why of its own and stands in no log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Request, Why};
use crate::hub::Hub;
use crate::protocol::{Fault, LineWhys};

/// Params of `wherefore/why`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WhyParams {
    /// The workspace folder meant, where a server has several: an absolute path inside it.
    pub root: Option<String>,
    /// The file: absolute, or relative to the root.
    pub path: String,
    /// The first line, counted from 1; the first of the file where it is left out.
    pub start: Option<u32>,
    /// The last line; the last of the file where it is left out.
    pub end: Option<u32>,
    /// Whether git is asked for the commit of each line.
    pub commits: bool,
    /// The text meant, where that is not the file's of now, as one that was committed: only what is recorded on this machine is
    /// said of its lines.
    pub text: Option<String>,
}

impl Request for Why {
    /// NOT_FOUND where there is no such file or line.
    async fn answer(hub: &Hub, params: WhyParams, _: Asker) -> Result<LineWhys, Fault> {
        // A file is read and compared: not where requests are.
        tokio::task::yield_now().await;
        let folder = hub.folder(params.root.as_deref())?;
        let lines = (params.start.unwrap_or(1), params.end);
        folder.line_whys(&params.path, lines, params.commits, params.text).await
    }
}
