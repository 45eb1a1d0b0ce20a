//! Whether each agent found starts wherefore, and what in its settings turns that off or lets its own tools past.

use std::path::Path;

use super::Check;
use crate::cli::init::agents::{AGENTS, AgentProgram, Machine};
use crate::cli::init::levers::AgentConnection;

/// One check for each agent that is found.
pub(super) fn checks() -> Vec<Check> {
    let (machine, dir) = (Machine::here(), Path::new("."));
    AGENTS
        .iter()
        .filter(|agent| agent.is_found(&machine, dir))
        .map(|agent| check(agent, &machine, dir))
        .collect()
}

fn check(agent: &AgentProgram, machine: &Machine, dir: &Path) -> Check {
    let name = agent.connection_name();
    let connection = match AgentConnection::of(agent, machine, dir) {
        Ok(connection) => connection,
        Err(problem) => return Check::lacking(name, problem.to_string(), "Mend the file."),
    };
    let AgentConnection { starts, off, past } = connection;
    let gap = (!past.is_empty()).then(|| format!("{}.", past.join("; ")));
    let check = match (starts, off.is_empty()) {
        (None, _) => Check::lacking(
            name,
            "its settings do not start wherefore",
            "`wherefore init` adds it, here or with `--user` for every project.",
        ),
        (Some((file, command)), _) if !machine.runs(&command) => Check::lacking(
            name,
            format!("{file} starts {command:?}, which is not there"),
            "Put it on the PATH, or run `wherefore init --absolute`.",
        ),
        (Some((file, _)), false) => Check::lacking(
            name,
            format!("{file} starts wherefore, but {}", off.join("; ")),
            "Take that setting out.",
        ),
        (Some((file, _)), true) => Check::well(name, format!("starts wherefore ({file})")),
    };
    Check { gap, ..check }
}
