//! The course of the demo: the agent works with the server, a person decides at this terminal or in their editor, and the
//! outcome is compared with the decisions.

use std::io::{self, IsTerminal};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

use super::agent::{AgentStep, AgentWork, DemoAgent, DemoPerson, DemoServer};
use super::decide::{DecisionRule, decision_input};
use super::launch::{DemoEditorKind, EditorLaunch};
use super::outcome::{OutcomeCheck, fault_error};
use super::project::DemoProject;
use super::recording::{DemoRecording, load_recording};
use super::show;
use crate::cli::answer;
use crate::cli::backend::RequestTarget;
use crate::cli::palette::DiffPalette;
use crate::cli::print::{TerminalPage, visible_line};
use crate::cli::review::desk::ReviewSession;
use crate::cli::review::walk::{HunkWalk, LineInput};
use crate::protocol::{Fault, HunkState, Proposal, ProposalsParams};
use crate::requests::log::LogParams;
use crate::requests::{Log, Proposals, Status};
use crate::socket::ServerLink;

/// The pause before each call where a person follows them in an editor.
const PACE: Duration = Duration::from_millis(600);

/// The reason why an agent that works with an editor ends early.
const CLOSED: &str = "the editor was closed before the agent was done";

/// A demo that can be played.
#[derive(Debug)]
pub(super) struct PreparedDemo {
    /// The agent's work.
    pub recording: DemoRecording,
    /// The editor to decide in; none for this terminal.
    pub launch: Option<EditorLaunch>,
}

/// Prepares the agent's recording, and the editor opened on the file that the recording changes.
///
/// # Errors
/// A missing program, a project that nothing can be shown on, or the error of the system.
pub(super) fn prepare_demo(
    project: &DemoProject,
    editor: Option<DemoEditorKind>,
) -> io::Result<PreparedDemo> {
    let recording = load_recording(project).map_err(io::Error::other)?;
    let file = recording.changed_paths().next().unwrap_or(".");
    if editor == Some(DemoEditorKind::Nvim) && !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(io::Error::other(
            "Neovim needs a terminal; without one, `wherefore demo --decide alternate` plays by itself",
        ));
    }
    let prepare = |editor| EditorLaunch::prepare_editor(editor, project, file, &recording.task);
    let launch = editor.map(prepare).transpose()?;
    Ok(PreparedDemo { recording, launch })
}

/// Plays the demo with a server of its own; the person decides at this terminal, or a rule does. Returns whether all is as
/// it was decided.
///
/// # Errors
/// The error of the system, the terminal or the server.
pub(super) fn play_in_terminal(
    project: &DemoProject,
    recording: &DemoRecording,
    rule: Option<DecisionRule>,
    keeps: bool,
) -> io::Result<bool> {
    let root = project.real_root()?;
    let mut check = OutcomeCheck::before(&root, recording)?;
    show::show_start(TerminalPage::stdout(), project, recording)?;
    let server = Mutex::new(DemoServer::start(&root, &project.folder.join("config"))?);
    let agent = DemoAgent::connect(&root, recording, Duration::ZERO, |_| true, || server.lock().early_end())
        .map_err(io::Error::other)?;
    let mut target = RequestTarget::open(&root).map_err(fault_error)?;
    let mut person = TerminalPerson {
        steps: StepList::default(),
        root: &root,
        target: &mut target,
        input: decision_input(rule),
    };
    let work = agent.work_for(&mut person);
    if let Some(reason) = work.cut_off {
        return Err(io::Error::other(reason));
    }
    check.check_results(&work)?;
    check.check_answers(&work)?;
    check.check_disk(&work)?;
    check.check_undo(&work, &mut target)?;
    let log = target.ask::<Log>(LogParams::default()).map_err(fault_error)?;
    drop(target);
    server.into_inner().wait_for_end();
    check.check_log(Some(log.path.as_str()).filter(|_| keeps))?;
    Ok(check.is_right())
}

/// Plays the demo in an editor. Returns whether all is as it was decided.
///
/// # Errors
/// The error of the system, the terminal or the editor.
pub(super) fn play_in_editor(
    project: &DemoProject,
    recording: &DemoRecording,
    launch: EditorLaunch,
) -> io::Result<bool> {
    let page = TerminalPage::stdout();
    let root = project.real_root()?;
    let mut check = OutcomeCheck::before(&root, recording)?;
    show::show_start(page, project, recording)?;
    let mut work = match launch.takes_terminal() {
        true => work_beside_terminal(launch, &root, recording)?,
        false => {
            page.write_line("Decide in the window that opens: Alt+W N goes to the next hunk, Alt+W A accepts, Alt+W R rejects.")?;
            check_exit_status(launch.run_editor()?)?;
            work_with_editor(&root, recording, &AtomicBool::new(false), &mut StepList::default())
        }
    };
    let mut target = RequestTarget::open(&root).map_err(fault_error)?;
    // Proposals that were pending when the editor was closed are kept in the folder.
    let left = target.ask::<Proposals>(ProposalsParams::default()).map_err(fault_error)?;
    work.update_changes(left.proposals);
    let count = |wanted: fn(HunkState) -> bool| {
        let hunks = work.changes.iter().flat_map(|change| change.now.hunks());
        hunks.filter(|hunk| wanted(hunk.state)).count()
    };
    let accepted = count(|state| state == HunkState::Accepted);
    let rejected = count(|state| state == HunkState::Rejected);
    let open = count(|state| matches!(state, HunkState::Pending | HunkState::Stale));
    show::show_heading(page, &format!("You accepted {accepted}, rejected {rejected}, and left {open}"))?;
    if let Some(reason) = &work.cut_off {
        page.write_line(format!("   {reason}"))?;
    }
    check.check_results(&work)?;
    check.check_disk(&work)?;
    let status = target.ask::<Status>(()).map_err(fault_error)?;
    let log = status.workspaces.first().map(|workspace| workspace.log.as_str()).unwrap_or_default();
    check.check_log(Some(log))?;
    let shown = visible_line(&root);
    if accepted > 0 {
        page.write_line(format!("   `wherefore undo --root {shown}` takes the change back."))?;
    }
    if open > 0 {
        page.write_line(format!("   `wherefore review --root {shown}` goes on with what is left."))?;
    }
    Ok(check.is_right())
}

