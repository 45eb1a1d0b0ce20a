//! One configured server: started at the first need, one connection for all calls, started again with back-off.

mod consented;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use parking_lot::{Mutex, MutexGuard, RwLock};
use tokio_util::sync::CancellationToken;

use super::bound;
use super::confinement::Confinement;
use super::connection::Connection;
use super::consents::{self, Consent, Consents};
use super::error::UpstreamError;
use super::health::Health;
use super::import;
use super::known::Known;
use super::process::Launch;
use crate::execution::Executor;
use crate::protocol::{McpServer, Origin};
use crate::session::{Scope, Session};

/// The longest pause before a server is started again.
const LONGEST: Duration = Duration::from_secs(60);
/// The pause between two listings that the server itself asks for.
const RELIST: Duration = Duration::from_secs(1);

/// Called where the tools of a server, or what is known of it, became others.
pub(crate) type Changed = Arc<dyn Fn() + Send + Sync>;

type Starting = Shared<BoxFuture<'static, Result<Arc<Connection>, UpstreamError>>>;

enum ServerState {
    Idle,
    Starting(Starting),
    Up(Arc<Connection>),
    Down { until: Instant, error: Box<UpstreamError> },
    Closed,
}

#[derive(Debug, Default)]
struct Relisting {
    running: bool,
    wanted: bool,
}

