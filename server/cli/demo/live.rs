//! The demo in a person's editor: they review there what the recorded agent proposes, and the disk is what they decided.

use std::fs;
use std::io::{self, IsTerminal};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::agent::{DemoAgent, ProposedChange, Said, note};
use super::check::Ledger;
use super::decide::Decision;
use super::end;
use super::launch::{Launch, Which};
use super::project::Project;
use super::recording::{Recording, recording};
use super::show;
use crate::cli::backend::RequestTarget;
use crate::cli::print::{TerminalPage, visible};
use crate::protocol::{Act, Fault, HunkState, ProposalsParams};
use crate::requests::{Proposals, Status};

/// The tool whose calls change a file.
const CHANGES: &str = "fs.patch";

/// What the agent did until it was done, or the editor was closed.
#[derive(Debug, Default)]
struct Work {
    changes: Vec<ProposedChange>,
    /// What went otherwise than recorded.
    wrong: Vec<String>,
    /// Why it ended before it was done.
    cut_off: Option<String>,
}

/// Plays the demo in an editor; whether everything is as it was decided.
///
/// # Errors
/// What is missing, or what the system, the terminal or the editor says.
pub(super) fn run(project: &Project, which: Which) -> io::Result<bool> {
    let page = TerminalPage::stdout();
    let (launch, recording) = prepare(project, which).inspect_err(|_| {
        // Nothing was shown yet that could be looked at: the copy goes.
        let _ = fs::remove_dir_all(&project.folder);
    })?;
    let real = fs::canonicalize(&project.root)?;
    let root = real.to_str().ok_or_else(|| io::Error::other("the temporary folder is not a UTF-8 path"))?;
    show::begin(page, project, &recording)?;
    let mut ledger = Ledger::default();
    for step in recording.steps.iter().filter(|step| step.tool == CHANGES) {
        ledger.open(&real, step.arguments["path"].as_str().unwrap_or_default(), "")?;
    }
    let mut work = match launch.takes_terminal() {
        true => beside(page, launch, root, &recording)?,
        false => {
            page.line("Decide in the window that opens: Alt+W N goes to the next hunk, Alt+W A accepts, Alt+W R rejects.")?;
            succeeded(launch.run()?)?;
            let mut number = 0;
            work(root, &recording, &AtomicBool::new(false), |said| drop(tell(page, &mut number, &said)))
        }
    };
    sum_up(page, root, &mut work, &mut ledger)
}

/// What is needed: the agent's part, and the editor opened on the file that it changes.
fn prepare(project: &Project, which: Which) -> io::Result<(Launch, Recording)> {
    let recording = recording(project).map_err(io::Error::other)?;
    let changes = recording.steps.iter().find(|step| step.tool == CHANGES);
    let file = changes.and_then(|step| step.arguments["path"].as_str()).unwrap_or(".").to_owned();
    if which == Which::Nvim && !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(io::Error::other(
            "Neovim needs a terminal; without one, `wherefore demo --decide alternate` plays by itself",
        ));
    }
    Ok((Launch::prepare(which, project, &file, &recording.task)?, recording))
}

/// The editor has the terminal until it is closed, and the agent works meanwhile: what it did is shown afterwards.
fn beside(page: TerminalPage, launch: Launch, root: &str, recording: &Recording) -> io::Result<Work> {
    let closed = AtomicBool::new(false);
    let (ended, done, said) = thread::scope(|scope| {
        let agent = scope.spawn(|| {
            let mut said = Vec::new();
            (work(root, recording, &closed, |one| said.push(one)), said)
        });
        let ended = launch.run();
        closed.store(true, Ordering::SeqCst);
        let (done, said) = agent.join().unwrap_or_default();
        (ended, done, said)
    });
    succeeded(ended?)?;
    let mut number = 0;
    said.iter().try_for_each(|said| tell(page, &mut number, said))?;
    Ok(done)
}

fn succeeded(status: ExitStatus) -> io::Result<()> {
    match status.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("the editor ended with {status}"))),
    }
}

/// Does the agent's part.
fn work(root: &str, recording: &Recording, closed: &AtomicBool, mut said: impl FnMut(Said)) -> Work {
    let mut work = Work::default();
    let mut agent = match DemoAgent::meet(root, recording, closed) {
        Ok(agent) => agent,
        Err(why) => return Work { cut_off: Some(why), ..work },
    };
    for step in &recording.steps {
        let known = agent.changes.len();
        let answer = match agent.step(step, &mut said) {
            Ok(answer) => answer,
            Err(_) => {
                work.cut_off = Some("the editor was closed before the agent was done".to_owned());
                break;
            }
        };
        let code = answer.error.map(|fault| fault.code);
        if agent.changes.len() == known && code != step.expect {
            let (tool, expected) = (&step.tool, show::ending(step.expect));
            work.wrong
                .push(format!("{tool} should end with {expected}, but ended with {}", show::ending(code)));
        }
    }
    work.changes = agent.changes;
    work
}

fn tell(page: TerminalPage, number: &mut usize, said: &Said) -> io::Result<()> {
    match said {
        Said::Call(tool, arguments) => {
            *number += 1;
            show::call(page, *number, tool, arguments)
        }
        Said::Answer(tool, answer, took) => show::answer(page, tool, answer, *took),
    }
}

/// Compares what was decided with what is there; whether all is well.
fn sum_up(page: TerminalPage, root: &str, work: &mut Work, ledger: &mut Ledger) -> io::Result<bool> {
    let fault = |fault: Fault| io::Error::other(fault.message);
    let mut backend = RequestTarget::open(root).map_err(fault)?;
    // What was still open when the editor was closed stands in the folder.
    let left = backend.ask::<Proposals>(ProposalsParams::default()).map_err(fault)?;
    note(&mut work.changes, left.proposals);
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
                // A person may have changed what it adds.
                let hunk = crate::protocol::Hunk { new: now.new.clone(), ..hunk.clone() };
                ledger.decided(file.path.as_str(), &hunk, &Decision { act, reason: now.reason.clone() });
            }
        }
    }
    show::heading(page, &format!("You accepted {accepted}, rejected {rejected}, and left {open}"))?;
    if let Some(why) = &work.cut_off {
        page.line(format!("   {why}"))?;
    }
    let mut right = true;
    for wrong in &work.wrong {
        show::checked(page, false, wrong)?;
        right = false;
    }
    right &= end::on_disk(page, root.as_ref(), ledger, |_| None)?;
    let status = backend.ask::<Status>(()).map_err(fault)?;
    let log = status.workspaces.first().map(|workspace| workspace.log.as_str()).unwrap_or_default();
    right &= end::log(page, root.as_ref(), Some(log))?;
    let shown = visible(root);
    if accepted > 0 {
        page.line(format!("   `wherefore undo --root {shown}` takes the change back."))?;
    }
    if open > 0 {
        page.line(format!("   `wherefore review --root {shown}` goes on with what is left."))?;
    }
    Ok(right)
}