/// Runs the editor in the terminal while the agent works; the agent's steps are shown afterwards.
fn work_beside_terminal(
    launch: EditorLaunch,
    root: &str,
    recording: &DemoRecording,
) -> io::Result<AgentWork> {
    let closed = AtomicBool::new(false);
    let (ended, work, steps) = thread::scope(|scope| {
        let agent = scope.spawn(|| {
            let mut steps = KeptSteps::default();
            (work_with_editor(root, recording, &closed, &mut steps), steps)
        });
        let ended = launch.run_editor();
        closed.store(true, Ordering::SeqCst);
        let (work, steps) = agent.join().unwrap_or_default();
        (ended, work, steps)
    });
    check_exit_status(ended?)?;
    let mut shown = StepList::default();
    steps.0.into_iter().for_each(|step| shown.see_step(step));
    Ok(work)
}

fn check_exit_status(status: ExitStatus) -> io::Result<()> {
    match status.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("the editor ended with {status}"))),
    }
}

/// Does the agent's part beside an editor, until that is closed.
fn work_with_editor(
    root: &str,
    recording: &DemoRecording,
    closed: &AtomicBool,
    person: &mut dyn DemoPerson,
) -> AgentWork {
    let has_editor = |link: &mut ServerLink| link.ask::<Status>(&()).is_ok_and(|status| status.editor);
    let cut_off = || {
        let is_closed = closed.load(Ordering::SeqCst);
        is_closed.then(|| "the editor was closed before its server was there".to_owned())
    };
    match DemoAgent::connect(root, recording, PACE, has_editor, cut_off) {
        Ok(agent) => {
            let work = agent.work_for(person);
            // The server goes with its editor.
            AgentWork { cut_off: work.cut_off.map(|_| CLOSED.to_owned()), ..work }
        }
        Err(reason) => AgentWork { cut_off: Some(reason), ..AgentWork::default() },
    }
}

/// Prints the agent's steps. The person decides in their editor.
#[derive(Debug, Default)]
struct StepList {
    call_count: usize,
}

impl DemoPerson for StepList {
    fn see_step(&mut self, step: AgentStep) {
        let page = TerminalPage::stdout();
        // Where the terminal is gone there is nobody to see it.
        let _ = match &step {
            AgentStep::Call(tool, arguments) => {
                self.call_count += 1;
                show::show_call(page, self.call_count, tool, arguments)
            }
            AgentStep::Answer(tool, answer, took) => show::show_answer(page, tool, answer, *took),
        };
    }

    fn decide(&mut self, _: &[Proposal]) -> Result<(), Fault> {
        Ok(())
    }
}

/// Keeps the agent's steps while an editor has the terminal.
#[derive(Debug, Default)]
struct KeptSteps(Vec<AgentStep>);

impl DemoPerson for KeptSteps {
    fn see_step(&mut self, step: AgentStep) {
        self.0.push(step);
    }

    fn decide(&mut self, _: &[Proposal]) -> Result<(), Fault> {
        Ok(())
    }
}

/// Prints the agent's steps, and asks about each hunk as `wherefore review` does. Hunks that are skipped are rejected, so
/// that the agent goes on.
struct TerminalPerson<'a> {
    steps: StepList,
    root: &'a str,
    target: &'a mut RequestTarget,
    input: Box<dyn LineInput>,
}

impl DemoPerson for TerminalPerson<'_> {
    fn see_step(&mut self, step: AgentStep) {
        self.steps.see_step(step);
    }

    fn decide(&mut self, proposals: &[Proposal]) -> Result<(), Fault> {
        answer::write_line("");
        let mut desk = ReviewSession::new(proposals, false);
        HunkWalk::new(self.root, DiffPalette::stdout(), &mut desk, &mut *self.input)
            .go_through(self.target)?;
        desk.reject_open("the person ended the review", self.target)?;
        answer::write_line(&format!("\n{}", desk.decision_sum()));
        Ok(())
    }
}
