//! A question of ours that the person answers with yes or no, in the agent's own editor.

use serde_json::{Value, json};

use super::proxy::Proxy;
use crate::base::ids::unique;

/// Ids of the options.
const ALLOW: &str = "wherefore-allow";
const REJECT: &str = "wherefore-reject";

/// What the person is asked, in the protocol's form.
pub(super) struct YesOrNo<'a> {
    /// The session that it is about.
    pub(super) session: &'a str,
    /// What would be done: `title`, `kind`, `content`.
    pub(super) call: Value,
    /// The words for yes and for no.
    pub(super) options: [&'a str; 2],
}

impl YesOrNo<'_> {
    /// Whether the person says yes. An editor that cannot be asked says no.
    pub(super) async fn ask(self, proxy: &Proxy) -> bool {
        let Self { session, mut call, options: [yes, no] } = self;
        call["toolCallId"] = json!(format!("wherefore-question-{}", unique()));
        call["status"] = json!("pending");
        let options = json!([
            { "optionId": ALLOW, "name": yes, "kind": "allow_once" },
            { "optionId": REJECT, "name": no, "kind": "reject_once" },
        ]);
        let params = json!({ "sessionId": session, "toolCall": call, "options": options });
        let answer = proxy.editor.ask("session/request_permission", params).await.answer().await;
        let Some(Ok(answer)) = answer else { return false };
        answer.pointer("/outcome/optionId") == Some(&json!(ALLOW))
    }
}
