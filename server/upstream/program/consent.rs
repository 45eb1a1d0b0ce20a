//! The person's consent to a tool whose command the project chose: to its definition, and to the files that it runs.

use std::path::Path;
use std::sync::Arc;

use crate::base::hash;
use crate::base::hidden::escape_hidden;
use crate::catalogue::ToolDef;
use crate::protocol::{Fault, McpServer};
use crate::registry::ActivityConsent;
use crate::upstream::bound::{self, BoundFiles, FileHashes};
use crate::upstream::consents::{Consents, ServerConsent, tool_key};

/// The consent to one tool in one workspace.
pub(in crate::upstream) struct ProgramConsent {
    consents: Arc<Consents>,
    root: String,
    /// The tool's name.
    name: String,
    /// The hash of the definition's text.
    definition: String,
    /// The command, as that of a server is described: its words name the files that it runs.
    command: McpServer,
    hashes: FileHashes,
}

impl ProgramConsent {
    /// The consent to the tool of a definition, with the command that it runs, in the workspace at `root`.
    pub(in crate::upstream) fn new(
        definition: &ToolDef,
        command: &[String],
        consents: Arc<Consents>,
        root: &str,
    ) -> Self {
        let text = serde_json::to_string(definition).unwrap_or_default();
        let command = McpServer {
            command: command.first().cloned(),
            args: command.iter().skip(1).cloned().collect(),
            ..McpServer::default()
        };
        Self {
            consents,
            root: root.to_owned(),
            name: definition.name.clone(),
            definition: hash::short_hash(text.as_bytes()),
            command,
            hashes: FileHashes::default(),
        }
    }

    /// Returns whether the person consented to the tool as it is now.
    pub(super) fn is_given(&self) -> bool {
        self.consents.get(&self.root, &tool_key(&self.name)).is_some_and(|consent| {
            consent.definition == self.definition && consent.bound == self.bound_files()
        })
    }

    /// Returns the consent that the person can give now.
    pub(super) fn offer(self: &Arc<Self>) -> Arc<dyn ActivityConsent> {
        Arc::new(OfferedConsent { tool: self.clone(), bound: self.bound_files() })
    }

    fn bound_files(&self) -> BoundFiles {
        bound::find_bound_files(Path::new(&self.root), &self.command, &self.hashes)
    }
}

/// The consent that the person can give to the tool as it is now.
struct OfferedConsent {
    tool: Arc<ProgramConsent>,
    bound: BoundFiles,
}

impl OfferedConsent {
    /// The bound files as the end of an enumeration; empty where there are none.
    fn describe_files(&self) -> String {
        let files: Vec<&str> = self.bound.keys().map(String::as_str).collect();
        match files.as_slice() {
            [] => String::new(),
            files => format!(" or {}", escape_hidden(&files.join(", "))),
        }
    }
}

impl ActivityConsent for OfferedConsent {
    fn is_given(&self) -> bool {
        self.tool.is_given()
    }

    fn describe_subject(&self) -> String {
        let words = self.tool.command.command.iter().chain(&self.tool.command.args);
        let line: Vec<String> = words.map(|word| format!("{:?}", escape_hidden(word))).collect();
        format!(
            "It runs {} in the sandbox, without asking, until its definition{} changes.",
            line.join(" "),
            self.describe_files()
        )
    }

    fn describe_term(&self) -> String {
        format!(
            "Always lasts until its definition{} changes; `wherefore consent --revoke {}` takes it back.",
            self.describe_files(),
            self.tool.name
        )
    }

    fn keep_consent(&self) -> Result<(), Fault> {
        let ProgramConsent { consents, root, name, definition, .. } = &*self.tool;
        let (definition, bound) = (definition.clone(), self.bound.clone());
        let consent = ServerConsent { definition, bound, ..ServerConsent::default() };
        Ok(consents.change_consent(root, &tool_key(name), |_| Some(consent))?)
    }
}
