//! `terminal/create`: a command is judged by the rules and runs confined, in the editor's terminal, as a call of
//! `terminal.run` that the folder's server logs and reviews.

use std::path::Path;

use serde_json::{Value, json};

use super::consent::YesOrNo;
use super::message::{AskedRequest, fault, refusal};
use super::passing::Worked;
use super::proxy::Proxy;
use super::request;
use crate::base::blocking;
use crate::base::hidden::in_line;
use crate::native::told;
use crate::requests::judge_command::JudgeCommandParams;
use crate::requests::{JudgeCommand, Status};
use crate::shell::{CommandVerdict, Judgement};

/// Judges a command, and passes it on to the editor as one that runs in the sandbox.
pub(super) async fn create(proxy: &Proxy, asked: &AskedRequest) -> Worked {
    match judged(proxy, asked).await {
        Ok(worked) => worked,
        Err(error) => Worked::Answered(Err(error)),
    }
}

/// A command of an agent, as it may run.
struct MeantCommand<'a> {
    session: &'a str,
    root: String,
    words: Vec<String>,
    /// Whether the person was asked about it in the agent's editor, and said yes.
    is_allowed: bool,
}

async fn judged(proxy: &Proxy, asked: &AskedRequest) -> Result<Worked, Value> {
    let (Some(session), Some(_)) = (asked.text("sessionId"), asked.text("command")) else {
        return Err(refusal("wherefore: terminal/create needs a sessionId and a command"));
    };
    let root = root(proxy, session, asked.text("cwd"))?;
    let (script, argv) = script_or_words(asked);
    let params = JudgeCommandParams { script: script.clone(), argv: argv.clone(), root: Some(root.clone()) };
    let judgement =
        request::<JudgeCommand>(&*proxy.folders, &root, params).await.map_err(|error| fault(&error))?;
    if judgement.verdict == CommandVerdict::Deny {
        return Err(refusal(&told::refused_command(&judgement)));
    }
    let is_confined = blocking(|| proxy.folders.settings(&root).confine);
    // An editor of the folder's server is asked there, with the call.
    let asks_here =
        judgement.verdict == CommandVerdict::Ask && !(is_confined && is_attached(proxy, &root).await);
    let line = line(asked);
    if asks_here && !is_allowed(proxy, session, &line, &judgement).await {
        return Err(refusal(&format!("wherefore: the person did not allow `{line}`")));
    }
    if !is_confined {
        return Ok(Worked::Passed);
    }
    let words = script.map_or(argv, |script| vec!["bash".to_owned(), "-c".to_owned(), script]);
    let command = MeantCommand { session, root, words, is_allowed: asks_here };
    Ok(Worked::Changed(command.rewritten(proxy, asked)))
}

/// What is run: a command with no arguments is a script, since that is how agents send a whole command line.
fn script_or_words(asked: &AskedRequest) -> (Option<String>, Vec<String>) {
    let command = asked.text("command").unwrap_or_default().to_owned();
    let args = asked.params.get("args").and_then(Value::as_array).into_iter().flatten();
    let args: Vec<_> = args.filter_map(|arg| arg.as_str().map(str::to_owned)).collect();
    match args.is_empty() {
        true => (Some(command), Vec::new()),
        false => (None, std::iter::once(command).chain(args).collect()),
    }
}

/// The command as a person reads it.
pub(super) fn line(asked: &AskedRequest) -> String {
    let (script, words) = script_or_words(asked);
    script.unwrap_or_else(|| words.join(" "))
}

/// Whether somebody can be asked by the folder's server.
async fn is_attached(proxy: &Proxy, root: &str) -> bool {
    request::<Status>(&*proxy.folders, root, ()).await.is_ok_and(|status| status.editor)
}

/// The workspace that a command runs in.
pub(super) fn root(proxy: &Proxy, session: &str, cwd: Option<&str>) -> Result<String, Value> {
    let roots = proxy.sessions.roots(session);
    let around = |cwd: &str| {
        let real = Path::new(cwd).canonicalize().ok()?;
        roots.iter().filter(|root| real.starts_with(root)).max_by_key(|root| root.len()).cloned()
    };
    let root = match cwd {
        Some(cwd) => around(cwd),
        None => roots.first().cloned(),
    };
    root.ok_or_else(|| refusal("wherefore: the command would run outside of the workspace; it was not run"))
}

/// Asks the person about a command that a rule wants asked about.
async fn is_allowed(proxy: &Proxy, session: &str, line: &str, judged: &Judgement) -> bool {
    let why = judged.why.as_deref().unwrap_or("a rule wants it asked about");
    let call = json!({
        "title": in_line(line), "kind": "execute",
        "content": [{ "type": "content", "content": { "type": "text", "text": in_line(why) } }],
    });
    YesOrNo { session, call, options: ["Run it", "Do not run it"] }.ask(proxy).await
}

impl MeantCommand<'_> {
    /// The params of `terminal/create` for this command in the sandbox.
    fn rewritten(self, proxy: &Proxy, asked: &AskedRequest) -> Value {
        let why = proxy.sessions.with(self.session, |session| session.said.last_sentence());
        let mut args = vec!["sandbox".to_owned()];
        for (name, value) in [
            ("--root", Some(self.root)),
            ("--agent", Some(proxy.agent_name())),
            ("--session", Some(self.session.to_owned())),
            ("--tool", Some(asked.method.clone())),
            ("--door", Some("acp".to_owned())),
            ("--why", why),
        ] {
            // A value may begin like an option.
            args.extend(value.map(|value| format!("{name}={value}")));
        }
        args.extend(self.is_allowed.then(|| "--allowed".to_owned()));
        for variable in asked.params.get("env").and_then(Value::as_array).into_iter().flatten() {
            if let (Some(name), Some(value)) = (variable["name"].as_str(), variable["value"].as_str()) {
                args.push(format!("--env={name}={value}"));
            }
        }
        args.push("--".to_owned());
        args.extend(self.words);
        let mut params = asked.params.clone();
        params["command"] = json!(proxy.options.program);
        params["args"] = json!(args);
        // The variables are the command's, not those of what confines it.
        params["env"] = json!([]);
        params
    }
}
