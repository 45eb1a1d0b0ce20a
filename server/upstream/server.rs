//! A configured server: started at the first need, one connection for all calls, started again with back-off.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use parking_lot::{Mutex, MutexGuard, RwLock};
use tokio_util::sync::CancellationToken;

use super::confinement::Confinement;
use super::connection::ServerConnection;
use super::consents::{Consents, ServerConsent};
use super::error::UpstreamError;
use super::gate::{ChangeCallback, ServerGate};
use super::health::ConnectionHealth;
use super::import;
use super::known::ServerTools;
use super::process::ServerLaunch;
use crate::execution::CommandExecutor;
use crate::protocol::{McpServer, Origin, ServerStatus};
use crate::session::{CallScope, WorkspaceSession};

/// The longest pause before a server is started again.
const LONGEST: Duration = Duration::from_secs(60);
/// The pause between two listings that the server itself asks for.
const RELIST: Duration = Duration::from_secs(1);

type StartFuture = Shared<BoxFuture<'static, Result<Arc<ServerConnection>, UpstreamError>>>;

enum ServerState {
    Idle,
    Starting(StartFuture),
    Up(Arc<ServerConnection>),
    Down { until: Instant, error: Box<UpstreamError> },
    Closed,
}

#[derive(Debug, Default)]
struct RelistState {
    running: bool,
    wanted: bool,
}

/// A server.
pub(super) struct UpstreamServer {
    /// Its settings, and the person's consent to it.
    pub(super) gate: Arc<ServerGate>,
    /// The executor that builds its sandbox, where it has one.
    executor: Arc<CommandExecutor>,
    known: RwLock<Option<Arc<ServerTools>>>,
    state: Mutex<ServerState>,
    /// Starts that failed, one after the other.
    failures: Mutex<u32>,
    relisting: Mutex<RelistState>,
}

impl fmt::Debug for UpstreamServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("name", &self.gate.name).finish_non_exhaustive()
    }
}

impl UpstreamServer {
    /// A server that is not started yet.
    pub(super) fn new(
        name: &str,
        settings: McpServer,
        (session, consents): (Arc<WorkspaceSession>, Arc<Consents>),
        executor: Arc<CommandExecutor>,
        news: ChangeCallback,
    ) -> Arc<Self> {
        let gate = ServerGate::new(name, settings, (session, consents), news);
        // Tools without consent are listed again, whatever the folder holds.
        let consented = gate.current_consent().is_some_and(|consent| consent.listed);
        let known = consented
            .then(|| ServerTools::load_listing(gate.session.workspace().store(), name, &gate.definition))
            .flatten()
            .map(Arc::new);
        Arc::new(Self {
            gate,
            executor,
            known: RwLock::new(known),
            state: Mutex::new(ServerState::Idle),
            failures: Mutex::default(),
            relisting: Mutex::default(),
        })
    }

    /// Returns the known tools; nothing where they were never listed.
    pub(super) fn known_tools(&self) -> Option<Arc<ServerTools>> {
        self.known.read().clone()
    }

    /// Returns the reason why it could not be started last, where it is not tried again yet.
    pub(super) fn start_trouble(&self) -> Option<UpstreamError> {
        match &*self.lock_state() {
            ServerState::Down { error, .. } => Some((**error).clone()),
            _ => None,
        }
    }

    /// The connection, where there is one.
    pub(super) fn live_connection(&self) -> Option<Arc<ServerConnection>> {
        match &*self.lock_state() {
            ServerState::Up(connection) if !connection.is_over() => Some(connection.clone()),
            _ => None,
        }
    }

    /// Returns the connection, made where there is none. A start that takes longer than its caller waits goes on in the
    /// background.
    ///
    /// # Errors
    /// The reason why it does not start; at once where it failed a moment ago.
    pub(super) async fn ensure_connection(self: &Arc<Self>) -> Result<Arc<ServerConnection>, UpstreamError> {
        let starting = {
            let mut state = self.lock_state();
            match &*state {
                ServerState::Up(connection) if !connection.is_over() => return Ok(connection.clone()),
                ServerState::Starting(starting) => starting.clone(),
                ServerState::Down { until, error } if *until > Instant::now() => {
                    let left = *until - Instant::now();
                    return Err(UpstreamError::Waiting { before: error.clone(), left });
                }
                ServerState::Closed => return Err(self.replaced_error()),
                ServerState::Idle | ServerState::Up(_) | ServerState::Down { .. } => {
                    let server = self.clone();
                    let task = tokio::spawn(async move { server.start_server().await });
                    let name = self.gate.name.clone();
                    let starting = async move {
                        task.await.unwrap_or_else(|error| {
                            let why = format!("the start failed: {error}");
                            Err(UpstreamError::Internal { server: name, why })
                        })
                    };
                    let starting = starting.boxed().shared();
                    *state = ServerState::Starting(starting.clone());
                    starting
                }
            }
        };
        starting.await
    }

