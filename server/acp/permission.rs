//! `session/request_permission` for a change: agents that write by themselves ask so, and show what they mean to write.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::agents::{InPlace, Telling};
use super::message::{AskedRequest, fault};
use super::passing::Worked;
use super::place::locate;
use super::proposed::NativeCall;
use super::proxy::Proxy;
use super::shown::is_diff;
use crate::native;
use crate::patch;
use crate::protocol::{Code, Fault};

/// Whether a request for permission shows what would be written. One that does not is given the diffs that the agent showed
/// with the call before.
pub(super) fn has_change(proxy: &Proxy, asked: &mut AskedRequest) -> bool {
    if diffs(asked).next().is_some() {
        return true;
    }
    let call = asked.params.pointer("/toolCall/toolCallId").and_then(Value::as_str);
    let (Some(session), Some(call)) = (asked.text("sessionId"), call) else { return false };
    let shown = proxy.sessions.with(session, |session| session.shown.of(call));
    match (shown, asked.params.get_mut("toolCall").and_then(Value::as_object_mut)) {
        (Some(shown), Some(call)) => {
            call.insert("content".to_owned(), Value::Array(shown));
            true
        }
        _ => false,
    }
}

fn diffs(asked: &AskedRequest) -> impl Iterator<Item = &Value> {
    let content = asked.params.pointer("/toolCall/content").and_then(Value::as_array);
    content.into_iter().flatten().filter(|part| is_diff(part))
}

/// Proposes the change, and answers when it is decided. What cannot be read as a change of files in the workspace is for
/// the editor, as it would be without us.
pub(super) async fn decide(proxy: &Arc<Proxy>, asked: &AskedRequest, cancel: &CancellationToken) -> Worked {
    let manners = proxy.manners();
    if manners.in_place == InPlace::DecidedAtWrite {
        return option(asked, "allow_once").map_or(Worked::Passed, chosen);
    }
    let Some(change) = AskedChange::read(proxy, asked).await else { return Worked::Passed };
    if change.diff.is_empty() {
        return Worked::Passed;
    }
    if change.call.lacks_why(proxy) {
        return told(proxy, asked, &change.call.session, native::told::no_why());
    }
    let standing = change.call.propose(proxy, "fs.patch", json!({ "diff": change.diff }), cancel).await;
    let words = match standing {
        Ok(standing) if standing.is_whole() => match allowed(proxy, asked, &change) {
            Some(worked) => return worked,
            None => format!("{} Do not make it again; go on.", standing.words()),
        },
        Ok(standing) => standing.words(),
        Err(fault) if fault.code == Code::Cancelled => return outcome(json!({ "outcome": "cancelled" })),
        Err(refused) => fault(&refused)["message"].as_str().unwrap_or_default().to_owned(),
    };
    told(proxy, asked, &change.call.session, words)
}

/// The answer where all of the change is in place and the agent may go on with its own write.
fn allowed(proxy: &Proxy, asked: &AskedRequest, change: &AskedChange) -> Option<Worked> {
    let allow = option(asked, "allow_once")?;
    match (proxy.manners().in_place, &change.texts[..]) {
        (InPlace::Allowed, _) => {}
        (InPlace::ReadAgain, [(path, Some(before), Some(after))]) => {
            let (before, after) = (before.clone(), after.clone());
            proxy.sessions.with(&change.call.session, |session| session.granted.grant(path, before, after));
        }
        // A new file: there is nothing that it could read again.
        (InPlace::ReadAgain, [(path, None, Some(after))]) => {
            let after = after.clone();
            proxy
                .sessions
                .with(&change.call.session, |session| session.granted.grant(path, String::new(), after));
        }
        _ => return None,
    }
    Some(chosen(allow))
}

/// The answer where the agent must not write, with words where there is room for them.
fn told(proxy: &Proxy, asked: &AskedRequest, session: &str, words: String) -> Worked {
    if proxy.manners().telling == Telling::ByOption {
        return chosen(json!(words));
    }
    proxy.sessions.with(session, |session| session.notes.push(words));
    refused(asked)
}

/// The answer where the agent must not write, with no words.
pub(super) fn refused(asked: &AskedRequest) -> Worked {
    option(asked, "reject_once").map_or_else(|| outcome(json!({ "outcome": "cancelled" })), chosen)
}

/// The answer that lets the agent do what it asks permission for; none where that is no question of this kind.
pub(super) fn allowed_at_once(asked: &AskedRequest) -> Option<Worked> {
    option(asked, "allow_once").map(chosen)
}

/// The id of the option of that kind.
fn option(asked: &AskedRequest, kind: &str) -> Option<Value> {
    let options = asked.params.get("options").and_then(Value::as_array)?;
    options.iter().find(|option| option["kind"] == json!(kind)).map(|option| option["optionId"].clone())
}

