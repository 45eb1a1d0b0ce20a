//! No server can be had: what becomes of an agent's edits, commands and reads is what `[native] when_away` says.

use serde_json::{Value, json};

use super::consent::YesOrNo;
use super::message::{AskedRequest, refusal};
use super::passing::Worked;
use super::place::locate;
use super::proxy::Proxy;
use super::{permission, terminal};
use crate::base::blocking;
use crate::base::hidden::in_line;
use crate::protocol::{Fault, WhenAway};

/// The answer where the server of the folder that a request is about cannot be had; none where it can.
pub(super) async fn answered(proxy: &Proxy, asked: &AskedRequest) -> Option<Worked> {
    let session = asked.text("sessionId")?;
    let root = root(proxy, asked, session)?;
    let fault = proxy.folders.reach(&root).await.err()?;
    let away = blocking(|| proxy.folders.settings(&root).when_away);
    Some(match away {
        WhenAway::Deny => denied(asked, &fault),
        WhenAway::Allow => permission::allowed_at_once(asked).unwrap_or(Worked::Passed),
        WhenAway::Ask if may(proxy, asked, session, &fault).await => Worked::Passed,
        WhenAway::Ask => Worked::Answered(Err(refusal("wherefore: the person did not allow it"))),
    })
}

/// The folder that a request is about; none where what is outside of all of them is meant, which no server answers for.
fn root(proxy: &Proxy, asked: &AskedRequest, session: &str) -> Option<String> {
    let roots = proxy.sessions.roots(session);
    match asked.text("path") {
        Some(path) => locate(path, &roots).map(|(root, _)| root),
        None if asked.method == "terminal/create" => terminal::root(proxy, session, asked.text("cwd")).ok(),
        None => roots.first().cloned(),
    }
}

fn denied(asked: &AskedRequest, fault: &Fault) -> Worked {
    let words = format!(
        "wherefore: {}; nothing is changed, run or read without it ([native] when_away)",
        fault.message
    );
    match asked.method.as_str() {
        "session/request_permission" => permission::refused(asked),
        _ => Worked::Answered(Err(refusal(&words))),
    }
}

/// Whether the editor may be handed what the agent wants. A request for permission is a question to the person already.
async fn may(proxy: &Proxy, asked: &AskedRequest, session: &str, fault: &Fault) -> bool {
    let (title, kind, content) = match asked.method.as_str() {
        "fs/write_text_file" => {
            let path = asked.text("path").unwrap_or_default();
            let diff = json!({ "type": "diff", "path": path, "oldText": on_disk(path), "newText": asked.text("content") });
            (format!("Write {path} with no review"), "edit", diff)
        }
        "terminal/create" => {
            let line = terminal::line(asked);
            let why = format!("It would run unconfined: {}", fault.message);
            (
                line,
                "execute",
                json!({ "type": "content", "content": { "type": "text", "text": in_line(&why) } }),
            )
        }
        _ => return true,
    };
    let call = json!({ "title": in_line(&title), "kind": kind, "content": [content] });
    YesOrNo { session, call, options: ["Do it", "Do not do it"] }.ask(proxy).await
}

/// The text of a file; null where there is none.
fn on_disk(path: &str) -> Value {
    let is_file = |path: &str| std::fs::metadata(path).is_ok_and(|file| file.is_file());
    let text = blocking(|| is_file(path).then(|| std::fs::read_to_string(path).ok()).flatten());
    json!(text)
}
