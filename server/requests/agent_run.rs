//! `wherefore/agentRun`: a run of the built-in agent begins.

use super::{AgentRun, Asker, Request};
use crate::agent::{self, AgentStart};
use crate::hub::Hub;
use crate::protocol::{AgentRunAnswer, AgentRunParams, Code, Fault};

/// Bytes of a task.
const LONGEST: usize = 1 << 20;

impl Request for AgentRun {
    /// INVALID_ARGS for an empty task, NOT_FOUND for a run to resume that no log has, and what keeps a model from being
    /// had.
    async fn answer_request(hub: &Hub, params: AgentRunParams, _: Asker) -> Result<AgentRunAnswer, Fault> {
        let AgentRunParams { task, model, limits, resume, policy, name, attended, files, root } = params;
        let task = task.trim().to_owned();
        if task.is_empty() && resume.is_none() {
            return Err(Fault::new(Code::InvalidArgs, "the task is empty")
                .with_suggestion("say what the agent is to do"));
        }
        if task.len() > LONGEST {
            let message = format!("a task has at most {LONGEST} bytes; this one has {}", task.len());
            return Err(Fault::new(Code::InvalidArgs, message)
                .with_suggestion("put it into a file, and name that file"));
        }
        let is_plain = |name: &String| {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            (1..=40).contains(&name.len()) && name.chars().all(plain)
        };
        if name.as_ref().is_some_and(|name| !is_plain(name)) {
            return Err(Fault::new(Code::InvalidArgs, "`name` is up to 40 of a-z, 0-9 and -")
                .with_suggestion("leave it out, and the run is given one"));
        }
        let folder = hub.folder_at(root.as_deref())?;
        let resumes = resume.map(|run| agent::read_conversation(&folder, &run)).transpose()?;
        let model = agent::open_chosen_model(&folder, model.as_deref()).await?;
        // Tools of servers that were never listed are offered too.
        folder.toolbox().settle_servers().await;
        let start = AgentStart { folder, model, task, limits, policy, attended, files, name, resumes };
        let run = agent::start_run(hub, start)?;
        let about = run.run_info();
        Ok(AgentRunAnswer {
            run: run.id().to_owned(),
            session: about.session.clone(),
            model: about.model.clone(),
        })
    }
}
