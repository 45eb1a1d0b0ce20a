//! `workspace/executeCommand`: the `wherefore/*` requests for clients that cannot send these.

use serde::Serialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::ExecuteCommandParams;

use super::{LspBackend, read_params};
use crate::base::uri;
use crate::protocol::Act;
use crate::requests::log::LogAnswer;
use crate::requests::{Call, Decide, Log, Request, Status, Undo};

/// Every command.
pub(super) const NAMES: &[&str] = &[
    "wherefore.call",
    "wherefore.accept",
    "wherefore.reject",
    "wherefore.acceptFile",
    "wherefore.rejectFile",
    "wherefore.acceptAll",
    "wherefore.rejectAll",
    "wherefore.preview",
    "wherefore.undo",
    "wherefore.openLog",
    "wherefore.status",
];

impl LspBackend {
    /// Runs a command on its one argument, an object.
    pub(super) async fn run_command(&self, params: ExecuteCommandParams) -> Result<Value> {
        let argument = params.arguments.into_iter().next().unwrap_or_default();
        match params.command.as_str() {
            "wherefore.call" => to_value(
                &self
                    .run_call(
                        read_argument::<Call>(argument)?,
                        params.work_done_progress_params.work_done_token,
                    )
                    .await?,
            ),
            "wherefore.accept" | "wherefore.acceptFile" | "wherefore.acceptAll" => {
                self.decide_by_command(&params.command, Act::Accept, argument).await
            }
            "wherefore.reject" | "wherefore.rejectFile" | "wherefore.rejectAll" => {
                self.decide_by_command(&params.command, Act::Reject, argument).await
            }
            "wherefore.preview" => to_value(&self.preview_and_decide(read_params(argument)?).await?),
            "wherefore.undo" => {
                to_value(&self.answer_request::<Undo>(read_argument::<Undo>(argument)?).await?)
            }
            "wherefore.openLog" => to_value(&self.open_log(argument).await?),
            "wherefore.status" => to_value(&self.answer_request::<Status>(()).await?),
            unknown => {
                Err(Error::invalid_params(format!("no command {unknown:?}; there are {}", NAMES.join(", "))))
            }
        }
    }

    /// Decides according to the command's name. The argument must name its target, so that a mistake does not decide on
    /// everything.
    async fn decide_by_command(&self, command: &str, act: Act, mut argument: Value) -> Result<Value> {
        if argument.is_null() {
            argument = json!({});
        }
        if let Some(argument) = argument.as_object_mut() {
            argument.insert("act".to_owned(), json!(act));
        }
        let mut params = read_argument::<Decide>(argument)?;
        let missing = |what: &str| Error::invalid_params(format!("{command} needs {what}"));
        if command.ends_with("All") {
            params.hunks.clear();
            params.path = None;
        } else if command.ends_with("File") {
            params.hunks.clear();
            if params.path.is_none() {
                return Err(missing("`path`, relative to the workspace"));
            }
        } else if params.hunks.is_empty() || params.proposal.is_none() {
            return Err(missing("`proposal` and `hunks`"));
        }
        to_value(&self.answer_request::<Decide>(params).await?)
    }

    /// Opens the session log in the editor: as a virtual document if the editor supports these, otherwise as the file.
    async fn open_log(&self, argument: Value) -> Result<LogAnswer> {
        let answer = self.answer_request::<Log>(read_argument::<Log>(argument)?).await?;
        let features = self.outbox.client().features();
        if features.show_document {
            let ours = features.content || features.hunks;
            let uri = if ours { answer.uri.clone() } else { uri::uri_from_path(&answer.path) };
            self.outbox.client().show_document(&uri).await;
        }
        Ok(answer)
    }
}

/// Reads the argument of a command that is equivalent to a `wherefore/*` request.
fn read_argument<R: Request>(argument: Value) -> Result<R::Params> {
    R::read_params(argument).map_err(Error::invalid_params)
}

fn to_value(value: &impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|_| Error::internal_error())
}
