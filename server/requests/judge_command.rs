//! `wherefore/judgeCommand`: what the rules say of a command. It is not run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, JudgeCommand, Request};
use crate::hub::{Hub, tighten_judgement};
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
    /// True where it is to run outside of the sandbox: what is allowed because the sandbox bounds it is asked about
    /// then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unconfined: bool,
    /// The workspace, where several are open: its path or its `file:` URI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

impl Request for JudgeCommand {
    /// INVALID_ARGS where neither a script nor an argument vector is given, or both.
    async fn answer_request(hub: &Hub, params: JudgeCommandParams, _: Asker) -> Result<Judgement, Fault> {
        // A long script is read for a while, which is not done where requests are read.
        tokio::task::yield_now().await;
        let folder = hub.folder_at(params.root.as_deref())?;
        let governance = folder.session().workspace().governance();
        let rules = governance.rules();
        match (&params.script, params.argv.as_slice()) {
            (Some(script), []) if params.unconfined => {
                Ok(tighten_judgement(rules.judge_unconfined_script(script), folder.root(), None))
            }
            (None, argv @ [_, ..]) if params.unconfined => {
                Ok(tighten_judgement(rules.judge_unconfined_argv(argv), folder.root(), None))
            }
            (Some(script), []) => Ok(rules.judge_script(script)),
            (None, argv @ [_, ..]) => Ok(rules.judge_argv(argv)),
            _ => Err(Fault::new(Code::InvalidArgs, "give a `script` or an `argv`, one of the two")),
        }
    }
}
