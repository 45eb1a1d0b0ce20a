//! Several calls of one message: in their order, and those that only look side by side.

use std::sync::Arc;

use futures::future::join_all;
use serde_json::Value;

use super::{FindOperation, ServedFolder};
use crate::base::CallId;
use crate::catalogue::Risk;
use crate::pipeline::fault_envelope;
use crate::ports::Caller;
use crate::protocol::{Envelope, Fault, RawCall};

/// Calls that run side by side at most.
const SIDE_BY_SIDE: usize = 8;

/// Several calls of one message, to one folder.
pub struct CallBatch<'a> {
    folder: &'a Arc<ServedFolder>,
    caller: Option<Arc<dyn Caller>>,
    is_found: bool,
}

impl<'a> CallBatch<'a> {
    /// Calls of `caller`. `is_found` is true if the agent found the tools by an operation.
    pub fn new(folder: &'a Arc<ServedFolder>, caller: Option<Arc<dyn Caller>>, is_found: bool) -> Self {
        Self { folder, caller, is_found }
    }

    /// Makes calls one after the other; those in a row that only look run side by side. Each has its answer, in the same
    /// order; what is no call is answered by its fault.
    pub async fn run_calls(&self, calls: Vec<Result<RawCall, Fault>>) -> Vec<Envelope> {
        let mut answers = Vec::with_capacity(calls.len());
        let mut calls = calls.into_iter().peekable();
        while let Some(first) = calls.next() {
            let mut together = vec![first];
            while together.len() < SIDE_BY_SIDE && together.iter().all(|call| self.only_looks(call)) {
                let Some(next) = calls.next_if(|call| self.only_looks(call)) else { break };
                together.push(next);
            }
            let made = together.into_iter().map(|call| async move {
                match call {
                    Ok(raw) => self.run_call(raw).await,
                    Err(fault) => fault_envelope(CallId::default(), fault),
                }
            });
            answers.extend(join_all(made).await);
        }
        answers
    }

    /// Makes one call, of a tool or of an operation that finds tools.
    pub async fn run_call(&self, raw: RawCall) -> Envelope {
        if let Some(operation) = FindOperation::named_by(&raw, self.folder) {
            return operation.answer_call(self.folder, raw).await;
        }
        let caller = self.caller.clone();
        match self.is_found {
            true => self.folder.call_found(raw, caller).await,
            false => self.folder.pipeline().call_tool(raw, caller).await,
        }
    }

    /// Returns whether a call changes nothing, by the risk in its tool's definition.
    fn only_looks(&self, call: &Result<RawCall, Fault>) -> bool {
        let Ok(call) = call else { return true };
        let inner = call.arguments.get("_tool").and_then(Value::as_str).filter(|_| call.tool.is_empty());
        let tool = self.folder.toolbox().registry().find_tool(inner.unwrap_or(&call.tool));
        tool.is_none_or(|tool| tool.def().risk == Risk::Read)
    }
}
