//! `wherefore replay`: makes the calls of a session again on a copy of the workspace, or sends its questions to another model.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::backend::RootArgs;
use super::log::find_log;
use super::print::visible_line;
use super::{answer, completions, limits};
use crate::agent::{open_chosen_model, recorded_steps};
use crate::base::numbers::format_count;
use crate::base::person;
use crate::journal::{LOG, LogKeeper, LogReader};
use crate::protocol::{Code, Fault};
use crate::replay::{
    RepeatedCall, RepeatedQuestions, RepeatedStep, ReplayOutcome, ReplayReport, SessionRecording,
    WorkspaceCopy, ask_again, replay_calls,
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
    #[arg(value_name = "LOG", add = completions::complete_sessions())]
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
pub(super) fn run_replay(args: &ReplayArgs) -> ExitCode {
    match replay_session(args) {
        Ok(code) => code,
        Err(fault) => answer::show_fault(&fault),
    }
}

fn replay_session(args: &ReplayArgs) -> Result<ExitCode, Fault> {
    limits::room_for_files()?;
    let root = PathBuf::from(args.root.find()?);
    let log = open_recorded_log(args, &root)?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| Fault::internal(error.to_string()))?;
    let work = async {
        let copy = WorkspaceCopy::make_copy(&root)?;
        match &args.model {
            Some(model) => ask_model_again(args, &copy, &log, model).await,
            None => replay_and_report(args, copy, &log, &root).await,
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

/// The chosen log: the one in a folder, or that of a session of the workspace.
fn open_recorded_log(args: &ReplayArgs, root: &Path) -> Result<LogReader, Fault> {
    let Some(path) = args.log.as_deref().map(Path::new).filter(|path| path.exists()) else {
        return find_log(args.log.as_deref(), Some(root));
    };
    let folder = match path.file_name() {
        Some(name) if name == LOG => path.parent().unwrap_or(Path::new("")),
        _ => path,
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    Ok(LogReader::open(folder, &LogKeeper::none(None))?)
}

async fn replay_and_report(
    args: &ReplayArgs,
    copy: WorkspaceCopy,
    log: &LogReader,
    root: &Path,
) -> Result<ExitCode, Fault> {
    let recording = SessionRecording::read_log(log)?;
    if recording.calls.is_empty() {
        return Err(
            Fault::new(Code::NotFound, "the log has no calls").with_suggestion("name another session")
        );
    }
    let report = replay_calls(&recording, &copy, root, person::state_dir().as_deref()).await?;
    if args.json {
        answer::write_json(&report);
    } else {
        show_calls(&report);
    }
    if args.keep {
        answer::write_note(&format!("the copy is {}", copy.keep_folder().display()));
    }
    Ok(match (report.count_outcome(ReplayOutcome::Differs), report.count_outcome(ReplayOutcome::NotRun)) {
        (0, 0) => ExitCode::SUCCESS,
        (0, _) => ExitCode::from(INCOMPLETE),
        _ => ExitCode::from(DIFFERS),
    })
}

fn show_calls(report: &ReplayReport) {
    for RepeatedCall { call_id, tool, why, outcome, differences, note } in &report.calls {
        let word = match outcome {
            ReplayOutcome::Same => "same",
            ReplayOutcome::Differs => "differs",
            ReplayOutcome::NotRun => "not run",
        };
        answer::write_line(&format!("{call_id}  {word:8} {tool}: {}", visible_line(why)));
        for difference in differences {
            answer::write_line(&format!("          {}", visible_line(&difference.at)));
            for (sign, value) in [("-", &difference.then), ("+", &difference.now)] {
                if let Some(value) = value {
                    answer::write_line(&format!("            {sign} {}", visible_line(value)));
                }
            }
        }
        if let Some(note) = note {
            answer::write_line(&format!("          {}", visible_line(note)));
        }
    }
    for problem in &report.problems {
        answer::write_note(&format!("wherefore: {}", visible_line(problem)));
    }
    let (same, differ, not) = (
        report.count_outcome(ReplayOutcome::Same),
        report.count_outcome(ReplayOutcome::Differs),
        report.count_outcome(ReplayOutcome::NotRun),
    );
    let rewound = match report.rewound {
        0 => String::new(),
        files => format!("; the copy began with {} taken back", format_count(files as u64, "change")),
    };
    answer::write_line(&format!("{same} the same, {differ} different, {not} not run{rewound}"));
}

async fn ask_model_again(
    args: &ReplayArgs,
    copy: &WorkspaceCopy,
    log: &LogReader,
    model: &str,
) -> Result<ExitCode, Fault> {
    let hub = copy.open_hub()?;
    hub.settle_servers().await;
    let folder = hub.folder_at(None)?;
    let steps = recorded_steps(&folder, log)?;
    if steps.is_empty() {
        let none = "the log has no answer of a model: it is of no run of the built-in agent";
        return Err(Fault::new(Code::NotFound, none).with_suggestion("name a session of `wherefore agent`"));
    }
    let model = open_chosen_model(&folder, Some(model)).await?;
    let report = ask_again(&folder, &model, &steps).await;
    hub.close();
    match args.json {
        true => answer::write_json(&report),
        false => show_comparison(&report),
    }
    let same = report.steps.iter().all(|step| step.same);
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::from(DIFFERS) })
}

fn show_comparison(report: &RepeatedQuestions) {
    for RepeatedStep { run, step, same, same_tools, then, now, error } in &report.steps {
        let word = match (same, same_tools) {
            (true, _) => "same",
            (false, true) => "other arguments",
            (false, false) => "other calls",
        };
        answer::write_line(&format!("{run} step {step}: {word}"));
        if let Some(fault) = error {
            answer::write_line(&format!("  {}", visible_line(&fault.message)));
        }
        for (sign, calls) in [("-", then), ("+", now)].into_iter().filter(|_| !same) {
            for call in calls {
                answer::write_line(&visible_line(&format!(
                    "  {sign} {} {}: {}",
                    call.tool, call.arguments, call.why
                )));
            }
        }
    }
    let count = |is: fn(&RepeatedStep) -> bool| report.steps.iter().filter(|step| is(step)).count();
    answer::write_line(&format!(
        "{}: {} of {} the same, {} with the same tools",
        report.model,
        count(|step| step.same),
        report.steps.len(),
        count(|step| step.same_tools)
    ));
}
