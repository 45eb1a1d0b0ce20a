//! What runs a custom tool: a server's tool, or a program.

use super::super::node::{Node, NodeKind};
use super::super::reader::FileReader;
use crate::catalogue::definition::Runs;

/// Texts of a program's arguments at most.
const ARGUMENTS: usize = 256;

/// Reads `mcp_server` or `command`; nothing where neither is there.
pub(super) fn runs(reader: &mut FileReader, tool: &Node, input: Option<&Node>) -> Option<Runs> {
    let named = ["mcp_server", "command", "activity", "_activity"].map(|key| tool.entry(key));
    let mut named = named.iter().flatten();
    if let (Some(first), Some(second)) = (named.next(), named.next()) {
        let message = format!("`{}` and `{}` exclude each other: one of them runs it", first.key, second.key);
        reader.problem(second.line, "runs", message);
    }
    let remote_tool = reader.text(tool, "remote_tool");
    if let (Some(entry), None) = (tool.entry("remote_tool"), tool.entry("mcp_server")) {
        reader.problem(entry.line, "runs", "`remote_tool` is a tool of an `mcp_server`: name that too");
    }
    let command = command(reader, tool, input).map(|command| Runs::Command { command });
    match reader.text(tool, "mcp_server") {
        Some(mcp_server) => Some(Runs::Remote { mcp_server, remote_tool }),
        None => command,
    }
}

/// The program and its arguments. What stands in `{{…}}` is an argument of the call.
fn command(reader: &mut FileReader, tool: &Node, input: Option<&Node>) -> Option<Vec<String>> {
    let entry = tool.entry("command")?;
    if let NodeKind::Scalar(_) = entry.value.kind {
        let message = "`command` is a list of texts, the program first: [ffmpeg, -i, \"{{video_path}}\"]; no shell \
                       reads it";
        reader.problem(entry.line, "command", message);
        return None;
    }
    let before = reader.count();
    let command = reader.texts(tool, "command");
    if command.len() > ARGUMENTS {
        reader.problem(entry.line, "command", format!("`command` has at most {ARGUMENTS} texts"));
    }
    match command.first() {
        None if reader.count() == before => {
            reader.problem(entry.line, "command", "`command` is empty: name a program");
        }
        Some(program) if program.contains("{{") || program.trim().is_empty() => {
            reader.problem(
                entry.line,
                "command",
                "the first text of `command` is the program, as it is called",
            );
        }
        _ => {}
    }
    let properties = input.and_then(|input| input.entry("properties")).map(|all| &all.value);
    for (at, text) in command.iter().enumerate() {
        let line = entry.value.line_at(&format!("/{at}"));
        for name in placeholders(text) {
            match name {
                Err(rest) => {
                    let message = format!("`{{{{{rest}` has no `}}}}`: an argument is written {{{{name}}}}");
                    reader.problem(line, "command", message);
                }
                Ok(name) if properties.is_none_or(|all| all.entry(name).is_none()) => {
                    let message = format!(
                        "`{{{{{name}}}}}` is no argument: `input_schema.properties` does not have it"
                    );
                    reader.problem(line, "command", message);
                }
                Ok(_) => {}
            }
        }
    }
    (reader.count() == before).then_some(command)
}

/// The names in `{{…}}`; what follows one that never ends.
fn placeholders(text: &str) -> Vec<Result<&str, &str>> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("{{") {
        match after.split_once("}}") {
            Some((name, after)) => {
                names.push(Ok(name.trim()));
                rest = after;
            }
            None => {
                names.push(Err(after));
                break;
            }
        }
    }
    names
}
