//! Custom tools that other programs run: servers of the Model Context Protocol, started, watched and held to their word.
//!
//! [`Upstreams`] holds the servers that a workspace's settings name. Each starts at its first need, lists its tools,
//! and carries the calls of all callers. What a project names waits for the person's consent, and so does every word
//! of a tool that changes after it.
//!
//! # Invariants
//!
//! - No argument of a call becomes two words of a definition's command, or an option of its program.
//!   Test: `each_argument_stays_in_one_element`, `an_argument_is_not_read_as_an_option`
//! - No server that a project names runs outside of a sandbox, unless the person's consent allows it.
//!   Test: `a_server_that_a_project_names_runs_in_a_sandbox_and_status_says_so`,
//!   `a_projects_server_is_not_started_where_no_sandbox_can_be_built`
//! - No custom server fails other calls than its own, whatever it does.
//!   Test: `a_crash_takes_only_its_own_calls_with_it`, `a_server_that_hangs_is_cut_off_and_started_anew`
//! - No flood, line without end or rubbish of a custom server fills the memory.
//!   Test: `floods_and_rubbish_do_not_drown_us`
//! - No two tools of servers become one, and none takes another's name later.
//!   Test: `names_fit_and_never_meet`

pub(crate) mod bound;
mod confinement;
mod connection;
pub(crate) mod consents;
mod error;
mod expand;
mod flights;
mod gate;
pub(crate) mod guard;
mod handler;
mod health;
mod http;
mod import;
pub(crate) mod known;
mod listening_transport;
mod names;
mod process;
mod program;
pub(crate) mod remote;
mod remote_call;
mod result;
mod server;
mod stdio;
pub(crate) mod trial;
pub(crate) mod waiting;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};

use crate::base::hidden::escape_hidden;
use crate::catalogue::{Risk, ToolDef, ToolRunner};
use crate::execution::CommandExecutor;
use crate::protocol::{Code, Fault, ServerStatus};
use crate::registry::{AnyActivity, FixedAnswer};
use crate::session::WorkspaceSession;
use consents::Consents;
pub(crate) use gate::ChangeCallback;
use known::ToolStanding;
use server::UpstreamServer;

/// The time that servers may take to end when we do.
const LAST: Duration = Duration::from_millis(200);
/// The time that a reader of the tools waits for servers that were never listed.
const SETTLE: Duration = Duration::from_secs(20);

/// The servers of a workspace.
pub struct Upstreams {
    session: Arc<WorkspaceSession>,
    consents: Arc<Consents>,
    executor: Arc<CommandExecutor>,
    servers: RwLock<BTreeMap<String, Arc<UpstreamServer>>>,
    /// Held while settings are read: two at once would each end what the other keeps.
    configuring: Mutex<()>,
    changed: ChangeCallback,
}

impl fmt::Debug for Upstreams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstreams").field("servers", &self.servers().keys()).finish_non_exhaustive()
    }
}

impl Upstreams {
    /// The servers that the session's settings name, none started. `executor` confines what is confined. `changed` is called
    /// where their tools became others.
    pub(crate) fn new(
        session: Arc<WorkspaceSession>,
        consents: Arc<Consents>,
        executor: Arc<CommandExecutor>,
        changed: ChangeCallback,
    ) -> Self {
        let upstreams = Self {
            session,
            consents,
            executor,
            servers: RwLock::default(),
            configuring: Mutex::default(),
            changed,
        };
        upstreams.configure();
        upstreams
    }

    /// Takes the session's settings: what is as it was stays, what is no more or not allowed any more is ended.
    pub fn configure(&self) {
        let _turn = self.configuring.lock();
        let settings = self.session.workspace().settings();
        // A caller sees the former servers meanwhile, not none.
        let mut before = self.servers();
        let mut now = BTreeMap::new();
        for (name, settings) in settings.mcp_servers.iter().filter(|(_, settings)| settings.enabled) {
            let kept = before.remove(name).filter(|server| server.gate.settings == *settings);
            let make = || {
                let kept = (self.session.clone(), self.consents.clone());
                UpstreamServer::new(name, settings.clone(), kept, self.executor.clone(), self.changed.clone())
            };
            let server = match kept {
                Some(server) if server.known_tools().is_some() && !server.gate.may_start() => {
                    server.close();
                    let revoked = server.gate.current_consent().is_none();
                    let server = make();
                    if revoked {
                        // The consent was taken back: the person who has just done that is not asked for it again.
                        server.gate.note_denial();
                    }
                    server
                }
                Some(server) if server.runs_otherwise() => {
                    server.close();
                    make()
                }
                kept => kept.unwrap_or_else(make),
            };
            now.insert(name.clone(), server);
        }
        *self.servers.write() = now;
        for server in before.values() {
            server.gate.release_bound();
            server.close();
        }
        self.servers().values().for_each(|server| server.gate.close_bound());
    }

