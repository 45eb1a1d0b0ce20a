//! `wherefore hook`: an agent's own edits, commands and reads come through, by the agent's hooks.

mod confined;
mod twice;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;
use thiserror::Error;

use super::answer;
use super::backend::{NEXT_SERVERS, RootArgs};
use super::mcp::ServeError;
use super::mcp::reach::Reach;
use crate::native::{
    self, HookAnswer, HookMessage, HookMoment, MessageError, NativeAct, NativeAgent, NativeAnswer,
    NativeParams, NativeVerdict, told,
};
use crate::protocol::{Door, Fault, Origin, WhenAway};
use crate::requests::Native;
use crate::socket::{Greeting, LinkError, ServerLink};
use crate::workspace::config;

/// Bytes of a message at most.
const LONGEST: u64 = 64 << 20;
/// The exit code by which every agent knows that a call is refused; standard error says why.
const REFUSED: u8 = 2;
/// The exit code of a hook that failed: the agent tells its person, and goes on.
const FAILED: u8 = 1;

/// Answer the hook of an agent, so that its own edits are reviewed, its commands confined and its reads held to the rules
///
/// Reads the hook's message on standard input and answers in the agent's own form. `wherefore init --guard` writes the
/// agent's settings. An edit waits until its hunks are decided in the editor or by `wherefore review`.
#[derive(Debug, clap::Args)]
pub(super) struct HookArgs {
    /// The agent [auto: the message tells]
    #[arg(value_enum, default_value = "auto")]
    agent: AgentArg,
    /// The moment, for agents whose messages do not name it
    event: Option<String>,
    /// Seconds to wait for decisions; less than the limit that the agent's settings give its hook [default: what the agent
    /// allows a hook that has no limit]
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,
}

/// An agent, or whoever the message is from.
#[derive(Clone, Copy, Debug)]
enum AgentArg {
    Auto,
    Named(NativeAgent),
}

impl AgentArg {
    fn named(self) -> Option<NativeAgent> {
        match self {
            Self::Auto => None,
            Self::Named(agent) => Some(agent),
        }
    }
}

impl ValueEnum for AgentArg {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Auto,
            Self::Named(NativeAgent::Claude),
            Self::Named(NativeAgent::Codex),
            Self::Named(NativeAgent::Gemini),
            Self::Named(NativeAgent::Qwen),
            Self::Named(NativeAgent::Copilot),
            Self::Named(NativeAgent::Opencode),
        ]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        match self {
            Self::Auto => Some(clap::builder::PossibleValue::new("auto").help("Whoever the message is from")),
            Self::Named(agent) => agent.to_possible_value(),
        }
    }
}