    async fn start_server(self: Arc<Self>) -> Result<Arc<ServerConnection>, UpstreamError> {
        // The files that it runs may have changed since it was allowed to start.
        if !self.gate.may_start() {
            return Err(self.note_failure(self.gate.unconsented_error()));
        }
        let limit = Duration::from_millis(self.gate.settings.timeout_ms);
        let health = Arc::<ConnectionHealth>::default();
        let opened = tokio::time::timeout(limit, async {
            let connection = ServerConnection::open(self.launch_options(), health.clone()).await?;
            // Whatever is called is compared first with what the person consented to.
            let listing = connection.list_tools().await?;
            Ok::<_, UpstreamError>((Arc::new(connection), listing))
        });
        let late = |_| Err(UpstreamError::slow_start(&self.gate.name, limit, &health));
        let opened = opened.await.unwrap_or_else(late);
        let (connection, listing) = match opened {
            Ok(opened) => opened,
            Err(error) => return Err(self.note_failure(error)),
        };
        let weak = Arc::downgrade(&self);
        connection.on_change(Arc::new(move || relist_soon(&weak)));
        self.take_listing(listing);
        {
            let mut state = self.lock_state();
            if matches!(*state, ServerState::Closed) {
                connection.close();
                return Err(self.replaced_error());
            }
            *state = ServerState::Up(connection.clone());
        }
        tokio::spawn(watch_end(Arc::downgrade(&self), Arc::downgrade(&connection), connection.wait_over()));
        Ok(connection)
    }

