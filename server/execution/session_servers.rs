//! Servers that commands of a workspace start: the network that they share with later commands, and the ports that the
//! person's browser reaches.
//!
//! # Invariants
//!
//! - No port of this machine leads to a command but one that a command of the session listens on, and none is reached
//!   from another machine.
//!   Test: `a_server_in_the_background_is_reached_until_it_ends`

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::task::JoinHandle;

use super::CommandExecutor;
use super::forwarded_port::ForwardedPort;
use super::processes::BackgroundCommand;
use crate::base::{CallId, run_blocking};
use crate::ports::SharedNetwork;
use crate::protocol::PortForwarding;
use crate::sandbox::{ListeningPort, NetworkNamespaces, SandboxLauncher, SessionNetwork};
use crate::session::CallScope;

/// The time between two looks at the ports that a command listens on: at first, and later.
const SOON: Duration = Duration::from_millis(150);
const LATER: Duration = Duration::from_millis(700);
/// The looks after which a command is looked at less often.
const FIRST_LOOKS: u32 = 100;
/// Ports that are forwarded at once.
const MOST: usize = 64;

/// The servers of a workspace's commands.
#[derive(Debug, Default)]
pub(super) struct SessionServers {
    /// The network that they share, once something was started that may serve.
    network: Mutex<Option<Arc<SessionNetwork>>>,
    ports: Arc<Mutex<BTreeMap<u16, ServedPort>>>,
}

/// A port on which a command listens.
#[derive(Debug)]
struct ServedPort {
    /// The call that started the command; none where it runs in the shell of an agent.
    call: Option<CallId>,
    forwarded: Option<ForwardedPort>,
}

/// A port of a command, and where the person's programs reach it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ReachedPort {
    port: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// A command that may serve.
pub(super) enum ServingCommand {
    /// A command in the background.
    Background(CallId, Arc<BackgroundCommand>),
    /// A command in the shell of an agent, until this is dropped.
    Attached,
}

impl SessionServers {
    /// The network of the session, for a command that may serve: it is made where it is not there.
    pub(super) fn make_network(&self, launcher: &SandboxLauncher) -> Option<Arc<NetworkNamespaces>> {
        let mut network = self.network.lock();
        if network.is_none() {
            // Without one each command has a network of its own.
            *network = launcher.make_network().ok().map(Arc::new);
        }
        network.as_ref().map(|network| network.namespaces())
    }

    /// The network of the session where something was started that may serve.
    pub(super) fn network(&self) -> Option<Arc<NetworkNamespaces>> {
        self.network.lock().as_ref().map(|network| network.namespaces())
    }

    /// The network as another process of the person's finds it, for a command that runs there.
    pub(super) fn shared_network(&self, launcher: &SandboxLauncher) -> Option<SharedNetwork> {
        self.make_network(launcher)?;
        let network = self.network.lock();
        let network = network.as_ref()?;
        let (device, inode) = network.namespaces().id();
        Some(SharedNetwork { keeper: network.keeper(), device, inode })
    }

    /// The ports that the command of a call listens on.
    pub(super) fn ports_of(&self, call: &CallId) -> Vec<ReachedPort> {
        let ports = self.ports.lock();
        let own = ports.iter().filter(|(_, served)| served.call.as_ref() == Some(call));
        own.map(|(port, served)| {
            let at = served.forwarded.as_ref().map(ForwardedPort::address);
            ReachedPort { port: *port, url: at.map(|at| format!("http://{at}")) }
        })
        .collect()
    }

    /// Looks for ports that a command listens on, and forwards them, until it has ended or the task is. `tell` is given each
    /// that is reached.
    pub(super) fn follow(
        &self,
        serving: ServingCommand,
        forwarding: PortForwarding,
        tell: impl FnMut(&str) + Send + 'static,
    ) -> Option<JoinHandle<()>> {
        let network = self.network.lock().clone()?;
        let follower = PortFollower { network, ports: self.ports.clone(), serving, forwarding };
        Some(tokio::spawn(follower.follow_to_end(tell)))
    }
}

