//! A tool's definition, once every rule of it holds.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::protocol::{CommandEffects, Risk};

/// The limits that a tool runs in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sandbox {
    /// Whether it may reach the network.
    pub network: bool,
    /// What it may touch: `workspace:r`, `workspace:rw`, or a glob below the root with `:r` or `:rw`.
    pub filesystem: Vec<String>,
    /// Milliseconds after which it is stopped.
    pub timeout_ms: u64,
    /// The hosts that its command reaches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// What becomes of the files that its command changes; as for any other command when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<CommandEffects>,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self { network: false, filesystem: Vec::new(), timeout_ms: 30_000, hosts: Vec::new(), effects: None }
    }
}

/// A call that shows how the tool is used; the built-in ones run as tests.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Example {
    /// The arguments, without `why`.
    pub input: Value,
    /// What comes back. Only the members given here are compared ([`super::matches`]); nothing where the
    /// example shows only a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// The reason.
    pub why: String,
}

/// Another name that the tool answers to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Alias {
    /// The name.
    pub name: String,
    /// The alias's own argument names, each with the tool's argument that it stands for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, String>,
    /// Arguments that may be left out under this name, with what they then are.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub defaults: BTreeMap<String, Value>,
}

/// What runs a custom tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Runs {
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
        /// It and its arguments, with `{{name}}` where an argument of the call stands.
        command: Vec<String>,
    },
}

/// A tool: a pure schema, with no code.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolDef {
    /// Unique and dotted, as `fs.read`.
    pub name: String,
    /// The category of the tree's node that it stands under.
    pub category: String,
    /// Further nodes, each as the path of names from the root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Vec<String>>,
    /// Its name for people, as `Edit file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// One line.
    pub summary: String,
    /// Everything that a model needs to know.
    pub description: String,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What a call can do at worst.
    pub risk: Risk,
    /// The arguments, `why` among them: JSON Schema 2020-12, its root an object.
    pub input_schema: Value,
    /// The output; nothing where anything may come back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// The limits that it runs in.
    pub sandbox: Sandbox,
    /// Calls that show how it is used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    /// Counts up with each change that callers notice.
    pub version: u64,
    /// Other names that it answers to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Alias>,
    /// The activity asked for: empty means latent, nothing means the one of the same name, if there is one.
    #[serde(rename = "_activity", skip_serializing_if = "Option::is_none")]
    pub activity: Option<String>,
    /// What runs it, where that is not code of ours.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub runs: Option<Runs>,
    /// The file it was read from; nothing for a built-in one.
    #[serde(skip)]
    pub source: Option<String>,
}

/// A name with dots and dashes as underscores: how clients that allow no dots spell it.
pub(crate) fn folded(name: &str) -> String {
    name.replace(['.', '-'], "_").to_lowercase()
}

impl ToolDef {
    /// The name as clients want it that allow no dots: `fs_read`.
    pub fn flat_name(&self) -> String {
        self.name.replace('.', "_")
    }

    /// Its name for people: its title, else its name in words.
    pub fn title(&self) -> String {
        self.title.clone().unwrap_or_else(|| {
            let words = self.name.replace(['.', '_', '-'], " ");
            let mut letters = words.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        })
    }

    /// Whether the project wrote it, and not the person. A project's files are named below its root.
    pub fn is_of_project(&self) -> bool {
        self.source.as_deref().is_some_and(|source| !source.starts_with('/'))
    }

    /// Every name that it can be called by: its own, that without dots, and its aliases.
    pub fn names(&self) -> Vec<String> {
        let aliases = self.aliases.iter().map(|alias| alias.name.clone());
        [self.name.clone(), self.flat_name()].into_iter().chain(aliases).collect()
    }

    /// The names of its arguments, `why` among them, in the order of the schema.
    pub fn argument_names(&self) -> impl Iterator<Item = &str> {
        let properties = self.input_schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(|map| map.keys().map(String::as_str))
    }
}
