//! terminal.run: a command in a sandbox, and what it changed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fs_patch::git_draft;
use crate::execution::{
    CommandBounds, CommandExecutor, CommandOutcome, CommandRequest, GivenBounds, LONGER_BY_DEFINITION,
    LimitWord, RunOutcome,
};
use crate::ports::{AttachedGrant, AttachedReport};
use crate::protocol::{CallEffects, Code, CommandEffects, DirectWrites, Fault, NetworkTarget};
use crate::registry::{Activity, ActivityOutput, CallDraft, CheckedCall, PermittedCall, RepositoryDesk};
use crate::sandbox::{RunReport, signal_name};
use crate::session::{CallCancelled, CallScope};
use crate::workspace::WorkspaceError;
use wherefore_fetch::HostList;

/// The time that a call may take beyond its command: to read the changes.
pub(crate) const AFTERWARDS: Duration = Duration::from_secs(120);

/// Runs a command.
pub(super) struct RunCommand(pub(super) Arc<CommandExecutor>);

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RunInput {
    cmd: Option<Vec<String>>,
    line: Option<String>,
    #[serde(default = "here")]
    cwd: String,
    #[serde(default = "half_a_minute")]
    timeout_ms: u64,
    #[serde(default)]
    env: BTreeMap<String, String>,
    stdin: Option<String>,
    effects: Option<AskedEffects>,
    #[serde(default)]
    hosts: Vec<String>,
    #[serde(default)]
    background: bool,
}

/// The caller's wish for the files that a command changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AskedEffects {
    /// The changes become a proposal.
    Review,
    /// The changes are written, where the person's settings allow.
    Apply,
    /// There are none: the workspace is read-only to the command.
    None,
}

impl AskedEffects {
    /// Returns the treatment of changes; nothing where none are made.
    fn of_changes(self) -> Option<CommandEffects> {
        match self {
            Self::Review => Some(CommandEffects::Review),
            Self::Apply => Some(CommandEffects::Apply),
            Self::None => None,
        }
    }
}

impl RunInput {
    /// Returns whether the workspace is read-only to the command.
    fn is_read_only(&self) -> bool {
        self.effects == Some(AskedEffects::None)
    }

    /// Returns the caller's wish for the changes.
    fn asked_effects(&self) -> Option<CommandEffects> {
        self.effects.and_then(AskedEffects::of_changes)
    }

    /// The program and its arguments; nothing where the caller names none, or two.
    fn argv(&self) -> Vec<String> {
        match (&self.cmd, &self.line) {
            (Some(words), None) => words.clone(),
            (None, Some(line)) => vec!["bash".to_owned(), "-c".to_owned(), line.clone()],
            _ => Vec::new(),
        }
    }

    /// The command as the rules judge it: with the variables that are set for it, as `env` would set them.
    fn judged_argv(&self) -> Vec<String> {
        let variables = self.env.iter().map(|(name, value)| format!("{name}={value}"));
        let wrapper = (!self.env.is_empty()).then(|| "env".to_owned());
        wrapper.into_iter().chain(variables).chain(self.argv()).collect()
    }
}

/// The answer.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct RunOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<Cow<'static, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<LimitWord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Fault>,
    stdout: String,
    stderr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr_hash: Option<String>,
    duration_ms: u64,
    peak_memory: u64,
    sandbox: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    written: Vec<DirectWrites>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    git: Vec<String>,
}

fn here() -> String {
    ".".to_owned()
}

fn half_a_minute() -> u64 {
    30_000
}

impl Activity for RunCommand {
    type Input = RunInput;
    type Output = RunOutput;

    fn call_effects(&self, input: &RunInput) -> CallEffects {
        let network = input.hosts.iter().cloned().map(NetworkTarget::Host).collect();
        CallEffects {
            command: Some(input.judged_argv()),
            network,
            confined: self.0.has_layers() || input.is_read_only(),
            unlayered: !self.0.has_layers() && !input.is_read_only(),
            ..CallEffects::default()
        }
    }

    fn ensure_ready(&self, _: &CheckedCall) -> Result<(), Fault> {
        Ok(self.0.ensure_confined()?)
    }

    fn desk(&self) -> Option<Arc<dyn RepositoryDesk>> {
        Some(self.0.clone())
    }

    fn note_adopted(&self, call: &CheckedCall) {
        self.0.in_place().forget_run(call.id());
    }

    fn time_limit(&self, input: &RunInput) -> Option<Duration> {
        Some(Duration::from_millis(input.timeout_ms) + AFTERWARDS)
    }

