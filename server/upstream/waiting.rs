//! What waits for the person's consent, shown to them, and their answer.

use serde::Serialize;

use super::Upstreams;
use super::bound;
use super::consents::Consent;
use super::known::{ToolStanding, difference};
use super::server::Server;
use crate::base::hidden::shown;
use crate::base::nearest::nearest;
use crate::protocol::{Code, Fault};

/// A server for which something waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Its name in the settings.
    pub server: String,
    /// What it is, in a line.
    pub describes: String,
    /// What it may do, in a sentence.
    pub confinement: String,
    /// What a consent to it binds, where it is the project's; empty where it is the person's.
    pub binds: String,
    /// The files that it binds, as they are shown.
    #[serde(skip)]
    pub bound: bound::Files,
    /// Whether it waits to be started at all.
    pub start: bool,
    /// Its tools that have changed or are new.
    pub tools: Vec<WaitingTool>,
    /// What the project defines over it, where it is the person's: each definition as JSON.
    pub definitions: Vec<String>,
}

/// A tool whose words wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitingTool {
    /// The server's own name for it.
    pub name: String,
    /// Whether it is new; else its words changed.
    pub new: bool,
    /// What agents would be told, against what was consented to.
    pub diff: String,
}

/// A server that the person consented to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Consented {
    /// Its name in the settings.
    pub server: String,
    /// How many of its tools.
    pub tools: usize,
}

impl Upstreams {
    /// All that waits for the person.
    pub fn waiting(&self) -> Vec<Waiting> {
        self.servers().values().filter_map(|server| waiting(server)).collect()
    }

    /// The servers that the person consented to.
    pub fn consented(&self) -> Vec<Consented> {
        let consented = |server: &std::sync::Arc<Server>| {
            Some(Consented { server: server.name.clone(), tools: server.consent()?.tools.len() })
        };
        self.servers().values().filter_map(consented).collect()
    }

    /// The person consents to a server as it is set now, and to its tools as they were listed last.
    ///
    /// # Errors
    /// NOT_FOUND where no such server is named; what keeps the consent from being written.
    pub fn consent(&self, name: &str) -> Result<(), Fault> {
        let bound = self.named(name)?.bound();
        self.consent_to(name, bound)
    }

    /// [`Upstreams::consent`] to a server that a project names, to run with no sandbox.
    ///
    /// # Errors
    /// As [`Upstreams::consent`]; INVALID_ARGS where the settings of the person say that.
    pub fn consent_unconfined(&self, name: &str) -> Result<(), Fault> {
        if !self.named(name)?.settings.of_project {
            let message = format!("{:?} is a server of your own settings", shown(name));
            return Err(Fault::new(Code::InvalidArgs, message)
                .suggest("take `sandbox = true` out of its settings to run it with no sandbox"));
        }
        self.consent(name)?;
        let open = |consent: Option<Consent>| consent.map(|consent| Consent { unconfined: true, ..consent });
        self.consents.change(self.session.workspace().root(), name, open)?;
        self.configure();
        Ok(())
    }

    /// [`Upstreams::consent`] to a server with the files that the person was shown.
    ///
    /// # Errors
    /// As [`Upstreams::consent`].
    pub fn consent_to(&self, name: &str, bound: bound::Files) -> Result<(), Fault> {
        let server = self.named(name)?;
        let known = server.known();
        self.consents.change(self.session.workspace().root(), name, |before| {
            let before = before.filter(|consent| consent.definition == server.definition);
            let mut consent = before.unwrap_or_default();
            consent.bound = bound;
            consent.definitions = server.definition_hashes();
            consent.definition.clone_from(&server.definition);
            if let Some(known) = &known {
                consent.tools.extend(known.hashes());
                consent.listed = true;
            }
            Some(consent)
        })?;
        server.news();
        Ok(())
    }

    /// The person takes their consent to a server back: a project's is ended.
    ///
    /// # Errors
    /// NOT_FOUND where they have given none; what keeps that from being written.
    pub fn revoke(&self, name: &str) -> Result<(), Fault> {
        if self.consents.get(self.session.workspace().root(), name).is_none() {
            let given = self.consented().into_iter().map(|consented| consented.server);
            return Err(Fault::new(Code::NotFound, format!("no consent to {:?} is kept here", shown(name)))
                .hint(given)
                .suggest("name one of the servers that you consented to"));
        }
        self.consents.change(self.session.workspace().root(), name, |_: Option<Consent>| None)?;
        self.configure();
        Ok(())
    }

    fn named(&self, name: &str) -> Result<std::sync::Arc<Server>, Fault> {
        let servers = self.servers();
        servers.get(name).cloned().ok_or_else(|| {
            let near = nearest(name, servers.keys().map(String::as_str), 3);
            Fault::new(Code::NotFound, format!("no server is named {:?} in the settings", shown(name)))
                .near(near.into_iter().map(str::to_owned))
                .suggest("name one of the servers in [mcp_servers]")
        })
    }
}

fn waiting(server: &Server) -> Option<Waiting> {
    let start = !server.may_start();
    let consent = server.consent();
    let known = server.known().filter(|_| consent.as_ref().is_some_and(|consent| consent.listed));
    let tool = |tool| {
        let (new, former) = match known.as_ref()?.standing(tool, consent.as_ref()) {
            ToolStanding::Granted => return None,
            ToolStanding::Changed(former) => (false, former),
            ToolStanding::New => (true, None),
        };
        let diff = difference(former.as_deref(), tool);
        Some(WaitingTool { name: shown(&tool.name).into_owned(), new, diff })
    };
    let tools: Vec<WaitingTool> = known.iter().flat_map(|known| &known.tools).filter_map(tool).collect();
    let definitions: Vec<String> =
        server.undefined().into_iter().map(|(_, text)| shown(&text).into_owned()).collect();
    let something = start || !tools.is_empty() || !definitions.is_empty();
    let (name, describes, bound) = (server.name.clone(), server.describe(), server.bound());
    let confinement = server.confinement();
    let again = server.changed().map(|files| format!("Changed since you consented: {files}. "));
    let binds = match server.settings.of_project {
        true => format!("{}{}", again.unwrap_or_default(), shown(&bound::told(&bound))),
        false => String::new(),
    };
    something.then_some(Waiting {
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