/// A server.
pub(super) struct Server {
    pub(super) name: String,
    pub(super) settings: McpServer,
    /// The hash of its settings.
    pub(super) definition: String,
    pub(super) session: Arc<Session>,
    pub(super) consents: Arc<Consents>,
    /// What builds its sandbox, where it has one.
    executor: Arc<Executor>,
    /// What a person was asked already, with whether they allowed it, so that they are not asked again.
    pub(super) asked: tokio::sync::Mutex<BTreeMap<String, bool>>,
    known: RwLock<Option<Arc<Known>>>,
    /// The project's definitions over it that need consent: by name, a hash and what they say.
    definitions: RwLock<BTreeMap<String, (String, String)>>,
    hashes: bound::Hashes,
    state: Mutex<ServerState>,
    /// Starts that failed, one after the other.
    failures: Mutex<u32>,
    relisting: Mutex<Relisting>,
    news: Changed,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Server {
    /// A server that is not started yet.
    pub(super) fn new(
        name: &str,
        settings: McpServer,
        (session, consents): (Arc<Session>, Arc<Consents>),
        executor: Arc<Executor>,
        news: Changed,
    ) -> Arc<Self> {
        let definition = consents::definition(name, &settings);
        let consent = consents.get(session.workspace().root(), name);
        // What nobody consented to is listed anew, whatever lies in the folder.
        let consented = consent.is_some_and(|consent| consent.listed && consent.definition == definition);
        let known = consented
            .then(|| Known::load(session.workspace().store(), name, &definition))
            .flatten()
            .map(Arc::new);
        Arc::new(Self {
            name: name.to_owned(),
            settings,
            definition,
            session,
            consents,
            executor,
            asked: tokio::sync::Mutex::default(),
            known: RwLock::new(known),
            definitions: RwLock::default(),
            hashes: bound::Hashes::default(),
            state: Mutex::new(ServerState::Idle),
            failures: Mutex::default(),
            relisting: Mutex::default(),
            news,
        })
    }

    /// What is known of its tools; nothing where they were never listed.
    pub(super) fn known(&self) -> Option<Arc<Known>> {
        self.known.read().clone()
    }

    /// Why it could not be started last, where it is not tried again yet.
    pub(super) fn trouble(&self) -> Option<UpstreamError> {
        match &*self.state() {
            ServerState::Down { error, .. } => Some((**error).clone()),
            _ => None,
        }
    }

    /// The connection, where there is one.
    pub(super) fn up(&self) -> Option<Arc<Connection>> {
        match &*self.state() {
            ServerState::Up(connection) if !connection.is_over() => Some(connection.clone()),
            _ => None,
        }
    }

    /// The connection, made where there is none. A start that takes longer than whoever waits goes on without them.
    ///
    /// # Errors
    /// Why it does not start; at once where it failed a moment ago.
    pub(super) async fn connection(self: &Arc<Self>) -> Result<Arc<Connection>, UpstreamError> {
        let starting = {
            let mut state = self.state();
            match &*state {
                ServerState::Up(connection) if !connection.is_over() => return Ok(connection.clone()),
                ServerState::Starting(starting) => starting.clone(),
                ServerState::Down { until, error } if *until > Instant::now() => {
                    let left = *until - Instant::now();
                    return Err(UpstreamError::Waiting { before: error.clone(), left });
                }
                ServerState::Closed => return Err(self.replaced()),
                ServerState::Idle | ServerState::Up(_) | ServerState::Down { .. } => {
                    let server = self.clone();
                    let task = tokio::spawn(async move { server.start().await });
                    let name = self.name.clone();
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

    async fn start(self: Arc<Self>) -> Result<Arc<Connection>, UpstreamError> {
        // What it runs may have changed since it was let start.
        if !self.may_start() {
            return Err(self.failed(self.unconsented()));
        }
        let limit = Duration::from_millis(self.settings.timeout_ms);
        let health = Arc::<Health>::default();
        let opened = tokio::time::timeout(limit, async {
            let connection = Connection::open(self.launch(), health.clone()).await?;
            // Whatever is called is compared first with what the person consented to.
            let listing = connection.list().await?;
            Ok::<_, UpstreamError>((Arc::new(connection), listing))
        });
        let late = |_| Err(UpstreamError::slow_start(&self.name, limit, &health));
        let opened = opened.await.unwrap_or_else(late);
        let (connection, listing) = match opened {
            Ok(opened) => opened,
            Err(error) => return Err(self.failed(error)),
        };
        let weak = Arc::downgrade(&self);
        connection.on_change(Arc::new(move || relist(&weak)));
        self.take(listing);
        {
            let mut state = self.state();
            if matches!(*state, ServerState::Closed) {
                connection.close();
                return Err(self.replaced());
            }
            *state = ServerState::Up(connection.clone());
        }
        tokio::spawn(watch(Arc::downgrade(&self), Arc::downgrade(&connection), connection.wait()));
        Ok(connection)
    }

    fn launch(&self) -> Launch<'_> {
        let scope = || Scope::new(self.session.clone(), &Origin::default(), CancellationToken::new(), None);
        let confinement =
            self.is_confined().then(|| Confinement { executor: &self.executor, scope: scope() });
        let root = Path::new(self.session.workspace().root());
        Launch { name: &self.name, settings: &self.settings, root, confinement }
    }

    /// A call was answered: whatever went wrong before is forgiven.
    pub(super) fn answered(&self) {
        *self.failures.lock() = 0;
    }

    /// A call was not answered in time: where the server says nothing at all, it is ended, to be started anew.
    pub(super) fn unanswered(self: &Arc<Self>, connection: Arc<Connection>) {
        let server = self.clone();
        tokio::spawn(async move {
            if !connection.answers().await && !connection.is_over() {
                connection.health().ended("it did not answer any more");
                connection.kill();
                let error = UpstreamError::crashed(&server.name, connection.health());
                server.down(&connection, error);
            }
        });
    }

    /// A call could not be sent: the next one begins with a new connection.
    pub(super) fn broke(&self, connection: &Arc<Connection>, error: &UpstreamError) {
        connection.close();
        self.down(connection, error.clone());
    }

    fn down(&self, connection: &Arc<Connection>, error: UpstreamError) {
        let current = matches!(&*self.state(), ServerState::Up(up) if Arc::ptr_eq(up, connection));
        if current {
            self.failed(error);
        }
    }

    /// Tells whoever shows its tools that they, or how they stand, may be others.
    pub(super) fn news(&self) {
        self.hold();
        (self.news)();
    }

    /// Counts a failure, and sets the time before which it is not tried again: 1, 2, 4 … 60 seconds.
    fn failed(&self, error: UpstreamError) -> UpstreamError {
        let mut failures = self.failures.lock();
        let pause = Duration::from_secs(1 << (*failures).min(6)).min(LONGEST);
        *failures += 1;
        drop(failures);
        let mut state = self.state();
        if !matches!(*state, ServerState::Closed) {
            *state = ServerState::Down { until: Instant::now() + pause, error: Box::new(error.clone()) };
        }
        drop(state);
        self.news();
        error
    }

    /// Takes a new listing. The first one of a server that the person lets run is taken as consented to; from then on
    /// each word that changes has to be.
    fn take(&self, listing: super::connection::Listing) {
        let before = self.known().unwrap_or_default();
        let mut consent = self.consent();
        if consent.as_ref().is_none_or(|consent| !consent.listed) {
            let elsewhere = match self.settings.of_project {
                true => None,
                false => self.consents.elsewhere(&self.name, &self.definition),
            };
            let listed = listing.tools.iter().map(|tool| (tool.name.clone(), tool.hash())).collect();
            let before = consent.unwrap_or_default();
            let first =
                Consent { definition: self.definition.clone(), listed: true, tools: listed, ..before };
            let first = elsewhere.unwrap_or(first);
            let kept =
                self.consents.change(self.session.workspace().root(), &self.name, |_| Some(first.clone()));
            if let Err(error) = kept {
                tracing::warn!(server = self.name, "{error}");
            }
            consent = Some(first);
        }
        let mut known = before.after(&self.definition, listing, consent.as_ref());
        for tool in &known.tools {
            if let Err(left_out) = import::check(&self.name, &self.settings, tool) {
                known.unfit.insert(tool.name.clone());
                known.problems.push(left_out.to_string());
            }
        }
        if known != *before || self.known().is_none() {
            known.save(self.session.workspace().store(), &self.name);
            *self.known.write() = Some(Arc::new(known));
        }
        self.news();
    }

    async fn list_again(&self) {
        let up = match &*self.state() {
            ServerState::Up(connection) => Some(connection.clone()),
            _ => None,
        };
        let Some(connection) = up else { return };
        let limit = Duration::from_millis(self.settings.timeout_ms);
        match tokio::time::timeout(limit, connection.list()).await {
            Ok(Ok(listing)) => self.take(listing),
            Ok(Err(error)) => tracing::warn!(server = self.name, "{error}"),
            Err(_) => tracing::warn!(server = self.name, "its tools are not listed again in time"),
        }
    }

    /// Ends it for good, in its own time. Gives the connection, for whoever cannot wait.
    pub(super) fn close(&self) -> Option<Arc<Connection>> {
        let before = std::mem::replace(&mut *self.state(), ServerState::Closed);
        let ServerState::Up(connection) = before else { return None };
        connection.close();
        Some(connection)
    }

    fn replaced(&self) -> UpstreamError {
        UpstreamError::Replaced { server: self.name.clone() }
    }

    fn state(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock()
    }
}

/// Waits for the end of a connection: what ends by itself has crashed.
async fn watch(server: Weak<Server>, connection: Weak<Connection>, over: impl Future<Output = ()>) {
    over.await;
    if let (Some(server), Some(connection)) = (server.upgrade(), connection.upgrade()) {
        let error = UpstreamError::crashed(&server.name, connection.health());
        server.down(&connection, error);
    }
}

/// Lists the tools again, soon; once more where that is asked for meanwhile, however often.
fn relist(server: &Weak<Server>) {
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
