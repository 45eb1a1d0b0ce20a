//! The files of the editor, as an agent reads and writes them: `fs/read_text_file` and `fs/write_text_file`.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::line_route::RequestOutcome;
use super::message::{RpcRequest, cancelled_error, fault_error, missing_file_error, refusal_error};
use super::native_change::AcpToolCall;
use super::path_place::{PathPlace, find_place};
use super::proxy::AcpProxy;
use crate::base::run_blocking;
use crate::hooks::{change_text, outcome_text};
use crate::protocol::{Code, Envelope, Fault};

/// Bytes of the largest text that is assembled for an agent.
const LARGEST: usize = 64 << 20;

/// A file that an agent requests.
struct RequestedFile {
    call: AcpToolCall,
    path: String,
}

/// The reason why a path is no file of a workspace.
enum UnusablePath {
    /// It lies outside of the session's workspaces.
    Outside(Value),
    /// Readers of the path would find different files.
    Unclear(Value),
}

impl UnusablePath {
    /// The answer for the agent.
    fn refusal(self) -> Value {
        match self {
            Self::Outside(error) | Self::Unclear(error) => error,
        }
    }
}

/// The file that a request is about.
fn find_file(proxy: &AcpProxy, asked: &RpcRequest) -> Result<RequestedFile, UnusablePath> {
    let (session, path) =
        (asked.text_param("sessionId").unwrap_or_default(), asked.text_param("path").unwrap_or_default());
    let roots = proxy.sessions.roots(session);
    let unclear = |why: &str| {
        UnusablePath::Unclear(refusal_error(&format!("wherefore: {path} {why}; nothing was done")))
    };
    if roots.is_empty() {
        return Err(unclear("cannot be judged before a session began"));
    }
    let root = match find_place(path, &roots) {
        PathPlace::Inside(root, _) => root,
        PathPlace::Outside => {
            let words = format!("wherefore: {path} lies outside of the workspace; nothing was done");
            return Err(UnusablePath::Outside(refusal_error(&words)));
        }
        PathPlace::Unclear => {
            return Err(unclear("names no single file; write an absolute path without `..`"));
        }
    };
    let call = AcpToolCall { session: session.to_owned(), root, native: asked.method.clone(), id: None };
    Ok(RequestedFile { call, path: path.to_owned() })
}

/// Proposes the agent's text, and answers when it is decided.
pub(super) async fn write_file(
    proxy: &Arc<AcpProxy>,
    asked: &RpcRequest,
    cancel: &CancellationToken,
) -> RequestOutcome {
    RequestOutcome::Answered(match propose_write(proxy, asked, cancel).await {
        Ok(()) => Ok(json!({})),
        Err(error) => Err(error),
    })
}

async fn propose_write(
    proxy: &Arc<AcpProxy>,
    asked: &RpcRequest,
    cancel: &CancellationToken,
) -> Result<(), Value> {
    let RequestedFile { call, path } = find_file(proxy, asked).map_err(UnusablePath::refusal)?;
    let Some(content) = asked.text_param("content") else {
        return Err(refusal_error(&format!("wherefore: {} needs a content", asked.method)));
    };
    let in_place =
        |session: &mut super::session::AcpSession| session.granted_changes.take_if_same(&path, content);
    if proxy.sessions.with_session(&call.session, in_place) {
        return Ok(());
    }
    if call.lacks_why(proxy) {
        return Err(note_write_error(proxy, &call, refusal_error(&outcome_text::missing_reason_text())));
    }
    let is_unsaved = tokio::select! {
        is_unsaved = is_unsaved(proxy, &call, &path) => is_unsaved,
        () = cancel.cancelled() => return Err(cancelled_error("wherefore: the turn was cancelled; nothing was written")),
    };
    if is_unsaved {
        return Err(refusal_error(&format!(
            "wherefore: {path} has unsaved changes in the person's editor, so nothing was written; ask the person to \
             save it, then read it again"
        )));
    }
    let mut args = json!({ "path": path, "content": content });
    if let Some(hash) =
        proxy.sessions.with_session(&call.session, |session| session.reported_hashes.remove(&path))
    {
        args["expected_hash"] = json!(hash);
    }
    let proposed = call.propose_change(proxy, "fs.write", args, cancel).await;
    let error = match proposed {
        Ok(answer) if answer.is_whole() => return Ok(()),
        Ok(answer) => refusal_error(&change_text(&answer)),
        Err(stale) => {
            let hash = stale.details.as_ref().and_then(|details| details.get("hash")).and_then(Value::as_str);
            if let Some(hash) = hash.filter(|_| stale.code == Code::Stale) {
                proxy.sessions.with_session(&call.session, |session| {
                    session.reported_hashes.insert(path, hash.to_owned())
                });
            }
            fault_error(&stale)
        }
    };
    Err(note_write_error(proxy, &call, error))
}

/// The error of a write. If the agent hides it from its model, its text follows at the end of the turn.
fn note_write_error(proxy: &AcpProxy, call: &AcpToolCall, error: Value) -> Value {
    if !proxy.agent_profile().shows_errors
        && let Some(words) = error["message"].as_str()
    {
        proxy.sessions.with_session(&call.session, |session| session.notes.push(words.to_owned()));
    }
    error
}

