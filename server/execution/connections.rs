//! The connections of a command to the hosts that the person let it reach.

use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::error::ExecutionError;
use crate::sandbox::{NetworkAccess, RunningCommand, SandboxPlan};
use wherefore_fetch::{HostList, HostProxy};

/// Carries a command's connections until it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionCarrier {
    task: JoinHandle<()>,
}

impl Drop for ConnectionCarrier {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Returns the network access of a command to which `hosts` are open.
pub(super) fn network_for(hosts: &HostList) -> NetworkAccess {
    if hosts.is_empty() { NetworkAccess::Off } else { NetworkAccess::Proxy }
}

/// Carries the connections of a command that was planned with [`network_for`]. It waits until the sandbox is built.
///
/// # Errors
/// Fails where the sandbox is not built, or the system refuses a listener.
pub(super) fn start_carrier(
    running: &mut RunningCommand,
    plan: &SandboxPlan,
    hosts: &HostList,
) -> Result<Option<ConnectionCarrier>, ExecutionError> {
    if plan.network == NetworkAccess::Off {
        return Ok(None);
    }
    let doing = ExecutionError::while_doing("opening the command's way to the network");
    let Some(listener) = running.proxy()? else { return Ok(None) };
    listener.set_nonblocking(true).map_err(&doing)?;
    let listener = TcpListener::from_std(listener).map_err(&doing)?;
    let task = tokio::spawn(Arc::new(HostProxy::new(hosts.clone())).serve(listener));
    Ok(Some(ConnectionCarrier { task }))
}
