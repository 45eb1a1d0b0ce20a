//! `terminal/create`: a command is judged by the rules and runs confined, in the editor's terminal.

use std::path::Path;

use serde_json::{Value, json};

use super::message::{AskedRequest, fault, refusal};
use super::proxy::{Proxy, Worked};
use super::request;
use crate::base::hidden::in_line;
use crate::requests::JudgeCommand;
use crate::requests::judge_command::JudgeCommandParams;
use crate::shell::{CommandVerdict, Judgement};

/// Ids of the options.
const ALLOW: &str = "wherefore-allow";
const REJECT: &str = "wherefore-reject";

/// Judges a command, and passes it on to the editor as one that runs in the sandbox.
pub(super) async fn create(proxy: &Proxy, asked: &AskedRequest) -> Worked {
    match confined(proxy, asked).await {
        Ok(params) => Worked::Changed(params),
        Err(error) => Worked::Answered(Err(error)),
    }
}

async fn confined(proxy: &Proxy, asked: &AskedRequest) -> Result<Value, Value> {
    let (Some(session), Some(command)) = (asked.text("sessionId"), asked.text("command")) else {
        return Err(refusal("wherefore: terminal/create needs a sessionId and a command"));
    };
    let root = root(proxy, session, asked.text("cwd"))?;
    let args: Vec<String> = asked
        .params
        .get("args")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|arg| arg.as_str().map(str::to_owned))
        .collect();
    // A command with no arguments is a script: that is how agents send a whole command line.
    let (script, argv) = match args.is_empty() {
        true => (Some(command.to_owned()), Vec::new()),
        false => (None, std::iter::once(command.to_owned()).chain(args).collect()),
    };
    let params = JudgeCommandParams { script, argv: argv.clone(), root: Some(root.clone()) };
    let judged =
        request::<JudgeCommand>(&*proxy.folders, &root, params).await.map_err(|error| fault(&error))?;
    let line = if argv.is_empty() { command.to_owned() } else { argv.join(" ") };
    match judged.verdict {
        CommandVerdict::Allow => {}
        CommandVerdict::Ask if is_allowed(proxy, session, &line, &judged).await => {}
        CommandVerdict::Ask => return Err(refusal(&format!("wherefore: the person did not allow `{line}`"))),
        CommandVerdict::Deny => return Err(refusal(&denied(&line, &judged))),
    }
    let words =
        if argv.is_empty() { vec!["bash".to_owned(), "-c".to_owned(), command.to_owned()] } else { argv };
    Ok(rewritten(proxy, asked, &root, words))
}

/// The workspace that a command runs in.
fn root(proxy: &Proxy, session: &str, cwd: Option<&str>) -> Result<String, Value> {
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

fn denied(line: &str, judged: &Judgement) -> String {
    let why = judged.why.as_deref().unwrap_or("the rules refuse it");
    let rule = judged.rule.as_deref().map(|rule| format!(" (rule: {rule})")).unwrap_or_default();
    format!("wherefore: `{line}` was not run: {why}{rule}")
}

/// Asks the person about a command that a rule wants asked about.
async fn is_allowed(proxy: &Proxy, session: &str, line: &str, judged: &Judgement) -> bool {
    let why = judged.why.as_deref().unwrap_or("a rule wants it asked about");
    let params = json!({
        "sessionId": session,
        "toolCall": {
            "toolCallId": format!("wherefore-command-{}", crate::base::ids::unique()),
            "title": in_line(line), "kind": "execute", "status": "pending",
            "content": [{ "type": "content", "content": { "type": "text", "text": in_line(why) } }],
        },
        "options": [
            { "optionId": ALLOW, "name": "Run it, confined", "kind": "allow_once" },
            { "optionId": REJECT, "name": "Do not run it", "kind": "reject_once" },
        ],
    });
    let answer = proxy.editor.ask("session/request_permission", params).await.answer().await;
    let Some(Ok(answer)) = answer else { return false };
    answer.pointer("/outcome/optionId") == Some(&json!(ALLOW))
}

/// The params with the command in the sandbox.
fn rewritten(proxy: &Proxy, asked: &AskedRequest, root: &str, words: Vec<String>) -> Value {
    let mut args = vec!["sandbox".to_owned(), "--root".to_owned(), root.to_owned()];
    for variable in asked.params.get("env").and_then(Value::as_array).into_iter().flatten() {
        if let (Some(name), Some(value)) = (variable["name"].as_str(), variable["value"].as_str()) {
            args.extend(["--env".to_owned(), format!("{name}={value}")]);
        }
    }
    args.push("--".to_owned());
    args.extend(words);
    let mut params = asked.params.clone();
    params["command"] = json!(proxy.options.program);
    params["args"] = json!(args);
    // The variables are the command's, not those of what confines it.
    params["env"] = json!([]);
    params
}
