//! `wherefore/log`: where a session log is, and its text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Log, Request};
use crate::hub::Hub;
use crate::protocol::{Code, Fault};

/// Params of `wherefore/log` and `wherefore.openLog`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LogParams {
    /// The workspace folder, where a server has several: an absolute path inside it.
    pub root: Option<String>,
    /// The session; the open one when absent.
    pub session: Option<String>,
    /// True where the text is wanted too.
    pub text: bool,
}

/// Answer of `wherefore/log`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogAnswer {
    /// The log as a document of the server's: `wherefore://log/<session>`.
    pub uri: String,
    /// The log as a file, absolute.
    pub path: String,
    /// Its text, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Request for Log {
    /// NOT_FOUND where there is none.
    async fn answer_request(hub: &Hub, params: LogParams, _: Asker) -> Result<LogAnswer, Fault> {
        // A log can be long: it is not read where requests are.
        tokio::task::yield_now().await;
        let log = match &params.session {
            None => hub.folder_at(params.root.as_deref())?.session_log(None)?,
            Some(session) => {
                let found = hub.folders().iter().find_map(|folder| folder.session_log(Some(session)).ok());
                found.ok_or_else(|| Fault::new(Code::NotFound, format!("there is no session {session:?}")))?
            }
        };
        Ok(LogAnswer { uri: log.uri, path: log.path, text: params.text.then_some(log.text) })
    }
}
