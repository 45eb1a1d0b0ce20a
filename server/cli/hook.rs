//! `wherefore hook`: an agent's own edits, commands and reads come through, by the agent's hooks.

mod bash_env;
mod duplicate_hook;
mod own_server;
mod parent_watch;
mod person_rules;
mod sandbox_line;
mod server_command;
mod session_shell;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use thiserror::Error;

use super::answer;
use super::backend::{NEXT_SERVERS, RootArgs};
use super::mcp::ServeError;
use super::mcp::reach::ServerConnector;
use crate::agents::HookAgent;
use crate::hooks::agent_rules::AgentRuleVerdict;
use crate::hooks::{
    self, CommandRoute, CommandStep, HookAnswer, HookMessage, HookMoment, MessageError, NativeAct,
    NativeAnswer, NativeCall, NativeCallError, NativeParams, NativeVerdict, outcome_text,
};
use crate::protocol::{Door, Fault, Origin, WhenAway};
use crate::requests::Native;
use crate::socket::{ClientGreeting, LinkError, ServerLink};
use crate::workspace::config;
pub(super) use sandbox_line::ASKED_BY;

/// The exit code that means for every agent that a call is refused; the reason is on standard error.
const REFUSED: u8 = 2;
/// The exit code of a failed hook: the agent reports it to its person, and goes on.
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
    /// The hook is of a plugin of the agent's: it leaves a call to a hook of the agent's settings that answers it
    #[arg(long, hide = true)]
    plugin: bool,
    /// The command that the agent's shell is about to run
    #[arg(last = true, value_name = "SCRIPT", hide = true)]
    script: Option<String>,
}

/// An agent by name, or the sender of the message.
#[derive(Clone, Copy, Debug)]
enum AgentArg {
    Auto,
    Named(HookAgent),
}

impl AgentArg {
    fn agent(self) -> Option<HookAgent> {
        match self {
            Self::Auto => None,
            Self::Named(agent) => Some(agent),
        }
    }
}