    async fn run_call(
        &self,
        input: Arc<RunInput>,
        call: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<RunOutput>, Fault> {
        let request = command_request(&input, scope)?;
        if let Some(command) = scope.caller().and_then(|caller| caller.command()) {
            let is_layered = self.0.has_layers();
            let kind = self.0.command_kind(scope, &request);
            let in_place = match is_layered || input.is_read_only() {
                true => None,
                false => Some(self.0.in_place().begin_run(&self.0, scope, call.call(), &request.argv).await?),
            };
            let (network, _followed) = self.0.join_attached(scope);
            let grant = AttachedGrant { layered: is_layered, network };
            let report = tokio::select! {
                report = command.run(grant) => report?,
                // Its process is gone, or is not waited for any more.
                () = scope.cancel_token().cancelled() => return Err(CallCancelled.into()),
            };
            if let Some(in_place) = in_place {
                let (draft, report) = in_place.end_attached(&self.0, scope, report).await;
                let answer = RunOutput::from_attached(report).with_limit(input.timeout_ms, scope);
                return Ok(ActivityOutput::from_change(draft, answer));
            }
            scope.check_cancelled()?;
            let draft = git_draft(scope, &report.diff)?;
            let applies = self.0.applies_changes(scope, kind, input.asked_effects(), &draft).await;
            let draft = CallDraft { applies, ..draft };
            return Ok(ActivityOutput::from_change(
                draft,
                RunOutput::from_attached(report).with_limit(input.timeout_ms, scope),
            ));
        }
        if input.background && input.is_read_only() {
            return Err(Fault::new(Code::InvalidArgs, "`effects: none` is for a command that is waited for")
                .with_suggestion("leave out `background` or `effects`"));
        }
        if input.background {
            let left_out = self.0.start_in_background(scope, call.call(), &request).await?;
            let (id, sandbox) = (Some(call.call().id().to_string()), self.0.sandbox_tier());
            let answer = RunOutput { id, sandbox, left_out, ..RunOutput::default() };
            return Ok(ActivityOutput::from_change(CallDraft::default(), answer));
        }
        let CommandOutcome { run, draft, left_out, written, kind } =
            self.0.run_within(scope, call.call(), request, &command_bounds(&input)).await?;
        if !draft.stands {
            scope.check_cancelled()?;
        }
        let applies = self.0.applies_changes(scope, kind, input.asked_effects(), &draft).await;
        let (answer, truncated) = RunOutput::of_run(scope, run, left_out, written)?;
        let answer = answer.with_limit(input.timeout_ms, scope);
        let draft = CallDraft { applies, ..draft };
        Ok(ActivityOutput { truncated, ..ActivityOutput::from_change(draft, answer) })
    }
}

impl RunOutput {
    /// Returns the answer to a command that ran to its end, and whether its output is cut.
    ///
    /// # Errors
    /// Fails where the state folder cannot keep output that is cut.
    pub(crate) fn of_run(
        scope: &CallScope,
        run: RunOutcome,
        left_out: Vec<String>,
        written: Vec<DirectWrites>,
    ) -> Result<(Self, bool), WorkspaceError> {
        let (stdout, stderr) = (run.output.captured_text(), run.errors.captured_text());
        let truncated = stdout.cut || stderr.cut;
        let keep =
            |bytes: Option<&[u8]>| bytes.map(|bytes| scope.files().state().put_object(bytes)).transpose();
        let (stdout_hash, stderr_hash) = (keep(run.output.cut_bytes())?, keep(run.errors.cut_bytes())?);
        let of_run = Self::from_report(stdout.text, stderr.text, run.report);
        Ok((Self { stdout_hash, stderr_hash, left_out, written, ..of_run }, truncated))
    }

    /// The answer to a command whose output went to its caller's terminal.
    fn from_attached(report: AttachedReport) -> Self {
        Self {
            exit_code: report.exit_code,
            signal: report.signal.map(Cow::Owned),
            limit: report.limit.and_then(|limit| serde_json::from_value(limit.into()).ok()),
            duration_ms: report.duration_ms,
            peak_memory: report.peak_memory,
            sandbox: report.sandbox,
            left_out: report.left_out,
            written: report.written,
            ..Self::default()
        }
    }

    /// The same, with the fault of a tool's own command that a limit ended: its definition sets its time.
    pub(crate) fn with_defined_limit(self, limit: Duration, scope: &CallScope) -> Self {
        let answer = self.with_limit(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX), scope);
        let longer = |fault: Fault| match fault.code {
            Code::Timeout => fault.with_suggestion(LONGER_BY_DEFINITION),
            _ => fault,
        };
        let error = answer.error.map(longer);
        Self { error, ..answer }
    }

    /// The same, with the fault of a command that a limit ended.
    fn with_limit(mut self, timeout_ms: u64, scope: &CallScope) -> Self {
        let given = GivenBounds::of_command(timeout_ms, &scope.settings().sandbox);
        self.error = self.limit.as_ref().map(|limit| limit.make_fault(given));
        self
    }

    fn from_report(stdout: String, stderr: String, report: RunReport) -> Self {
        Self {
            id: None,
            stdout,
            stderr,
            stdout_hash: None,
            stderr_hash: None,
            exit_code: report.shell_status(),
            signal: report.signal.map(|signal| Cow::Borrowed(signal_name(signal))),
            limit: report.limit.map(LimitWord::from_limit),
            error: None,
            duration_ms: u64::try_from(report.duration.as_millis()).unwrap_or(u64::MAX),
            peak_memory: report.peak_memory,
            sandbox: report.tier.to_string(),
            left_out: Vec::new(),
            written: Vec::new(),
            git: Vec::new(),
        }
    }
}

fn command_bounds(input: &RunInput) -> CommandBounds {
    match input.is_read_only() {
        true => CommandBounds::read_only(),
        false => CommandBounds::default(),
    }
}

fn command_request(input: &RunInput, scope: &CallScope) -> Result<CommandRequest, Fault> {
    let argv = input.argv();
    if argv.is_empty() {
        return Err(Fault::new(Code::InvalidArgs, "a call runs one command: `cmd` or `line`")
            .with_suggestion("give the program and its arguments as `cmd`, or a line for bash as `line`"));
    }
    Ok(CommandRequest {
        argv,
        cwd: scope.parse_path(&input.cwd)?,
        env: input.env.clone(),
        hosts: HostList::parse(input.hosts.iter().map(String::as_str)).map_err(|error| {
            Fault::new(Code::InvalidArgs, error.to_string())
                .with_suggestion("name hosts as `hosts: [\"crates.io\"]`")
        })?,
        input: input.stdin.clone().map(String::into_bytes),
        limit: Duration::from_millis(input.timeout_ms),
    })
}
