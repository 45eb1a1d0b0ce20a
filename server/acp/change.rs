//! A change is shown in the agent's own editor, where no other shows it: as a question for permission, with the hunks as
//! the protocol's diffs.

use std::sync::Arc;

use serde_json::{Value, json};

use super::proposed::NativeCall;
use super::proxy::Proxy;
use super::request;
use crate::base::hidden::in_line;
use crate::protocol::{Act, DecideParams, Hunk, HunkState, Proposal, ProposalsParams};
use crate::requests::{Decide, Proposals};

/// Ids of the options.
const ACCEPT: &str = "wherefore-accept";
const EACH: &str = "wherefore-each";
const REJECT: &str = "wherefore-reject";

/// Asks for a decision on what waits of a proposal, and carries it out. An editor that cannot be asked, or says neither
/// yes nor no, leaves it waiting.
pub(super) async fn ask(proxy: &Arc<Proxy>, call: &NativeCall, id: &str) {
    let Some(proposal) = find(proxy, call, id).await else { return };
    let waiting: Vec<_> = pending(&proposal).collect();
    match put(proxy, call, &proposal, &waiting).await.as_deref() {
        Some(ACCEPT) => decide(proxy, call, &proposal, &waiting, Act::Accept).await,
        Some(REJECT) => decide(proxy, call, &proposal, &waiting, Act::Reject).await,
        Some(EACH) => {
            for one in &waiting {
                let one = std::slice::from_ref(one);
                match put(proxy, call, &proposal, one).await.as_deref() {
                    Some(ACCEPT) => decide(proxy, call, &proposal, one, Act::Accept).await,
                    Some(REJECT) => decide(proxy, call, &proposal, one, Act::Reject).await,
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// A hunk with the path of its file.
type Placed<'a> = (&'a str, &'a Hunk);

async fn find(proxy: &Proxy, call: &NativeCall, id: &str) -> Option<Proposal> {
    let params = ProposalsParams { root: Some(call.root.clone()), ..ProposalsParams::default() };
    let answer = request::<Proposals>(&*proxy.folders, &call.root, params).await.ok()?;
    answer.proposals.into_iter().find(|proposal| proposal.id.as_str() == id)
}

fn pending(proposal: &Proposal) -> impl Iterator<Item = Placed<'_>> {
    let hunks =
        proposal.files.iter().flat_map(|file| file.hunks.iter().map(|hunk| (file.path.as_str(), hunk)));
    hunks.filter(|(_, hunk)| hunk.state == HunkState::Pending)
}

/// Puts one question; the option chosen.
async fn put(proxy: &Proxy, call: &NativeCall, proposal: &Proposal, hunks: &[Placed<'_>]) -> Option<String> {
    let (accept, reject) = match hunks {
        [_] => ("Accept this part".to_owned(), "Reject this part"),
        _ => (format!("Accept all {} parts", hunks.len()), "Reject all"),
    };
    let mut options = vec![json!({ "optionId": ACCEPT, "name": accept, "kind": "allow_once" })];
    if hunks.len() > 1 {
        options.push(json!({ "optionId": EACH, "name": "Decide part by part", "kind": "allow_once" }));
    }
    options.push(json!({ "optionId": REJECT, "name": reject, "kind": "reject_once" }));
    let params = json!({
        "sessionId": call.session, "toolCall": tool_call(call, proposal, hunks), "options": options,
    });
    let mut question = proxy.editor.ask("session/request_permission", params).await;
    let answer = question.answer().await?.ok()?;
    answer.pointer("/outcome/optionId").and_then(Value::as_str).map(str::to_owned)
}

fn tool_call(call: &NativeCall, proposal: &Proposal, hunks: &[Placed<'_>]) -> Value {
    let absolute = |path: &str| format!("{}/{path}", call.root);
    let content: Vec<_> = hunks
        .iter()
        .map(|(path, hunk)| {
            let new = hunk.new.concat();
            json!({ "type": "diff", "path": absolute(path), "oldText": hunk.old.concat(), "newText": new })
        })
        .collect();
    let locations: Vec<_> =
        hunks.iter().map(|(path, hunk)| json!({ "path": absolute(path), "line": hunk.start })).collect();
    let mut paths: Vec<_> = hunks.iter().map(|(path, _)| *path).collect();
    paths.dedup();
    let place = match hunks {
        [(_, hunk)] => format!("{} at line {}", paths.join(", "), hunk.start + 1),
        _ => paths.join(", "),
    };
    let title = format!("Review the change to {place}: {}", proposal.why);
    let id = match hunks {
        [(_, hunk)] => format!("{}-{}", proposal.id, hunk.id),
        _ => proposal.id.to_string(),
    };
    json!({
        "toolCallId": id, "title": in_line(&title), "kind": "edit", "status": "pending",
        "content": content, "locations": locations,
    })
}

async fn decide(proxy: &Proxy, call: &NativeCall, proposal: &Proposal, hunks: &[Placed<'_>], act: Act) {
    let params = DecideParams {
        proposal: Some(proposal.id.clone()),
        hunks: hunks.iter().map(|(_, hunk)| hunk.id.clone()).collect(),
        root: Some(call.root.clone()),
        ..DecideParams::all(act)
    };
    // What could not be applied stays pending or is stale, and the answer to the call says so.
    let _ = request::<Decide>(&*proxy.folders, &call.root, params).await;
}