    fn servers(&self) -> BTreeMap<String, Arc<UpstreamServer>> {
        self.servers.read().clone()
    }

    /// The definitions of all tools taken in, with what could not be, a sentence each.
    pub fn imported_tools(&self) -> (Vec<ToolDef>, Vec<String>) {
        let (mut definitions, mut problems) = (Vec::new(), Vec::new());
        for server in self
            .servers()
            .values()
            .filter(|server| server.gate.settings.imports_all_tools() && server.gate.may_start())
        {
            let Some(known) = server.known_tools() else { continue };
            let consent = server.gate.current_consent();
            let prefix = server.gate.settings.prefix.as_deref().unwrap_or(&server.gate.name);
            let remote: Vec<&str> = known.tools.iter().map(|tool| tool.name.as_str()).collect();
            let named = known.tools.iter().zip(names::tool_names(prefix, &remote));
            for (tool, name) in named.filter(|(tool, _)| !known.unfit.contains(&tool.name)) {
                let words = match known.tool_standing(tool, consent.as_ref()) {
                    ToolStanding::Granted => Some(tool.clone()),
                    // Until the person has seen the new words, agents see the old ones.
                    ToolStanding::Changed(former) => former.map(|former| *former),
                    ToolStanding::New => None,
                };
                let definition = match words {
                    Some(words) => {
                        import::import_definition(&server.gate.name, &server.gate.settings, &name, &words)
                    }
                    None => Ok(import::unconsented_definition(
                        &server.gate.name,
                        &server.gate.settings,
                        &name,
                        tool,
                    )),
                };
                match definition {
                    Ok(definition) => definitions.push(definition),
                    Err(left_out) => problems.push(left_out.to_string()),
                }
            }
        }
        (definitions, problems)
    }

    /// The servers whose tools are all missing: the prefix of their tools' names, and the reason.
    pub fn absent(&self) -> Vec<(String, Fault)> {
        let servers = self.servers();
        let missing = servers
            .values()
            .filter(|server| server.gate.settings.imports_all_tools() && server.known_tools().is_none());
        let told = missing.map(|server| {
            let prefix = server.gate.settings.prefix.as_deref().unwrap_or(&server.gate.name).to_owned();
            let fault = match server.start_trouble() {
                Some(error) => Fault::from(error),
                None if server.gate.may_start() => {
                    let message =
                        format!("the server {} has not said yet which tools it has", server.gate.name);
                    Fault::new(Code::Timeout, message).with_suggestion("make the call again in a moment")
                }
                None => {
                    let message = format!("the server {} waits for the person's consent", server.gate.name);
                    Fault::new(Code::NotAuthorized, message).with_suggestion(format!(
                        "ask the person to look at it: `wherefore consent`; `wherefore consent --yes {}` consents",
                        server.gate.name
                    ))
                }
            };
            (prefix, fault)
        });
        told.collect()
    }

    /// Returns the worst effect of a server's tool, by the words of its server that the person consented to.
    pub fn tool_risk(&self, server: &str, tool: &str) -> Risk {
        let servers = self.servers();
        let Some(server) = servers.get(server) else { return Risk::Network };
        let (known, consent) = (server.known_tools(), server.gate.current_consent());
        let tool = known.as_ref().and_then(|known| {
            let tool = known.tools.iter().find(|listed| listed.name == tool)?;
            matches!(known.tool_standing(tool, consent.as_ref()), ToolStanding::Granted).then_some(tool)
        });
        import::tool_risk(&server.gate.settings, tool)
    }

    /// Takes the current definitions. A project's definition over a server of the person's waits for consent: it could
    /// present a tool of theirs as another.
    pub fn take_definitions(&self, definitions: &[ToolDef]) {
        for (name, server) in self.servers() {
            let over = |def: &&ToolDef| {
                let remote =
                    matches!(&def.runs, Some(ToolRunner::Remote { mcp_server, .. }) if *mcp_server == name);
                remote && def.is_of_project() && !server.gate.settings.of_project
            };
            server.gate.take_definitions(definitions.iter().filter(over));
        }
    }

