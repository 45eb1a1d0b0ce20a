//! The demo in a person's editor: they review the recorded agent's changes there, and the files must match their decisions.

use std::fs;
use std::io::{self, IsTerminal};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::agent::{AgentStep, DemoAgent, ProposedChange, update_changes};
use super::check::ReviewLedger;
use super::decide::DemoDecision;
use super::end;
use super::launch::{DemoEditorKind, EditorLaunch};
use super::project::DemoProject;
use super::recording::{DemoRecording, load_recording};
use super::show;
use crate::cli::backend::RequestTarget;
use crate::cli::print::{TerminalPage, visible_line};
use crate::protocol::{Act, Fault, HunkState, ProposalsParams};
use crate::requests::{Proposals, Status};

/// The tool whose calls change a file.
const CHANGES: &str = "fs.patch";

/// The result of the agent's work, until it was complete or the editor was closed.
#[derive(Debug, Default)]
struct AgentWork {
    changes: Vec<ProposedChange>,
    /// Results that differ from the recording.
    mismatches: Vec<String>,
    /// The reason why it ended early.
    cut_off: Option<String>,
}

/// Plays the demo in an editor; whether everything is as it was decided.
///
/// # Errors
/// A missing program, or the error of the system, the terminal or the editor.
pub(super) fn run_live(project: &DemoProject, which: DemoEditorKind) -> io::Result<bool> {
    let page = TerminalPage::stdout();
    let (launch, recording) = prepare_demo(project, which).inspect_err(|_| {
        // Nothing was shown yet that could be looked at: the copy goes.
        let _ = fs::remove_dir_all(&project.folder);
    })?;
    let real = fs::canonicalize(&project.root)?;
    let root = real.to_str().ok_or_else(|| io::Error::other("the temporary folder is not a UTF-8 path"))?;
    show::show_start(page, project, &recording)?;
    let mut ledger = ReviewLedger::default();
    for step in recording.steps.iter().filter(|step| step.tool == CHANGES) {
        ledger.add_file(&real, step.arguments["path"].as_str().unwrap_or_default(), "")?;
    }
    let mut work = match launch.takes_terminal() {
        true => work_beside_terminal(page, launch, root, &recording)?,
        false => {
            page.write_line("Decide in the window that opens: Alt+W N goes to the next hunk, Alt+W A accepts, Alt+W R rejects.")?;
            check_exit_status(launch.run_editor()?)?;
            let mut number = 0;
            do_recorded_work(root, &recording, &AtomicBool::new(false), |said| {
                drop(show_step(page, &mut number, &said))
            })
        }
    };
    compare_outcomes(page, root, &mut work, &mut ledger)
}

/// Prepares the agent's recording, and the editor opened on the file that the recording changes.
fn prepare_demo(project: &DemoProject, which: DemoEditorKind) -> io::Result<(EditorLaunch, DemoRecording)> {
    let recording = load_recording(project).map_err(io::Error::other)?;
    let changes = recording.steps.iter().find(|step| step.tool == CHANGES);
    let file = changes.and_then(|step| step.arguments["path"].as_str()).unwrap_or(".").to_owned();
    if which == DemoEditorKind::Nvim && !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(io::Error::other(
            "Neovim needs a terminal; without one, `wherefore demo --decide alternate` plays by itself",
        ));
    }
    Ok((EditorLaunch::prepare_editor(which, project, &file, &recording.task)?, recording))
}

/// Runs the editor in the terminal while the agent works; the agent's steps are shown afterwards.
fn work_beside_terminal(
    page: TerminalPage,
    launch: EditorLaunch,
    root: &str,
    recording: &DemoRecording,
) -> io::Result<AgentWork> {
    let closed = AtomicBool::new(false);
    let (ended, done, said) = thread::scope(|scope| {
        let agent = scope.spawn(|| {
            let mut said = Vec::new();
            (do_recorded_work(root, recording, &closed, |one| said.push(one)), said)
        });
        let ended = launch.run_editor();
        closed.store(true, Ordering::SeqCst);
        let (done, said) = agent.join().unwrap_or_default();
        (ended, done, said)
    });
    check_exit_status(ended?)?;
    let mut number = 0;
    said.iter().try_for_each(|said| show_step(page, &mut number, said))?;
    Ok(done)
}

