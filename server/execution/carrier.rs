//! The connections of a command to the hosts that the person let it reach.

use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::error::ExecutionError;
use crate::sandbox::{Network, Plan, Running};
use wherefore_fetch::{HostList, Proxy};

/// Carries a command's connections until it is dropped.
#[derive(Debug)]
pub(crate) struct Carrier {
    task: JoinHandle<()>,
}

impl Drop for Carrier {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What of the network a command to which `hosts` are open reaches.
pub(super) fn network(hosts: &HostList) -> Network {
    if hosts.is_empty() { Network::Off } else { Network::Proxy }
}

/// Carries the connections of a command that was planned with [`network`]. It waits until the sandbox is built.
///
/// # Errors
/// Where the sandbox is not built, or the system refuses a listener.
pub(super) fn start(
    running: &mut Running,
    plan: &Plan,
    hosts: &HostList,
) -> Result<Option<Carrier>, ExecutionError> {
    if plan.network == Network::Off {
        return Ok(None);
    }
    let doing = ExecutionError::doing("opening the command's way to the network");
    let Some(listener) = running.proxy()? else { return Ok(None) };
    listener.set_nonblocking(true).map_err(&doing)?;
    let listener = TcpListener::from_std(listener).map_err(&doing)?;
    let task = tokio::spawn(Arc::new(Proxy::new(hosts.clone())).serve(listener));
    Ok(Some(Carrier { task }))
}
