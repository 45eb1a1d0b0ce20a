//! A question of the proxy that the person answers with yes or no, in the agent's own editor.

use serde_json::{Value, json};

use super::proxy::AcpProxy;
use crate::base::ids::unique_word;

/// Ids of the options.
const ALLOW: &str = "wherefore-allow";
const REJECT: &str = "wherefore-reject";

/// A question to the person, in the protocol's form.
pub(super) struct YesNoQuestion<'a> {
    /// The session of the question.
    pub(super) session: &'a str,
    /// The action to be allowed: `title`, `kind`, `content`.
    pub(super) call: Value,
    /// The words for yes and for no.
    pub(super) options: [&'a str; 2],
}

impl YesNoQuestion<'_> {
    /// Waits for the person's yes.
    ///
    /// # Errors
    /// The reason why there is none, as a clause.
    pub(super) async fn ask_person(self, proxy: &AcpProxy) -> Result<(), &'static str> {
        let Self { session, mut call, options: [yes, no] } = self;
        call["toolCallId"] = json!(format!("wherefore-question-{}", unique_word()));
        call["status"] = json!("pending");
        let options = json!([
            { "optionId": ALLOW, "name": yes, "kind": "allow_once" },
            { "optionId": REJECT, "name": no, "kind": "reject_once" },
        ]);
        let params = json!({ "sessionId": session, "toolCall": call, "options": options });
        let answer =
            proxy.editor.send_request("session/request_permission", params).await.wait_for_answer().await;
        let Some(Ok(answer)) = answer else {
            return Err("the editor did not put the question to the person");
        };
        match answer.pointer("/outcome/optionId").and_then(Value::as_str) {
            Some(ALLOW) => Ok(()),
            Some(_) => Err("the person did not allow it"),
            None => Err("the question was closed with no answer"),
        }
    }
}
