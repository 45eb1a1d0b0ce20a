//! A definition that names an environment: it defines the activity of another tool there, and no tool of its own.

use super::super::node::{NodeKind, YamlNode};
use super::super::reader::DefinitionReader;
use super::{KEYS, check_name, runs};
use crate::catalogue::definition::StandIn;
use crate::protocol::is_environment_name;

/// Keys that are the tool's own, wherever it runs.
const OF_THE_TOOL: [&str; 9] =
    ["category", "nodes", "title", "tags", "risk", "input_schema", "output_schema", "sandbox", "aliases"];

/// Reads a stand-in, with its first problem; none if nothing says which tool it stands in for.
pub(in crate::catalogue) fn stand_in(
    reader: &mut DefinitionReader,
    tool: &YamlNode,
    known: &dyn Fn(&str) -> bool,
) -> Option<StandIn> {
    reader.check_map(tool, "`tool`", KEYS);
    let line = tool.line_at("/name");
    let name = reader.required_text(tool, "name").filter(|name| check_name(reader, line, name));
    let environments = environments(reader, tool);
    for key in OF_THE_TOOL.iter().filter_map(|key| tool.entry(key)) {
        let message =
            format!("`{}` is not used: a stand-in keeps that of the tool it stands in for", key.key);
        reader.remark(key.line, "stand-in", message);
    }
    let runs = runs::read_runs(reader, tool, None);
    let activity = super::read_activity(reader, tool, known);
    let place = (reader.path().to_owned(), line);
    let wrong = reader.first_problem().map(|problem| problem.message.clone());
    Some(StandIn { tool: name?, environments, runs, activity, place, wrong })
}

/// The environments under `environment`: a name, or a list of names.
fn environments(reader: &mut DefinitionReader, tool: &YamlNode) -> Vec<String> {
    let Some(entry) = tool.entry("environment") else { return Vec::new() };
    let names = match entry.value.kind {
        NodeKind::List(_) => reader.read_texts(tool, "environment"),
        _ => reader.read_text(tool, "environment").into_iter().collect(),
    };
    if names.is_empty() && reader.problem_count() == 0 {
        reader.add_problem(entry.line, "environment", "`environment` names none: say `environment: test`");
    }
    for name in names.iter().filter(|name| !is_environment_name(name)) {
        let name: String = name.chars().take(60).collect();
        let message =
            format!("{name:?} is no name of an environment: letters, digits, `_` and `-`, a letter first");
        reader.add_problem(entry.line, "environment", message);
    }
    names
}