/// Returns whether the agent's editor has unsaved changes of the file that no editor attached to the folder's server has.
async fn is_unsaved(proxy: &AcpProxy, call: &AcpToolCall, path: &str) -> bool {
    if !proxy.editor_abilities().reads {
        return false;
    }
    let params = json!({ "sessionId": call.session, "path": path });
    let answer = proxy.editor.send_request("fs/read_text_file", params).await.wait_for_answer().await;
    let Some(Ok(answer)) = answer else { return false };
    let Some(text) = answer.get("content").and_then(Value::as_str) else { return false };
    let on_disk = run_blocking(|| match std::fs::metadata(path) {
        Ok(file) if file.is_file() => std::fs::read(path).ok(),
        _ => None,
    });
    match on_disk {
        // Editors may show an empty text where there is no file.
        None => !text.is_empty(),
        Some(bytes) if normalize_text(&String::from_utf8_lossy(&bytes)) == normalize_text(text) => false,
        Some(_) => !matches!(read_part(proxy, call, json!({ "path": path })).await, Ok(part) if part.unsaved),
    }
}

/// A text in the form in which editors return it: with `\n` as line end, without a byte order mark.
fn normalize_text(text: &str) -> String {
    text.trim_start_matches('\u{feff}').replace("\r\n", "\n")
}

/// Reads a file for the agent, if the rules allow it: the unsaved text of an editor of the folder's server, or else
/// that of the agent's own editor, or else that of the disk.
pub(super) async fn read_file(proxy: &AcpProxy, asked: &RpcRequest) -> RequestOutcome {
    let reads = proxy.editor_abilities().reads;
    let RequestedFile { call, path } = match find_file(proxy, asked) {
        Ok(meant) => meant,
        // A path outside of the workspace is left to the editor.
        Err(UnusablePath::Outside(_)) if reads => return RequestOutcome::Passed,
        Err(none) => return RequestOutcome::Answered(Err(none.refusal())),
    };
    if let Some(text) =
        proxy.sessions.with_session(&call.session, |session| session.granted_changes.take_text_before(&path))
    {
        return RequestOutcome::Answered(Ok(json!({ "content": select_lines(&text, asked) })));
    }
    let begin = json!({ "path": path, "range": { "start": 1, "end": 1 } });
    let failed = match read_part(proxy, &call, begin).await {
        Ok(part) if reads && !part.unsaved => return RequestOutcome::Passed,
        Ok(_) => match read_lines(proxy, &call, &path, wanted_lines(asked)).await {
            Ok(content) => return RequestOutcome::Answered(Ok(json!({ "content": content }))),
            Err(fault) => fault,
        },
        Err(fault) => fault,
    };
    RequestOutcome::Answered(match failed.code {
        Code::NotFound if reads => return RequestOutcome::Passed,
        Code::NotFound if proxy.agent_profile().reads_missing_as_empty => Ok(json!({ "content": "" })),
        Code::NotFound => Err(missing_file_error(&path)),
        _ => Err(fault_error(&failed)),
    })
}

/// The lines of a text that a request selects.
fn select_lines(text: &str, asked: &RpcRequest) -> String {
    let (first, most) = wanted_lines(asked);
    let skipped = usize::try_from(first - 1).unwrap_or(usize::MAX);
    let most = most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    text.split_inclusive('\n').skip(skipped).take(most).collect()
}

/// The first line that a request selects, counted from 1, and the number of lines.
fn wanted_lines(asked: &RpcRequest) -> (u64, Option<u64>) {
    let number = |name: &str| asked.params.get(name).and_then(Value::as_u64);
    (number("line").unwrap_or(1).max(1), number("limit"))
}

/// A part of a file.
struct TextPart {
    content: String,
    /// The line at which the next part begins.
    next: Option<u64>,
    unsaved: bool,
}

async fn read_part(proxy: &AcpProxy, call: &AcpToolCall, args: Value) -> Result<TextPart, Fault> {
    let Envelope { result, error, rest, .. } = call.call_read_only(proxy, "fs.read", args).await?;
    let result = match (error, result) {
        (Some(fault), _) => return Err(fault),
        (None, result) => result.unwrap_or_default(),
    };
    let next = result.pointer("/next_range/start").and_then(Value::as_u64);
    if next.is_some() && rest.is_some_and(|rest| rest.contains("is cut")) {
        let message = "a line of the file is longer than what an answer holds (limits.output_bytes)";
        return Err(Fault::new(Code::Unsupported, message));
    }
    Ok(TextPart {
        content: result.get("content").and_then(Value::as_str).unwrap_or_default().to_owned(),
        next,
        unsaved: result.get("unsaved") == Some(&json!(true)),
    })
}

/// The whole text of a file.
///
/// # Errors
/// NOT_FOUND if there is none; the faults of the rules and the limits.
pub(super) async fn file_text(proxy: &AcpProxy, call: &AcpToolCall, path: &str) -> Result<String, Fault> {
    read_lines(proxy, call, path, (1, None)).await
}

/// The selected lines, assembled from as many answers as necessary.
async fn read_lines(
    proxy: &AcpProxy,
    call: &AcpToolCall,
    path: &str,
    wanted: (u64, Option<u64>),
) -> Result<String, Fault> {
    let (first, most) = wanted;
    let last = most.map(|most| first.saturating_add(most).saturating_sub(1));
    if most == Some(0) {
        return Ok(String::new());
    }
    let (mut text, mut start) = (String::new(), first);
    loop {
        let mut args = json!({ "path": path });
        match last {
            Some(last) => args["range"] = json!({ "start": start, "end": last }),
            None if start > 1 => args["range"] = json!({ "start": start }),
            None => {}
        }
        let part = read_part(proxy, call, args).await?;
        text.push_str(&part.content);
        match part.next {
            Some(_) if text.len() > LARGEST => {
                return Err(Fault::new(
                    Code::QuotaExceeded,
                    format!("the text is longer than {LARGEST} bytes"),
                ));
            }
            Some(next) => start = next,
            None => return Ok(text),
        }
    }
}