/// Why a hook has no answer of a server.
#[derive(Debug, Error)]
enum HookError {
    /// The message was not read.
    #[error("the hook's message cannot be read: {0}")]
    Input(#[source] std::io::Error),
    /// The message is not understood.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// There is no such folder.
    #[error("{}", .0.message)]
    Folder(Box<Fault>),
    /// No server can be had.
    #[error(transparent)]
    Server(#[from] ServeError),
    /// The server went away, or its answer is not understood.
    #[error("the server did not answer: {0}")]
    Link(#[from] LinkError),
}

/// Answers one message.
pub(super) fn run(args: &HookArgs) -> ExitCode {
    let message = match read(args) {
        Ok(message) => message,
        Err(error) => return failed(&error, when_away(None), args.agent.named()),
    };
    if message.moment == HookMoment::Other || twice::has_hook_of_its_own(args.agent.named(), &message) {
        return ExitCode::SUCCESS;
    }
    match answered_by_a_server(args, &message) {
        Ok(answer) => say(&answer, &message),
        Err(HookError::Link(LinkError::Gone(_))) if is_edit(&message) => {
            say(&HookAnswer::Deny(told::lost()), &message)
        }
        // The person's own words go on in any case.
        Err(_) if message.moment == HookMoment::Prompt => ExitCode::SUCCESS,
        Err(error) => away(&error, &message),
    }
}

/// Whether a call is about to edit.
fn is_edit(message: &HookMessage) -> bool {
    message.moment == HookMoment::Before && message.act().edits()
}

fn read(args: &HookArgs) -> Result<HookMessage, HookError> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(LONGEST).read_to_end(&mut bytes).map_err(HookError::Input)?;
    Ok(HookMessage::read(args.agent.named(), args.event.as_deref(), &String::from_utf8_lossy(&bytes))?)
}

/// What is answered to a message, by the next server where one leaves before it takes the question.
fn answered_by_a_server(args: &HookArgs, message: &HookMessage) -> Result<HookAnswer, HookError> {
    for _ in 1..NEXT_SERVERS {
        match answered(args, message) {
            Err(HookError::Link(LinkError::Left)) => {}
            answer => return answer,
        }
    }
    answered(args, message)
}

/// What is answered to a message: what concerns no file and no command needs no server.
fn answered(args: &HookArgs, message: &HookMessage) -> Result<HookAnswer, HookError> {
    let act = message.act();
    let is_prompt = message.moment == HookMoment::Prompt;
    if (act == NativeAct::Other && !is_prompt) || confined::is_ours(&act) {
        return Ok(HookAnswer::Pass);
    }
    let folder = folder(message);
    let reach = Reach::around(folder.as_deref()).map_err(|fault| HookError::Folder(fault.into()))?;
    // For a prompt no server is started: one that does not run has nothing new to tell.
    if is_prompt && !reach.is_served() {
        return Ok(HookAnswer::Pass);
    }
    let mut link =
        ServerLink::over(reach.connect(&Greeting { door: Some(Door::Hook), ..Greeting::default() })?);
    // A prompt takes along what is told after a call.
    let after = matches!(message.moment, HookMoment::After | HookMoment::Prompt);
    let mut params = NativeParams {
        root: Some(reach.root().to_owned()),
        cwd: folder.as_deref().and_then(Path::to_str).map(str::to_owned),
        after,
        unread: act.edits() && !after,
        why: (act.edits() && after).then(|| native::reason(message)).flatten(),
        act,
        origin: Origin {
            agent: Some(message.agent.name().to_owned()),
            session: message.session.clone(),
            call: message.call.clone(),
            tool: Some(message.tool.clone()),
            ..Origin::default()
        },
        wait_s: args.wait.map_or(message.agent.patience(), Duration::from_secs).as_secs(),
    };
    let mut answer = link.ask::<Native>(&params)?;
    // The conversation is read only where its words are needed: agents write it a moment late.
    if matches!(answer.verdict, NativeVerdict::Reason | NativeVerdict::Confine) {
        (params.unread, params.why) = (false, native::reason(message));
    }
    if answer.verdict == NativeVerdict::Reason {
        answer = link.ask::<Native>(&params)?;
    }
    Ok(of_server(answer, message, &params))
}

/// The folder that the agent works in: the one it names, else the one that its hook was started in.
fn folder(message: &HookMessage) -> Option<PathBuf> {
    let named = message.cwd.clone().filter(|cwd| cwd.is_dir());
    named.or_else(|| std::env::current_dir().ok())
}

/// What an agent is told whose command cannot be written as one that is confined.
const NOT_CONFINED: &str = "wherefore: the command cannot be run in its sandbox";

/// The server's answer as the agent takes it. An agent whose hook may not rewrite a command is told the one to run.
fn of_server(answer: NativeAnswer, message: &HookMessage, params: &NativeParams) -> HookAnswer {
    let told = answer.told;
    match (answer.verdict, told) {
        (NativeVerdict::Confine, _) if message.agent.rewrites() => match confined::rewritten(params) {
            Some(script) => HookAnswer::Rewrite(message.with_script(&script)),
            None => HookAnswer::Deny(NOT_CONFINED.to_owned()),
        },
        (NativeVerdict::Confine, _) => match confined::script(params) {
            Some(script) => HookAnswer::Deny(format!(
                "wherefore: commands run in its sandbox here. Run this instead: {script}"
            )),
            None => HookAnswer::Deny(NOT_CONFINED.to_owned()),
        },
        (NativeVerdict::Leave, told) => HookAnswer::Deny(told.unwrap_or_default()),
        (_, Some(told)) => HookAnswer::Tell(told),
        (_, None) => HookAnswer::Pass,
    }
}

fn say(answer: &HookAnswer, message: &HookMessage) -> ExitCode {
    if let Some(answer) = answer.of(message) {
        let mut out = std::io::stdout().lock();
        // An agent that is gone needs no answer.
        let _ = writeln!(out, "{answer}").and_then(|()| out.flush());
    }
    ExitCode::SUCCESS
}

/// No server can be had: what the person chose for that holds for what the server would have looked at.
fn away(error: &HookError, message: &HookMessage) -> ExitCode {
    let looked_at = message.moment == HookMoment::Before && message.act() != NativeAct::Other;
    let away = if looked_at { when_away(folder(message).as_deref()) } else { WhenAway::Ask };
    match away {
        WhenAway::Deny => {
            let words =
                format!("wherefore: {error}; nothing is changed or run without it ([native] when_away)");
            say(&HookAnswer::Deny(words), message)
        }
        WhenAway::Allow => say(&HookAnswer::Allow, message),
        WhenAway::Ask => failed(error, WhenAway::Ask, Some(message.agent)),
    }
}

fn failed(error: &HookError, away: WhenAway, agent: Option<NativeAgent>) -> ExitCode {
    answer::note(&format!("wherefore: {error}"));
    ExitCode::from(if away == WhenAway::Deny {
        REFUSED
    } else {
        agent.map_or(FAILED, NativeAgent::goes_on_at)
    })
}

/// What the settings of the person and of the project say for where no server can be had.
fn when_away(folder: Option<&Path>) -> WhenAway {
    let root = folder.and_then(|folder| RootArgs::find_from(folder).ok());
    config::at(root.as_deref().map(Path::new)).native.when_away
}