impl ValueEnum for AgentArg {
    fn value_variants<'a>() -> &'a [Self] {
        static ARGS: LazyLock<Vec<AgentArg>> = LazyLock::new(|| {
            [AgentArg::Auto].into_iter().chain(HookAgent::all().map(AgentArg::Named)).collect()
        });
        &ARGS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Auto => ("auto", "Whoever the message is from"),
            Self::Named(agent) => (agent.id(), agent.sender),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

/// The reason why a hook has no answer of a server.
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
    /// No server can be reached.
    #[error(transparent)]
    Server(#[from] ServeError),
    /// The server went away, or its answer is not understood.
    #[error("the server did not answer: {0}")]
    Link(#[from] LinkError),
}

/// Answers one message.
pub(super) fn run_hook(args: &HookArgs) -> ExitCode {
    if let (Some(script), Some(agent), Some(session_shell::EVENT)) =
        (&args.script, args.agent.agent(), args.event.as_deref())
    {
        return session_shell::run_shell(agent, script);
    }
    let message = match read_message(args) {
        Ok(message) => message,
        Err(unread) => return refuse_unread(args, &unread),
    };
    if message.moment == HookMoment::Other || duplicate_hook::is_duplicate_hook(args.agent.agent(), &message)
    {
        return ExitCode::SUCCESS;
    }
    match args.plugin {
        true if duplicate_hook::is_left_to_settings(&message) => return ExitCode::SUCCESS,
        true => {}
        false => duplicate_hook::claim_call(&message),
    }
    if message.moment == HookMoment::Start {
        return session_shell::install_function(&message);
    }
    let call = match message.tool_call() {
        Ok(call) => call,
        Err(error) if message.moment == HookMoment::Before => return refuse_call(&message, &error),
        // The call was refused before it ran.
        Err(_) => NativeCall::default(),
    };
    match answer_by_server(args, &message, &call) {
        Ok(answer) => print_answer(&answer, &message),
        Err(HookError::Link(LinkError::Gone(_) | LinkError::Silent(_))) if is_edit(&message, &call) => {
            print_answer(&HookAnswer::Deny(outcome_text::lost_edit_text()), &message)
        }
        Err(HookError::Link(LinkError::Gone(_) | LinkError::Silent(_)))
            if server_command::runs_at_server(&message, &call) =>
        {
            print_answer(&HookAnswer::Deny(outcome_text::lost_command_text()), &message)
        }
        // The person's own prompt goes on in any case.
        Err(_) if message.moment == HookMoment::Prompt => ExitCode::SUCCESS,
        // A server is there, and does not take the call.
        Err(HookError::Link(LinkError::Answered(fault))) if message.moment == HookMoment::Before => {
            print_answer(&HookAnswer::Deny(outcome_text::fault_text(&fault)), &message)
        }
        Err(error) => answer_without_server(&error, &message, &call),
    }
}

/// Returns whether a call is about to edit.
fn is_edit(message: &HookMessage, call: &NativeCall) -> bool {
    message.moment == HookMoment::Before && call.act.is_edit()
}

/// A message that was not understood.
struct UnreadMessage {
    error: HookError,
    moment: HookMoment,
}

fn read_message(args: &HookArgs) -> Result<HookMessage, UnreadMessage> {
    let event = args.event.as_deref();
    let (mut bytes, mut stdin) = (Vec::new(), std::io::stdin().lock());
    let read = (&mut stdin).take(HookMessage::LONGEST as u64 + 1).read_to_end(&mut bytes);
    // An agent that cannot write all of its message may take that for a hook that failed.
    let _ = std::io::copy(&mut stdin, &mut std::io::sink());
    let error = match read.map(|_| HookMessage::read(args.agent.agent(), event, &bytes)) {
        Ok(Ok(message)) => return Ok(message),
        Ok(Err(error)) => HookError::Message(error),
        Err(error) => HookError::Input(error),
    };
    Err(UnreadMessage { error, moment: HookMoment::of_unreadable(&bytes, event) })
}

/// Refuses a call whose message cannot be read, since its effect is not known. A prompt of the person, and a call that
/// has already run, go on.
fn refuse_unread(args: &HookArgs, UnreadMessage { error, moment }: &UnreadMessage) -> ExitCode {
    let agent = args.agent.agent();
    if *moment != HookMoment::Before {
        return report_failure(error, agent);
    }
    let origin = Origin { agent: agent.map(|agent| agent.log_name.to_owned()), ..Origin::default() };
    note_unread(std::env::current_dir().ok().as_deref(), origin, error.to_string());
    answer::write_note(&format!(
        "wherefore: {error}. So it cannot tell what this call would do, and the call is not made"
    ));
    ExitCode::from(REFUSED)
}

/// Refuses a call whose arguments do not fit the form of its tool.
fn refuse_call(message: &HookMessage, error: &NativeCallError) -> ExitCode {
    note_unread(agent_folder(message).as_deref(), call_origin(message), error.to_string());
    print_answer(&HookAnswer::Deny(outcome_text::unread_call_text(error)), message)
}

/// Reports to the folder's server that a call was refused because it could not be read. The call is refused even if no
/// server can be reached.
fn note_unread(folder: Option<&Path>, origin: Origin, why: String) {
    let noted = || -> Option<()> {
        let reach = folder_connector(folder).ok()?;
        let mut link = connect_server(&reach).ok()?;
        let params = NativeParams {
            root: Some(reach.root().to_owned()),
            act: NativeAct::Unread { why },
            origin,
            ..NativeParams::default()
        };
        link.ask::<Native>(&params).ok().map(drop)
    };
    let _ = noted();
}

fn call_origin(message: &HookMessage) -> Origin {
    Origin {
        agent: Some(message.agent.log_name.to_owned()),
        session: message.session.clone(),
        call: message.call.clone(),
        tool: Some(message.tool.clone()),
        ..Origin::default()
    }
}

/// Answers a message; the next server answers if one leaves before it takes the question.
fn answer_by_server(
    args: &HookArgs,
    message: &HookMessage,
    call: &NativeCall,
) -> Result<HookAnswer, HookError> {
    for _ in 1..NEXT_SERVERS {
        match answer_message(args, message, call) {
            Err(HookError::Link(LinkError::Left)) => {}
            answer => return answer,
        }
    }
    answer_message(args, message, call)
}

/// Answers a message. A call that concerns no file and no command needs no server.
fn answer_message(
    args: &HookArgs,
    message: &HookMessage,
    call: &NativeCall,
) -> Result<HookAnswer, HookError> {
    let NativeCall { act, other_acts: beside, folder: from, is_refused_to_agent: is_taken_over } =
        call.clone();
    let is_prompt = message.moment == HookMoment::Prompt;
    if act == NativeAct::Other && !is_prompt {
        let is_allowed =
            message.moment == HookMoment::Before && own_server::is_own_tool(message, args.plugin);
        return Ok(if is_allowed { HookAnswer::Allow } else { HookAnswer::Pass });
    }
    let folder = agent_folder(message);
    let reach = folder_connector(folder.as_deref())?;
    // For a prompt no server is started: a new server has nothing to report.
    if is_prompt && !reach.is_served() {
        return Ok(HookAnswer::Pass);
    }
    let mut link = connect_server(&reach)?;
    let served = server_command::runs_at_server(message, call);
    if served {
        parent_watch::end_with_parent();
    }
    let is_announced =
        !served && matches!(act, NativeAct::Command { .. }) && session_shell::is_installed(message);
    let step = if is_announced { CommandStep::Announced } else { CommandStep::Rewritten };
    let claim = sandbox_line::command_claim(&act);
    // A command that wherefore gave to the agent was judged before. If the agent sees the command itself, it judges that.
    let is_seen = step == CommandStep::Announced || !served && bash_env::is_bash(message);
    let own = match message.moment == HookMoment::Before && !is_seen && claim.is_none() {
        true => person_rules::judge_command(message, &act),
        false => AgentRuleVerdict::Silent,
    };
    match own {
        AgentRuleVerdict::Deny => {
            return Ok(HookAnswer::Deny(outcome_text::agent_refusal_text(message.agent)));
        }
        // The agent cannot be made to ask about a command that it does not see, and it runs itself what it asks about.
        AgentRuleVerdict::Ask if served || !message.agent.can_ask() && !message.agent.can_ask_by_policy() => {
            return Ok(HookAnswer::Deny(outcome_text::nobody_to_ask_text(
                &outcome_text::agent_question_text(message.agent, &act),
            )));
        }
        _ => {}
    }
    // A prompt takes along the notes that are delivered after a call.
    let after = matches!(message.moment, HookMoment::After | HookMoment::Prompt);
    let mut params = NativeParams {
        root: Some(reach.root().to_owned()),
        cwd: folder
            .as_deref()
            .map(|folder| from.map_or(folder.to_owned(), |from| folder.join(from)))
            .and_then(path_text),
        after,
        unread: (act.is_edit() || served || step == CommandStep::Announced) && !after,
        served,
        read_only: !after && (act.is_edit() || served) && message.is_read_only(),
        why: (act.is_edit() && after).then(|| hooks::call_reason(message)).flatten(),
        step,
        takes_yes: message.agent.has_rules_above_hooks,
        claim,
        act,
        beside,
        taken_over: is_taken_over,
        origin: call_origin(message),
        wait_s: args.wait.map_or(message.agent.hook_timeout(), Duration::from_secs).as_secs(),
    };
    let mut answer = link.ask::<Native>(&params)?;
    // The conversation is read only where its words are needed: agents write it a moment late.
    if matches!(answer.verdict, NativeVerdict::Reason | NativeVerdict::Confine) {
        (params.unread, params.why) = (false, hooks::call_reason(message));
    }
    if answer.verdict == NativeVerdict::Reason {
        answer = link.ask::<Native>(&params)?;
    }
    let is_asked = own == AgentRuleVerdict::Ask;
    Ok(match server_hook_answer(answer, message, &params, is_asked) {
        HookAnswer::Rewrite(arguments) if is_asked && message.agent.can_ask() => {
            HookAnswer::AskRewrite(arguments, outcome_text::agent_question_text(message.agent, &params.act))
        }
        answer => answer,
    })
}

/// The server of a folder.
fn folder_connector(folder: Option<&Path>) -> Result<ServerConnector, HookError> {
    ServerConnector::nearest_for_hook(folder).map_err(|fault| HookError::Folder(fault.into()))
}

fn connect_server(reach: &ServerConnector) -> Result<ServerLink, HookError> {
    let greeting = ClientGreeting { door: Some(Door::Hook), ..ClientGreeting::default() };
    Ok(ServerLink::from_stream(reach.connect(&greeting)?))
}

/// Asks the server of a folder about a call without a hook's message. The next server answers if one leaves before it
/// takes the question.
fn ask_server(folder: Option<&Path>, params: &mut NativeParams) -> Result<NativeAnswer, HookError> {
    let reach = folder_connector(folder)?;
    params.root = Some(reach.root().to_owned());
    for _ in 1..NEXT_SERVERS {
        match connect_server(&reach)?.ask::<Native>(params) {
            Err(LinkError::Left) => {}
            answer => return Ok(answer?),
        }
    }
    Ok(connect_server(&reach)?.ask::<Native>(params)?)
}

fn path_text(path: PathBuf) -> Option<String> {
    path.into_os_string().into_string().ok()
}

/// The folder that the agent works in: the one it names, or else the one that its hook was started in.
fn agent_folder(message: &HookMessage) -> Option<PathBuf> {
    let named = message.cwd.clone().filter(|cwd| cwd.is_dir());
    named.or_else(|| std::env::current_dir().ok())
}

/// The message for an agent whose command cannot be written as a confined one.
const NOT_CONFINED: &str = "wherefore: the command cannot be run in its sandbox";

/// The server's answer in the form of the agent. An agent whose hook may not rewrite a command gets the command line to
/// run. `is_asked` is true if the person's own rules of the agent ask about the command.
fn server_hook_answer(
    answer: NativeAnswer,
    message: &HookMessage,
    params: &NativeParams,
    is_asked: bool,
) -> HookAnswer {
    let told = answer.told;
    let token = answer.token.unwrap_or_default();
    match (answer.verdict, told) {
        (NativeVerdict::Confine, _) if message.command_route() == CommandRoute::Rewritten => {
            match sandbox_line::rewrite_script(message.agent, params, &token, is_asked) {
                Some(line) => confine_command(message, &params.act, &line),
                None => HookAnswer::Deny(NOT_CONFINED.to_owned()),
            }
        }
        (NativeVerdict::Confine, _) => match sandbox_line::sandbox_script(params, &token) {
            Some(script) => HookAnswer::Deny(format!(
                "wherefore: commands run in its sandbox here. Run this instead: {script}"
            )),
            None => HookAnswer::Deny(NOT_CONFINED.to_owned()),
        },
        (NativeVerdict::Allow, _) => HookAnswer::Allow,
        (NativeVerdict::Leave, told) => HookAnswer::Deny(told.unwrap_or_default()),
        (NativeVerdict::Ask, told) => {
            let asked = told.unwrap_or_default();
            match message.agent.can_ask() {
                true => HookAnswer::Ask(asked),
                false => HookAnswer::Deny(outcome_text::nobody_to_ask_text(&asked)),
            }
        }
        (_, Some(told)) => HookAnswer::Tell(told),
        (_, None) => HookAnswer::Pass,
    }
}

/// Makes the agent run another line in place of its command: by a startup file of its shell, or by other arguments of the call.
fn confine_command(message: &HookMessage, act: &NativeAct, line: &str) -> HookAnswer {
    match act {
        NativeAct::Command { script } if bash_env::is_bash(message) => {
            bash_env::shell_variables(script, line)
                .map_or_else(|| HookAnswer::Deny(NOT_CONFINED.to_owned()), HookAnswer::Shell)
        }
        _ => HookAnswer::Rewrite(message.with_script(line)),
    }
}

fn print_answer(answer: &HookAnswer, message: &HookMessage) -> ExitCode {
    if let Some(answer) = answer.format_for(message) {
        let mut out = std::io::stdout().lock();
        // An agent that is gone needs no answer.
        let _ = writeln!(out, "{answer}").and_then(|()| out.flush());
    }
    ExitCode::SUCCESS
}

/// Answers without a server: `[native] when_away` decides on what the server would have checked.
fn answer_without_server(error: &HookError, message: &HookMessage, call: &NativeCall) -> ExitCode {
    let looked_at = message.moment == HookMoment::Before && call.act != NativeAct::Other;
    let away = if looked_at { when_away(agent_folder(message).as_deref()) } else { WhenAway::Ask };
    match away {
        WhenAway::Deny => {
            let words =
                format!("wherefore: {error}; nothing is changed or run without it ([native] when_away)");
            print_answer(&HookAnswer::Deny(words), message)
        }
        WhenAway::Allow => print_answer(&HookAnswer::Allow, message),
        WhenAway::Ask if looked_at && message.asks_nobody_about(&call.act) => {
            let words = format!(
                "wherefore: {error}, and the agent would ask nobody about this call in its mode, so it is not made; call again in a \
                 moment ([native] when_away = \"allow\" lets it through)"
            );
            print_answer(&HookAnswer::Deny(words), message)
        }
        WhenAway::Ask => report_failure(error, Some(message.agent)),
    }
}

/// Reports a failed hook; the agent shows it to its person, and goes on.
fn report_failure(error: &HookError, agent: Option<HookAgent>) -> ExitCode {
    answer::write_note(&format!("wherefore: {error}"));
    ExitCode::from(agent.map_or(FAILED, |agent| agent.tolerated_exit_code))
}

/// The settings of the person and of the project for the case that no server can be reached.
fn when_away(folder: Option<&Path>) -> WhenAway {
    let root = folder.and_then(|folder| RootArgs::find_from(folder).ok());
    config::settings_at(root.as_deref().map(Path::new)).native.when_away
}
