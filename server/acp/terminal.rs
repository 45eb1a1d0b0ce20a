//! `terminal/create`: a command is judged by the rules and runs confined, in the editor's terminal, as a call of
//! `terminal.run` that the folder's server logs and reviews.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::consent::YesNoQuestion;
use super::line_route::RequestOutcome;
use super::message::{RpcRequest, fault_error, refusal_error};
use super::proxy::AcpProxy;
use super::send_request;
use crate::base::hidden::escape_to_line;
use crate::base::run_blocking;
use crate::hooks::outcome_text;
use crate::hub::ConfinedCommand;
use crate::protocol::{Fault, Origin};
use crate::requests::issue_command_token::IssueCommandTokenParams;
use crate::requests::judge_command::JudgeCommandParams;
use crate::requests::{IssueCommandToken, JudgeCommand, Status};
use crate::shell::{CommandVerdict, Judgement};

/// Judges a command, and passes it on to the editor as a command that runs in the sandbox.
pub(super) async fn create_terminal(proxy: &AcpProxy, asked: &RpcRequest) -> RequestOutcome {
    match judge_and_confine(proxy, asked).await {
        Ok(worked) => worked,
        Err(error) => RequestOutcome::Answered(Err(error)),
    }
}

/// A command of an agent that may run.
struct JudgedTerminalCommand<'a> {
    session: &'a str,
    root: String,
    words: Vec<String>,
    /// True if the person was asked about it in the agent's editor, and answered yes.
    is_allowed: bool,
}

async fn judge_and_confine(proxy: &AcpProxy, asked: &RpcRequest) -> Result<RequestOutcome, Value> {
    let (Some(session), Some(_)) = (asked.text_param("sessionId"), asked.text_param("command")) else {
        return Err(refusal_error("wherefore: terminal/create needs a sessionId and a command"));
    };
    let root = command_root(proxy, session, asked.text_param("cwd"))?;
    let (script, argv) = script_or_words(asked);
    let is_confined = run_blocking(|| proxy.folders.native_settings(&root).confine);
    let params = JudgeCommandParams {
        script: script.clone(),
        argv: argv.clone(),
        unconfined: !is_confined,
        root: Some(root.clone()),
    };
    let judgement = send_request::<JudgeCommand>(&*proxy.folders, &root, params)
        .await
        .map_err(|error| fault_error(&error))?;
    if judgement.verdict == CommandVerdict::Deny {
        return Err(refusal_error(&outcome_text::refused_command_text(&judgement)));
    }
    // If an editor is attached to the folder's server, the call asks there.
    let asks_here =
        judgement.verdict == CommandVerdict::Ask && !(is_confined && is_attached(proxy, &root).await);
    let line = command_line(asked);
    if asks_here && let Err(why) = ask_about_command(proxy, session, &line, &judgement).await {
        return Err(refusal_error(&format!("wherefore: `{line}` was not run: {why}")));
    }
    if !is_confined {
        return Ok(RequestOutcome::Passed);
    }
    let words = script.map_or(argv, |script| ConfinedCommand::from_script(&script).argv);
    let command = JudgedTerminalCommand { session, root, words, is_allowed: asks_here };
    command
        .confine_params(proxy, asked)
        .await
        .map(RequestOutcome::Changed)
        .map_err(|error| fault_error(&error))
}

/// The script or the words to run: a command without arguments is a script, since agents send a whole command line like that.
fn script_or_words(asked: &RpcRequest) -> (Option<String>, Vec<String>) {
    let command = asked.text_param("command").unwrap_or_default().to_owned();
    let args = asked.params.get("args").and_then(Value::as_array).into_iter().flatten();
    let args: Vec<_> = args.filter_map(|arg| arg.as_str().map(str::to_owned)).collect();
    match args.is_empty() {
        true => (Some(command), Vec::new()),
        false => (None, std::iter::once(command).chain(args).collect()),
    }
}

