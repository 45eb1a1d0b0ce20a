//! Checks that each agent found starts wherefore, and reports settings that turn it off or bypass it.

use std::path::Path;

use super::DoctorCheck;
use crate::agents::{ALL, AgentProfile};
use crate::cli::init::agent_settings::AgentConnection;
use crate::cli::init::agents::PersonMachine;

/// Runs one check for each agent that is found.
pub(super) fn check_connections() -> Vec<DoctorCheck> {
    let (machine, dir) = (PersonMachine::current(), Path::new("."));
    ALL.iter()
        .filter(|agent| agent.is_found(&machine, dir))
        .map(|agent| check_connection(agent, &machine, dir))
        .collect()
}

fn check_connection(agent: &AgentProfile, machine: &PersonMachine, dir: &Path) -> DoctorCheck {
    let name = format!("{}, MCP", agent.title);
    let connection = match AgentConnection::of(agent, machine, dir) {
        Ok(connection) => connection,
        Err(problem) => return DoctorCheck::lacking(name, problem.to_string(), "Mend the file."),
    };
    let AgentConnection { starts, off, past } = connection;
    let plugin = agent.installed_plugin(machine, dir);
    let gap = (!past.is_empty()).then(|| format!("{}.", past.join("; ")));
    let check = match (starts, off.is_empty()) {
        (None, _) if plugin.is_some() => {
            let file = plugin.map(|plugin| plugin.file).unwrap_or_default();
            DoctorCheck::well(name, format!("starts wherefore by its plugin ({file})"))
        }
        (None, _) => DoctorCheck::lacking(
            name,
            "its settings do not start wherefore",
            "`wherefore init` adds it, here or with `--user` for every project.",
        ),
        (Some((file, command)), _) if !machine.has_command(&command) => DoctorCheck::lacking(
            name,
            format!("{file} starts {command:?}, which is not there"),
            "Put it on the PATH, or run `wherefore init --absolute`.",
        ),
        (Some((file, _)), false) => DoctorCheck::lacking(
            name,
            format!("{file} starts wherefore, but {}", off.join("; ")),
            "Take that setting out.",
        ),
        (Some((file, _)), true) => DoctorCheck::well(name, format!("starts wherefore ({file})")),
    };
    DoctorCheck { gap, ..check }
}
