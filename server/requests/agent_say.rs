//! `wherefore/agentSay`: the person says something to a run of the built-in agent, or answers its question.

use super::{AgentSay, Asker, Request};
use crate::hub::Hub;
use crate::protocol::{AgentRunSummary, AgentSayParams, Code, Fault};

impl Request for AgentSay {
    /// NOT_FOUND where this server has no such run, or the run has ended, or the question is not open.
    async fn answer(hub: &Hub, params: AgentSayParams, _: Asker) -> Result<AgentRunSummary, Fault> {
        let AgentSayParams { run, text, question, later, policy, file } = params;
        let run = hub.agents().get(&run)?;
        if let Some(answer) = file {
            run.answer_file(answer);
            return Ok(run.summary());
        }
        if let Some(policy) = policy {
            run.set_policy(policy);
            return Ok(run.summary());
        }
        if let Some(proposal) = later {
            run.leave(proposal);
            return Ok(run.summary());
        }
        match question {
            Some(question) => run.answer(&question, text)?,
            None if text.trim().is_empty() => {
                return Err(Fault::new(Code::InvalidArgs, "there are no words to say").suggest("send `text`"));
            }
            None => run.say(text)?,
        }
        Ok(run.summary())
    }
}
