//! The `wherefore/*` requests as JSON: what the runtime socket and the command line speak.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Hub;
use crate::protocol::{Code, Door, Fault, Origin, RawCall, WorkingSetParams};

impl Hub {
    /// Answers one request that came in by `door`.
    ///
    /// # Errors
    /// UNSUPPORTED for a method that is not known, INVALID_ARGS for wrong params, and what the request says. How a
    /// call went stands in its envelope.
    pub async fn request(&self, method: &str, params: Value, door: Door) -> Result<Value, Fault> {
        match method {
            "wherefore/call" => {
                let mut raw = RawCall::read(params).map_err(wrong)?;
                raw.origin.door = door;
                write(self.call(raw, None).await)
            }
            "wherefore/proposals" => write(self.proposals(&read(or_empty(params))?)),
            "wherefore/decide" => write(self.decide(read(params)?).await?),
            "wherefore/undo" => write(self.undo(read(or_empty(params))?).await?),
            "wherefore/cancel" => write(self.cancel(&read(params)?)?),
            "wherefore/workingSet" => {
                let WorkingSetParams { root } = read(or_empty(params))?;
                write(self.working_set(root.as_deref()))
            }
            "wherefore/hint" => write(self.hint(&read(params)?)?),
            "wherefore/collect" => write(self.collect(&read(or_empty(params))?)?),
            "wherefore/search" => write(self.search(read(params)?).await?),
            "wherefore/status" => write(self.status()),
            "wherefore/list" => write(json!({ "tools": self.tools(text(&params, "root")) })),
            "wherefore/listTools" => {
                write(self.list_tools(&read(or_empty(params))?, &Origin::door(door)).await?)
            }
            "wherefore/searchToolByCategory" => {
                write(self.search_tools(&read(params)?, &Origin::door(door)).await?)
            }
            "wherefore/searchNodes" => write(self.search_nodes(&read(params)?, &Origin::door(door)).await?),
            "wherefore/expandTool" => write(self.expand_tool(&read(params)?, &Origin::door(door))?),
            "wherefore/compose" => write(self.compose(&read(or_empty(params))?)?),
            "wherefore/log" => {
                let log = self.log(text(&params, "session"), text(&params, "root"))?;
                write(json!({ "uri": log.uri, "path": log.path, "text": log.text }))
            }
            other => Err(Fault::new(Code::Unsupported, format!("there is no request {other:?}"))),
        }
    }
}

fn text<'a>(params: &'a Value, name: &str) -> Option<&'a str> {
    params.get(name).and_then(Value::as_str)
}

fn or_empty(params: Value) -> Value {
    if params.is_null() { json!({}) } else { params }
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Fault> {
    serde_json::from_value(params).map_err(|error| wrong(error.to_string()))
}

fn wrong(what: String) -> Fault {
    Fault::new(Code::InvalidArgs, format!("the params are wrong: {what}"))
}

fn write(answer: impl Serialize) -> Result<Value, Fault> {
    serde_json::to_value(answer).map_err(|error| Fault::internal(error.to_string()))
}

/// An absolute path among a call's arguments: it tells which folder is meant.
pub fn absolute_path(arguments: &Value) -> Option<String> {
    let names = ["path", "src", "dst", "scope", "cwd"];
    let path = |name: &&str| arguments.get(name).and_then(Value::as_str);
    let is_absolute = |path: &&str| path.starts_with('/') || path.starts_with("file:///");
    names.iter().filter_map(path).find(is_absolute).map(str::to_owned)
}
