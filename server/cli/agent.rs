//! `wherefore agent`: a model of the person's works on a task until it is complete.

mod follow;
mod interrupt;
mod show;

use std::io::IsTerminal;
use std::process::ExitCode;

use super::answer;
use super::backend::{RequestTarget, RootArgs};
use super::call::PolicyArg;
use super::mcp::reach::ServerConnector;
use crate::protocol::{
    AgentCancelParams, AgentEvent, AgentEventsParams, AgentLimits, AgentListParams, AgentRunParams, Code,
    Fault,
};
use crate::requests::{AgentCancel, AgentEvents, AgentList, AgentRun};
use crate::socket::{ClientGreeting, ServerLink};
use follow::RunFollower;

/// Have a model of yours work on a task with wherefore's tools, and review what it changes here
///
/// The model is that of the settings (`[model]`), or one that a server on this machine has, as Ollama. Its changes come up
/// here hunk by hunk, and in the editor that has the folder open. Ctrl+C cancels what it does; a second one ends it.
///
/// Exit codes: 0 the task is complete or answered, 1 a fault, 3 not completed (a limit, a circle, a question), 130 cancelled.
#[derive(Debug, clap::Args)]
pub(super) struct AgentArgs {
    /// What the model is to do
    #[arg(required_unless_present_any = ["resume", "list"])]
    task: Option<String>,
    /// The model, as `ollama/qwen3`, `openai/gpt-5` or `http://127.0.0.1:8080/v1#NAME`
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The most answers of the model in one turn [default: 60]
    #[arg(long, value_name = "N")]
    max_steps: Option<u32>,
    /// The most tokens that the model reads and writes
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// The most minutes of one turn
    #[arg(long, value_name = "N")]
    max_minutes: Option<f64>,
    /// The most that the model may cost, in US dollars, where its price is known
    #[arg(long, value_name = "USD")]
    max_cost: Option<f64>,
    /// The policy for the model's changes [default: as the settings say]
    #[arg(long, value_enum)]
    policy: Option<PolicyArg>,
    /// Go on with the conversation of an earlier run, by its id
    #[arg(long, value_name = "RUN")]
    resume: Option<String>,
    /// List the runs that can be resumed
    #[arg(long, conflicts_with_all = ["task", "resume"])]
    list: bool,
    /// Print each event as a line of JSON, and ask nothing
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgs,
}

/// Runs it.
pub(super) fn run_agent(args: &AgentArgs) -> ExitCode {
    match work_on_task(args) {
        Ok(code) => code,
        Err(fault) => answer::show_fault(&fault),
    }
}

fn work_on_task(args: &AgentArgs) -> Result<ExitCode, Fault> {
    let reach = ServerConnector::new(args.root.root.as_deref(), None)?;
    let stream = reach.connect(&ClientGreeting::default()).map_err(Fault::from)?;
    let mut server = RequestTarget::Server(ServerLink::from_stream(stream), reach.root().to_owned());
    let root = Some(reach.root().to_owned());
    if args.list {
        return list_runs(args, server.ask::<AgentList>(AgentListParams { root })?.runs);
    }
    let numbers = [args.max_minutes, args.max_cost];
    if numbers.into_iter().flatten().any(|number| !number.is_finite() || number < 0.0) {
        return Err(Fault::new(Code::InvalidArgs, "a limit is a number of 0 or more"));
    }
    let attended = !args.json && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let params = AgentRunParams {
        task: args.task.clone().unwrap_or_default(),
        model: args.model.clone(),
        limits: AgentLimits {
            max_steps: args.max_steps,
            max_tokens: args.max_tokens,
            max_minutes: args.max_minutes,
            max_cost: args.max_cost,
        },
        resume: args.resume.clone(),
        policy: args.policy.map(Into::into),
        attended,
        root,
        ..AgentRunParams::default()
    };
    let earlier = match &args.resume {
        Some(run) => logged_events(&mut server, run, reach.root())?,
        None => Vec::new(),
    };
    let run = server.ask::<AgentRun>(params)?.run;
    let interrupts = interrupt::watch_interrupts(reach, run.clone())?;
    let mut follower = RunFollower::new(&run, attended, args.json, &interrupts);
    follower.show_history(&earlier);
    let followed = follower.follow_turns(&mut server);
    // A run that no client follows any longer ends instead of waiting for the person.
    let ended = server.ask::<AgentCancel>(AgentCancelParams { run: run.clone(), end: true });
    let code = followed?;
    ended?;
    if attended {
        answer::write_note(&format!("wherefore agent --resume {run} goes on with this conversation"));
    }
    Ok(code)
}

/// The events of an earlier run, read from the session log.
fn logged_events(server: &mut RequestTarget, run: &str, root: &str) -> Result<Vec<AgentEvent>, Fault> {
    let params = AgentEventsParams {
        run: run.to_owned(),
        logged: true,
        root: Some(root.to_owned()),
        ..AgentEventsParams::default()
    };
    Ok(server.ask::<AgentEvents>(params)?.events)
}

fn list_runs(args: &AgentArgs, runs: Vec<crate::protocol::AgentRunSummary>) -> Result<ExitCode, Fault> {
    if args.json {
        answer::write_json(&runs);
        return Ok(ExitCode::SUCCESS);
    }
    if runs.is_empty() {
        answer::write_line("no session log of this folder has a run of the agent");
    }
    runs.iter().for_each(show::list_run);
    Ok(ExitCode::SUCCESS)
}
