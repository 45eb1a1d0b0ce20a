//! The tools of the agents: the action of a call, by the form that its agent gives the tool.
//!
//! The forms are exact, since an agent's own parser decides on the action: if a call holds two paths, the one checked
//! here has to be the one that the agent edits.

mod error;
mod patching;
mod reader;

use serde_json::{Map, Value};

pub use self::error::NativeCallError;
use self::reader::CallReader;
use super::act::NativeCall;
use crate::agents::HookAgent;
use crate::base::hidden;

/// The action of a call of an agent's tool.
///
/// # Errors
/// An error where its arguments do not fit the tool's form.
pub(super) fn read_call(
    agent: HookAgent,
    name: &str,
    arguments: &Map<String, Value>,
) -> Result<NativeCall, NativeCallError> {
    match agent.tools.iter().find(|tool| tool.names.contains(&name)) {
        Some(form) => CallReader { agent, tool: name, form }.read_call(arguments),
        None if (agent.is_server_tool)(name) => Ok(NativeCall::default()),
        None if looks_like_an_act(name, arguments) => {
            Err(NativeCallError::Stranger(shorten_name(name), agent.log_name))
        }
        None => Ok(NativeCall::default()),
    }
}

/// Names of arguments, in letters only, by which agents' tools edit or run something.
const TELLING: [&str; 14] = [
    "command",
    "cmd",
    "script",
    "patch",
    "patchtext",
    "diff",
    "edits",
    "oldstring",
    "newstring",
    "oldstr",
    "newstr",
    "filetext",
    "newsource",
    "content",
];
/// Tools that have such an argument, and edit and run nothing by themselves.
const HARMLESS: [&str; 4] = ["Workflow", "task", "SendMessage", "send_message"];

/// Returns whether an unknown tool looks like one that edits, runs or reads, by its name or its arguments.
fn looks_like_an_act(name: &str, arguments: &Map<String, Value>) -> bool {
    let plain = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
    };
    let mut names = HookAgent::all().flat_map(|agent| agent.tools).flat_map(|tool| tool.names);
    let is_patch = |value: &Value| value.as_str().is_some_and(patching::holds_a_patch);
    names.any(|known| plain(known) == plain(name))
        || arguments.values().any(is_patch)
        || !HARMLESS.contains(&name) && arguments.keys().any(|key| TELLING.contains(&plain(key).as_str()))
}

/// A name, shortened for a sentence.
fn shorten_name(name: &str) -> String {
    hidden::escape_to_line(&name.chars().take(80).collect::<String>()).into_owned()
}

/// Arguments that hold a script.
const SCRIPTS: [&str; 2] = ["command", "cmd"];

/// The arguments with another script instead of the command's. A vector becomes one that runs the script.
pub(super) fn with_script(arguments: &Map<String, Value>, script: &str) -> Value {
    let mut changed = arguments.clone();
    for name in SCRIPTS {
        match changed.get_mut(name) {
            Some(text @ Value::String(_)) => *text = Value::String(script.to_owned()),
            Some(vector @ Value::Array(_)) => {
                *vector = Value::from(vec!["bash".to_owned(), "-c".to_owned(), script.to_owned()]);
            }
            _ => {}
        }
    }
    Value::Object(changed)
}

#[cfg(test)]
mod tests;