fn check_exit_status(status: ExitStatus) -> io::Result<()> {
    match status.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("the editor ended with {status}"))),
    }
}

/// Does the agent's part.
fn do_recorded_work(
    root: &str,
    recording: &DemoRecording,
    closed: &AtomicBool,
    mut said: impl FnMut(AgentStep),
) -> AgentWork {
    let mut work = AgentWork::default();
    let mut agent = match DemoAgent::wait_for_editor(root, recording, closed) {
        Ok(agent) => agent,
        Err(why) => return AgentWork { cut_off: Some(why), ..work },
    };
    for step in &recording.steps {
        let known = agent.changes.len();
        let answer = match agent.run_step(step, &mut said) {
            Ok(answer) => answer,
            Err(_) => {
                work.cut_off = Some("the editor was closed before the agent was done".to_owned());
                break;
            }
        };
        let code = answer.error.map(|fault| fault.code);
        if agent.changes.len() == known && code != step.expect {
            let (tool, expected) = (&step.tool, show::describe_end(step.expect));
            work.mismatches.push(format!(
                "{tool} should end with {expected}, but ended with {}",
                show::describe_end(code)
            ));
        }
    }
    work.changes = agent.changes;
    work
}

fn show_step(page: TerminalPage, number: &mut usize, said: &AgentStep) -> io::Result<()> {
    match said {
        AgentStep::Call(tool, arguments) => {
            *number += 1;
            show::show_call(page, *number, tool, arguments)
        }
        AgentStep::Answer(tool, answer, took) => show::show_answer(page, tool, answer, *took),
    }
}

/// Compares the decisions with the files; returns whether they match.
fn compare_outcomes(
    page: TerminalPage,
    root: &str,
    work: &mut AgentWork,
    ledger: &mut ReviewLedger,
) -> io::Result<bool> {
    let fault = |fault: Fault| io::Error::other(fault.message);
    let mut backend = RequestTarget::open(root).map_err(fault)?;
    // Proposals that were pending when the editor was closed are kept in the folder.
    let left = backend.ask::<Proposals>(ProposalsParams::default()).map_err(fault)?;
    update_changes(&mut work.changes, left.proposals);
    let (mut accepted, mut rejected, mut open) = (0, 0, 0);
    for change in &work.changes {
        for (file, now) in change.proposed.files.iter().zip(&change.now.files) {
            for (hunk, now) in file.hunks.iter().zip(&now.hunks) {
                let act = match now.state {
                    HunkState::Accepted => Act::Accept,
                    HunkState::Rejected => Act::Reject,
                    HunkState::Pending | HunkState::Stale => {
                        open += 1;
                        continue;
                    }
                };
                *if act == Act::Accept { &mut accepted } else { &mut rejected } += 1;
                // A person may have changed the added text.
                let hunk = crate::protocol::Hunk { new: now.new.clone(), ..hunk.clone() };
                ledger.add_decision(
                    file.path.as_str(),
                    &hunk,
                    &DemoDecision { act, reason: now.reason.clone() },
                );
            }
        }
    }
    show::show_heading(page, &format!("You accepted {accepted}, rejected {rejected}, and left {open}"))?;
    if let Some(why) = &work.cut_off {
        page.write_line(format!("   {why}"))?;
    }
    let mut right = true;
    for wrong in &work.mismatches {
        show::show_check(page, false, wrong)?;
        right = false;
    }
    right &= end::compare_disk(page, root.as_ref(), ledger, |_| None)?;
    let status = backend.ask::<Status>(()).map_err(fault)?;
    let log = status.workspaces.first().map(|workspace| workspace.log.as_str()).unwrap_or_default();
    right &= end::verify_log(page, root.as_ref(), Some(log))?;
    let shown = visible_line(root);
    if accepted > 0 {
        page.write_line(format!("   `wherefore undo --root {shown}` takes the change back."))?;
    }
    if open > 0 {
        page.write_line(format!("   `wherefore review --root {shown}` goes on with what is left."))?;
    }
    Ok(right)
}