fn chosen(option: Value) -> Worked {
    outcome(json!({ "outcome": "selected", "optionId": option }))
}

fn outcome(outcome: Value) -> Worked {
    Worked::Answered(Ok(json!({ "outcome": outcome })))
}

/// A path with its text before and after.
type FileTexts = (String, Option<String>, Option<String>);

/// What an agent asks permission for.
struct AskedChange {
    call: NativeCall,
    texts: Vec<FileTexts>,
    /// All of it, as git writes it.
    diff: String,
}

impl AskedChange {
    /// Reads the protocol's diffs, which hold a whole text or a passage of it. None where one of them lies outside of the
    /// workspace, or does not fit the text that is there.
    async fn read(proxy: &Proxy, asked: &AskedRequest) -> Option<Self> {
        let session = asked.text("sessionId")?;
        let roots = proxy.sessions.roots(session);
        let mut texts: Vec<FileTexts> = Vec::new();
        let mut below = Vec::new();
        let mut found: Option<NativeCall> = None;
        let id = asked.params.pointer("/toolCall/toolCallId").and_then(Value::as_str);
        for part in diffs(asked) {
            let path = part.get("path").and_then(Value::as_str)?;
            let (root, inside) = locate(path, &roots)?;
            let call = found.get_or_insert_with(|| NativeCall {
                session: session.to_owned(),
                root: root.clone(),
                native: tool(asked),
                id: id.map(str::to_owned),
            });
            if call.root != root {
                return None;
            }
            let at = match texts.iter().position(|(known, ..)| known == path) {
                Some(at) => at,
                None => {
                    let before = text(proxy, call, path).await.ok()?;
                    texts.push((path.to_owned(), before.clone(), before));
                    below.push(inside);
                    texts.len() - 1
                }
            };
            let now = texts.get_mut(at)?;
            now.2 = after(part, now.2.as_deref(), asked)?;
        }
        let changed = texts.iter().zip(&below);
        let diff = changed
            .map(|((_, before, after), path)| patch::unified(path, before.as_deref(), after.as_deref()));
        Some(Self { call: found?, diff: diff.collect(), texts })
    }
}

/// The agent's own name of the tool that asks, where it says it.
fn tool(asked: &AskedRequest) -> String {
    let said = ["/toolCall/_meta/claudeCode/toolName", "/toolCall/name", "/toolCall/kind"];
    let mut said = said.iter().filter_map(|place| asked.params.pointer(place).and_then(Value::as_str));
    said.next().unwrap_or("session/request_permission").to_owned()
}

/// The text of a file now; none where there is no file.
async fn text(proxy: &Proxy, call: &NativeCall, path: &str) -> Result<Option<String>, Fault> {
    match super::files::text(proxy, call, path).await {
        Ok(text) => Ok(Some(text)),
        Err(fault) if fault.code == Code::NotFound => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// The text that a diff makes of another: as a whole, or where its old text stands. None where that is nowhere, or in
/// several places and not all of them are meant.
fn after(part: &Value, before: Option<&str>, asked: &AskedRequest) -> Option<Option<String>> {
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
        let asked = |raw: Value| AskedRequest {
            id: json!(1),
            method: "session/request_permission".to_owned(),
            params: json!({ "toolCall": { "rawInput": raw } }),
        };
        let once = asked(Value::Null);
        let all = asked(json!({ "replace_all": true }));
        let part = |old: Value, new: &str| json!({ "oldText": old, "newText": new });
        let some = |text: &str| Some(Some(text.to_owned()));
        assert_eq!(after(&part(Value::Null, "new"), None, &once), some("new"));
        assert_eq!(after(&part(json!("a\nb\n"), "c\n"), Some("a\nb\n"), &once), some("c\n"));
        assert_eq!(after(&part(json!(""), "c\n"), Some("a\n"), &once), some("c\n"));
        assert_eq!(after(&part(json!("b"), "B"), Some("a\nb\nc\n"), &once), some("a\nB\nc\n"));
        assert_eq!(after(&part(json!("b"), "B"), Some("b b"), &once), None);
        assert_eq!(after(&part(json!("b"), "B"), Some("b b"), &all), some("B B"));
        assert_eq!(after(&part(json!("x"), "B"), Some("b b"), &all), None);
        assert_eq!(after(&part(json!("x"), "B"), None, &once), None);
        assert_eq!(after(&json!({ "path": "a" }), Some("b"), &once), None);
        let gone = json!({ "newText": "", "_meta": { "kind": "delete" } });
        assert_eq!(after(&gone, Some("b"), &once), Some(None));
    }
}
