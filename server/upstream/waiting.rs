//! The servers and tools that wait for the person's consent, and the person's answer.

use serde::Serialize;

use super::Upstreams;
use super::bound;
use super::consents::{ServerConsent, tool_key, tool_of_key};
use super::known::{ToolStanding, describe_difference};
use super::server::UpstreamServer;
use crate::base::hidden::escape_hidden;
use crate::base::nearest::nearest_names;
use crate::protocol::{Code, Fault};

/// A server for which something waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitingServer {
    /// Its name in the settings.
    pub server: String,
    /// The description of the server, in a line.
    pub describes: String,
    /// The description of its permissions, in a sentence.
    pub confinement: String,
    /// The description of the files that a consent binds, where it is the project's; empty where it is the person's.
    pub binds: String,
    /// The files that it binds, as they are shown.
    #[serde(skip)]
    pub bound: bound::BoundFiles,
    /// True where it waits to be started at all.
    pub start: bool,
    /// Its tools that have changed or are new.
    pub tools: Vec<WaitingTool>,
    /// The project's definitions over it, where it is the person's: each as JSON.
    pub definitions: Vec<String>,
}

/// A tool whose words wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitingTool {
    /// The server's own name for it.
    pub name: String,
    /// True where it is new; else its text changed.
    pub new: bool,
    /// The words for agents, compared with those consented to.
    pub diff: String,
}

/// A server that the person consented to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConsentedServer {
    /// Its name in the settings.
    pub server: String,
    /// The number of its tools.
    pub tools: usize,
}

impl Upstreams {
    /// All that waits for the person.
    pub fn waiting_servers(&self) -> Vec<WaitingServer> {
        self.servers().values().filter_map(|server| waiting_server(server)).collect()
    }

    /// The servers that the person consented to.
    pub fn consented_servers(&self) -> Vec<ConsentedServer> {
        let consented = |server: &std::sync::Arc<UpstreamServer>| {
            Some(ConsentedServer {
                server: server.gate.name.clone(),
                tools: server.gate.current_consent()?.tools.len(),
            })
        };
        self.servers().values().filter_map(consented).collect()
    }

    /// Returns whether the settings name such a server.
    pub fn has_server(&self, name: &str) -> bool {
        self.servers().contains_key(name)
    }

    /// The person consents to a server as it is set now, and to its tools as they were listed last.
    ///
    /// # Errors
    /// NOT_FOUND where no such server is named; what keeps the consent from being written.
    pub fn consent_as_set(&self, name: &str) -> Result<(), Fault> {
        let bound = self.find_server(name)?.gate.bound_files();
        self.consent_to(name, bound)
    }

    /// [`Upstreams::consent_as_set`] to a server that a project names, to run with no sandbox.
    ///
    /// # Errors
    /// As [`Upstreams::consent_as_set`]; INVALID_ARGS where the settings of the person say that.
    pub fn consent_unconfined(&self, name: &str) -> Result<(), Fault> {
        if !self.find_server(name)?.gate.settings.of_project {
            let message = format!("{:?} is a server of your own settings", escape_hidden(name));
            return Err(Fault::new(Code::InvalidArgs, message)
                .with_suggestion("take `sandbox = true` out of its settings to run it with no sandbox"));
        }
        self.consent_as_set(name)?;
        let open = |consent: Option<ServerConsent>| {
            consent.map(|consent| ServerConsent { unconfined: true, ..consent })
        };
        self.consents.change_consent(self.session.workspace().root(), name, open)?;
        self.configure();
        Ok(())
    }

