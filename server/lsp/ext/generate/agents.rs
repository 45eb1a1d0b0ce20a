//! The list of agents for VS Code, made from the one in `agents`.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::agents::{ALL, AgentProfile, AgentTrace, UsualFolder};

const HEAD: &str =
    "// The agents that `wherefore init` sets up: the table of server/agents.rs, generated. Do not edit;
// `WHEREFORE_BLESS=1 cargo test --lib generated` writes it anew.

import type { KnownAgent } from './agent_detection';

/** VS Code's own agent is not among them: it is offered the server with no file written. */
export const AGENTS: KnownAgent[] = [
";

/// The traces of an agent below the home folder and the project. A file that another agent reads too says nothing of either.
fn agent_traces(agent: &AgentProfile) -> Vec<String> {
    let others: BTreeSet<_> =
        ALL.iter().filter(|other| **other != agent).flat_map(|other| other.setup.project_files).collect();
    let below_config = |name: &str| format!("~/.config/{name}");
    let traces = agent.setup.traces.iter().filter_map(|trace| {
        Some(match trace {
            AgentTrace::Project(name) if others.contains(name) => return None,
            AgentTrace::Project(name) => (*name).to_owned(),
            AgentTrace::Home(name) => format!("~/{name}"),
            AgentTrace::Config(name) => below_config(name),
            AgentTrace::OwnFolder => match agent.setup.folder.usual {
                UsualFolder::Home(name) => format!("~/{name}"),
                UsualFolder::Config(name) => below_config(name),
            },
        })
    });
    traces.collect()
}

/// As rows of TypeScript.
pub(super) fn typescript_table() -> String {
    let mut out = HEAD.to_owned();
    let quote = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    for agent in ALL.iter().filter(|agent| agent.id != "vscode") {
        let traces: Vec<String> = agent_traces(agent).iter().map(|trace| quote(trace)).collect();
        // Writing to a string never fails.
        let _ = writeln!(
            out,
            "  {{ id: {}, name: {}, program: {}, traces: [{}], hooks: {} }},",
            quote(agent.id),
            quote(agent.title),
            quote(agent.setup.programs.first().copied().unwrap_or_default()),
            traces.join(", "),
            agent.hooks.is_some(),
        );
    }
    out.push_str("];\n");
    out
}
