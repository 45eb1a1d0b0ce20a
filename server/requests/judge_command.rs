//! `wherefore/judgeCommand`: what the rules say of a command. It is not run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, JudgeCommand, Request};
use crate::hub::Hub;
use crate::protocol::{Code, Fault};
use crate::shell::Judgement;

/// Params of `wherefore/judgeCommand`: a script, or an argument vector.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeCommandParams {
    /// A script, as `bash -c` takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// A program and its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// The workspace, where several are open: its path or its `file:` URI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

impl Request for JudgeCommand {
    /// INVALID_ARGS where neither a script nor an argument vector is given, or both.
    async fn answer(hub: &Hub, params: JudgeCommandParams, _: Asker) -> Result<Judgement, Fault> {
        // A long script is read for a while, which is not done where requests are read.
        tokio::task::yield_now().await;
        let folder = hub.folder(params.root.as_deref())?;
        let governance = folder.session().workspace().governance();
        match (&params.script, params.argv.as_slice()) {
            (Some(script), []) => Ok(governance.rules().judge_script(script)),
            (None, argv @ [_, ..]) => Ok(governance.rules().judge_argv(argv)),
            _ => Err(Fault::new(Code::InvalidArgs, "give a `script` or an `argv`, one of the two")),
        }
    }
}
