//! A command of an agent's own shell: permitted, logged and reviewed by the folder's server as a call of `terminal.run`,
//! and run here, on the streams that the agent gave it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::super::mcp::reach::Reach;
use super::{AttachedOutcome, Failed, NOT_RUN, SandboxArgs, answer, code, propose, request, run_here};
use crate::base::ids::unique;
use crate::execution::{AttachedRequest, LimitWord, git_diff};
use crate::hub::Folder;
use crate::native::told;
use crate::ports::AttachedReport;
use crate::protocol::{Door, Envelope, Fault, Origin, RawCall};
use crate::requests::attach::AttachParams;
use crate::requests::attached::AttachedParams;
use crate::requests::{Attach, Attached};
use crate::sandbox::signal_name;
use crate::session::Scope;
use crate::socket::{Greeting, Sent, ServerLink};

/// How long a command may run whose agent says nothing: what `terminal.run` allows at most.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The agent whose own shell runs the command. `wherefore hook` and `wherefore acp` write these.
#[derive(Debug, clap::Args)]
pub(super) struct AgentArgs {
    /// The agent's name
    #[arg(long, value_name = "NAME", hide = true)]
    agent: Option<String>,
    /// Its session
    #[arg(long, value_name = "ID", hide = true, requires = "agent")]
    session: Option<String>,
    /// Its id of the call
    #[arg(long, value_name = "ID", hide = true, requires = "agent")]
    call: Option<String>,
    /// Its own tool
    #[arg(long, value_name = "NAME", hide = true, requires = "agent")]
    tool: Option<String>,
    /// What brought the command here
    #[arg(long, value_enum, default_value = "hook", hide = true, requires = "agent")]
    door: AgentDoor,
    /// A person was asked about the command already, and said yes
    #[arg(long, hide = true, requires = "agent")]
    allowed: bool,
}

/// What brings an agent's command here.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum AgentDoor {
    Hook,
    Acp,
}

impl From<AgentDoor> for Door {
    fn from(door: AgentDoor) -> Self {
        match door {
            AgentDoor::Hook => Self::Hook,
            AgentDoor::Acp => Self::Acp,
        }
    }
}

/// A command whose call is under way at the server.
pub(super) struct AttachedRun {
    link: ServerLink,
    sent: Sent<Attach>,
    key: String,
    root: String,
    door: Door,
}

impl AgentArgs {
    /// Begins the call at the folder's server; nothing where no agent is named.
    ///
    /// # Errors
    /// Why no server can be had.
    pub(super) fn attach(&self, args: &SandboxArgs, root: &str) -> Result<Option<AttachedRun>, Fault> {
        let Some(agent) = &self.agent else { return Ok(None) };
        let door = Door::from(self.door);
        let reach = Reach::around(Some(Path::new(root)))?;
        let mut link =
            ServerLink::over(reach.connect(&Greeting { door: Some(door), ..Greeting::default() })?);
        let wanted = request(args, root)?;
        let mut arguments = json!({
            "cmd": args.command,
            "cwd": wanted.command.cwd,
            "timeout_ms": wanted.limit.unwrap_or(LONGEST).as_millis().min(LONGEST.as_millis()),
            "hosts": args.net,
        });
        if let (Some(arguments), Some(why)) = (arguments.as_object_mut(), &args.why) {
            arguments.insert("why".to_owned(), Value::from(why.as_str()));
        }
        let origin = Origin {
            agent: Some(agent.clone()),
            session: self.session.clone(),
            call: self.call.clone(),
            tool: Some(self.tool.clone().unwrap_or_else(|| "shell".to_owned())),
            ..Origin::door(door)
        };
        let root = reach.root().to_owned();
        let call = RawCall {
            tool: "terminal.run".to_owned(),
            arguments,
            origin,
            root: Some(root.clone()),
            ..RawCall::default()
        };
        let key = unique();
        let sent = link.send::<Attach>(&AttachParams { key: key.clone(), call, allowed: self.allowed })?;
        Ok(Some(AttachedRun { link, sent, key, root, door }))
    }
}

impl AttachedRun {
    /// Runs the command once it may, and tells the agent what became of its changes. Gives the exit code.
    pub(super) fn run_to_end(
        mut self,
        args: &SandboxArgs,
        runtime: &Runtime,
        folder: &Arc<Folder>,
    ) -> Result<u8, Failed> {
        let not_run = |fault| (fault, NOT_RUN);
        let granted = self.ask(None).map_err(not_run)?;
        if !granted.granted {
            let envelope = self.ended().map_err(not_run)?;
            return Err(not_run(
                envelope.error.unwrap_or_else(|| Fault::internal("the call ended before the command ran")),
            ));
        }
        let cancel = CancellationToken::new();
        let origin = Origin::door(self.door);
        let scope = Scope::new(folder.session().clone(), &origin, cancel.clone(), None);
        let wanted = request(args, &self.root).map_err(not_run)?;
        let wanted = AttachedRequest { is_reviewed: granted.layered, ..wanted };
        let outcome = run_here(runtime, &scope, cancel, &wanted)?;
        let report = report(&scope, &outcome).map_err(|fault| (fault, answer::FAULT))?;
        match self.ask(Some(report)).and_then(|_| self.ended()) {
            Ok(envelope) => told::ran(&envelope).iter().for_each(|words| answer::note(words)),
            // The server ended: whoever serves the folder next takes what the command changed.
            Err(_) => propose(args, &self.root, &scope, &outcome).map_err(|fault| (fault, answer::FAULT))?,
        }
        Ok(code(&outcome.report))
    }

    fn ask(
        &mut self,
        report: Option<AttachedReport>,
    ) -> Result<crate::requests::attached::AttachedAnswer, Fault> {
        let (key, root) = (self.key.clone(), Some(self.root.clone()));
        Ok(self.link.ask::<Attached>(&AttachedParams { key, report, root })?)
    }

    fn ended(&mut self) -> Result<Envelope, Fault> {
        Ok(self.link.answer(&self.sent)?)
    }
}

/// How the command ended, for the server.
fn report(scope: &Scope, outcome: &AttachedOutcome) -> Result<AttachedReport, Fault> {
    let (diff, folders) = git_diff(scope.files().state(), &outcome.draft)?;
    let folders = folders.iter().map(|folder| format!("{folder}: a folder by itself"));
    let ended = &outcome.report;
    Ok(AttachedReport {
        exit_code: ended.exit_code,
        signal: ended.signal.map(|signal| signal_name(signal).to_owned()),
        limit: ended.limit.map(|limit| LimitWord::of(limit).word().to_owned()),
        duration_ms: u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX),
        peak_memory: ended.peak_memory,
        sandbox: ended.tier.to_string(),
        left_out: outcome.left_out.iter().cloned().chain(folders).collect(),
        diff,
    })
}