impl CommandExecutor {
    /// The ports that the command of a call listens on.
    pub(crate) fn ports_of(&self, call: &CallId) -> Vec<ReachedPort> {
        self.servers.ports_of(call)
    }

    /// The network that a command in the shell of an agent joins, and the task that forwards its ports while that is held.
    pub(crate) fn join_attached(
        &self,
        scope: &CallScope,
    ) -> (Option<SharedNetwork>, Option<FollowedCommand>) {
        let network = run_blocking(|| self.servers.shared_network(&self.launcher));
        let forwarding = scope.settings().sandbox.ports;
        let followed = self.servers.follow(ServingCommand::Attached, forwarding, |_| {});
        (network, followed.map(FollowedCommand))
    }
}

/// The task that follows a command in the shell of an agent, until this is dropped.
#[derive(Debug)]
pub(crate) struct FollowedCommand(pub(super) JoinHandle<()>);

impl Drop for FollowedCommand {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct PortFollower {
    network: Arc<SessionNetwork>,
    ports: Arc<Mutex<BTreeMap<u16, ServedPort>>>,
    serving: ServingCommand,
    forwarding: PortForwarding,
}

impl Drop for PortFollower {
    fn drop(&mut self) {
        let call = self.call();
        self.ports.lock().retain(|_, served| served.call != call);
    }
}

impl PortFollower {
    fn call(&self) -> Option<CallId> {
        match &self.serving {
            ServingCommand::Background(call, _) => Some(call.clone()),
            ServingCommand::Attached => None,
        }
    }

    async fn follow_to_end(self, mut tell: impl FnMut(&str) + Send + 'static) {
        let mut looks: u32 = 0;
        let mut earlier = BTreeSet::new();
        loop {
            let listening = self.network.listening_ports();
            self.drop_closed(&listening);
            for port in &listening {
                if self.is_new(port.port) && self.is_own(port, &earlier) {
                    self.serve(port, &mut tell).await;
                }
            }
            earlier = listening.iter().map(|listening| listening.port).collect();
            looks += 1;
            let is_shell = matches!(self.serving, ServingCommand::Attached);
            let pause = if looks < FIRST_LOOKS && !is_shell { SOON } else { LATER };
            match &self.serving {
                ServingCommand::Background(_, command) => tokio::select! {
                    () = command.wait_ended() => return,
                    () = tokio::time::sleep(pause) => {}
                },
                ServingCommand::Attached => tokio::time::sleep(pause).await,
            }
        }
    }

    fn is_new(&self, port: u16) -> bool {
        let ports = self.ports.lock();
        ports.len() < MOST && !ports.contains_key(&port)
    }

    /// Returns whether the command listens on a port. Of a command in a shell only the network is known: a port that
    /// stays open counts as its own.
    fn is_own(&self, port: &ListeningPort, earlier: &BTreeSet<u16>) -> bool {
        match &self.serving {
            ServingCommand::Background(_, command) => command.open_sockets().contains(&port.inode),
            ServingCommand::Attached => earlier.contains(&port.port),
        }
    }

    async fn serve(&self, port: &ListeningPort, tell: &mut impl FnMut(&str)) {
        let forwarded = match self.forwarding {
            PortForwarding::Forward => ForwardedPort::open(self.network.clone(), *port).await.ok(),
            PortForwarding::Off => None,
        };
        if let Some(forwarded) = &forwarded {
            tell(&format!("port {} is at http://{} on this machine", port.port, forwarded.address()));
        }
        self.ports.lock().insert(port.port, ServedPort { call: self.call(), forwarded });
    }

    fn drop_closed(&self, listening: &[ListeningPort]) {
        let call = self.call();
        let is_open = |port: u16| listening.iter().any(|listening| listening.port == port);
        self.ports.lock().retain(|port, served| served.call != call || is_open(*port));
    }
}