/// The command as a person reads it.
pub(super) fn command_line(asked: &RpcRequest) -> String {
    let (script, words) = script_or_words(asked);
    script.unwrap_or_else(|| words.join(" "))
}

/// Returns whether the folder's server has an editor that can ask the person.
async fn is_attached(proxy: &AcpProxy, root: &str) -> bool {
    send_request::<Status>(&*proxy.folders, root, ()).await.is_ok_and(|status| status.editor)
}

/// The workspace that a command runs in.
pub(super) fn command_root(proxy: &AcpProxy, session: &str, cwd: Option<&str>) -> Result<String, Value> {
    let roots = proxy.sessions.roots(session);
    let around = |cwd: &str| {
        let real = Path::new(cwd).canonicalize().ok()?;
        roots.iter().filter(|root| real.starts_with(root)).max_by_key(|root| root.len()).cloned()
    };
    let root = match cwd {
        Some(cwd) => around(cwd),
        None => roots.first().cloned(),
    };
    root.ok_or_else(|| {
        refusal_error("wherefore: the command would run outside of the workspace; it was not run")
    })
}

/// Asks the person about a command that a rule asks about.
///
/// # Errors
/// The reason why it may not run, as a clause.
async fn ask_about_command(
    proxy: &AcpProxy,
    session: &str,
    line: &str,
    judged: &Judgement,
) -> Result<(), &'static str> {
    let why = judged.why.as_deref().unwrap_or("a rule wants it asked about");
    let call = json!({
        "title": escape_to_line(line), "kind": "execute",
        "content": [{ "type": "content", "content": { "type": "text", "text": escape_to_line(why) } }],
    });
    YesNoQuestion { session, call, options: ["Run it", "Do not run it"] }.ask_person(proxy).await
}

impl JudgedTerminalCommand<'_> {
    /// Writes the params of `terminal/create` for this command in the sandbox.
    ///
    /// # Errors
    /// The reason why the folder's server does not let it into the sandbox.
    async fn confine_params(self, proxy: &AcpProxy, asked: &RpcRequest) -> Result<Value, Fault> {
        let Self { session, root, words, is_allowed } = self;
        let agent = proxy.agent_name();
        let command = ConfinedCommand { argv: words, env: command_variables(asked) };
        let params = IssueCommandTokenParams {
            command: command.clone(),
            origin: Origin {
                agent: Some(agent.clone()),
                session: Some(session.to_owned()),
                tool: Some(asked.method.clone()),
                ..Origin::default()
            },
            allowed: is_allowed,
            root: Some(root.clone()),
        };
        let issued = send_request::<IssueCommandToken>(&*proxy.folders, &root, params).await?;
        let why = proxy.sessions.with_session(session, |session| session.words.last_sentence());
        let mut args = vec!["sandbox".to_owned()];
        for (name, value) in [
            ("--root", Some(root)),
            ("--agent", Some(agent)),
            ("--token", Some(issued.token)),
            ("--why", why),
        ] {
            // A value may begin like an option.
            args.extend(value.map(|value| format!("{name}={value}")));
        }
        args.extend(command.env.iter().map(|(name, value)| format!("--env={name}={value}")));
        args.push("--".to_owned());
        args.extend(command.argv);
        let mut params = asked.params.clone();
        params["command"] = json!(proxy.options.program);
        params["args"] = json!(args);
        // The variables are for the command, not for the program that confines it.
        params["env"] = json!([]);
        Ok(params)
    }
}

/// The variables that an agent sets for its command. A name that `--env` cannot express is no valid name.
fn command_variables(asked: &RpcRequest) -> BTreeMap<String, String> {
    let given = asked.params.get("env").and_then(Value::as_array).into_iter().flatten();
    let given = given.filter_map(|variable| Some((variable["name"].as_str()?, variable["value"].as_str()?)));
    let given = given.filter(|(name, _)| !name.is_empty() && !name.contains('='));
    given.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
