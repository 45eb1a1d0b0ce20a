//! `workspace/executeCommand`: the requests of ours for clients that can send no others.

use serde::Serialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::ExecuteCommandParams;

use super::backend::{Backend, read};
use crate::base::uri;
use crate::protocol::{Act, DecideParams};
use crate::requests::log::LogAnswer;
use crate::requests::{Decide, Log, Status, Undo};

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

impl Backend {
    /// Runs a command on its one argument, an object.
    pub(super) async fn command(&self, params: ExecuteCommandParams) -> Result<Value> {
        let argument = params.arguments.into_iter().next().unwrap_or_default();
        match params.command.as_str() {
            "wherefore.call" => {
                answer(&self.call(read(argument)?, params.work_done_progress_params.work_done_token).await?)
            }
            "wherefore.accept" | "wherefore.acceptFile" | "wherefore.acceptAll" => {
                self.decide(&params.command, Act::Accept, argument).await
            }
            "wherefore.reject" | "wherefore.rejectFile" | "wherefore.rejectAll" => {
                self.decide(&params.command, Act::Reject, argument).await
            }
            "wherefore.preview" => answer(&self.preview(read(argument)?).await?),
            "wherefore.undo" => answer(&self.ask::<Undo>(read(argument)?).await?),
            "wherefore.openLog" => answer(&self.open_log(argument).await?),
            "wherefore.status" => answer(&self.ask::<Status>(()).await?),
            unknown => {
                Err(Error::invalid_params(format!("no command {unknown:?}; there are {}", NAMES.join(", "))))
            }
        }
    }

    /// Decides as the command's name says: what it names must be there, so that a slip does not mean all.
    async fn decide(&self, command: &str, act: Act, mut argument: Value) -> Result<Value> {
        if argument.is_null() {
            argument = json!({});
        }
        if let Some(argument) = argument.as_object_mut() {
            argument.insert("act".to_owned(), json!(act));
        }
        let mut params: DecideParams = read(argument)?;
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
        answer(&self.ask::<Decide>(params).await?)
    }

    /// Opens the session log in the editor: as a document of ours where it can have such, as the file else.
    async fn open_log(&self, argument: Value) -> Result<LogAnswer> {
        let answer = self.ask::<Log>(read(argument)?).await?;
        let features = self.outbox.features();
        if features.show_document {
            let ours = features.content || features.hunks;
            let uri = if ours { answer.uri.clone() } else { uri::uri_of(&answer.path) };
            self.outbox.show_document(&uri).await;
        }
        Ok(answer)
    }
}

fn answer(value: &impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|_| Error::internal_error())
}