    /// [`Upstreams::consent_as_set`] to a server with the files that the person was shown.
    ///
    /// # Errors
    /// As [`Upstreams::consent_as_set`].
    pub fn consent_to(&self, name: &str, bound: bound::BoundFiles) -> Result<(), Fault> {
        let server = self.find_server(name)?;
        let known = server.known_tools();
        self.consents.change_consent(self.session.workspace().root(), name, |before| {
            let before = before.filter(|consent| consent.definition == server.gate.definition);
            let mut consent = before.unwrap_or_default();
            consent.bound = bound;
            consent.definitions = server.gate.definition_hashes();
            consent.definition.clone_from(&server.gate.definition);
            if let Some(known) = &known {
                consent.tools.extend(known.tool_hashes());
                consent.listed = true;
            }
            Some(consent)
        })?;
        server.gate.notify_changed();
        Ok(())
    }

    /// The tools that the person consented to, of those whose command the project chose.
    pub fn consented_tools(&self) -> Vec<String> {
        let names = self.consents.names(self.session.workspace().root());
        names.iter().filter_map(|name| tool_of_key(name)).map(str::to_owned).collect()
    }

    /// The person takes their consent to a server back, or to a tool: a project's server is ended.
    ///
    /// # Errors
    /// NOT_FOUND where they have given none; what keeps that from being written.
    pub fn revoke_consent(&self, name: &str) -> Result<(), Fault> {
        let root = self.session.workspace().root();
        let keys = [name.to_owned(), tool_key(name)];
        let Some(key) = keys.iter().find(|key| self.consents.get(root, key).is_some()) else {
            let servers = self.consented_servers().into_iter().map(|consented| consented.server);
            let given = servers.chain(self.consented_tools());
            return Err(Fault::new(
                Code::NotFound,
                format!("no consent to {:?} is kept here", escape_hidden(name)),
            )
            .with_hints(given)
            .with_suggestion("name one of the servers or tools that you consented to"));
        };
        self.consents.change_consent(root, key, |_: Option<ServerConsent>| None)?;
        self.configure();
        Ok(())
    }

    fn find_server(&self, name: &str) -> Result<std::sync::Arc<UpstreamServer>, Fault> {
        let servers = self.servers();
        servers.get(name).cloned().ok_or_else(|| {
            let near = nearest_names(name, servers.keys().map(String::as_str), 3);
            Fault::new(
                Code::NotFound,
                format!("no server is named {:?} in the settings", escape_hidden(name)),
            )
            .with_near_names(near.into_iter().map(str::to_owned))
            .with_suggestion("name one of the servers in [mcp_servers]")
        })
    }
}

fn waiting_server(server: &UpstreamServer) -> Option<WaitingServer> {
    let start = !server.gate.may_start();
    let consent = server.gate.current_consent();
    let known = server.known_tools().filter(|_| consent.as_ref().is_some_and(|consent| consent.listed));
    let tool = |tool| {
        let (new, former) = match known.as_ref()?.tool_standing(tool, consent.as_ref()) {
            ToolStanding::Granted => return None,
            ToolStanding::Changed(former) => (false, former),
            ToolStanding::New => (true, None),
        };
        let diff = describe_difference(former.as_deref(), tool);
        Some(WaitingTool { name: escape_hidden(&tool.name).into_owned(), new, diff })
    };
    let tools: Vec<WaitingTool> = known.iter().flat_map(|known| &known.tools).filter_map(tool).collect();
    let definitions: Vec<String> = server
        .gate
        .unconsented_definitions()
        .into_iter()
        .map(|(_, text)| escape_hidden(&text).into_owned())
        .collect();
    let something = start || !tools.is_empty() || !definitions.is_empty();
    let (name, describes, bound) =
        (server.gate.name.clone(), server.gate.describe_server(), server.gate.bound_files());
    let confinement = server.gate.describe_confinement();
    let again = server.gate.changed_files().map(|files| format!("Changed since you consented: {files}. "));
    let binds = match server.gate.settings.of_project {
        true => format!("{}{}", again.unwrap_or_default(), escape_hidden(&bound::describe_bound(&bound))),
        false => String::new(),
    };
    something.then_some(WaitingServer {
        server: name,
        describes,
        confinement,
        binds,
        bound,
        start,
        tools,
        definitions,
    })
}
