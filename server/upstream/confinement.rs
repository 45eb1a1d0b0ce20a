//! A server's process in a sandbox.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use tokio::io::AsyncRead;
use tokio::net::unix::pipe;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::watch;

use super::error::UpstreamError;
use super::expand::{UnsetVariable, expand_variables};
use crate::execution::{CommandExecutor, ConnectionCarrier, ExecutionError, ServerCommand, StartedServer};
use crate::fetch::HostList;
use crate::protocol::{Code, Fault, McpServer};
use crate::sandbox::{CommandKiller, CommandTier, RunReport, RunningCommand, signal_name};
use crate::session::CallScope;

/// The options to start a confined server.
#[derive(Debug)]
pub(super) struct Confinement<'a> {
    /// The executor that builds its sandbox.
    pub executor: &'a CommandExecutor,
    /// The files that the rules leave open to it.
    pub scope: CallScope,
}

/// A server that runs in a sandbox.
#[derive(Debug)]
pub(super) struct ConfinedServer {
    killer: CommandKiller,
    /// The description of its end, once it has ended.
    end: watch::Receiver<Option<String>>,
    /// The tier of its confinement.
    tier: CommandTier,
    /// The carrier of its connections for as long as it runs.
    _carrier: Option<ConnectionCarrier>,
}

/// A confined server that has just begun.
pub(super) struct BegunServer {
    pub server: Arc<ConfinedServer>,
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: Box<dyn AsyncRead + Send + Unpin>,
}

impl Confinement<'_> {
    /// Starts a server in a sandbox.
    ///
    /// # Errors
    /// SANDBOX_UNAVAILABLE where none can be built; a variable that is not set, a folder that is none.
    pub(super) fn start_server(
        &self,
        name: &str,
        settings: &McpServer,
    ) -> Result<BegunServer, UpstreamError> {
        let refused =
            |fault: Fault| UpstreamError::Confinement { server: name.to_owned(), fault: Box::new(fault) };
        let command = self.server_command(name, settings)?;
        let started =
            self.executor.start_server(&self.scope, command).map_err(|error| refused(error.into()))?;
        begin_server(started)
            .map_err(|error| refused(ExecutionError::while_doing("listening to the server")(error).into()))
    }

    fn server_command(&self, name: &str, settings: &McpServer) -> Result<ServerCommand, UpstreamError> {
        let program = settings.command.clone().unwrap_or_default();
        // A program with a slash is relative to the root, wherever it then starts.
        let program = match program.contains('/') {
            true => {
                let root = std::path::Path::new(self.scope.files().paths().root().real_path());
                root.join(&program).display().to_string()
            }
            false => program,
        };
        let cwd = self.scope.parse_path(settings.cwd.as_deref().unwrap_or("."));
        let variable = |(name_of, value): (&String, &String)| {
            let value = expand_variables(value).map_err(|UnsetVariable(variable)| {
                UpstreamError::NoVariable { server: name.to_owned(), variable }
            })?;
            Ok((name_of.clone(), value))
        };
        Ok(ServerCommand {
            argv: std::iter::once(program).chain(settings.args.iter().cloned()).collect(),
            cwd: cwd.map_err(|error| UpstreamError::Confinement {
                server: name.to_owned(),
                fault: Box::new(error.into()),
            })?,
            env: settings.env.iter().map(variable).collect::<Result<_, UpstreamError>>()?,
            writes: settings.writes,
            hosts: HostList::parse(settings.hosts.iter().map(String::as_str)).map_err(|error| {
                let fault = Fault::new(Code::InvalidArgs, error.to_string())
                    .with_suggestion(format!("ask the person to correct `hosts` of mcp_servers.{name}"));
                UpstreamError::Confinement { server: name.to_owned(), fault: Box::new(fault) }
            })?,
        })
    }
}

impl ConfinedServer {
    /// Ends it and all that it started, at once.
    pub(super) fn kill(&self) {
        self.killer.kill();
    }

    /// Returns whether anything of it is left.
    pub(super) fn is_alive(&self) -> bool {
        self.end.borrow().is_none()
    }

    /// Returns the tier of its confinement.
    pub(super) fn tier(&self) -> CommandTier {
        self.tier
    }

    /// Waits for its end, and describes it.
    pub(super) async fn wait_ended(&self) -> String {
        let mut end = self.end.clone();
        let ended = end.wait_for(Option::is_some).await;
        ended.ok().and_then(|end| end.clone()).unwrap_or_else(|| "its end is not known".to_owned())
    }
}

fn begin_server(started: StartedServer) -> io::Result<BegunServer> {
    let StartedServer { mut running, tier, carrier } = started;
    let none = || io::Error::other("it started with no standard streams");
    let mut stream = |take: fn(&mut RunningCommand) -> Option<OwnedFd>| take(&mut running).ok_or_else(none);
    let stdin = ChildStdin::from_std(stream(RunningCommand::take_input)?.into())?;
    let stdout = ChildStdout::from_std(stream(RunningCommand::take_output)?.into())?;
    let stderr = Box::new(pipe::Receiver::from_owned_fd(stream(RunningCommand::take_errors)?)?);
    let killer = running.killer()?;
    let (told, end) = watch::channel(None);
    // A thread of its own: it waits as long as the server runs.
    std::thread::Builder::new().name("confined-server".to_owned()).spawn(move || {
        let end = match running.wait() {
            Ok(report) => describe_end(&report),
            Err(error) => Fault::from(ExecutionError::from(error)).message,
        };
        told.send_replace(Some(end));
    })?;
    Ok(BegunServer {
        server: Arc::new(ConfinedServer { killer, end, tier, _carrier: carrier }),
        stdin,
        stdout,
        stderr,
    })
}

fn describe_end(report: &RunReport) -> String {
    match (report.limit, report.exit_code, report.signal) {
        (Some(limit), ..) => format!("it used more than it may ({limit:?})"),
        (None, Some(code), _) => format!("it ended (exit code {code})"),
        (None, None, Some(signal)) => format!("it ended ({})", signal_name(signal)),
        (None, None, None) => "it ended".to_owned(),
    }
}
