//! The sandbox of a definition, and what it leaves open.

use super::super::node::YamlNode;
use super::super::reader::DefinitionReader;
use crate::catalogue::definition::{ToolRunner, ToolSandbox};
use crate::fetch::HostList;
use crate::protocol::CommandEffects;

/// The keys that only the sandbox of a command enforces.
const UNENFORCED: [&str; 4] = ["network", "filesystem", "hosts", "effects"];

pub(super) fn read_sandbox(reader: &mut DefinitionReader, tool: &YamlNode) -> ToolSandbox {
    let mut sandbox = ToolSandbox::default();
    let Some(entry) = tool.stated_entry("sandbox") else {
        return sandbox;
    };
    let node = &entry.value;
    reader.check_map(node, "`sandbox`", &["network", "filesystem", "timeout_ms", "hosts", "effects"]);
    sandbox.network = reader.read_boolean(node, "network").unwrap_or(false);
    sandbox.timeout_ms = reader.read_number(node, "timeout_ms", 1, 86_400_000).unwrap_or(sandbox.timeout_ms);
    sandbox.hosts = reader.read_texts(node, "hosts");
    if let Err(error) = HostList::parse(sandbox.hosts.iter().map(String::as_str)) {
        reader.add_problem(node.line_at("/hosts"), "sandbox", error.to_string());
    }
    sandbox.effects = read_effects(reader, node);
    let mut places = Vec::new();
    for item in reader.read_list(node, "filesystem") {
        let pattern = item.text().unwrap_or_default();
        match pattern.rsplit_once(':') {
            Some((place, "r" | "w" | "rw")) if !place.is_empty() => places.push(pattern.to_owned()),
            // Without a word on it, a place is read.
            None if !pattern.is_empty() && !pattern.starts_with('/') => {
                places.push(format!("{pattern}:r"));
            }
            _ => {
                let message = "each of `sandbox.filesystem` is a place below the root and how it is touched, as \
                               \"workspace:r\", \"docs/**:rw\", or \"docs/**\" to read it";
                reader.add_problem(item.line, "sandbox", message);
            }
        }
    }
    sandbox.filesystem = node.stated_entry("filesystem").map(|_| places);
    sandbox
}

/// Reports a command that states no sandbox, and what of a sandbox confines no tool of a server.
pub(super) fn warn_of_sandbox(reader: &mut DefinitionReader, tool: &YamlNode, runs: Option<&ToolRunner>) {
    let sandbox = tool.stated_entry("sandbox");
    match (runs, sandbox) {
        (Some(ToolRunner::Command { .. }), None) => {
            let message = "no `sandbox`: the command reads and writes all of the workspace that the rules leave open, reaches \
                           no host and runs for 30 s at most; `sandbox: { filesystem: [\"workspace:rw\"] }` says so, and \
                           `[]` opens nothing";
            reader.remark(tool.line_at("/command"), "sandbox", message);
        }
        (Some(ToolRunner::Remote { mcp_server, .. }), Some(sandbox)) => {
            let keys = sandbox.value.entries().iter().map(|entry| entry.key.as_str());
            let idle: Vec<String> =
                keys.filter(|key| UNENFORCED.contains(key)).map(|key| format!("`{key}`")).collect();
            if !idle.is_empty() {
                let message = format!(
                    "{} of `sandbox` does not confine a tool of a server: [mcp_servers.{mcp_server}] says what that may do, by \
                     `sandbox`, `hosts` and `writes`",
                    idle.join(", ")
                );
                reader.remark(sandbox.line, "sandbox", message);
            }
        }
        _ => {}
    }
}

fn read_effects(reader: &mut DefinitionReader, sandbox: &YamlNode) -> Option<CommandEffects> {
    match reader.read_text(sandbox, "effects")?.as_str() {
        "review" => Some(CommandEffects::Review),
        "apply" => Some(CommandEffects::Apply),
        word => {
            let message = format!("`effects` is review or apply, not {word:?}");
            reader.add_problem(sandbox.line_at("/effects"), "sandbox", message);
            None
        }
    }
}
