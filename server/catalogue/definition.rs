//! A tool's definition, once every rule of it holds.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::protocol::{CommandEffects, FIXED_ANSWER, Risk};

/// The limits that a tool runs in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolSandbox {
    /// True where it may reach the network.
    pub network: bool,
    /// The paths that it may touch: `workspace:r`, `workspace:rw`, or a glob below the root with `:r` or `:rw`. An empty list
    /// opens none; all of the workspace when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<Vec<String>>,
    /// Milliseconds after which it is stopped.
    pub timeout_ms: u64,
    /// The hosts that its command reaches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// The treatment of the files that its command changes; as for any other command when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<CommandEffects>,
}

impl Default for ToolSandbox {
    fn default() -> Self {
        Self { network: false, filesystem: None, timeout_ms: 30_000, hosts: Vec::new(), effects: None }
    }
}

/// A call that shows how the tool is used; the built-in ones run as tests.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolExample {
    /// The arguments, without `why`.
    pub input: Value,
    /// The expected output, of which [`super::matches_example`] compares only the members that are given here; none
    /// where the example shows only a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// The reason.
    pub why: String,
}

/// Another name that the tool answers to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ToolAlias {
    /// The name.
    pub name: String,
    /// The alias's own argument names, each with the tool's argument that it replaces.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, String>,
    /// Arguments that may be left out under this name, with what they then are.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub defaults: BTreeMap<String, Value>,
}

/// The runner of a custom tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ToolRunner {
    /// A tool of a server of the Model Context Protocol.
    Remote {
        /// The server, by its name in the settings: `[mcp_servers.NAME]`.
        mcp_server: String,
        /// The server's own name of the tool; the last part of this one's where it is not given.
        #[serde(skip_serializing_if = "Option::is_none")]
        remote_tool: Option<String>,
    },
    /// A program.
    Command {
        /// The program and its arguments, with `{{name}}` in the place of an argument of the call.
        command: Vec<String>,
    },
    /// A fixed answer, equal for every call.
    Answer {
        /// It.
        answer: Value,
    },
}

impl ToolRunner {
    /// Describes the runner, as in `a fixed answer`.
    pub fn words(&self) -> String {
        match self {
            Self::Remote { mcp_server, remote_tool: None } => format!("the server {mcp_server}"),
            Self::Remote { mcp_server, remote_tool: Some(tool) } => {
                format!("{tool} of the server {mcp_server}")
            }
            Self::Command { command } => format!("the command {}", command.join(" ")),
            Self::Answer { .. } => FIXED_ANSWER.to_owned(),
        }
    }
}

/// A definition of what runs another tool in some environments. It has no schemas: those of that tool hold.
#[derive(Clone, Debug, PartialEq)]
pub struct StandIn {
    /// The tool's name.
    pub tool: String,
    /// The environments.
    pub environments: Vec<String>,
    /// The runner of the tool in the environment, unless it is built-in code.
    pub runs: Option<ToolRunner>,
    /// The built-in tool whose code runs it; empty means latent.
    pub activity: Option<String>,
    /// The file it was read from, and the line of the name.
    pub place: (String, u32),
    /// The problem of its definition, for which nothing runs the tool there.
    pub wrong: Option<String>,
}

/// A tool: a pure schema, with no code.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolDef {
    /// Unique and dotted, as `fs.read`.
    pub name: String,
    /// The category of the tree's node that it is under.
    pub category: String,
    /// Further nodes, each as the path of names from the root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Vec<String>>,
    /// Its name for people, as `Edit file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A summary of one line.
    pub summary: String,
    /// Everything that a model needs to know.
    pub description: String,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The worst effect of a call.
    pub risk: Risk,
    /// The arguments, `why` among them: JSON Schema 2020-12, its root an object.
    pub input_schema: Value,
    /// The output; nothing where anything may come back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// The limits that it runs in.
    pub sandbox: ToolSandbox,
    /// Calls that show how it is used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<ToolExample>,
    /// Counts up with each change that callers notice.
    pub version: u64,
    /// Other names that it answers to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<ToolAlias>,
    /// The activity asked for: empty means latent, nothing means the one of the same name, if there is one.
    #[serde(rename = "_activity", skip_serializing_if = "Option::is_none")]
    pub activity: Option<String>,
    /// The runner, where the tool is not run by our own code.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub runs: Option<ToolRunner>,
    /// The file it was read from; nothing for a built-in one.
    #[serde(skip)]
    pub source: Option<String>,
}

/// A name with dots and dashes as underscores: how clients that allow no dots spell it.
pub(crate) fn folded_name(name: &str) -> String {
    name.replace(['.', '-'], "_").to_lowercase()
}

/// Returns whether a definition's file belongs to the project: such files are named relative to its root.
pub(crate) fn is_of_project(source: &str) -> bool {
    !source.starts_with('/')
}

impl ToolDef {
    /// The name as clients want it that allow no dots: `fs_read`.
    pub fn flat_name(&self) -> String {
        self.name.replace('.', "_")
    }

    /// Its name for people: its title, else its name in words.
    pub fn display_title(&self) -> String {
        self.title.clone().unwrap_or_else(|| {
            let words = self.name.replace(['.', '_', '-'], " ");
            let mut letters = words.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        })
    }

    /// Returns whether the project wrote the definition, and not the person.
    pub fn is_of_project(&self) -> bool {
        self.source.as_deref().is_some_and(is_of_project)
    }

    /// Every name that it can be called by: its own, that without dots, and its aliases.
    pub fn all_names(&self) -> Vec<String> {
        let aliases = self.aliases.iter().map(|alias| alias.name.clone());
        [self.name.clone(), self.flat_name()].into_iter().chain(aliases).collect()
    }

    /// The names of its arguments, `why` among them, in the order of the schema.
    pub fn argument_names(&self) -> impl Iterator<Item = &str> {
        let properties = self.input_schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(|map| map.keys().map(String::as_str))
    }
}
