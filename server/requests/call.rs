//! `wherefore/call`: a tool is called, in the folder that the call means.

use serde_json::Value;

use super::{Asker, Call, Request};
use crate::base::CallId;
use crate::hub::{CallBatch, Hub, read_call};
use crate::pipeline::fault_envelope;
use crate::protocol::{Envelope, Fault, RawCall};

impl Request for Call {
    /// Takes a call through the pipeline of the folder that it means: the one named, or the one that an absolute
    /// path among its arguments lies in, or the first. Dropping the future cancels it.
    async fn answer_request(hub: &Hub, mut call: RawCall, asker: Asker) -> Result<Envelope, Fault> {
        call.origin.door = asker.origin.door;
        let named = call.root.clone().or_else(|| absolute_path(&call.arguments));
        let folder = match hub.folder_at(named.as_deref()) {
            Err(_) if call.root.is_none() => hub.folder_at(None),
            found => found,
        };
        Ok(match folder {
            Ok(folder) => CallBatch::new(&folder, asker.caller, false).run_call(call).await,
            Err(error) => fault_envelope(CallId::default(), error.into()),
        })
    }

    /// Reads a call: in our own form, filled by the Tool Protocol, or as a function of a model's API.
    fn read_params(params: Value) -> Result<RawCall, String> {
        read_call(params)
    }

    fn needs_servers(hub: &Hub, call: &RawCall) -> bool {
        hub.folder_at(None).is_ok_and(|folder| folder.toolbox().registry().find_tool(&call.tool).is_none())
    }
}

/// Returns an absolute path among a call's arguments: it identifies the folder.
fn absolute_path(arguments: &Value) -> Option<String> {
    let names = ["path", "src", "dst", "scope", "cwd"];
    let path = |name: &&str| arguments.get(name).and_then(Value::as_str);
    let is_absolute = |path: &&str| path.starts_with('/') || path.starts_with("file:///");
    names.iter().filter_map(path).find(is_absolute).map(str::to_owned)
}
