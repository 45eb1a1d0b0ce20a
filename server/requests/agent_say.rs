//! `wherefore/agentSay`: sends a message of the person to a run of the built-in agent, or answers its question.

use super::{AgentSay, Asker, Request};
use crate::hub::Hub;
use crate::protocol::{AgentRunSummary, AgentSayParams, Code, Fault};

impl Request for AgentSay {
    /// NOT_FOUND where this server has no such run, or the run has ended, or the question is not open; INVALID_ARGS for
    /// several messages at once, of which only one would count.
    async fn answer_request(hub: &Hub, params: AgentSayParams, _: Asker) -> Result<AgentRunSummary, Fault> {
        let AgentSayParams { run, text, question, later, policy, file } = params;
        let has_words = question.is_some() || !text.trim().is_empty();
        let said = [file.is_some(), policy.is_some(), later.is_some(), has_words];
        if said.iter().filter(|is_said| **is_said).count() > 1 {
            let message = "one thing is said at a time: words, an answer, `later`, `policy` or `file`";
            return Err(Fault::new(Code::InvalidArgs, message).with_suggestion("send a request for each"));
        }
        let run = hub.agent_runs().get(&run)?;
        if let Some(answer) = file {
            run.answer_file(answer);
            return Ok(run.summary());
        }
        if let Some(policy) = policy {
            run.set_policy(policy);
            return Ok(run.summary());
        }
        if let Some(proposal) = later {
            run.postpone_proposal(proposal);
            return Ok(run.summary());
        }
        match question {
            Some(question) => run.answer_question(&question, text)?,
            None if text.trim().is_empty() => {
                return Err(
                    Fault::new(Code::InvalidArgs, "there are no words to say").with_suggestion("send `text`")
                );
            }
            None => run.queue_message(text)?,
        }
        Ok(run.summary())
    }
}
