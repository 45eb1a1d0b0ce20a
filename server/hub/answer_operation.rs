//! The answers of the operations that find tools, as a caller names them: over every door that takes calls.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::{FindOperation, ServedFolder, ToolLookup, read_operation};
use crate::base::CallId;
use crate::model::arguments::fit_arguments;
use crate::pipeline::fault_envelope;
use crate::protocol::{Envelope, Fault, ListNodeParams, Origin, RawCall, Status};

impl FindOperation {
    /// The operation that a call names: none where a tool of the folder has the name.
    pub(super) fn named_by(call: &RawCall, folder: &ServedFolder) -> Option<Self> {
        let inner = call.arguments.get("_tool").and_then(Value::as_str).filter(|_| call.tool.is_empty());
        let name = inner.unwrap_or(&call.tool);
        Self::from_name(name).filter(|_| folder.toolbox().registry().find_tool(name).is_none())
    }

    /// Answers the operation with a folder's tools. The arguments are an object, or JSON text that holds one; what can mean one
    /// thing only is fitted to the schema.
    ///
    /// # Errors
    /// INVALID_ARGS for arguments that do not fit, and the faults of the operation; both are in the log of an agent's session.
    pub async fn answer_operation(
        self,
        folder: &Arc<ServedFolder>,
        arguments: Value,
        origin: Origin,
    ) -> Result<Value, Fault> {
        let asked = match arguments {
            Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            other => other,
        };
        let fitted = match asked.clone() {
            Value::Object(members) => Value::Object(fit_arguments(members, &self.schema()).value),
            other => other,
        };
        let name = self.name();
        let refused = |fault: Fault| {
            folder.note_refused(name, &asked, &fault, &origin);
            fault
        };
        match self {
            Self::List => {
                let params: ListNodeParams = read_operation(name, fitted).map_err(refused)?;
                answer_value(ToolLookup::list_node(folder.clone(), &params, origin).await?)
            }
            Self::SearchNodes => {
                let params = read_operation(name, fitted).map_err(refused)?;
                answer_value(ToolLookup::search_nodes(folder.clone(), &params, origin).await?)
            }
            Self::SearchTools => {
                let params = read_operation(name, fitted).map_err(refused)?;
                answer_value(ToolLookup::search_tools(folder.clone(), &params, origin).await?)
            }
            Self::Expand => {
                let params = read_operation(name, fitted).map_err(refused)?;
                answer_value(folder.expand_tool(&params, &origin)?)
            }
        }
    }

    /// Answers a call that names the operation, as a call of a tool is answered.
    pub(super) async fn answer_call(self, folder: &Arc<ServedFolder>, call: RawCall) -> Envelope {
        match self.answer_operation(folder, call.arguments, call.origin).await {
            Ok(answer) => Envelope {
                status: Status::Ok,
                result: Some(Arc::new(answer)),
                error: None,
                ..fault_envelope(CallId::default(), Fault::internal(""))
            },
            Err(fault) => fault_envelope(CallId::default(), fault),
        }
    }
}

fn answer_value(answer: impl Serialize) -> Result<Value, Fault> {
    serde_json::to_value(answer).map_err(|error| Fault::internal(error.to_string()))
}
