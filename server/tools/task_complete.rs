//! task_complete: the agent says that it is done, and learns what still waits.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::text;
use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::review::Desk;
use crate::session::Scope;

/// Notes that the task is done. The log holds the summary, as it holds every call.
pub(super) struct Complete(pub Arc<Desk>);

impl Activity for Complete {
    fn effects(&self, _: &Map<String, Value>) -> Effects {
        Effects::default()
    }

    fn run<'a>(&'a self, call: &'a Permitted, _: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        Box::pin(async move {
            let (hunks, _) = self.0.waiting();
            Ok(Output::value(json!({
                "status": "complete",
                "summary": text(call.call().args(), "summary"),
                "pending_hunks": hunks,
            })))
        })
    }
}
