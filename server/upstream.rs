//! Custom tools that other programs run: servers of the Model Context Protocol, started, watched and held to their word.
//!
//! [`Upstreams`] holds the servers that a workspace's settings name. Each starts at its first need, lists its tools,
//! and carries the calls of all callers. What a project names waits for the person's consent, and so does every word
//! of a tool that changes after it.

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
mod listening;
mod names;
mod process;
mod program;
pub(crate) mod remote;
mod remote_call;
mod result;
mod server;
mod stdio;
pub(crate) mod waiting;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::RwLock;

use crate::base::hidden::shown;
use crate::catalogue::{Risk, Runs, ToolDef};
use crate::execution::Executor;
use crate::protocol::ServerStatus;
use crate::registry::AnyActivity;
use crate::session::Session;
use consents::Consents;
use known::ToolStanding;
pub(crate) use server::Changed;
use server::Server;

/// How long servers may take to end when we do.
const LAST: Duration = Duration::from_millis(200);
/// How long whoever only wants to know the tools waits for servers that were never listed.
const SETTLE: Duration = Duration::from_secs(20);

/// The servers of a workspace.
pub struct Upstreams {
    session: Arc<Session>,
    consents: Arc<Consents>,
    executor: Arc<Executor>,
    servers: RwLock<BTreeMap<String, Arc<Server>>>,
    changed: Changed,
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
        session: Arc<Session>,
        consents: Arc<Consents>,
        executor: Arc<Executor>,
        changed: Changed,
    ) -> Self {
        let upstreams = Self { session, consents, executor, servers: RwLock::default(), changed };
        upstreams.configure();
        upstreams
    }

    /// Takes the session's settings: what is as it was stays, what is no more or not allowed any more is ended.
    pub fn configure(&self) {
        let settings = self.session.workspace().settings();
        let mut before = std::mem::take(&mut *self.servers.write());
        let mut now = BTreeMap::new();
        for (name, settings) in settings.mcp_servers.iter().filter(|(_, settings)| settings.enabled) {
            let kept = before.remove(name).filter(|server| server.settings == *settings);
            let make = || {
                let kept = (self.session.clone(), self.consents.clone());
                Server::new(name, settings.clone(), kept, self.executor.clone(), self.changed.clone())
            };
            let server = match kept {
                Some(server) if server.known().is_some() && !server.may_start() => {
                    server.close();
                    let revoked = server.consent().is_none();
                    let server = make();
                    if revoked {
                        // The consent was taken back: nobody who has just done that is asked for it.
                        server.denied();
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
            server.release();
            server.close();
        }
        self.servers().values().for_each(|server| server.hold());
    }

    fn servers(&self) -> BTreeMap<String, Arc<Server>> {
        self.servers.read().clone()
    }

    /// The definitions of all tools taken in, with what could not be, a sentence each.
    pub fn imported(&self) -> (Vec<ToolDef>, Vec<String>) {
        let (mut definitions, mut problems) = (Vec::new(), Vec::new());
        for server in self.servers().values().filter(|server| server.settings.imports() && server.may_start())
        {
            let Some(known) = server.known() else { continue };
            let consent = server.consent();
            let prefix = server.settings.prefix.as_deref().unwrap_or(&server.name);
            let remote: Vec<&str> = known.tools.iter().map(|tool| tool.name.as_str()).collect();
            let named = known.tools.iter().zip(names::names(prefix, &remote));
            for (tool, name) in named.filter(|(tool, _)| !known.unfit.contains(&tool.name)) {
                let words = match known.standing(tool, consent.as_ref()) {
                    ToolStanding::Granted => Some(tool.clone()),
                    // Until the person has seen the new words, agents see the old ones.
                    ToolStanding::Changed(former) => former.map(|former| *former),
                    ToolStanding::New => None,
                };
                let definition = match words {
                    Some(words) => import::definition(&server.name, &server.settings, &name, &words),
                    None => Ok(import::unconsented(&server.name, &server.settings, &name, tool)),
                };
                match definition {
                    Ok(definition) => definitions.push(definition),
                    Err(left_out) => problems.push(left_out.to_string()),
                }
            }
        }
        (definitions, problems)
    }

    /// What a server's tool can do at worst, by words of its server that the person consented to.
    pub fn risk(&self, server: &str, tool: &str) -> Risk {
        let servers = self.servers();
        let Some(server) = servers.get(server) else { return Risk::Network };
        let (known, consent) = (server.known(), server.consent());
        let tool = known.as_ref().and_then(|known| {
            let tool = known.tools.iter().find(|listed| listed.name == tool)?;
            matches!(known.standing(tool, consent.as_ref()), ToolStanding::Granted).then_some(tool)
        });
        import::risk(&server.settings, tool)
    }

    /// Takes the definitions that there are. What a project says over a server of the person's waits for consent: it
    /// could call a tool of theirs something that it is not.
    pub fn define(&self, definitions: &[ToolDef]) {
        for (name, server) in self.servers() {
            let over = |def: &&ToolDef| {
                let remote =
                    matches!(&def.runs, Some(Runs::Remote { mcp_server, .. }) if *mcp_server == name);
                remote && def.is_of_project() && !server.settings.of_project
            };
            server.define(definitions.iter().filter(over));
        }
    }

    /// What runs a custom tool; nothing where code of ours does, or a model.
    pub fn activity(&self, definition: &ToolDef) -> Option<Arc<dyn AnyActivity>> {
        match definition.runs.as_ref()? {
            Runs::Command { command } => {
                Some(Arc::new(program::Program::new(definition, command, self.executor.clone())))
            }
            Runs::Remote { mcp_server, remote_tool } => match self.servers().get(mcp_server) {
                Some(server) => {
                    let (server, remote_tool) = (server.clone(), remote_tool.clone());
                    Some(Arc::new(remote_call::RemoteCall { server, remote_tool }))
                }
                None => Some(Arc::new(remote_call::NoServer(mcp_server.clone()))),
            },
        }
    }

    /// How each server stands.
    pub fn status(&self) -> Vec<ServerStatus> {
        self.servers().values().map(|server| server.status()).collect()
    }

    /// What is not as it should be, a sentence each: consents that are waited for, servers that do not start, tools
    /// that were left out.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (name, server) in self.servers() {
            if !server.may_start() {
                let changed = server.changed().map(|files| format!(" again, since {files} changed"));
                let changed = changed.unwrap_or_default();
                problems
                    .push(format!("mcp_servers.{name} waits for your consent{changed}: wherefore consent"));
                continue;
            }
            problems.extend(server.trouble().map(|error| error.to_string()));
            problems.extend(server.undefined().into_iter().map(|(tool, _)| {
                format!("the project's {tool} calls {name}; that waits for your consent: wherefore consent")
            }));
            let Some(known) = server.known() else { continue };
            let consent = server.consent();
            let waiting =
                known.tools.iter().filter_map(|tool| match known.standing(tool, consent.as_ref()) {
                    ToolStanding::Granted => None,
                    ToolStanding::Changed(_) => Some(format!("{} has changed", shown(&tool.name))),
                    ToolStanding::New => Some(format!("{} is new", shown(&tool.name))),
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
    /// person is asked, where they can be, whether those of the project may start.
    pub async fn settle(&self) {
        let servers = self.servers();
        let waiting = servers.values().filter(|server| server.settings.imports() && server.known().is_none());
        let listings = waiting.map(|server| async move {
            if server.let_start(None).await.is_ok() {
                // Why one does not start stands among the problems.
                let _ = server.connection().await;
            }
        });
        let _ = tokio::time::timeout(SETTLE, futures::future::join_all(listings)).await;
    }

    /// Ends every server, and waits a moment for those that take their time.
    pub fn close(&self) {
        let servers = std::mem::take(&mut *self.servers.write());
        let open: Vec<_> = servers.values().filter_map(|server| server.close()).collect();
        let groups: Vec<_> = open.iter().filter_map(|connection| connection.group()).collect();
        groups.iter().for_each(|group| group.ask());
        let until = Instant::now() + LAST;
        while Instant::now() < until && groups.iter().any(|group| group.lives()) {
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
