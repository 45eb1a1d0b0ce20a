//! `session/request_permission` for a change: the request of agents that write by themselves, with the text that they
//! intend to write.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::line_route::RequestOutcome;
use super::message::{RpcRequest, fault_error};
use super::native_change::AcpToolCall;
use super::path_place::locate_in_roots;
use super::proxy::AcpProxy;
use super::shown_diffs::is_diff;
use crate::agents::{FeedbackChannel, PermissionReply};
use crate::hooks;
use crate::patch;
use crate::protocol::{Code, Fault};

/// Returns whether a request for permission shows a change. A request without diffs gets those that the agent showed
/// with the call before.
pub(super) fn has_change(proxy: &AcpProxy, asked: &mut RpcRequest) -> bool {
    if asked_diffs(asked).next().is_some() {
        return true;
    }
    let call = asked.params.pointer("/toolCall/toolCallId").and_then(Value::as_str);
    let (Some(session), Some(call)) = (asked.text_param("sessionId"), call) else { return false };
    let shown = proxy.sessions.with_session(session, |session| session.shown_diffs.diffs_of_call(call));
    match (shown, asked.params.get_mut("toolCall").and_then(Value::as_object_mut)) {
        (Some(shown), Some(call)) => {
            call.insert("content".to_owned(), Value::Array(shown));
            true
        }
        _ => false,
    }
}

fn asked_diffs(asked: &RpcRequest) -> impl Iterator<Item = &Value> {
    let content = asked.params.pointer("/toolCall/content").and_then(Value::as_array);
    content.into_iter().flatten().filter(|part| is_diff(part))
}

/// Proposes the change, and answers when it is decided. A request that cannot be read as a change of files in the
/// workspace is passed to the editor.
pub(super) async fn decide_permission(
    proxy: &Arc<AcpProxy>,
    asked: &RpcRequest,
    cancel: &CancellationToken,
) -> RequestOutcome {
    let manners = proxy.agent_profile();
    if manners.permission_reply == PermissionReply::DecideAtWrite {
        return option_of_kind(asked, "allow_once").map_or(RequestOutcome::Passed, choose_option);
    }
    let Some(change) = AskedChange::read_change(proxy, asked).await else { return RequestOutcome::Passed };
    if change.diff.is_empty() {
        return RequestOutcome::Passed;
    }
    if change.call.lacks_why(proxy) {
        return refuse_with_words(
            proxy,
            asked,
            &change.call.session,
            hooks::outcome_text::missing_reason_text(),
        );
    }
    let proposed =
        change.call.propose_change(proxy, "fs.patch", json!({ "diff": change.diff }), cancel).await;
    let words = match proposed {
        Ok(answer) if answer.is_whole() => match allow_in_place(proxy, asked, &change) {
            Some(worked) => return worked,
            None => format!("{} Do not make it again; go on.", hooks::change_text(&answer)),
        },
        Ok(answer) => hooks::change_text(&answer),
        Err(fault) if fault.code == Code::Cancelled => {
            return outcome_answer(json!({ "outcome": "cancelled" }));
        }
        Err(refused) => fault_error(&refused)["message"].as_str().unwrap_or_default().to_owned(),
    };
    refuse_with_words(proxy, asked, &change.call.session, words)
}

/// The answer if the whole change is in place, so that the agent may go on with its own write.
fn allow_in_place(proxy: &AcpProxy, asked: &RpcRequest, change: &AskedChange) -> Option<RequestOutcome> {
    let allow = option_of_kind(asked, "allow_once")?;
    match (proxy.agent_profile().permission_reply, &change.texts[..]) {
        (PermissionReply::AllowWrite, _) => {}
        (PermissionReply::AllowAfterRead, [(path, Some(before), Some(after))]) => {
            let (before, after) = (before.clone(), after.clone());
            proxy.sessions.with_session(&change.call.session, |session| {
                session.granted_changes.add_change(path, before, after)
            });
        }
        // For a new file there is nothing to read again.
        (PermissionReply::AllowAfterRead, [(path, None, Some(after))]) => {
            let after = after.clone();
            proxy.sessions.with_session(&change.call.session, |session| {
                session.granted_changes.add_change(path, String::new(), after)
            });
        }
        _ => return None,
    }
    Some(choose_option(allow))
}

/// The answer if the agent must not write, with the reason if there is a channel for it.
fn refuse_with_words(proxy: &AcpProxy, asked: &RpcRequest, session: &str, words: String) -> RequestOutcome {
    if proxy.agent_profile().feedback == FeedbackChannel::OptionId {
        return choose_option(json!(words));
    }
    proxy.sessions.with_session(session, |session| session.notes.push(words));
    refuse_permission(asked)
}

/// The answer if the agent must not write, without a reason.
pub(super) fn refuse_permission(asked: &RpcRequest) -> RequestOutcome {
    option_of_kind(asked, "reject_once")
        .map_or_else(|| outcome_answer(json!({ "outcome": "cancelled" })), choose_option)
}

/// The answer that permits the agent's action; none if the request has no such option.
pub(super) fn allow_once(asked: &RpcRequest) -> Option<RequestOutcome> {
    option_of_kind(asked, "allow_once").map(choose_option)
}

/// The id of the option of that kind.
fn option_of_kind(asked: &RpcRequest, kind: &str) -> Option<Value> {
    let options = asked.params.get("options").and_then(Value::as_array)?;
    options.iter().find(|option| option["kind"] == json!(kind)).map(|option| option["optionId"].clone())
}

