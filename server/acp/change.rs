//! A change is shown in the agent's own editor, where no other shows it: as a question for permission, with the hunks as
//! the protocol's diffs.

use serde_json::{Value, json};

use super::ask::EndAsker;
use super::{FolderServers, send_request};
use crate::base::hidden::escape_to_line;
use crate::protocol::{Act, DecideParams, Hunk, HunkState, Proposal, ProposalsParams};
use crate::requests::{Decide, Proposals};

/// Ids of the options.
const ACCEPT: &str = "wherefore-accept";
const EACH: &str = "wherefore-each";
const REJECT: &str = "wherefore-reject";

/// The editor that is asked for a decision, and the place of the changes.
pub(super) struct ChangeQuestion<'a> {
    /// The folders' servers.
    pub(super) folders: &'a dyn FolderServers,
    /// The editor that is asked.
    pub(super) editor: &'a EndAsker,
    /// The session that the change is made in.
    pub(super) session: &'a str,
    /// The root of its workspace.
    pub(super) root: &'a str,
}

impl ChangeQuestion<'_> {
    /// Asks for a decision on the open hunks of a proposal, and carries it out. If the editor cannot be asked, or
    /// answers neither yes nor no, they stay pending.
    pub(super) async fn ask_and_decide(&self, id: &str) {
        let Some(proposal) = self.find_proposal(id).await else { return };
        let waiting: Vec<_> = pending_hunks(&proposal).collect();
        match self.put_question(&proposal, &waiting).await.as_deref() {
            Some(ACCEPT) => self.decide_hunks(&proposal, &waiting, Act::Accept).await,
            Some(REJECT) => self.decide_hunks(&proposal, &waiting, Act::Reject).await,
            Some(EACH) => {
                for one in &waiting {
                    let one = std::slice::from_ref(one);
                    match self.put_question(&proposal, one).await.as_deref() {
                        Some(ACCEPT) => self.decide_hunks(&proposal, one, Act::Accept).await,
                        Some(REJECT) => self.decide_hunks(&proposal, one, Act::Reject).await,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// The proposal of that id.
    pub(super) async fn find_proposal(&self, id: &str) -> Option<Proposal> {
        let params = ProposalsParams { root: Some(self.root.to_owned()), ..ProposalsParams::default() };
        let answer = send_request::<Proposals>(self.folders, self.root, params).await.ok()?;
        answer.proposals.into_iter().find(|proposal| proposal.id.as_str() == id)
    }

    /// Asks one question; returns the chosen option.
    async fn put_question(&self, proposal: &Proposal, hunks: &[HunkInFile<'_>]) -> Option<String> {
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
            "sessionId": self.session, "toolCall": tool_call(self.root, proposal, hunks), "options": options,
        });
        let mut question = self.editor.send_request("session/request_permission", params).await;
        let answer = question.wait_for_answer().await?.ok()?;
        answer.pointer("/outcome/optionId").and_then(Value::as_str).map(str::to_owned)
    }

    async fn decide_hunks(&self, proposal: &Proposal, hunks: &[HunkInFile<'_>], act: Act) {
        let params = DecideParams {
            proposal: Some(proposal.id.clone()),
            hunks: hunks.iter().map(|(_, hunk)| hunk.id.clone()).collect(),
            root: Some(self.root.to_owned()),
            ..DecideParams::all(act)
        };
        // Hunks that could not be applied stay pending or are stale, which the answer to the call reports.
        let _ = send_request::<Decide>(self.folders, self.root, params).await;
    }
}

/// A hunk with the path of its file.
pub(super) type HunkInFile<'a> = (&'a str, &'a Hunk);

/// The pending hunks of a proposal.
pub(super) fn pending_hunks(proposal: &Proposal) -> impl Iterator<Item = HunkInFile<'_>> {
    let hunks =
        proposal.files.iter().flat_map(|file| file.hunks.iter().map(|hunk| (file.path.as_str(), hunk)));
    hunks.filter(|(_, hunk)| hunk.state == HunkState::Pending)
}

/// Hunks as the protocol's diffs.
pub(super) fn hunk_diffs(root: &str, hunks: &[HunkInFile<'_>]) -> Vec<Value> {
    let diff = |(path, hunk): &HunkInFile<'_>| {
        let (old, new) = (hunk.old.concat(), hunk.new.concat());
        json!({ "type": "diff", "path": format!("{root}/{path}"), "oldText": old, "newText": new })
    };
    hunks.iter().map(diff).collect()
}

fn tool_call(root: &str, proposal: &Proposal, hunks: &[HunkInFile<'_>]) -> Value {
    let absolute = |path: &str| format!("{root}/{path}");
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
        "toolCallId": id, "title": escape_to_line(&title), "kind": "edit", "status": "pending",
        "content": hunk_diffs(root, hunks), "locations": locations,
    })
}
