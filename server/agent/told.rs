//! An earlier conversation, told as what happened in it.

use super::calls;
use super::reading::FILES;
use super::resume::conversation;
use super::turn::NUDGE;
use crate::base::CallId;
use crate::base::hidden::in_line;
use crate::hub::Folder;
use crate::model::ModelMessage;
use crate::protocol::{AgentHappening, Fault, Status};

/// Characters of a result that are told.
const RESULT: usize = 400;

/// What happened in a run, as the log has it: the person's words, the model's, its calls and their results.
///
/// # Errors
/// NOT_FOUND where no log has the run; what reading the log says.
pub fn told(folder: &Folder, run: &str) -> Result<Vec<AgentHappening>, Fault> {
    let mut told = Vec::new();
    for message in conversation(folder, run)?.messages {
        match message {
            ModelMessage::User { text } if text == NUDGE => {}
            ModelMessage::User { text } => {
                // The files that were sent with the first words are no words of the person's.
                let words = text.split_once(&format!("\n\n{FILES}")).map_or(&*text, |(words, _)| words);
                let (task, model) = (words.to_owned(), String::new());
                told.push(AgentHappening::Began { task, model, resumes: None });
            }
            ModelMessage::Assistant { text, calls, .. } => {
                if !text.trim().is_empty() {
                    told.push(AgentHappening::Text { text });
                }
                for call in calls {
                    let meant = calls::meant(folder, call);
                    told.push(AgentHappening::Call {
                        call: meant.call.id.clone(),
                        tool: meant.tool.clone(),
                        why: meant.why().to_owned(),
                        paths: meant.paths(),
                    });
                }
            }
            ModelMessage::ToolResult { call_id, name, text, failed } => told.push(AgentHappening::Result {
                call: call_id,
                call_id: CallId::default(),
                tool: name,
                status: if failed { Status::Error } else { Status::Ok },
                summary: in_line(&text.chars().take(RESULT).collect::<String>()).into_owned(),
                proposal: None,
            }),
        }
    }
    Ok(told)
}
