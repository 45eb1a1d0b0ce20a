//! `wherefore/why`: explains to a person why lines of a file are as they are. It needs no reason of its own and is in
//! no log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Request, Why};
use crate::hub::Hub;
use crate::protocol::{Fault, LineWhys};

/// Params of `wherefore/why`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WhyParams {
    /// The workspace folder, where a server has several: an absolute path inside it.
    pub root: Option<String>,
    /// The file: absolute, or relative to the root.
    pub path: String,
    /// The first line, counted from 1; the first of the file where it is left out.
    pub start: Option<u32>,
    /// The last line; the last of the file where it is left out.
    pub end: Option<u32>,
    /// True where git is asked for the commit of each line.
    pub commits: bool,
    /// The text to explain, where that is not the file's current one, for example a committed one: only the records of
    /// this machine describe its lines.
    pub text: Option<String>,
}

impl Request for Why {
    /// NOT_FOUND where there is no such file or line.
    async fn answer_request(hub: &Hub, params: WhyParams, _: Asker) -> Result<LineWhys, Fault> {
        // A file is read and compared: not where requests are.
        tokio::task::yield_now().await;
        let folder = hub.folder_at(params.root.as_deref())?;
        let lines = (params.start.unwrap_or(1), params.end);
        folder.line_whys(&params.path, lines, params.commits, params.text).await
    }
}
