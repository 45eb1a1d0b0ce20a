//! terminal.run: a command in a sandbox, and what it changed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fs_patch::git_draft;
use crate::execution::{CommandOutcome, CommandRequest, Executor, LimitWord, RunOutcome};
use crate::ports::AttachedReport;
use crate::protocol::{Code, CommandEffects, Effects, Fault, Network};
use crate::registry::{Activity, Call, Draft, Output, Permitted};
use crate::sandbox::{Report, signal_name};
use crate::session::{CallCancelled, Scope};
use crate::workspace::WorkspaceError;
use wherefore_fetch::HostList;

/// How much longer than its command a call may take: to read what it changed.
pub(crate) const AFTERWARDS: Duration = Duration::from_secs(120);

/// Runs a command.
pub(super) struct RunCommand(pub(super) Arc<Executor>);

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
    effects: Option<CommandEffects>,
    #[serde(default)]
    hosts: Vec<String>,
    #[serde(default)]
    background: bool,
}

impl RunInput {
    /// The program and its arguments; nothing where the caller names none, or two.
    fn argv(&self) -> Vec<String> {
        match (&self.cmd, &self.line) {
            (Some(words), None) => words.clone(),
            (None, Some(line)) => vec!["bash".to_owned(), "-c".to_owned(), line.clone()],
            _ => Vec::new(),
        }
    }

    /// The command as the rules judge it: with the variables that are set for it, as `env` would set them.
    fn judged(&self) -> Vec<String> {
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
    stdout: String,
    stderr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<Cow<'static, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<LimitWord>,
    duration_ms: u64,
    peak_memory: u64,
    sandbox: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
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

    fn effects(&self, input: &RunInput) -> Effects {
        let network = input.hosts.iter().cloned().map(Network::Host).collect();
        Effects {
            command: Some(input.judged()),
            network,
            confined: self.0.has_layers(),
            ..Effects::default()
        }
    }

    fn ready(&self, _: &Call) -> Result<(), Fault> {
        Ok(self.0.ready()?)
    }

    fn limit(&self, input: &RunInput) -> Option<Duration> {
        Some(Duration::from_millis(input.timeout_ms) + AFTERWARDS)
    }

    async fn run(
        &self,
        input: Arc<RunInput>,
        call: &Permitted,
        scope: &Scope,
    ) -> Result<Output<RunOutput>, Fault> {
        let request = request(&input, scope)?;
        if let Some(command) = scope.caller().and_then(|caller| caller.command()) {
            let is_layered = self.0.has_layers();
            let _writing = (!is_layered).then(|| scope.direct_writer());
            let report = tokio::select! {
                report = command.run(is_layered) => report?,
                // Its process is gone, or is not waited for any more.
                () = scope.cancel().cancelled() => return Err(CallCancelled.into()),
            };
            scope.check()?;
            let effects = self.0.effects(scope, &request.argv, input.effects);
            let draft = git_draft(scope, &report.diff)?;
            let draft = Draft { applies: effects == CommandEffects::Apply, ..draft };
            return Ok(Output::change(draft, RunOutput::attached(report)));
        }
        if input.background {
            self.0.start_in_background(scope, call.call(), &request)?;
            let (id, sandbox) = (Some(call.call().id().to_string()), self.0.tier());
            let answer = RunOutput { id, sandbox, ..RunOutput::default() };
            return Ok(Output::change(Draft::default(), answer));
        }
        let effects = self.0.effects(scope, &request.argv, input.effects);
        let CommandOutcome { run, draft, left_out } = self.0.run(scope, call.call(), request).await?;
        scope.check()?;
        let (answer, truncated) = RunOutput::of_run(scope, run, left_out)?;
        let draft = Draft { applies: effects == CommandEffects::Apply, ..draft };
        Ok(Output { truncated, ..Output::change(draft, answer) })
    }
}

impl RunOutput {
    /// The answer to a command that ran to its end, and whether its output is cut.
    ///
    /// # Errors
    /// Where the state folder cannot keep output that is cut.
    pub(crate) fn of_run(
        scope: &Scope,
        run: RunOutcome,
        left_out: Vec<String>,
    ) -> Result<(Self, bool), WorkspaceError> {
        let (stdout, stderr) = (run.output.text(), run.errors.text());
        let truncated = stdout.cut || stderr.cut;
        let keep = |bytes: Option<&[u8]>| bytes.map(|bytes| scope.files().state().put(bytes)).transpose();
        let (stdout_hash, stderr_hash) = (keep(run.output.cut_bytes())?, keep(run.errors.cut_bytes())?);
        let of_run = Self::of(stdout.text, stderr.text, run.report);
        Ok((Self { stdout_hash, stderr_hash, left_out, ..of_run }, truncated))
    }

    /// The answer to a command whose output went to its caller's terminal.
    fn attached(report: AttachedReport) -> Self {
        Self {
            exit_code: report.exit_code,
            signal: report.signal.map(Cow::Owned),
            limit: report.limit.and_then(|limit| serde_json::from_value(limit.into()).ok()),
            duration_ms: report.duration_ms,
            peak_memory: report.peak_memory,
            sandbox: report.sandbox,
            left_out: report.left_out,
            ..Self::default()
        }
    }

    fn of(stdout: String, stderr: String, report: Report) -> Self {
        Self {
            id: None,
            stdout,
            stderr,
            stdout_hash: None,
            stderr_hash: None,
            exit_code: report.exit_code,
            signal: report.signal.map(|signal| Cow::Borrowed(signal_name(signal))),
            limit: report.limit.map(LimitWord::of),
            duration_ms: u64::try_from(report.duration.as_millis()).unwrap_or(u64::MAX),
            peak_memory: report.peak_memory,
            sandbox: report.tier.to_string(),
            left_out: Vec::new(),
        }
    }
}

fn request(input: &RunInput, scope: &Scope) -> Result<CommandRequest, Fault> {
    let argv = input.argv();
    if argv.is_empty() {
        return Err(Fault::new(Code::InvalidArgs, "a call runs one command: `cmd` or `line`")
            .suggest("give the program and its arguments as `cmd`, or a line for bash as `line`"));
    }
    Ok(CommandRequest {
        argv,
        cwd: scope.path(&input.cwd)?,
        env: input.env.clone(),
        hosts: HostList::parse(input.hosts.iter().map(String::as_str)).map_err(|error| {
            Fault::new(Code::InvalidArgs, error.to_string()).suggest("name hosts as `hosts: [\"crates.io\"]`")
        })?,
        input: input.stdin.clone().map(String::into_bytes),
        limit: Duration::from_millis(input.timeout_ms),
    })
}