    /// Returns the activity of a custom tool; nothing where our own code or a model runs it.
    pub fn remote_activity(&self, definition: &ToolDef) -> Option<Arc<dyn AnyActivity>> {
        match definition.runs.as_ref()? {
            ToolRunner::Command { command } => {
                let root = self.session.workspace().root();
                let consent = definition
                    .is_of_project()
                    .then(|| program::ProgramConsent::new(definition, command, self.consents.clone(), root));
                let executor = self.executor.clone();
                Some(Arc::new(program::ProgramTool::new(definition, command, executor, consent)))
            }
            ToolRunner::Answer { answer } => Some(Arc::new(FixedAnswer(answer.clone()))),
            ToolRunner::Remote { mcp_server, remote_tool } => match self.servers().get(mcp_server) {
                Some(server) => {
                    let (server, remote_tool) = (server.clone(), remote_tool.clone());
                    Some(Arc::new(remote_call::RemoteCall { server, remote_tool }))
                }
                None => Some(Arc::new(remote_call::NoServer(mcp_server.clone()))),
            },
        }
    }

    /// Returns whether the person's settings name the server.
    pub fn is_persons(&self, server: &str) -> bool {
        self.servers().get(server).is_some_and(|server| !server.gate.settings.of_project)
    }

    /// Returns the status of each server.
    pub fn server_statuses(&self) -> Vec<ServerStatus> {
        self.servers().values().map(|server| server.server_status()).collect()
    }

    /// Returns the problems, a sentence each: consents that are waited for, servers that do not start, tools that were
    /// left out.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (name, server) in self.servers() {
            if !server.gate.may_start() {
                let changed =
                    server.gate.changed_files().map(|files| format!(" again, since {files} changed"));
                let changed = changed.unwrap_or_default();
                problems
                    .push(format!("mcp_servers.{name} waits for your consent{changed}: wherefore consent"));
                continue;
            }
            problems.extend(server.start_trouble().map(|error| error.to_string()));
            problems.extend(server.gate.unconsented_definitions().into_iter().map(|(tool, _)| {
                format!("the project's {tool} calls {name}; that waits for your consent: wherefore consent")
            }));
            let Some(known) = server.known_tools() else { continue };
            let consent = server.gate.current_consent();
            let waiting =
                known.tools.iter().filter_map(|tool| match known.tool_standing(tool, consent.as_ref()) {
                    ToolStanding::Granted => None,
                    ToolStanding::Changed(_) => Some(format!("{} has changed", escape_hidden(&tool.name))),
                    ToolStanding::New => Some(format!("{} is new", escape_hidden(&tool.name))),
                });
            let waiting: Vec<String> = waiting.collect();
            if !waiting.is_empty() && consent.is_some() {
                let shown = waiting.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
                let more = if waiting.len() > 5 {
                    format!(" and {} more", waiting.len() - 5)
                } else {
                    String::new()
                };
                problems
                    .push(format!("{name}: {shown}{more}; that waits for your consent: wherefore consent"));
            }
            problems.extend(known.problems.iter().cloned());
        }
        problems
    }

    /// Lists the tools of those servers that are taken in and never were listed, and waits for that a while. The
    /// person is asked, where they can be, whether those of the project may start. Returns whether there were any.
    pub async fn list_new_servers(&self) -> bool {
        let servers = self.servers();
        let is_new = |server: &&Arc<UpstreamServer>| {
            server.gate.settings.imports_all_tools() && server.known_tools().is_none()
        };
        let waiting: Vec<_> = servers.values().filter(is_new).collect();
        let is_any = !waiting.is_empty();
        let listings = waiting.into_iter().map(|server| async move {
            if server.gate.let_start(None).await.is_ok() {
                // The reason why a server does not start is among the problems.
                let _ = server.ensure_connection().await;
            }
        });
        let _ = tokio::time::timeout(SETTLE, futures::future::join_all(listings)).await;
        is_any
    }

    /// Ends every server, and waits a moment for those that take their time.
    pub fn close(&self) {
        let servers = std::mem::take(&mut *self.servers.write());
        let open: Vec<_> = servers.values().filter_map(|server| server.close()).collect();
        let groups: Vec<_> = open.iter().filter_map(|connection| connection.group()).collect();
        groups.iter().for_each(|group| group.ask_to_end());
        let until = Instant::now() + LAST;
        while Instant::now() < until && groups.iter().any(|group| group.is_alive()) {
            std::thread::sleep(LAST / 50);
        }
        groups.iter().for_each(|group| group.kill());
    }
}

impl Drop for Upstreams {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests;
