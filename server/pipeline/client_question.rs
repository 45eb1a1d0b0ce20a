//! With no editor attached, what a rule asks about is put to the person in the agent's own client, where that shows forms while
//! a call runs. The client may answer by itself: its answer is logged as the client's, holds for its call, and is not kept.

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::base::markdown;
use crate::ports::{Ask, Caller};
use crate::protocol::{AskParams, Unanswered};

/// Characters of a line of the question.
const LINE: usize = 600;

/// Asks the client; gives whether it allows the call.
///
/// # Errors
/// The reason why there is no answer.
pub(super) async fn ask_client(caller: &dyn Caller, question: &AskParams) -> Result<bool, Unanswered> {
    let schema = json!({
        "type": "object",
        "properties": {
            "answer": { "type": "string", "enum": ["allow", "deny"], "description": "Allow it this once, or deny it" },
        },
        "required": ["answer"],
    });
    let lines: Vec<String> =
        question.text.lines().map(|line| markdown::escape_markdown(line, LINE)).collect();
    let form = Ask::Form { message: lines.join("\n\n"), schema };
    let answers = match timeout(Unanswered::TIMEOUT, caller.ask(vec![("allow".to_owned(), form)])).await {
        Ok(Ok(answers)) => answers,
        Ok(Err(_)) => return Err(Unanswered::Lost),
        Err(_) => return Err(Unanswered::Late),
    };
    let answer = answers.get("allow").unwrap_or(&Value::Null);
    match answer.get("action").and_then(Value::as_str) {
        Some("accept") => Ok(answer.pointer("/content/answer") == Some(&json!("allow"))),
        Some("decline") => Ok(false),
        _ => Err(Unanswered::Closed),
    }
}
