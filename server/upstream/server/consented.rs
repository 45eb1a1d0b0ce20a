//! What the person consented to of a server, and what of it waits for consent.

use std::collections::BTreeMap;
use std::path::Path;

use super::Server;
use crate::base::hash;
use crate::base::hidden::shown;
use crate::catalogue::ToolDef;
use crate::protocol::{McpServer, ServerStatus};
use crate::upstream::bound;
use crate::upstream::consents::Consent;

impl Server {
    /// The person's consent to it as it is set now.
    pub(in crate::upstream) fn consent(&self) -> Option<Consent> {
        let consent = self.consents.get(self.session.workspace().root(), &self.name);
        consent.filter(|consent| consent.definition == self.definition)
    }

    /// Takes the project's definitions over it that need consent.
    pub(in crate::upstream) fn define<'a>(&self, definitions: impl Iterator<Item = &'a ToolDef>) {
        let of = |def: &ToolDef| {
            let text = serde_json::to_string_pretty(def).unwrap_or_default();
            (def.name.clone(), (hash::short(text.as_bytes()), text))
        };
        *self.definitions.write() = definitions.map(of).collect();
    }

    /// The project's definition of that name over it, with its hash, where it waits for consent.
    pub(in crate::upstream) fn undefined_as(&self, name: &str) -> Option<(String, String)> {
        let definitions = self.definitions.read();
        let (hash, text) = definitions.get(name)?;
        let consented = self.consent().is_some_and(|consent| consent.definitions.get(name) == Some(hash));
        (!consented).then(|| (hash.clone(), text.clone()))
    }

    /// Every definition of the project's over it that waits for consent, by name, with what it says.
    pub(in crate::upstream) fn undefined(&self) -> Vec<(String, String)> {
        let names: Vec<String> = self.definitions.read().keys().cloned().collect();
        let waits = |name: String| self.undefined_as(&name).map(|(_, text)| (name, text));
        names.into_iter().filter_map(waits).collect()
    }

    /// The hash of each definition of the project's over it.
    pub(in crate::upstream) fn definition_hashes(&self) -> BTreeMap<String, String> {
        let definitions = self.definitions.read();
        definitions.iter().map(|(name, (hash, _))| (name.clone(), hash.clone())).collect()
    }

    /// Whether nothing keeps it from being started. What the person set themselves may be; of a project's, the files that
    /// it runs have to be those that were consented to.
    pub(in crate::upstream) fn may_start(&self) -> bool {
        let consented = || self.consent().is_some_and(|consent| consent.bound == self.bound());
        self.settings.enabled && (!self.settings.of_project || consented())
    }

    /// Whether it runs in a sandbox: where the person says so, and where a project names it, unless the person's consent opens
    /// it.
    pub(in crate::upstream) fn is_confined(&self) -> bool {
        let confined = match self.settings.of_project {
            true => !self.consent().is_some_and(|consent| consent.unconfined),
            false => self.settings.sandbox == Some(true),
        };
        confined && self.settings.command.is_some()
    }

    /// Whether it runs, and otherwise than it would be started now: in a sandbox or in none.
    pub(in crate::upstream) fn runs_otherwise(&self) -> bool {
        let up = self.up().and_then(|connection| connection.group().cloned());
        up.is_some_and(|group| group.lives() && group.tier().is_some() != self.is_confined())
    }

    /// What it may do, in a sentence.
    pub(in crate::upstream) fn confinement(&self) -> String {
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
            hosts => format!("reaches the hosts {}", shown(&hosts.join(", "))),
        };
        format!("It runs in a sandbox: it {files} and {network}.")
    }

    /// How it stands.
    pub(in crate::upstream) fn status(&self) -> ServerStatus {
        let up = self.up();
        let tier = up.as_ref().and_then(|up| up.group()?.tier());
        ServerStatus {
            name: self.name.clone(),
            of_project: self.settings.of_project,
            running: up.is_some(),
            remote: self.settings.url.is_some(),
            confined: self.is_confined(),
            tier: tier.map(|tier| tier.to_string()),
        }
    }

    /// The files of the project that its command line names, as they are now.
    pub(in crate::upstream) fn bound(&self) -> bound::Files {
        match self.settings.of_project {
            true => bound::files(Path::new(self.session.workspace().root()), &self.settings, &self.hashes),
            false => bound::Files::new(),
        }
    }

    /// The files that changed since the person consented to it, in a line; nothing where that is not why it waits.
    pub(in crate::upstream) fn changed(&self) -> Option<String> {
        let (before, now) = (self.consent()?.bound, self.bound());
        (before != now).then(|| shown(&bound::changed(&before, &now)).into_owned())
    }

    /// Closes to writing what a consent to it binds.
    pub(in crate::upstream) fn hold(&self) {
        let files = self.consent().filter(|_| self.settings.of_project).map(|consent| consent.bound);
        let paths = files.map(|files| bound::paths(Path::new(self.session.workspace().root()), &files));
        self.session.workspace().state().held().close(&self.rule(), paths.unwrap_or_default());
    }

    /// Opens it again.
    pub(in crate::upstream) fn release(&self) {
        self.session.workspace().state().held().close(&self.rule(), Vec::new());
    }

    fn rule(&self) -> String {
        format!("consented-server {}", self.name)
    }
}
