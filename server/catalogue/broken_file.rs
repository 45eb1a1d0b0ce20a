//! A definition file that is no YAML, read line by line: a call of a tool that it seems to define still gets its problem.

use super::definition::StandIn;
use super::node::DefinitionProblem;
use crate::protocol::is_environment_name;

/// Names that are looked for.
const NAMED_TOOLS: usize = 100;

/// The names of tools that a file seems to define.
pub(super) fn find_names(text: &str) -> Vec<String> {
    text.lines().filter_map(name_in_line).take(NAMED_TOOLS).map(str::to_owned).collect()
}

/// The stand-ins that a file with that problem seems to define: nothing runs their tools there.
pub(super) fn find_stand_ins(text: &str, problem: &DefinitionProblem) -> Vec<StandIn> {
    let named = text.lines().find_map(|line| value_in_line(line, "environment:"));
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let environments: Vec<String> = named
        .into_iter()
        .flat_map(|words| words.split(|c: char| !is_part(c)))
        .filter(|word| is_environment_name(word))
        .map(str::to_owned)
        .collect();
    let names = find_names(text).into_iter().filter(|_| !environments.is_empty());
    let stand_in = |tool: String| StandIn {
        tool,
        environments: environments.clone(),
        runs: None,
        activity: None,
        place: (problem.path.clone(), problem.line),
        wrong: Some(problem.message.clone()),
    };
    names.map(stand_in).collect()
}

/// The name that a line of a definition gives.
fn name_in_line(line: &str) -> Option<&str> {
    let name = value_in_line(line, "name:")?.trim_matches(['"', '\'']);
    (!name.is_empty() && name.len() <= 64).then_some(name)
}

/// The text behind a key at the beginning of a line.
fn value_in_line<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.trim_start().trim_start_matches("- ").trim_start().strip_prefix(key).map(str::trim)
}
