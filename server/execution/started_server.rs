//! Starts servers: programs that go on until their client ends them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::connections::{self, ConnectionCarrier};
use super::error::ExecutionError;
use super::{CommandExecutor, CommandRequest, expect_folder, plan};
use crate::base::WorkspacePath;
use crate::fetch::HostList;
use crate::sandbox::{CommandTier, RunningCommand, StandardStreams, WriteEffects};
use crate::session::CallScope;

/// A server that is started.
#[derive(Clone, Debug)]
pub(crate) struct ServerCommand {
    /// The program and its arguments.
    pub(crate) argv: Vec<String>,
    /// The folder that it starts in.
    pub(crate) cwd: WorkspacePath,
    /// The variables that it gets in addition to those of every command.
    pub(crate) env: BTreeMap<String, String>,
    /// True where it writes the workspace; else it only reads it.
    pub(crate) writes: bool,
    /// The hosts that it reaches, through wherefore's proxy.
    pub(crate) hosts: HostList,
}

/// A server that runs.
#[derive(Debug)]
pub(crate) struct StartedServer {
    /// Its processes.
    pub(crate) running: RunningCommand,
    /// The confinement of the server.
    pub(crate) tier: CommandTier,
    /// The carrier of its connections.
    pub(crate) carrier: Option<ConnectionCarrier>,
}

impl CommandExecutor {
    /// Starts a server that is used over its standard streams. It reads the current parts of the workspace that the
    /// rules leave open.
    ///
    /// # Errors
    /// As [`CommandExecutor::run_within`].
    pub(crate) fn start_server(
        &self,
        scope: &CallScope,
        command: ServerCommand,
    ) -> Result<StartedServer, ExecutionError> {
        let ServerCommand { argv, cwd, env, writes, hosts } = command;
        expect_folder(scope, &cwd)?;
        let request = CommandRequest { argv, cwd, env, input: None, hosts, limit: Duration::MAX };
        let mut plan = plan::plan_command(
            scope,
            &request,
            self.closures.find_lasting(scope)?,
            WriteEffects::WriteThrough,
        );
        if !writes {
            plan.writable.clear();
        }
        plan.temporary = None;
        plan.streams = StandardStreams::Piped { input: true };
        plan.limits.wall = None;
        let mut running = self.launcher.spawn(&plan)?;
        let carrier = connections::start_carrier(&mut running, &plan, &request.hosts)?;
        Ok(StartedServer { running, tier: self.launcher.probe().of_commands(), carrier })
    }
}
