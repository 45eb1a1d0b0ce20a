//! The case that no server can be reached: `[native] when_away` decides on an agent's edits, commands and reads.

use serde_json::{Value, json};

use super::consent::YesNoQuestion;
use super::line_route::RequestOutcome;
use super::message::{RpcRequest, refusal_error};
use super::path_place::locate_in_roots;
use super::proxy::AcpProxy;
use super::{permission, terminal};
use crate::base::hidden::escape_to_line;
use crate::base::run_blocking;
use crate::protocol::{Fault, WhenAway};

/// The answer if the server of the request's folder cannot be reached; none if it can.
pub(super) async fn answer_without_server(proxy: &AcpProxy, asked: &RpcRequest) -> Option<RequestOutcome> {
    let session = asked.text_param("sessionId")?;
    let root = request_root(proxy, asked, session)?;
    let fault = proxy.folders.ensure_server(&root).await.err()?;
    let away = run_blocking(|| proxy.folders.native_settings(&root).when_away);
    Some(match away {
        WhenAway::Deny => deny_request(asked, &fault),
        WhenAway::Allow => permission::allow_once(asked).unwrap_or(RequestOutcome::Passed),
        WhenAway::Ask => match ask_person(proxy, asked, session, &fault).await {
            Ok(()) => RequestOutcome::Passed,
            Err(why) => RequestOutcome::Answered(Err(refusal_error(&format!("wherefore: {why}")))),
        },
    })
}

/// The folder of a request; none if the request is about something outside of all folders, for which no server is needed.
fn request_root(proxy: &AcpProxy, asked: &RpcRequest, session: &str) -> Option<String> {
    let roots = proxy.sessions.roots(session);
    match asked.text_param("path") {
        Some(path) => locate_in_roots(path, &roots).map(|(root, _)| root),
        None if asked.method == "terminal/create" => {
            terminal::command_root(proxy, session, asked.text_param("cwd")).ok()
        }
        None => roots.first().cloned(),
    }
}

fn deny_request(asked: &RpcRequest, fault: &Fault) -> RequestOutcome {
    let words = format!(
        "wherefore: {}; nothing is changed, run or read without it ([native] when_away)",
        fault.message
    );
    match asked.method.as_str() {
        "session/request_permission" => permission::refuse_permission(asked),
        _ => RequestOutcome::Answered(Err(refusal_error(&words))),
    }
}

/// Asks the person to allow the agent's request to the editor. A request for permission asks them already.
///
/// # Errors
/// The reason why it is not allowed, as a clause.
async fn ask_person(
    proxy: &AcpProxy,
    asked: &RpcRequest,
    session: &str,
    fault: &Fault,
) -> Result<(), &'static str> {
    let (title, kind, content) = match asked.method.as_str() {
        "fs/write_text_file" => {
            let path = asked.text_param("path").unwrap_or_default();
            let diff = json!({ "type": "diff", "path": path, "oldText": disk_text(path), "newText": asked.text_param("content") });
            (format!("Write {path} with no review"), "edit", diff)
        }
        "terminal/create" => {
            let line = terminal::command_line(asked);
            let why = format!("It would run unconfined: {}", fault.message);
            (
                line,
                "execute",
                json!({ "type": "content", "content": { "type": "text", "text": escape_to_line(&why) } }),
            )
        }
        _ => return Ok(()),
    };
    let call = json!({ "title": escape_to_line(&title), "kind": kind, "content": [content] });
    YesNoQuestion { session, call, options: ["Do it", "Do not do it"] }.ask_person(proxy).await
}

/// The text of a file; null if there is none.
fn disk_text(path: &str) -> Value {
    let is_file = |path: &str| std::fs::metadata(path).is_ok_and(|file| file.is_file());
    let text = run_blocking(|| is_file(path).then(|| std::fs::read_to_string(path).ok()).flatten());
    json!(text)
}
