//! The person's consent to a server, and its parts that wait for consent.

use std::collections::BTreeMap;
use std::path::Path;

use super::ServerGate;
use crate::base::hash;
use crate::base::hidden::escape_hidden;
use crate::catalogue::ToolDef;
use crate::protocol::McpServer;
use crate::upstream::bound;
use crate::upstream::consents::ServerConsent;

impl ServerGate {
    /// The person's consent to it as it is set now.
    pub(in crate::upstream) fn current_consent(&self) -> Option<ServerConsent> {
        let consent = self.consents.get(self.session.workspace().root(), &self.name);
        consent.filter(|consent| consent.definition == self.definition)
    }

    /// Takes the project's definitions over it that need consent.
    pub(in crate::upstream) fn take_definitions<'a>(&self, definitions: impl Iterator<Item = &'a ToolDef>) {
        let of = |def: &ToolDef| {
            let text = serde_json::to_string_pretty(def).unwrap_or_default();
            (def.name.clone(), (hash::short_hash(text.as_bytes()), text))
        };
        *self.definitions.write() = definitions.map(of).collect();
    }

    /// The project's definition of that name over it, with its hash, where it waits for consent.
    pub(in crate::upstream) fn unconsented_definition(&self, name: &str) -> Option<(String, String)> {
        let definitions = self.definitions.read();
        let (hash, text) = definitions.get(name)?;
        let consented =
            self.current_consent().is_some_and(|consent| consent.definitions.get(name) == Some(hash));
        (!consented).then(|| (hash.clone(), text.clone()))
    }

    /// Returns every definition of the project's over it that waits for consent, by name, with its text.
    pub(in crate::upstream) fn unconsented_definitions(&self) -> Vec<(String, String)> {
        let names: Vec<String> = self.definitions.read().keys().cloned().collect();
        let waits = |name: String| self.unconsented_definition(&name).map(|(_, text)| (name, text));
        names.into_iter().filter_map(waits).collect()
    }

    /// The hash of each definition of the project's over it.
    pub(in crate::upstream) fn definition_hashes(&self) -> BTreeMap<String, String> {
        let definitions = self.definitions.read();
        definitions.iter().map(|(name, (hash, _))| (name.clone(), hash.clone())).collect()
    }

    /// Returns whether nothing keeps it from being started. What the person set themselves may be; of a project's, the
    /// files that it runs have to be those that were consented to.
    pub(in crate::upstream) fn may_start(&self) -> bool {
        let consented = || self.current_consent().is_some_and(|consent| consent.bound == self.bound_files());
        self.settings.enabled && (!self.settings.of_project || consented())
    }

    /// Returns whether it runs in a sandbox: where the person's settings ask for that, and where a project names it,
    /// unless the person's consent opens it.
    pub(in crate::upstream) fn is_confined(&self) -> bool {
        let confined = match self.settings.of_project {
            true => !self.current_consent().is_some_and(|consent| consent.unconfined),
            false => self.settings.sandbox == Some(true),
        };
        confined && self.settings.command.is_some()
    }

    /// Describes its permissions, in a sentence.
    pub(in crate::upstream) fn describe_confinement(&self) -> String {
        let McpServer { url, writes, hosts, .. } = &self.settings;
        if url.is_some() {
            return "It runs elsewhere.".to_owned();
        }
        if !self.is_confined() {
            return "It runs as you, with all that you may do.".to_owned();
        }
        let files =
            if *writes { "reads and writes the workspace, without a review," } else { "reads the workspace" };
        let network = match hosts.as_slice() {
            [] => "has no network".to_owned(),
            hosts => format!("reaches the hosts {}", escape_hidden(&hosts.join(", "))),
        };
        format!("It runs in a sandbox: it {files} and {network}.")
    }

    /// The files of the project that its command line names, as they are now.
    pub(in crate::upstream) fn bound_files(&self) -> bound::BoundFiles {
        match self.settings.of_project {
            true => bound::find_bound_files(
                Path::new(self.session.workspace().root()),
                &self.settings,
                &self.hashes,
            ),
            false => bound::BoundFiles::new(),
        }
    }

    /// The files that changed since the person consented to it, in a line; nothing where that is not why it waits.
    pub(in crate::upstream) fn changed_files(&self) -> Option<String> {
        let (before, now) = (self.current_consent()?.bound, self.bound_files());
        (before != now).then(|| escape_hidden(&bound::describe_changes(&before, &now)).into_owned())
    }

    /// Closes to writing what a consent to it binds.
    pub(in crate::upstream) fn close_bound(&self) {
        let files = self.current_consent().filter(|_| self.settings.of_project).map(|consent| consent.bound);
        let paths = files.map(|files| bound::bound_paths(Path::new(self.session.workspace().root()), &files));
        self.session
            .workspace()
            .state()
            .held_paths()
            .close_paths(&self.rule_name(), paths.unwrap_or_default());
    }

    /// Opens it again.
    pub(in crate::upstream) fn release_bound(&self) {
        self.session.workspace().state().held_paths().close_paths(&self.rule_name(), Vec::new());
    }

    fn rule_name(&self) -> String {
        format!("consented-server {}", self.name)
    }
}
