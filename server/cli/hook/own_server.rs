//! Calls of the tools of our own server, which Copilot CLI would ask about, and other agents where it is a plugin's. A name alone proves nothing: a project can call any
//! server by ours, so the settings have to start this program.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{agent_folder, person_rules};
use crate::cli::init::agents::{PersonMachine, SetupScope};
use crate::cli::init::guard::plan::read_settings_at;
use crate::hooks::HookMessage;

/// The name of wherefore's server, as init configures it for an agent.
const SERVER: &str = "wherefore";
/// The files below a folder and those above it that may name servers to Copilot CLI.
const FILES: [&str; 4] = [".mcp.json", ".github/mcp.json", ".copilot/mcp-config.json", ".vscode/mcp.json"];
/// An option of its command line that names further servers.
const MORE_SERVERS: &str = "--additional-mcp-config";

/// Returns whether a call is of a wherefore tool that the agent would ask about, and the person does not refuse it. A
/// plugin starts the server of its hook, with no entry in the settings.
pub(super) fn is_own_tool(message: &HookMessage, is_of_plugin: bool) -> bool {
    if let Some(server) = message.agent.profile.plugin.and_then(|plugin| plugin.server_name) {
        let tool = message.tool.strip_prefix("mcp__").and_then(|rest| rest.strip_prefix(server));
        return is_of_plugin
            && tool.is_some_and(|rest| rest.starts_with("__"))
            && !is_named(&settings_files(message), server);
    }
    let Some(tool) = message.tool.strip_prefix(SERVER).and_then(|rest| rest.strip_prefix('-')) else {
        return false;
    };
    // With a dash in it the rest may be that of another server's name.
    message.agent.asks_about_our_tools
        && !tool.contains('-')
        && !person_rules::agent_arguments(message.agent)
            .iter()
            .any(|argument| argument.starts_with(MORE_SERVERS))
        && all_start_us(&settings_files(message), is_of_plugin)
        && !person_rules::option_rules(message.agent).denies_tool(SERVER, tool)
}

fn settings_files(message: &HookMessage) -> Vec<PathBuf> {
    let files = message.agent.profile.entry_files(SetupScope::Person(&PersonMachine::current()));
    let person = files.into_iter().map(|file| file.path);
    let folder = agent_folder(message);
    let above = folder.iter().flat_map(|folder| folder.ancestors());
    let of_project = above.flat_map(|folder| FILES.map(|name| folder.join(name)));
    person.into_iter().chain(of_project).filter(|file| file.symlink_metadata().is_ok()).collect()
}

/// Returns whether a file names a server of that name. A file that cannot be read may do so.
fn is_named(files: &[PathBuf], server: &str) -> bool {
    files.iter().any(|file| {
        read_settings_at(file).is_none_or(|settings| {
            ["mcpServers", "servers"].iter().any(|list| settings[*list].get(server).is_some())
        })
    })
}

/// Returns whether the files name wherefore's server, unless a plugin does, and each that does starts this program. A
/// file that cannot be read may name another one.
fn all_start_us(files: &[PathBuf], is_of_plugin: bool) -> bool {
    let settings: Option<Vec<Value>> = files.iter().map(|file| read_settings_at(file)).collect();
    let Some(settings) = settings else { return false };
    let entries = settings.iter().flat_map(|settings| {
        ["mcpServers", "servers"].iter().filter_map(|list| settings.get(list)?.get(SERVER))
    });
    let mut entries = entries.peekable();
    (is_of_plugin || entries.peek().is_some()) && entries.all(starts_us)
}

fn starts_us(entry: &Value) -> bool {
    let is_door = entry["args"].get(0).and_then(Value::as_str) == Some("mcp");
    let real = |path: &Path| path.canonicalize().ok();
    let program = std::env::current_exe().ok().as_deref().and_then(real);
    is_door
        && entry["command"].as_str().is_some_and(|command| {
            command == SERVER || Path::new(command).is_absolute() && real(Path::new(command)) == program
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_server_of_our_name_is_ours_where_every_entry_starts_this_program() {
        let folder = tempfile::tempdir().unwrap();
        let program = std::env::current_exe().unwrap();
        let ours = json!({ "mcpServers": { "wherefore": { "command": program, "args": ["mcp"] } } });
        let write = |name: &str, text: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let own = write("own.json", ours.to_string());
        let bare = write("bare.json", ours.to_string().replace(&program.display().to_string(), "wherefore"));
        assert!(
            all_start_us(&[own.clone(), bare], false) && !all_start_us(&[], false) && all_start_us(&[], true)
        );
        for (name, other) in [
            (
                "another program",
                json!({ "servers": { "wherefore": { "command": "/bin/sh", "args": ["mcp"] } } }),
            ),
            (
                "below the project",
                json!({ "mcpServers": { "wherefore": { "command": "./wherefore", "args": ["mcp"] } } }),
            ),
            (
                "another door",
                json!({ "mcpServers": { "wherefore": { "command": program, "args": ["serve"] } } }),
            ),
            ("an address", json!({ "mcpServers": { "wherefore": { "url": "http://127.0.0.1:1/" } } })),
        ] {
            let files = [own.clone(), write("other.json", other.to_string())];
            assert!(!all_start_us(&files, false) && !all_start_us(&files, true), "{name}");
        }
        let cut = [own, write("cut.json", "{\"mcpServers\": {".to_owned())];
        assert!(!all_start_us(&cut, false) && is_named(&cut, "plugin_wherefore_wherefore"), "cut off");
        assert!(!is_named(&cut[..1], "plugin_wherefore_wherefore") && is_named(&cut[..1], "wherefore"));
    }
}
