//! Servers: programs that go on until whoever talks to them ends them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::carrier::{self, Carrier};
use super::error::ExecutionError;
use super::{CommandRequest, Executor, expect_folder, plan};
use crate::base::WorkspacePath;
use crate::fetch::HostList;
use crate::sandbox::{CommandTier, Effects, Running, Streams};
use crate::session::Scope;

/// A server that is started.
#[derive(Clone, Debug)]
pub(crate) struct ServerCommand {
    /// The program and its arguments.
    pub(crate) argv: Vec<String>,
    /// The folder that it starts in.
    pub(crate) cwd: WorkspacePath,
    /// Variables that it is given beside those of every command.
    pub(crate) env: BTreeMap<String, String>,
    /// Whether it writes the workspace; else it only reads it.
    pub(crate) writes: bool,
    /// The hosts that it reaches, through a proxy of ours.
    pub(crate) hosts: HostList,
}

/// A server that runs.
#[derive(Debug)]
pub(crate) struct StartedServer {
    /// Its processes.
    pub(crate) running: Running,
    /// What confines it.
    pub(crate) tier: CommandTier,
    /// What carries its connections.
    pub(crate) carrier: Option<Carrier>,
}

impl Executor {
    /// Starts a server that is talked to over its standard streams. It reads what the rules leave
    /// open of the workspace as it stands now.
    ///
    /// # Errors
    /// As [`Executor::run`].
    pub(crate) fn start_server(
        &self,
        scope: &Scope,
        command: ServerCommand,
    ) -> Result<StartedServer, ExecutionError> {
        let ServerCommand { argv, cwd, env, writes, hosts } = command;
        expect_folder(scope, &cwd)?;
        let request = CommandRequest { argv, cwd, env, input: None, hosts, limit: Duration::MAX };
        let mut plan = plan::plan(scope, &request, self.closures(scope)?, Effects::WriteThrough);
        if !writes {
            plan.writable.clear();
        }
        plan.streams = Streams::Piped { input: true };
        plan.limits.wall = None;
        let mut running = self.launcher.spawn(&plan)?;
        let carrier = carrier::start(&mut running, &plan, &request.hosts)?;
        Ok(StartedServer { running, tier: self.launcher.probe().of_commands(), carrier })
    }
}