fn choose_option(option: Value) -> RequestOutcome {
    outcome_answer(json!({ "outcome": "selected", "optionId": option }))
}

fn outcome_answer(outcome: Value) -> RequestOutcome {
    RequestOutcome::Answered(Ok(json!({ "outcome": outcome })))
}

/// A path with its text before and after.
type FileTexts = (String, Option<String>, Option<String>);

/// A change that an agent asks permission for.
struct AskedChange {
    call: AcpToolCall,
    texts: Vec<FileTexts>,
    /// All of it, as git writes it.
    diff: String,
}

impl AskedChange {
    /// Reads the protocol's diffs, which hold a whole text or a passage of it. None if one of them lies outside of the
    /// workspace, or does not fit the current text.
    async fn read_change(proxy: &AcpProxy, asked: &RpcRequest) -> Option<Self> {
        let session = asked.text_param("sessionId")?;
        let roots = proxy.sessions.roots(session);
        let mut texts: Vec<FileTexts> = Vec::new();
        let mut below = Vec::new();
        let mut found: Option<AcpToolCall> = None;
        let id = asked.params.pointer("/toolCall/toolCallId").and_then(Value::as_str);
        for part in asked_diffs(asked) {
            let path = part.get("path").and_then(Value::as_str)?;
            let (root, inside) = locate_in_roots(path, &roots)?;
            let call = found.get_or_insert_with(|| AcpToolCall {
                session: session.to_owned(),
                root: root.clone(),
                native: asking_tool(asked),
                id: id.map(str::to_owned),
            });
            if call.root != root {
                return None;
            }
            let at = match texts.iter().position(|(known, ..)| known == path) {
                Some(at) => at,
                None => {
                    let before = current_text(proxy, call, path).await.ok()?;
                    texts.push((path.to_owned(), before.clone(), before));
                    below.push(inside);
                    texts.len() - 1
                }
            };
            let now = texts.get_mut(at)?;
            now.2 = text_after(part, now.2.as_deref(), asked)?;
        }
        let changed = texts.iter().zip(&below);
        let diff = changed
            .map(|((_, before, after), path)| patch::unified_diff(path, before.as_deref(), after.as_deref()));
        Some(Self { call: found?, diff: diff.collect(), texts })
    }
}

/// The agent's own name of the tool, if the request has it.
fn asking_tool(asked: &RpcRequest) -> String {
    let said = ["/toolCall/_meta/claudeCode/toolName", "/toolCall/name", "/toolCall/kind"];
    let mut said = said.iter().filter_map(|place| asked.params.pointer(place).and_then(Value::as_str));
    said.next().unwrap_or("session/request_permission").to_owned()
}

/// The current text of a file; none if there is no file.
async fn current_text(proxy: &AcpProxy, call: &AcpToolCall, path: &str) -> Result<Option<String>, Fault> {
    match super::files::file_text(proxy, call, path).await {
        Ok(text) => Ok(Some(text)),
        Err(fault) if fault.code == Code::NotFound => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// The text after a diff: a whole text, or one with its old text replaced. None if the old text does not occur, or
/// occurs several times and not all of them are to be replaced.
fn text_after(part: &Value, before: Option<&str>, asked: &RpcRequest) -> Option<Option<String>> {
    let new = part.get("newText").and_then(Value::as_str)?;
    if part.pointer("/_meta/kind") == Some(&json!("delete")) {
        return Some(None);
    }
    let old = part.get("oldText").and_then(Value::as_str).unwrap_or_default();
    let whole = Some(Some(new.to_owned()));
    let Some(before) = before else { return if old.is_empty() { whole } else { None } };
    if old.is_empty() || old == before {
        return whole;
    }
    let everywhere = asked.params.pointer("/toolCall/rawInput/replace_all") == Some(&json!(true));
    match (before.matches(old).count(), everywhere) {
        (1, _) | (2.., true) => Some(Some(before.replace(old, new))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diffs_are_whole_texts_or_passages() {
        let asked = |raw: Value| RpcRequest {
            id: json!(1),
            method: "session/request_permission".to_owned(),
            params: json!({ "toolCall": { "rawInput": raw } }),
        };
        let once = asked(Value::Null);
        let all = asked(json!({ "replace_all": true }));
        let part = |old: Value, new: &str| json!({ "oldText": old, "newText": new });
        let some = |text: &str| Some(Some(text.to_owned()));
        assert_eq!(text_after(&part(Value::Null, "new"), None, &once), some("new"));
        assert_eq!(text_after(&part(json!("a\nb\n"), "c\n"), Some("a\nb\n"), &once), some("c\n"));
        assert_eq!(text_after(&part(json!(""), "c\n"), Some("a\n"), &once), some("c\n"));
        assert_eq!(text_after(&part(json!("b"), "B"), Some("a\nb\nc\n"), &once), some("a\nB\nc\n"));
        assert_eq!(text_after(&part(json!("b"), "B"), Some("b b"), &once), None);
        assert_eq!(text_after(&part(json!("b"), "B"), Some("b b"), &all), some("B B"));
        assert_eq!(text_after(&part(json!("x"), "B"), Some("b b"), &all), None);
        assert_eq!(text_after(&part(json!("x"), "B"), None, &once), None);
        assert_eq!(text_after(&json!({ "path": "a" }), Some("b"), &once), None);
        let gone = json!({ "newText": "", "_meta": { "kind": "delete" } });
        assert_eq!(text_after(&gone, Some("b"), &once), Some(None));
    }
}
