//! A command of an agent's own shell: permitted, logged and reviewed by the folder's server as a call of `terminal.run`,
//! and run here, on the streams that the agent gave it.

use std::path::Path;
use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::super::mcp::ServeError;
use super::super::mcp::reach::ServerConnector;
use super::{
    AttachedOutcome, CommandFailure, NOT_RUN, SandboxArgs, answer, attached_request, exit_code,
    propose_changes, run_here, visible_line,
};
use crate::base::ids::unique_word;
use crate::execution::{AttachedRequest, LimitWord, git_diff};
use crate::hooks::outcome_text;
use crate::hub::ConfinedCommand;
use crate::ports::AttachedReport;
use crate::protocol::{DirectWrites, Door, Envelope, Fault, Origin};
use crate::requests::attach::AttachParams;
use crate::requests::attached::AttachedParams;
use crate::requests::{Attach, Attached};
use crate::sandbox::{SandboxLauncher, signal_name};
use crate::session::{CallScope, WorkspaceSession};
use crate::socket::{ClientGreeting, SentRequest, ServerLink};

/// The agent whose own shell runs the command. `wherefore hook` and `wherefore acp` write these.
#[derive(Debug, clap::Args)]
pub(super) struct ShellAgentArgs {
    /// The agent's name
    #[arg(long, value_name = "NAME", hide = true, requires = "token")]
    agent: Option<String>,
    /// The agent whose policy asks the person about the command before it runs
    #[arg(long, value_name = "NAME", hide = true, requires = "token")]
    asked_by: Option<String>,
    /// What the server gave for one run of this very command
    #[arg(long, value_name = "TOKEN", hide = true, conflicts_with_all = ["net", "review", "timeout"])]
    token: Option<String>,
}

/// A command whose call is under way at the server.
pub(super) struct AttachedRun {
    link: ServerLink,
    sent: SentRequest<Attach>,
    key: String,
    root: String,
}

impl ShellAgentArgs {
    /// Begins the call at the folder's server; none without a token: the command is then a person's.
    ///
    /// # Errors
    /// The reason why no server can be reached.
    pub(super) fn attach(&self, args: &SandboxArgs, root: &str) -> Result<Option<AttachedRun>, Fault> {
        let Some(token) = &self.token else { return Ok(None) };
        let reach = ServerConnector::nearest_for_hook(Some(Path::new(root)))?;
        let greeting = ClientGreeting { door: Some(Door::Hook), ..ClientGreeting::default() };
        let mut link = ServerLink::from_stream(reach.connect(&greeting).map_err(explain_unreachable)?);
        let wanted = attached_request(args, root)?.command;
        let (key, root) = (unique_word(), reach.root().to_owned());
        let sent = link.send::<Attach>(&AttachParams {
            key: key.clone(),
            token: token.clone(),
            command: ConfinedCommand { argv: wanted.argv, env: wanted.env },
            agent: self.agent.clone(),
            cwd: wanted.cwd,
            why: args.why.clone(),
            root: Some(root.clone()),
        })?;
        Ok(Some(AttachedRun { link, sent, key, root }))
    }
}

impl AttachedRun {
    /// Runs the command when it is permitted, and reports the outcome of its changes to the agent. Returns the exit code.
    pub(super) fn run_to_end(
        mut self,
        args: &SandboxArgs,
        runtime: &Runtime,
        session: Arc<WorkspaceSession>,
        launcher: &SandboxLauncher,
    ) -> Result<u8, CommandFailure> {
        let not_run = |fault| (fault, NOT_RUN);
        let granted = self.ask_server(None).map_err(not_run)?;
        if !granted.granted {
            let envelope = self.take_answer().map_err(not_run)?;
            return Err(not_run(
                envelope.error.unwrap_or_else(|| Fault::internal("the call ended before the command ran")),
            ));
        }
        let cancel = CancellationToken::new();
        let origin = Origin::from_door(Door::Hook);
        let scope = CallScope::new(session, &origin, cancel.clone(), None);
        let wanted = attached_request(args, &self.root).map_err(not_run)?;
        let wanted = AttachedRequest {
            is_reviewed: granted.layered,
            is_in_place: !granted.layered,
            network: granted.network,
            ..wanted
        };
        let outcome = run_here(runtime, &scope, cancel, (&wanted, launcher))?;
        let report = attached_report(&scope, &outcome).map_err(|fault| (fault, answer::FAULT))?;
        match self.ask_server(Some(report)).and_then(|_| self.take_answer()) {
            Ok(envelope) => {
                let found = if wanted.is_in_place { sentences_of_server(&envelope) } else { Vec::new() };
                let told = found.into_iter().chain(outcome_text::command_changes_text(&envelope));
                told.for_each(|words| answer::write_note(&words));
            }
            // The server ended: the next server of the folder takes the command's changes.
            Err(_) => {
                propose_changes(args, &self.root, &scope, &outcome).map_err(|fault| (fault, answer::FAULT))?
            }
        }
        Ok(exit_code(&outcome.report))
    }

    fn ask_server(
        &mut self,
        report: Option<AttachedReport>,
    ) -> Result<crate::requests::attached::AttachedAnswer, Fault> {
        let (key, root) = (self.key.clone(), Some(self.root.clone()));
        Ok(self.link.ask::<Attached>(&AttachedParams { key, report, root })?)
    }

    fn take_answer(&mut self) -> Result<Envelope, Fault> {
        Ok(self.link.wait_answer(&self.sent)?)
    }
}

/// The sentences on what a command did in place, which the server alone knows.
fn sentences_of_server(envelope: &Envelope) -> Vec<String> {
    let member = |name: &str| envelope.result.as_deref().and_then(|result| result.get(name)).cloned();
    let left_out: Vec<String> =
        member("left_out").and_then(|list| serde_json::from_value(list).ok()).unwrap_or_default();
    let written: Vec<DirectWrites> =
        member("written").and_then(|list| serde_json::from_value(list).ok()).unwrap_or_default();
    let written = written.iter().map(|writes| format!("written without a review: {writes}"));
    let all = left_out.into_iter().chain(written);
    all.map(|sentence| format!("wherefore: {}", visible_line(&sentence))).collect()
}

/// Explains an error that the system's permissions caused: a sandbox keeps the command from the server.
fn explain_unreachable(error: ServeError) -> Fault {
    let is_kept = matches!(&error, ServeError::Unreachable { source: Some(cause), .. }
        if cause.kind() == std::io::ErrorKind::PermissionDenied);
    let fault = Fault::from(error);
    match is_kept {
        true => fault.with_suggestion(
            "a sandbox of the agent's own keeps this command from the server: the person can turn that sandbox off, since \
             commands run in wherefore's",
        ),
        false => fault,
    }
}

/// The report on the command's end, for the server.
fn attached_report(scope: &CallScope, outcome: &AttachedOutcome) -> Result<AttachedReport, Fault> {
    let (diff, folders) = git_diff(scope.files().state(), &outcome.draft)?;
    let folders = folders.iter().map(|folder| format!("{folder}: a folder by itself"));
    let ended = &outcome.report;
    Ok(AttachedReport {
        exit_code: ended.shell_status(),
        signal: ended.signal.map(|signal| signal_name(signal).to_owned()),
        limit: ended.limit.map(|limit| LimitWord::from_limit(limit).word().to_owned()),
        duration_ms: u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX),
        peak_memory: ended.peak_memory,
        sandbox: ended.tier.to_string(),
        left_out: outcome.left_out.iter().cloned().chain(folders).collect(),
        written: outcome.written.clone(),
        diff,
    })
}
