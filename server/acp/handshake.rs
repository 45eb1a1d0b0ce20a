//! The negotiation at the start: capabilities, the agent's name, the servers that a session starts.

use std::path::Path;

use serde_json::{Value, json};

use super::proxy::AcpProxy;
use crate::protocol::Fault;

/// The name of wherefore's own server among those of a session.
const SERVER: &str = "wherefore";

/// The capabilities of an editor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EditorAbilities {
    /// It can read its files for agents.
    pub(super) reads: bool,
}

/// Reads the editor's capabilities, and announces to the agent that files can be read and written: requests that the
/// editor cannot serve are served here.
pub(super) fn announce_files(params: &mut Value) -> EditorAbilities {
    let Some(params) = params.as_object_mut() else { return EditorAbilities::default() };
    let capabilities = params.entry("clientCapabilities").or_insert_with(|| json!({}));
    if !capabilities.is_object() {
        *capabilities = json!({});
    }
    let files = &mut capabilities["fs"];
    if !files.is_object() {
        *files = json!({});
    }
    let abilities = EditorAbilities { reads: files["readTextFile"] == json!(true) };
    files["readTextFile"] = json!(true);
    files["writeTextFile"] = json!(true);
    abilities
}

/// Reads the folder of a session, and adds wherefore's server to it, unless there is one of that name already. None if
/// the request begins no session.
///
/// # Errors
/// NOT_FOUND where there is no such folder.
pub(super) fn prepare_session(proxy: &AcpProxy, params: &mut Value) -> Option<Result<Vec<String>, Fault>> {
    let folder = params.get("cwd").and_then(Value::as_str)?.to_owned();
    let servers = params.get_mut("mcpServers").and_then(Value::as_array_mut)?;
    let root = match proxy.folders.workspace_root(Path::new(&folder)) {
        Ok(root) => root,
        Err(fault) => return Some(Err(fault)),
    };
    if !servers.iter().any(|server| server["name"] == json!(SERVER)) {
        let args = ["mcp", "--root", &root];
        servers.push(json!({ "name": SERVER, "command": proxy.options.program, "args": args, "env": [] }));
    }
    let more = params.get("additionalDirectories").and_then(Value::as_array).into_iter().flatten();
    let more = more
        .filter_map(Value::as_str)
        .filter_map(|folder| proxy.folders.workspace_root(Path::new(folder)).ok());
    let mut roots = vec![root.clone()];
    roots.extend(more.filter(|other| *other != root));
    Some(Ok(roots))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_announced_and_all_else_stays() {
        for (asked, reads, announced) in [
            (json!({}), false, json!({ "fs": { "readTextFile": true, "writeTextFile": true } })),
            (
                json!({ "clientCapabilities": { "fs": { "readTextFile": true, "x": 1 }, "terminal": true, "_meta": { "a": 1 } } }),
                true,
                json!({ "fs": { "readTextFile": true, "x": 1, "writeTextFile": true }, "terminal": true, "_meta": { "a": 1 } }),
            ),
            (
                json!({ "clientCapabilities": null }),
                false,
                json!({ "fs": { "readTextFile": true, "writeTextFile": true } }),
            ),
        ] {
            let mut params = asked.clone();
            assert_eq!(announce_files(&mut params), EditorAbilities { reads }, "{asked}");
            assert_eq!(params["clientCapabilities"], announced, "{asked}");
        }
        assert_eq!(announce_files(&mut json!(3)), EditorAbilities::default());
    }
}
