//! Reads the runner of a custom tool: a server's tool, or a program.

use super::super::node::{NodeKind, YamlNode};
use super::super::reader::DefinitionReader;
use crate::catalogue::definition::ToolRunner;

/// Texts of a program's arguments at most.
const ARGUMENTS: usize = 256;

/// Reads `mcp_server` or `command`; nothing where neither is there.
pub(super) fn read_runs(
    reader: &mut DefinitionReader,
    tool: &YamlNode,
    input: Option<&YamlNode>,
) -> Option<ToolRunner> {
    let named = ["mcp_server", "command", "answer", "activity", "_activity"].map(|key| tool.entry(key));
    let mut named = named.iter().flatten();
    if let (Some(first), Some(second)) = (named.next(), named.next()) {
        let message = format!("`{}` and `{}` exclude each other: one of them runs it", first.key, second.key);
        reader.add_problem(second.line, "runs", message);
    }
    let remote_tool = reader.read_text(tool, "remote_tool");
    if let (Some(entry), None) = (tool.entry("remote_tool"), tool.entry("mcp_server")) {
        reader.add_problem(entry.line, "runs", "`remote_tool` is a tool of an `mcp_server`: name that too");
    }
    let command = read_command(reader, tool, input).map(|command| ToolRunner::Command { command });
    let answer = tool.entry("answer").map(|entry| ToolRunner::Answer { answer: entry.value.to_value() });
    match reader.read_text(tool, "mcp_server") {
        Some(mcp_server) => Some(ToolRunner::Remote { mcp_server, remote_tool }),
        None => command.or(answer),
    }
}

/// Reads the program and its arguments. The text in `{{…}}` is an argument of the call.
fn read_command(
    reader: &mut DefinitionReader,
    tool: &YamlNode,
    input: Option<&YamlNode>,
) -> Option<Vec<String>> {
    let entry = tool.entry("command")?;
    if let NodeKind::Scalar(_) = entry.value.kind {
        let message = "`command` is a list of texts, the program first: [ffmpeg, -i, \"{{video_path}}\"]; no shell \
                       reads it";
        reader.add_problem(entry.line, "command", message);
        return None;
    }
    let before = reader.problem_count();
    let command = reader.read_texts(tool, "command");
    if command.len() > ARGUMENTS {
        reader.add_problem(entry.line, "command", format!("`command` has at most {ARGUMENTS} texts"));
    }
    match command.first() {
        None if reader.problem_count() == before => {
            reader.add_problem(entry.line, "command", "`command` is empty: name a program");
        }
        Some(program) if program.contains("{{") || program.trim().is_empty() => {
            reader.add_problem(
                entry.line,
                "command",
                "the first text of `command` is the program, as it is called",
            );
        }
        _ => {}
    }
    if let Some(input) = input {
        let properties = input.entry("properties").map(|all| &all.value);
        let is_argument = |name: &str| properties.is_some_and(|all| all.entry(name).is_some());
        for (at, text) in command.iter().enumerate() {
            for message in find_placeholder_problems(text, &is_argument) {
                reader.add_problem(entry.value.line_at(&format!("/{at}")), "command", message);
            }
        }
    }
    (reader.problem_count() == before).then_some(command)
}

/// Returns the problem with the `{{…}}` of a command whose tool takes the arguments that `is_argument` accepts.
pub(crate) fn find_placeholder_problem(
    command: &[String],
    is_argument: &dyn Fn(&str) -> bool,
) -> Option<String> {
    command.iter().flat_map(|text| find_placeholder_problems(text, is_argument)).next()
}

/// Finds the problems of the `{{…}}` in a text: a sentence for each that has no end or names no argument.
fn find_placeholder_problems(text: &str, is_argument: &dyn Fn(&str) -> bool) -> Vec<String> {
    let wrong = |name: Result<&str, &str>| match name {
        Err(rest) => Some(format!("`{{{{{rest}` has no `}}}}`: an argument is written {{{{name}}}}")),
        Ok(name) if !is_argument(name) => {
            Some(format!("`{{{{{name}}}}}` is no argument: `input_schema.properties` does not have it"))
        }
        Ok(_) => None,
    };
    find_placeholders(text).into_iter().filter_map(wrong).collect()
}

/// The names in `{{…}}`; what follows one that never ends.
fn find_placeholders(text: &str) -> Vec<Result<&str, &str>> {
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