    fn launch_options(&self) -> ServerLaunch<'_> {
        let scope =
            || CallScope::new(self.gate.session.clone(), &Origin::default(), CancellationToken::new(), None);
        let confinement =
            self.gate.is_confined().then(|| Confinement { executor: &self.executor, scope: scope() });
        let root = Path::new(self.gate.session.workspace().root());
        ServerLaunch { name: &self.gate.name, settings: &self.gate.settings, root, confinement }
    }

    /// A call was answered: whatever went wrong before is forgiven.
    pub(super) fn note_answered(&self) {
        *self.failures.lock() = 0;
    }

    /// Checks a server after a call without an answer: where it does not respond at all, it is ended, to be started
    /// again.
    pub(super) fn check_unanswered(self: &Arc<Self>, connection: Arc<ServerConnection>) {
        let server = self.clone();
        tokio::spawn(async move {
            if !connection.is_answering().await && !connection.is_over() {
                connection.health().note_end("it did not answer any more");
                connection.kill();
                let error = UpstreamError::lost_between_calls(&server.gate.name, connection.health());
                server.mark_down(&connection, error);
            }
        });
    }

    /// A call could not be sent: the next one begins with a new connection.
    pub(super) fn note_broken(&self, connection: &Arc<ServerConnection>, error: &UpstreamError) {
        connection.close();
        self.mark_down(connection, error.clone());
    }

    fn mark_down(&self, connection: &Arc<ServerConnection>, error: UpstreamError) {
        let current = matches!(&*self.lock_state(), ServerState::Up(up) if Arc::ptr_eq(up, connection));
        if current {
            self.note_failure(error);
        }
    }

    /// Counts a failure, and sets the time before which it is not tried again: 1, 2, 4 … 60 seconds.
    fn note_failure(&self, error: UpstreamError) -> UpstreamError {
        let mut failures = self.failures.lock();
        let pause = Duration::from_secs(1 << (*failures).min(6)).min(LONGEST);
        *failures += 1;
        drop(failures);
        let mut state = self.lock_state();
        if !matches!(*state, ServerState::Closed) {
            *state = ServerState::Down { until: Instant::now() + pause, error: Box::new(error.clone()) };
        }
        drop(state);
        self.gate.notify_changed();
        error
    }

    /// Takes a new listing. The first one of a server that the person lets run is taken as consented to; from then on
    /// each word that changes has to be.
    fn take_listing(&self, listing: super::connection::ToolListing) {
        let before = self.known_tools().unwrap_or_default();
        let mut consent = self.gate.current_consent();
        if consent.as_ref().is_none_or(|consent| !consent.listed) {
            let elsewhere = match self.gate.settings.of_project {
                true => None,
                false => self.gate.consents.find_elsewhere(&self.gate.name, &self.gate.definition),
            };
            let listed = listing.tools.iter().map(|tool| (tool.name.clone(), tool.hash())).collect();
            let before = consent.unwrap_or_default();
            let first = ServerConsent {
                definition: self.gate.definition.clone(),
                listed: true,
                tools: listed,
                ..before
            };
            let first = elsewhere.unwrap_or(first);
            let kept = self.gate.consents.change_consent(
                self.gate.session.workspace().root(),
                &self.gate.name,
                |_| Some(first.clone()),
            );
            if let Err(error) = kept {
                tracing::warn!(server = self.gate.name, "{error}");
            }
            consent = Some(first);
        }
        let mut known = before.after_listing(&self.gate.definition, listing, consent.as_ref());
        for tool in &known.tools {
            if let Err(left_out) = import::check_tool(&self.gate.name, &self.gate.settings, tool) {
                known.unfit.insert(tool.name.clone());
                known.problems.push(left_out.to_string());
            }
        }
        if known != *before || self.known_tools().is_none() {
            known.save_listing(self.gate.session.workspace().store(), &self.gate.name);
            *self.known.write() = Some(Arc::new(known));
        }
        self.gate.notify_changed();
    }

    async fn list_again(&self) {
        let up = match &*self.lock_state() {
            ServerState::Up(connection) => Some(connection.clone()),
            _ => None,
        };
        let Some(connection) = up else { return };
        let limit = Duration::from_millis(self.gate.settings.timeout_ms);
        match tokio::time::timeout(limit, connection.list_tools()).await {
            Ok(Ok(listing)) => self.take_listing(listing),
            Ok(Err(error)) => tracing::warn!(server = self.gate.name, "{error}"),
            Err(_) => tracing::warn!(server = self.gate.name, "its tools are not listed again in time"),
        }
    }

    /// Ends it for good, in its own time. Returns the connection, for a caller that cannot wait.
    pub(super) fn close(&self) -> Option<Arc<ServerConnection>> {
        let before = std::mem::replace(&mut *self.lock_state(), ServerState::Closed);
        let ServerState::Up(connection) = before else { return None };
        connection.close();
        Some(connection)
    }

    /// Returns whether it runs, and otherwise than it would be started now: in a sandbox or in none.
    pub(super) fn runs_otherwise(&self) -> bool {
        let up = self.live_connection().and_then(|connection| connection.group().cloned());
        up.is_some_and(|group| group.is_alive() && group.tier().is_some() != self.gate.is_confined())
    }

    /// Returns its status.
    pub(super) fn server_status(&self) -> ServerStatus {
        let up = self.live_connection();
        let tier = up.as_ref().and_then(|up| up.group()?.tier());
        ServerStatus {
            name: self.gate.name.clone(),
            of_project: self.gate.settings.of_project,
            running: up.is_some(),
            remote: self.gate.settings.url.is_some(),
            confined: self.gate.is_confined(),
            tier: tier.map(|tier| tier.to_string()),
        }
    }

    fn replaced_error(&self) -> UpstreamError {
        UpstreamError::Replaced { server: self.gate.name.clone() }
    }

    fn lock_state(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock()
    }
}

/// Waits for the end of a connection: what ends by itself has crashed.
async fn watch_end(
    server: Weak<UpstreamServer>,
    connection: Weak<ServerConnection>,
    over: impl Future<Output = ()>,
) {
    over.await;
    if let (Some(server), Some(connection)) = (server.upgrade(), connection.upgrade()) {
        let error = UpstreamError::lost_between_calls(&server.gate.name, connection.health());
        server.mark_down(&connection, error);
    }
}

/// Lists the tools again, soon; once more where that is asked for meanwhile, however often.
fn relist_soon(server: &Weak<UpstreamServer>) {
    let Some(server) = server.upgrade() else { return };
    let mut relisting = server.relisting.lock();
    relisting.wanted = true;
    if std::mem::replace(&mut relisting.running, true) {
        return;
    }
    drop(relisting);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(RELIST / 10).await;
            server.relisting.lock().wanted = false;
            server.list_again().await;
            tokio::time::sleep(RELIST).await;
            let mut relisting = server.relisting.lock();
            relisting.running = relisting.wanted;
            if !relisting.running {
                return;
            }
        }
    });
}
