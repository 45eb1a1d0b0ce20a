//! `wherefore replay`: the calls of a session made again on a copy of the workspace, or its questions put to another model.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::backend::RootArgs;
use super::log::named;
use super::print::visible;
use super::{answer, completions, limits};
use crate::agent::{model_of, recorded_steps};
use crate::base::numbers::counted;
use crate::base::person;
use crate::journal::{Keeper, LOG, Log};
use crate::protocol::{Code, Fault};
use crate::replay::{
    AskedAgain, CallAgain, Outcome, Recording, ReplayReport, StepAgain, WorkspaceCopy, ask_again, replay,
};

/// The exit code where a result differs.
const DIFFERS: u8 = 1;
/// The exit code where nothing differs, and some of it could not be made again.
const INCOMPLETE: u8 = 3;

/// Make the calls of a session again on a copy of the workspace, and report where results differ
///
/// The copy begins as the workspace was before the session, as far as the session's changes can be taken back. The rules and
/// the sandbox hold in it, and it has a log of its own. Changes are decided on as they were. What a rule asks about, and what
/// needs a server or a key, is not run.
///
/// Exit codes: 0 all results are the same, 1 a result differs or a fault, 3 nothing differs but some calls could not be made
/// again.
#[derive(Debug, clap::Args)]
pub(super) struct ReplayArgs {
    /// The session, or the folder or file of a session log [default: the most recent session]
    #[arg(value_name = "LOG", add = completions::sessions())]
    log: Option<String>,
    /// Ask this model what the model of the built-in agent was asked, and compare its calls; none of them is made
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Keep the copy of the workspace with the log of the replay
    #[arg(long, conflicts_with = "model")]
    keep: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgs,
}

/// Runs it.
pub(super) fn run(args: &ReplayArgs) -> ExitCode {
    match work(args) {
        Ok(code) => code,
        Err(fault) => answer::fault(&fault),
    }
}

fn work(args: &ReplayArgs) -> Result<ExitCode, Fault> {
    limits::room_for_files()?;
    let root = PathBuf::from(args.root.find()?);
    let log = log(args, &root)?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| Fault::internal(error.to_string()))?;
    let work = async {
        let copy = WorkspaceCopy::make(&root)?;
        match &args.model {
            Some(model) => asked(args, &copy, &log, model).await,
            None => made(args, copy, &log, &root).await,
        }
    };
    let code = runtime.block_on(async {
        tokio::select! {
            code = work => code,
            _ = tokio::signal::ctrl_c() => Err(Fault::new(Code::Cancelled, "the replay was interrupted")),
        }
    });
    runtime.shutdown_background();
    code
}

/// The log that is meant: that in a folder, or of a session of the workspace.
fn log(args: &ReplayArgs, root: &Path) -> Result<Log, Fault> {
    let Some(path) = args.log.as_deref().map(Path::new).filter(|path| path.exists()) else {
        return named(args.log.as_deref(), Some(root));
    };
    let folder = match path.file_name() {
        Some(name) if name == LOG => path.parent().unwrap_or(Path::new("")),
        _ => path,
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    Ok(Log::open(folder, &Keeper::none(None))?)
}

async fn made(args: &ReplayArgs, copy: WorkspaceCopy, log: &Log, root: &Path) -> Result<ExitCode, Fault> {
    let recording = Recording::read(log)?;
    if recording.calls.is_empty() {
        return Err(Fault::new(Code::NotFound, "the log has no calls").suggest("name another session"));
    }
    let report = replay(&recording, &copy, root, person::state().as_deref()).await?;
    if args.json {
        answer::json(&report);
    } else {
        shown(&report);
    }
    if args.keep {
        answer::note(&format!("the copy is {}", copy.keep().display()));
    }
    Ok(match (report.count(Outcome::Differs), report.count(Outcome::NotRun)) {
        (0, 0) => ExitCode::SUCCESS,
        (0, _) => ExitCode::from(INCOMPLETE),
        _ => ExitCode::from(DIFFERS),
    })
}

fn shown(report: &ReplayReport) {
    for CallAgain { call_id, tool, why, outcome, differences, note } in &report.calls {
        let word = match outcome {
            Outcome::Same => "same",
            Outcome::Differs => "differs",
            Outcome::NotRun => "not run",
        };
        answer::line(&format!("{call_id}  {word:8} {tool}: {}", visible(why)));
        for difference in differences {
            answer::line(&format!("          {}", visible(&difference.at)));
            for (sign, value) in [("-", &difference.then), ("+", &difference.now)] {
                if let Some(value) = value {
                    answer::line(&format!("            {sign} {}", visible(value)));
                }
            }
        }
        if let Some(note) = note {
            answer::line(&format!("          {}", visible(note)));
        }
    }
    for problem in &report.problems {
        answer::note(&format!("wherefore: {}", visible(problem)));
    }
    let (same, differ, not) =
        (report.count(Outcome::Same), report.count(Outcome::Differs), report.count(Outcome::NotRun));
    let rewound = match report.rewound {
        0 => String::new(),
        files => format!("; the copy began with {} taken back", counted(files as u64, "change")),
    };
    answer::line(&format!("{same} the same, {differ} different, {not} not run{rewound}"));
}

async fn asked(args: &ReplayArgs, copy: &WorkspaceCopy, log: &Log, model: &str) -> Result<ExitCode, Fault> {
    let hub = copy.hub()?;
    hub.settle().await;
    let folder = hub.folder(None)?;
    let steps = recorded_steps(&folder, log)?;
    if steps.is_empty() {
        let none = "the log has no answer of a model: it is of no run of the built-in agent";
        return Err(Fault::new(Code::NotFound, none).suggest("name a session of `wherefore agent`"));
    }
    let model = model_of(&folder, Some(model)).await?;
    let report = ask_again(&folder, &model, &steps).await;
    hub.close();
    match args.json {
        true => answer::json(&report),
        false => compared(&report),
    }
    let same = report.steps.iter().all(|step| step.same);
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::from(DIFFERS) })
}

fn compared(report: &AskedAgain) {
    for StepAgain { run, step, same, same_tools, then, now, error } in &report.steps {
        let word = match (same, same_tools) {
            (true, _) => "same",
            (false, true) => "other arguments",
            (false, false) => "other calls",
        };
        answer::line(&format!("{run} step {step}: {word}"));
        if let Some(fault) = error {
            answer::line(&format!("  {}", visible(&fault.message)));
        }
        for (sign, calls) in [("-", then), ("+", now)].into_iter().filter(|_| !same) {
            for call in calls {
                answer::line(&visible(&format!("  {sign} {} {}: {}", call.tool, call.arguments, call.why)));
            }
        }
    }
    let count = |is: fn(&StepAgain) -> bool| report.steps.iter().filter(|step| is(step)).count();
    answer::line(&format!(
        "{}: {} of {} the same, {} with the same tools",
        report.model,
        count(|step| step.same),
        report.steps.len(),
        count(|step| step.same_tools)
    ));
}
